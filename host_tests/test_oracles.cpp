// Results against expected values from an independent source, in the directory that GAUZE_ORACLES
// names, through the public API. Every kernel must pass every case that it can run; where GAUZE_SHARE is set, as 0/4, each
// runs every fourth one, the library's choice all. Where GAUZE_ONLY_CHOSEN is set, the choice alone runs, in cases of
// the share, and no network that the compilers of CPUs take seconds to minutes for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>
#include <nlohmann/json.hpp>

#include "image_file.hpp"
#include "support/difference.hpp"

namespace {

using nlohmann::json;

double value_at(gauze::Type type, const std::byte *at) {
    const auto read = [&](auto value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<double>(value);
    };
    switch (type) {
    case gauze::Type::u8:
        return read(std::uint8_t());
    case gauze::Type::u16:
        return read(std::uint16_t());
    case gauze::Type::s16:
        return read(std::int16_t());
    case gauze::Type::f64:
        return read(double());
    case gauze::Type::u32:
        return read(std::uint32_t());
    default:
        return read(float());
    }
}

std::vector<double> values_of(const gauze::tool::HostImage &image) {
    const std::size_t step = gauze::size_of(image.desc.type);
    std::vector<double> values;
    for (std::size_t at = 0; at + step <= image.pixels.size(); at += step)
        values.push_back(value_at(image.desc.type, image.pixels.data() + at));
    return values;
}

// Numbers of nested arrays in order.
void flatten(const json &nested, std::vector<double> &to) {
    if (nested.is_array())
        for (const json &part : nested)
            flatten(part, to);
    else
        to.push_back(nested.get<double>());
}

// A filter that the library is asked for in a case, and the kernels that may run it.
struct Candidate {
    std::string name;
    gauze::Filter filter;
    std::vector<std::string> kernels;
};

bool only_chosen() {
    return std::getenv("GAUZE_ONLY_CHOSEN") != nullptr;
}

// Whether a kernel is forced in a case, by their numbers.
bool is_of_share(std::size_t kernel, std::size_t number) {
    const char *const given = std::getenv("GAUZE_SHARE");
    if (!given)
        return true;
    const std::string share = given;
    const std::size_t count = std::stoul(share.substr(share.find('/') + 1));
    return (kernel + number) % count == std::stoul(share);
}

// The kernels of a family that are forced beside the library's choice, from its list: CTest sets
// GAUZE_KERNELS_OF_<family> to their names.
std::vector<std::string> kernels_of(const char *family) {
    const char *const names = std::getenv((std::string("GAUZE_KERNELS_OF_") + family).c_str());
    REQUIRE_MESSAGE(names, "GAUZE_KERNELS_OF_", family, " is not set");
    if (only_chosen())
        return {};
    std::vector<std::string> kernels;
    std::istringstream stream(names);
    for (std::string name; std::getline(stream, name, ',');)
        kernels.push_back(name);
    return kernels;
}

gauze::Taps taps_of(const json &params) {
    gauze::Taps taps;
    flatten(params["taps"], taps.values);
    const std::size_t axes = params["anchor"].size(); // x first, as sizes
    taps.has_anchor = true;
    const json *nested = &params["taps"];
    for (std::size_t axis = axes; axis-- > 0; nested = &(*nested)[0]) {
        taps.size[axis] = static_cast<std::int64_t>(nested->size());
        taps.anchor[axis] = params["anchor"][axis];
    }
    return taps;
}

// One number for each axis, x first.
template <class Number> std::array<Number, 4> along_axes(const json &numbers) {
    std::array<Number, 4> result{};
    for (std::size_t axis = 0; axis < numbers.size(); ++axis)
        result[axis] = numbers[axis];
    return result;
}

gauze::Scan scan_of(const json &scan) {
    const std::string axis = scan["axis"]; // "+x"
    gauze::Scan result;
    result.axis = static_cast<int>(std::string("xyz").find(axis[1]));
    result.direction = axis[0] == '+' ? gauze::Direction::forward : gauze::Direction::backward;
    result.feedforward = {scan["feedforward"].get<double>()};
    result.feedback = scan["feedback"].get<std::vector<double>>();
    return result;
}

std::vector<Candidate> candidates(const json &test) {
    const json &params = test["params"];
    if (test["op"] == "recursive") {
        std::vector<gauze::Scan> scans;
        for (const json &scan : params["scans"])
            scans.push_back(scan_of(scan));
        return {{"recursive", gauze::recursive(scans), kernels_of("recursive")}};
    }
    if (test["op"] == "bspline_prefilter")
        return {{"bspline", gauze::bspline(params["order"]), kernels_of("recursive")}};
    if (test["op"] == "gaussian") { // the exact one
        gauze::Gaussian gaussian;
        gaussian.method = gauze::GaussianMethod::recursive;
        gaussian.sigma = along_axes<double>(params["sigma"]);
        return {{"gaussian", gauze::gaussian(gaussian), kernels_of("recursive")}};
    }
    if (test["op"] == "gaussian_fir") {
        gauze::Gaussian gaussian;
        gaussian.method = gauze::GaussianMethod::fir;
        gaussian.truncate = params["truncate"];
        gaussian.sigma = along_axes<double>(params["sigma"]);
        return {{"gaussian", gauze::gaussian(gaussian), kernels_of("correlate")}};
    }
    if (test["op"] == "box")
        return {
            {"box",
             gauze::box(along_axes<std::int64_t>(params["radius"]), params.value("iterations", 1U)),
             kernels_of("box")}};
    if (test["op"] == "sat")
        return {{"sat", gauze::sat(), kernels_of("sat")}};
    const gauze::Taps taps = taps_of(params);
    if (test["op"] == "convolve")
        return {{"convolve", gauze::convolve(taps), kernels_of("correlate")}};
    std::vector<Candidate> result{{"correlate", gauze::correlate(taps), kernels_of("correlate")}};
    if (taps.size[1] * taps.size[2] * taps.size[3] == 1) { // a row: by name, too
        gauze::SeparableTaps row;
        row.values[0] = taps.values;
        row.has_anchor = true;
        row.anchor = taps.anchor;
        result.push_back({"separable", gauze::separable(row), kernels_of("correlate")});
    }
    return result;
}

bool has_channels(const json &test) {
    return test["params"].value("channels_last", false);
}

// Filters that are not there yet.
bool is_left_out(const json &test) {
    const std::string op = test["op"];
    return op != "recursive" && op != "bspline_prefilter" && op != "gaussian" &&
           op != "correlate" && op != "convolve" && op != "gaussian_fir" && op != "box" &&
           op != "sat";
}

gauze::PlanOptions make_options(const json &test) {
    gauze::PlanOptions options;
    const std::string border = test["border"];
    const gauze::Border borders[] = {
        gauze::Border::clamp(),      gauze::Border::reflect(),
        gauze::Border::reflect101(), gauze::Border::wrap(),
        gauze::Border::zero(),       gauze::Border::constant(test["border_value"])};
    const char *const names[] = {"clamp", "reflect", "reflect101", "wrap", "zero", "constant"};
    bool known = false;
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (border == names[i]) {
            options.border = borders[i];
            known = true;
        }
    REQUIRE(known);
    const json &params = test["params"];
    if (params.contains("src_roi")) {
        gauze::Region region;
        for (std::size_t i = 0; i < 2; ++i) {
            region.source_origin[i] = params["src_roi"][i];
            region.extent[i] = params["src_roi"][i + 2];
            region.target_origin[i] = params["dst_offset"][i];
        }
        if (params["roi_edge"] == "neighbours")
            region.edge = gauze::RegionEdge::neighbours;
        options.with_region(region);
    }
    return options;
}

// A window of "size", or of "footprint" or "structure" of nested or flat values, x fastest.
gauze::Window window_of(const json &params) {
    gauze::Window window;
    std::vector<double> footprint;
    if (params.contains("size")) {
        window.size = along_axes<std::int64_t>(params["size"]);
    } else if (params.contains("footprint")) {
        std::vector<std::int64_t> sizes; // x last
        for (const json *nested = &params["footprint"]; nested->is_array(); nested = &(*nested)[0])
            sizes.push_back(static_cast<std::int64_t>(nested->size()));
        std::copy(sizes.rbegin(), sizes.rend(), window.size.begin());
        flatten(params["footprint"], footprint);
    } else {
        const auto sizes = params["structure_shape"].get<std::vector<std::int64_t>>(); // x last
        std::copy(sizes.rbegin(), sizes.rend(), window.size.begin());
    }
    for (std::int64_t &side : window.size)
        side = std::max<std::int64_t>(side, 1);
    for (const double value : footprint)
        window.footprint.push_back(value != 0.0 ? 1 : 0);
    if (params.contains("anchor")) {
        window.has_anchor = true;
        window.anchor = along_axes<std::int64_t>(params["anchor"]);
    }
    return window;
}

gauze::Filter window_filter(const json &test) {
    const std::string op = test["op"];
    const json &params = test["params"];
    const gauze::Window window = window_of(params);
    if (op == "percentile")
        return gauze::percentile(window, params["percentile"]);
    if (op == "rank")
        return gauze::rank(window, params["rank"]);
    using OfWindow = gauze::Filter (*)(const gauze::Window &);
    const std::map<std::string, OfWindow> ranks{
        {"minimum", gauze::minimum}, {"maximum", gauze::maximum}, {"median", gauze::median}};
    if (const auto found = ranks.find(op); found != ranks.end())
        return found->second(window);
    using OfStructure = gauze::Filter (*)(const gauze::Structure &, std::uint32_t);
    const std::map<std::string, OfStructure> morphology{
        {"erode", gauze::erode},
        {"dilate", gauze::dilate},
        {"open", gauze::open},
        {"close", gauze::close},
        {"tophat", gauze::top_hat},
        {"blackhat", gauze::black_hat},
        {"morphgradient", gauze::morphological_gradient}};
    std::vector<float> weights;
    if (params.contains("structure"))
        weights = params["structure"].get<std::vector<float>>();
    return morphology.at(op)({window, weights}, params.value("iterations", 1U));
}

// The value modulo the range of an integer type.
double wrapped(gauze::Type type, double value) {
    if (type == gauze::Type::f32)
        return value;
    const double range = std::ldexp(1.0, 8 * static_cast<int>(gauze::size_of(type)));
    const double lowest = type == gauze::Type::s16 ? -range / 2.0 : 0.0;
    return value - range * std::floor((value - lowest) / range);
}

} // namespace

