#include "recursive_options.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "arguments.hpp"
#include "input_error.hpp"
#include "npy.hpp"

namespace gauze::tool {
namespace {

// Returns a scan without terms for a text that starts with "+x:", "-x:", "+y:" ...; nothing for any other.
std::optional<Scan> parse_direction(std::string_view text) {
    const std::size_t axis = text.size() > 1 ? axis_names.find(text[1]) : std::string_view::npos;
    if (text.size() < 3 || (text[0] != '+' && text[0] != '-') || axis == std::string_view::npos ||
        text[2] != ':')
        return std::nullopt;
    Scan scan;
    scan.axis = static_cast<int>(axis);
    scan.direction = text[0] == '+' ? Direction::forward : Direction::backward;
    scan.feedforward.clear();
    return scan;
}

// "+x:b0/b1,a1,a2"
Scan parse_scan(std::string_view text) {
    const std::string option = "--scan";
    const std::optional<Scan> direction = parse_direction(text);
    if (!direction)
        throw InputError(option + ": " + in_quotes(text) +
                         " does not start with +x:, -x:, +y: ...");
    const std::string_view terms = text.substr(3);
    const std::size_t comma = terms.find(',');
    Scan scan = *direction;
    for (const std::string_view term : split(terms.substr(0, comma), '/'))
        scan.feedforward.push_back(parse_finite(option, term));
    if (comma != std::string_view::npos)
        scan.feedback = parse_numbers(option, terms.substr(comma + 1));
    return scan;
}

// Reads a file of rows b0 b1 b2 a0 a1 a2, a scan each; "+x:FILE.npy", or FILE.npy, which is +x.
std::vector<Scan> parse_sections(const std::string &text) {
    const std::optional<Scan> direction = parse_direction(text);
    const std::string path = direction ? text.substr(3) : text;
    const NpyArray array = read_npy(path);
    const std::string name = "--sos " + in_quotes(path);
    if (array.type.kind != NpyKind::floating || array.type.size < 4)
        throw InputError(name + " holds " + name_of(array.type) + "; sections are f8 or f4");
    constexpr std::size_t terms = 6;
    if (array.shape.size() != 2 || array.shape[1] != static_cast<std::int64_t>(terms)) {
        std::vector<std::string> shape;
        for (const std::int64_t size : array.shape)
            shape.push_back(std::to_string(size));
        throw InputError(name + " has the shape " + joined(shape, "x") +
                         "; sections are rows of 6: b0 b1 b2 a0 a1 a2");
    }
    const std::vector<double> values = to_doubles(array);
    std::vector<Scan> scans;
    for (std::size_t row = 0; row < values.size() / terms; ++row) {
        const double *const c = values.data() + row * terms;
        for (std::size_t i = 0; i < terms; ++i)
            if (!(std::abs(c[i]) <= std::numeric_limits<float>::max()))
                throw InputError(name + ": row " + std::to_string(row) + " holds " + text_of(c[i]) +
                                 ", which is not finite in f32");
        if (c[3] != 1.0)
            throw InputError(name + ": row " + std::to_string(row) + " has a0 = " + text_of(c[3]) +
                             "; it must be 1: divide the row by it");
        Scan scan = direction.value_or(Scan());
        scan.feedforward.assign(c, c + 3);
        scan.feedback = {0.0 - c[4], 0.0 - c[5]}; // not -0 where a term is 0
        scans.push_back(std::move(scan));
    }
    return scans;
}

std::int64_t parse_tile(const std::string &text) {
    const std::int64_t tile = parse_integer("--tile", text);
    if (tile < 1)
        throw InputError("--tile: " + std::to_string(tile) + " is not positive");
    return tile;
}

// Returns the library's name of what --cascade and --overlap ask for.
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
    const auto add = [&](const std::string &name, ScanSource source, const std::string &text) {
        return app
            .add_option_function<std::string>(
                name,
                [&options, source](const std::string &value) {
                    options.scans.push_back({source, value});
                },
                text)
            ->trigger_on_parse(); // for each time that it is given, in the order of both options
    };
    add("--scan", ScanSource::terms,
        "y[n] = b0 x[n] + b1 x[n-1] + ... + a1 y[n-1] + a2 y[n-2] + ... along x, y or z, "
        "with rising coordinates (+) or falling ones (-); once for each scan, in order")
        ->type_name("+x:B0[/B1...][,A1...]");
    add("--sos", ScanSource::sections,
        "Second-order sections: an array of rows b0 b1 b2 a0 a1 a2, as scipy.signal's, a scan "
        "each; "
        "once for each file, in order with --scan")
        ->type_name("[+x:]FILE.npy");
    app.add_flag("--zero-phase", options.zero_phase,
                 "Run all scans again in the other direction, so that nothing is shifted");
    app.add_option("--accuracy", options.accuracy,
                   "The error bound wanted, of full scale (default: the library's choice)")
        ->type_name("E");
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
    if (options.scans.empty())
        throw InputError("one of --scan, --sos is required");
    std::vector<Scan> scans;
    for (const ScanOptions::Scans &given : options.scans)
        if (given.source == ScanSource::terms) {
            scans.push_back(parse_scan(given.text));
        } else {
            const std::vector<Scan> sections = parse_sections(given.text);
            scans.insert(scans.end(), sections.begin(), sections.end());
        }
    gauze::RecursiveOptions own;
    own.grouping = grouping_of(options);
    if (options.tile)
        own.tile = parse_tile(*options.tile);
    own.zero_phase = options.zero_phase;
    if (options.accuracy)
        own.accuracy = parse_positive("--accuracy", *options.accuracy);
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
