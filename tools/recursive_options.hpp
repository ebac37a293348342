// Filters by recursion as their options give them.
#ifndef GAUZE_TOOLS_RECURSIVE_OPTIONS_HPP
#define GAUZE_TOOLS_RECURSIVE_OPTIONS_HPP

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// The source of scans: terms, or a file of second-order sections.
enum class ScanSource { terms, sections };

// The options of scans, as written.
struct ScanOptions {
    struct Scans {
        ScanSource source;
        std::string text;
    };
    std::vector<Scans> scans;                           // in the order of the options
    std::optional<std::string> cascade, tile, accuracy; // none: the library's
    bool overlap = false;
    bool zero_phase = false;
};

void add_scan_options(CLI::App &app, ScanOptions &options);

// Throws InputError.
gauze::Filter make_recursive(const ScanOptions &options);

// The options of a B-spline, as written.
struct BsplineOptions {
    std::string order;
};

void add_bspline_options(CLI::App &app, BsplineOptions &options);

// Throws InputError.
gauze::Filter make_bspline(const BsplineOptions &options);

} // namespace gauze::tool

#endif