TEST_CASE("oracles") {
    const char *const root = std::getenv("GAUZE_ORACLES");
    const std::string directory = root ? root : "";
    std::ifstream manifest(directory + "/manifest.json");
    if (!manifest) {
        MESSAGE("no oracles here: nothing is compared with them");
        return;
    }
    const gauze::Engine engine;
    int passed = 0, left_out = 0, misfits = 0;
    std::size_t number = 0;          // of a case
    std::map<std::string, int> runs; // of each kernel; "": the library's choice
    double worst_float = 0.0, worst_integer = 0.0;
    double worst_share = 0.0; // of its tolerance
    const json cases = json::parse(manifest)["cases"];
    for (const json &test : cases) {
        if (is_left_out(test)) {
            ++left_out;
            continue;
        }
        ++number;
        if (only_chosen() && !is_of_share(0, number))
            continue;
        const std::string name = test["name"];
        const auto load = [&](const char *key) {
            return gauze::tool::read_image(directory + "/" + test[key].get<std::string>(),
                                           has_channels(test) ? gauze::tool::ChannelAxis::last
                                                              : gauze::tool::ChannelAxis::none);
        };
        const gauze::tool::HostImage input = load("input");
        const std::vector<double> expected = values_of(load("expected"));
        const bool is_integer = test["dtype"] != "float32";
        double largest = 1.0;
        for (const double value : expected)
            largest = std::isnan(value) ? largest : std::max(largest, std::abs(value));

        const auto compare = [&](const gauze::Filter &filter, const std::string &kernel) {
            gauze::PlanOptions options = make_options(test);
            gauze::tool::HostImage output = input;
            if (test["op"] == "sat" && input.desc.type == gauze::Type::u8)
                output.desc = {gauze::Type::u32, input.desc.extent[0], input.desc.extent[1]};
            std::optional<gauze::Plan> plan;
            try {
                plan = engine.plan(filter, input.desc, output.desc, options.with_variant(kernel));
            } catch (const gauze::Error &error) {
                // The second says that the kernel is for filters of another kind.
                CHECK((error.status() == GAUZE_ERROR_UNSUPPORTED ||
                       error.status() == GAUZE_ERROR_INVALID_ARGUMENT));
                CHECK(!kernel.empty()); // some kernel fits every device
                ++misfits;
                return;
            }
            constexpr std::byte untouched{0x5a};
            output.pixels.assign(static_cast<std::size_t>(output.desc.bytes()), untouched);
            const double sentinel = value_at(output.desc.type, output.pixels.data());
            plan->run(input.pixels, output.pixels);
            const std::vector<double> got = values_of(output);
            REQUIRE(got.size() == expected.size());
            double worst = 0.0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                if (std::isnan(expected[i]))
                    CHECK(got[i] == sentinel); // a pixel that must not be written
                else
                    worst = std::max(worst, support::difference(got[i], expected[i]));
            }
            const double tolerance = test["tolerance"];
            CHECK(worst <= tolerance * (is_integer ? 1.0 : largest));
            worst_share = std::max(worst_share, worst / (is_integer ? 1.0 : largest) / tolerance);
            (is_integer ? worst_integer : worst_float) = std::max(
                is_integer ? worst_integer : worst_float, is_integer ? worst : worst / largest);
            ++runs[kernel];
        };
        for (const Candidate &candidate : candidates(test)) {
            INFO(name, " as ", candidate.name);
            compare(candidate.filter, "");
            for (std::size_t i = 0; i < candidate.kernels.size(); ++i) {
                INFO(candidate.kernels[i]);
                if (is_of_share(i, number))
                    compare(candidate.filter, candidate.kernels[i]);
            }
        }
        ++passed;
    }
    std::string counts;
    for (const auto &[kernel, count] : runs)
        counts += (counts.empty() ? "" : ", ") + (kernel.empty() ? "chosen" : kernel) + " " +
                  std::to_string(count);
    MESSAGE(passed, " cases on ", engine.device().name, "; runs: ", counts, "; ", misfits,
            " kernels that do not fit their case; worst relative error ", worst_float,
            ", worst error of integers ", worst_integer, ", worst share of a tolerance ",
            worst_share, "; ", left_out, " cases are left out: filters that are not there yet");
    CHECK(passed > 0);
}

