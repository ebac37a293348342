// The `gauze` command: parses, runs one command, and turns what went wrong into one line and an
// exit code.
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "engine.hpp"
#include "input_error.hpp"
#include "system.hpp"

namespace gauze::tool {

namespace {

// Reports errors that the parser's own messages do not name: a command that is missing or does not exist, an
// option before it. `app` is the command that the arguments so far name, `called` how it was called.
void check_command_names(const CLI::App &app, const std::string &called,
                         const std::vector<std::string> &arguments, std::size_t position) {
    const std::vector<const CLI::App *> commands = app.get_subcommands(nullptr);
    if (commands.empty())
        return;
    std::vector<std::string> names;
    for (const CLI::App *command : commands)
        names.push_back(command->get_name());

    if (position == arguments.size())
        throw InputError(in_quotes(called) + " needs one of " + joined(names, ", ") +
                         " after it; see --help");
    const std::string &name = arguments[position];
    if (name.starts_with('-')) {
        if (!app.get_option_no_throw(name))
            throw InputError(in_quotes(called) + " does not take " + in_quotes(name));
        return;
    }
    for (const CLI::App *command : commands)
        if (command->get_name() == name)
            return check_command_names(*command, called + " " + name, arguments, position + 1);
    throw InputError("there is no " + in_quotes(called + " " + name) + ", only " +
                     joined(names, ", "));
}

// The parser would take the next argument for the value that "--option=" lacks.
void check_values(const std::vector<std::string> &arguments) {
    for (const std::string &argument : arguments)
        if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
            throw InputError(in_quotes(argument) + " lacks a value");
}

// Returns the first line of a text, without control characters: a file's name may have some, and a compiler's
// log has many lines.
std::string first_line(std::string_view text) {
    std::string line(text.substr(0, text.find('\n')));
    for (char &c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    return line;
}

ExitCode report(ExitCode code, std::string_view text, ErrorDetail detail) {
    const std::string shown = detail == ErrorDetail::all ? std::string(text) : first_line(text);
    std::cerr << "gauze: " << shown << '\n';
    return code;
}

// Returns the exit code of a command that has printed all, unless its output did not get through.
ExitCode flushed(ExitCode code) {
    if (std::cout.flush())
        return code;
    return report(ExitCode::bad_input, "cannot write to the standard output",
                  ErrorDetail::first_line);
}

ExitCode code_of(gauze_status status) {
    switch (status) {
    case GAUZE_ERROR_INVALID_ARGUMENT:
    case GAUZE_ERROR_OVERLAP:
        return ExitCode::bad_input;
    default:
        return ExitCode::no_device;
    }
}

// arguments: the program's, without its own name.
ExitCode run(const std::vector<std::string> &arguments) {
    CLI::App app("Filters images and signals on any OpenCL device.", "gauze");
    app.set_version_flag("--version", "gauze " + version());
    app.allow_windows_style_options(false); // a path may begin with a slash anywhere
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "Print this help");
    Invocation invocation;
    add_devices_command(app, invocation);
    add_run_command(app, invocation);
    add_bench_command(app, invocation);
    add_tune_command(app, invocation);
    add_cache_command(app, invocation);
    add_ssimulacra2_command(app, invocation);
    try {
        if (log_level() == GAUZE_LOG_DEBUG)
            invocation.detail = ErrorDetail::all;
        check_command_names(app, app.get_name(), arguments, 0);
        check_values(arguments);
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // last first
        return flushed(invocation.run());
    } catch (const CLI::Success &asked) { // --help, --version
        app.exit(asked);
        return flushed(ExitCode::success);
    } catch (const CLI::Error &error) {
        return report(ExitCode::bad_input, error.what(), ErrorDetail::first_line);
    } catch (const InputError &error) {
        return report(ExitCode::bad_input, error.what(), ErrorDetail::first_line);
    } catch (const Error &error) {
        return report(code_of(error.status()), error.what(), invocation.detail);
    } catch (const std::bad_alloc &) {
        return report(ExitCode::no_device, "out of host memory", ErrorDetail::first_line);
    } catch (const std::exception &error) {
        return report(ExitCode::no_device, error.what(), invocation.detail);
    }
}

// PoCL compiles a kernel for each form of launch, and once more in a general form to hand a program out for the
// library's cache. Launches in the general form are as fast, and have everything compiled once.
void launch_in_general_form() {
    constexpr const char *name = "POCL_WORK_GROUP_SPECIALIZATION";
    if (!std::getenv(name))
        set_environment(name, "0");
}

} // namespace
} // namespace gauze::tool

int main(int argc, char **argv) {
    const std::vector<std::string> words = gauze::tool::begin_program(argc, argv);
    gauze::tool::launch_in_general_form();
    return static_cast<int>(
        gauze::tool::run({words.begin() + (words.empty() ? 0 : 1), words.end()}));
}
