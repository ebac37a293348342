// The commands of `gauze` and what they share.
#ifndef GAUZE_TOOLS_COMMAND_HPP
#define GAUZE_TOOLS_COMMAND_HPP

#include <functional>

#include <CLI/CLI.hpp>

namespace gauze::tool {

enum class ExitCode {
    success = 0,
    over_bound = 1,   // --verify or a benchmark found a difference over the filter's bound
    bad_input = 2,    // bad usage or bad input
    no_device = 3,    // no device, or none that can run it
    interrupted = 130 // ended by a signal, numbered as shells do
};

// How a command prints a list: as a table, or by --json.
enum class Format { table, json };

// How much an error shows of a text of many lines, such as a compiler's log.
enum class ErrorDetail { first_line, all };

// The command that the command line asks for. The parser fills it in when it meets a command's name.
struct Invocation {
    std::function<ExitCode()> run;
    ErrorDetail detail = ErrorDetail::first_line;
};

// Each adds one command to the parser. `app` and `invocation` outlive the parsing and the run.
void add_devices_command(CLI::App &app, Invocation &invocation);
void add_run_command(CLI::App &app, Invocation &invocation);
void add_bench_command(CLI::App &app, Invocation &invocation);
void add_tune_command(CLI::App &app, Invocation &invocation);
void add_cache_command(CLI::App &app, Invocation &invocation);
void add_ssimulacra2_command(CLI::App &app, Invocation &invocation);

} // namespace gauze::tool

#endif
