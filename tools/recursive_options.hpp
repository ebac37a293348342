// Filters by recursion as their options give them.
#ifndef GAUZE_TOOLS_RECURSIVE_OPTIONS_HPP
#define GAUZE_TOOLS_RECURSIVE_OPTIONS_HPP

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// As written.
struct ScanOptions {
    std::vector<std::string> scans;
    std::optional<std::string> cascade, tile; // none: the library's
    bool overlap = false;
};

void add_scan_options(CLI::App &app, ScanOptions &options);

// Throws InputError.
gauze::Filter make_recursive(const ScanOptions &options);

// As written.
struct BsplineOptions {
    std::string order;
};

void add_bspline_options(CLI::App &app, BsplineOptions &options);

// Throws InputError.
gauze::Filter make_bspline(const BsplineOptions &options);

} // namespace gauze::tool

#endif