// A kernel that is unrolled for small windows compiles for minutes where a large one is forced on it.
constexpr std::int64_t most_places = 25;

// A window whose ranks GPUs take by an unrolled network of many comparisons.
bool is_long_network(const json &test, std::int64_t places) {
    const std::string op = test["op"];
    const bool is_rank = op == "rank" || op == "median" || op == "percentile";
    return places > most_places && places <= 125 &&
           (is_rank || test["params"].contains("footprint"));
}

// Ranks and morphology are exact. What was computed elsewhere subtracts modulo 2^bits where results here saturate:
// differences are compared as they come in f32, modulo the type's range.
TEST_CASE("oracles of windows") {
    const char *const root = std::getenv("GAUZE_ORACLES");
    const std::string directory = std::string(root ? root : "") + "/rank/";
    std::ifstream manifest(directory + "manifest.json");
    if (!manifest) {
        MESSAGE("no oracles here: nothing is compared with them");
        return;
    }
    const gauze::Engine engine;
    int passed = 0, left_out = 0;
    std::map<std::string, int> runs; // of each kernel; "": the library's choice
    std::vector<std::string> kernels{""};
    for (const char *family : {"rank", "morphology"})
        for (std::string &kernel : kernels_of(family))
            kernels.push_back(std::move(kernel));
    const json cases = json::parse(manifest)["cases"];
    std::size_t number = 0;
    for (const json &test : cases) {
        ++number;
        if (only_chosen() && !is_of_share(0, number))
            continue;
        const auto load = [&](const char *key) {
            return gauze::tool::read_image(directory + test[key].get<std::string>(),
                                           gauze::tool::ChannelAxis::none);
        };
        const gauze::tool::HostImage input = load("input");
        const std::vector<double> expected = values_of(load("expected"));
        const gauze::Filter filter = window_filter(test);
        gauze::tool::HostImage output = input;
        output.desc.type = gauze::Type::f32;
        output.desc.pitch = {};
        output.desc.plane_pitch = 0;
        output.pixels.resize(expected.size() * sizeof(float));
        const gauze::Window window = window_of(test["params"]);
        const std::int64_t places = window.size[0] * window.size[1] * window.size[2];
        const bool is_small = places <= most_places;
        if (only_chosen() && is_long_network(test, places)) {
            ++left_out;
            continue;
        }
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            const std::string &kernel = kernels[k];
            if (!is_small && !kernel.empty())
                break;
            if (!kernel.empty() && !is_of_share(k, number))
                continue;
            INFO(test["name"].get<std::string>(), " by ", kernel);
            std::optional<gauze::Plan> plan;
            try {
                plan = engine.plan(filter, input.desc, output.desc,
                                   make_options(test).with_variant(kernel));
            } catch (const gauze::Error &) {
                CHECK(!kernel.empty()); // some kernel fits every device
                continue;
            }
            plan->run(input.pixels, output.pixels);
            const std::vector<double> got = values_of(output);
            REQUIRE(got.size() == expected.size());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < got.size(); ++i)
                wrong += wrapped(input.desc.type, got[i]) != expected[i];
            CHECK(wrong == 0);
            ++runs[kernel];
        }
        ++passed;
    }
    std::string counts;
    for (const auto &[kernel, count] : runs)
        counts += (counts.empty() ? "" : ", ") + (kernel.empty() ? "chosen" : kernel) + " " +
                  std::to_string(count);
    MESSAGE(passed, " cases on ", engine.device().name, "; runs: ", counts, "; ", left_out,
            " cases of long networks are left out");
    CHECK(passed > 0);
}
