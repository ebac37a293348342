#include "recursive_options.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arguments.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

constexpr std::string_view axis_names = "xyzt";

// "+x:b0/b1,a1,a2"
Scan parse_scan(std::string_view text) {
    const std::string option = "--scan";
    const std::size_t axis = text.size() > 1 ? axis_names.find(text[1]) : std::string_view::npos;
    if (text.size() < 3 || (text[0] != '+' && text[0] != '-') || axis == std::string_view::npos ||
        text[2] != ':')
        throw InputError(option + ": " + in_quotes(text) +
                         " does not start with +x:, -x:, +y: ...");
    const std::string_view terms = text.substr(3);
    const std::size_t comma = terms.find(',');
    Scan scan;
    scan.axis = static_cast<int>(axis);
    scan.direction = text[0] == '+' ? Direction::forward : Direction::backward;
    scan.feedforward.clear();
    for (const std::string_view term : split(terms.substr(0, comma), '/'))
        scan.feedforward.push_back(parse_finite(option, term));
    if (comma != std::string_view::npos)
        scan.feedback = parse_numbers(option, terms.substr(comma + 1));
    return scan;
}

std::int64_t parse_tile(const std::string &text) {
    const std::int64_t tile = parse_integer("--tile", text);
    if (tile < 1)
        throw InputError("--tile: " + std::to_string(tile) + " is not positive");
    return tile;
}

// How the library calls what --cascade and --overlap ask for.
std::string grouping_of(const ScanOptions &options) {
    if (options.overlap)
        return "overlap";
    if (!options.cascade)
        return "";
    if (options.cascade->empty())
        throw InputError("--cascade: '' is neither \"each\" nor numbers of scans, as 0,1_2,3");
    return *options.cascade == "each" ? "cascade" : *options.cascade;
}

} // namespace

void add_scan_options(CLI::App &app, ScanOptions &options) {
    app.add_option(
           "--scan", options.scans,
           "y[n] = b0 x[n] + b1 x[n-1] + ... + a1 y[n-1] + a2 y[n-2] + ... along x, y or z, "
           "with rising coordinates (+) or falling ones (-); once for each scan, in order")
        ->type_name("+x:B0[/B1...][,A1...]")
        ->allow_extra_args(false) // one value each time: what follows may be IN
        ->required();
    CLI::Option *const cascade =
        app.add_option("--cascade", options.cascade,
                       "The scans of each trip through memory, counted from 0, as 0,1_2,3; "
                       "each: a trip for every scan (default: automatic)")
            ->type_name("TRIPS");
    app.add_flag("--overlap", options.overlap, "All scans in one trip through memory")
        ->excludes(cascade);
    app.add_option("--tile", options.tile, "Pixels of a tile along an axis (default: automatic)")
        ->type_name("N");
}

Filter make_recursive(const ScanOptions &options) {
    std::vector<Scan> scans;
    for (const std::string &text : options.scans)
        scans.push_back(parse_scan(text));
    gauze::RecursiveOptions own;
    own.grouping = grouping_of(options);
    if (options.tile)
        own.tile = parse_tile(*options.tile);
    return recursive(scans, own);
}

void add_bspline_options(CLI::App &app, BsplineOptions &options) {
    app.add_option("--order", options.order, "Degree of the spline, 2 to 5")
        ->type_name("N")
        ->required();
}

Filter make_bspline(const BsplineOptions &options) {
    const std::int64_t order = parse_integer("--order", options.order);
    if (order < 2 || order > 5)
        throw InputError("--order: " + std::to_string(order) + " is not from 2 to 5");
    return bspline(static_cast<int>(order));
}

} // namespace gauze::tool
