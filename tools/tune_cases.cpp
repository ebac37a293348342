#include "tune_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "bench_input.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

constexpr int several_channels = 3;

constexpr std::array<std::pair<TuneSize, const char *>, 3> size_names{
    {{TuneSize::large, "large"}, {TuneSize::medium, "medium"}, {TuneSize::small, "small"}}};

// The case of a standard row, or of one like it.
TuneCase case_of(BenchRow row) {
    std::string name = text_of(row);
    std::string filter = row.filter;
    return {std::move(filter), std::move(name), [row](Type type) { return filter_of(row, type); },
            row};
}

// Images of several channels are problems of their own.
void add_plain(std::vector<TuneCase> &cases, const std::string &filter,
               std::initializer_list<int> values, int channels = 1) {
    for (const int value : values) {
        TuneCase result = case_of(make_row(filter, value));
        result.channels = channels;
        if (channels > 1)
            result.name += ", " + std::to_string(channels) + " channels";
        cases.push_back(std::move(result));
    }
}

// A Gaussian by recursion along x, along y, or along both.
void add_gaussian(std::vector<TuneCase> &cases, int sigma, const std::string &axes) {
    const int reach = 8 * sigma;
    TuneCase result{"gaussian",
                    "gaussian sigma " + std::to_string(sigma) + ", recursive along " + axes,
                    [sigma, axes](Type) {
                        Gaussian options;
                        for (const char axis : axes)
                            options.sigma[static_cast<std::size_t>(axis - 'x')] = sigma;
                        options.method = GaussianMethod::recursive;
                        return gaussian(options);
                    },
                    {"gaussian", {{"sigma", sigma}}, reach}};
    result.types = TunedTypes::floats;
    cases.push_back(std::move(result));
}

void add_recursive(std::vector<TuneCase> &cases, int order, const char *scans, BenchInput input) {
    constexpr int reach = 256;
    TuneCase result =
        case_of({"recursive", {{"order", order}, {"scans", scans}}, reach, "", 0, input});
    if (input == BenchInput::signal)
        result.name += ", a signal";
    result.types = TunedTypes::floats;
    cases.push_back(std::move(result));
}

// Adds cases for the problems of its passes that no filter before it has: u8 images that become f32 ones, and
// the difference itself.
void add_dog(std::vector<TuneCase> &cases) {
    cases.push_back(case_of({"dog", {{"sigma", 1}, {"sigma2", 2}, {"method", "fir"}}, 8}));
    for (const BenchRow &row : rows_of({"dog"}))
        cases.push_back(case_of(row));
}

// Cubes of dense taps, and taps along all three axes.
void add_volumes(std::vector<TuneCase> &cases) {
    const auto add = [&cases](const char *kind, std::initializer_list<int> sizes) {
        for (const int size : sizes)
            cases.push_back(
                case_of({"volume", {{kind, size}}, size / 2, "", 0, BenchInput::volume}));
    };
    add("cube", {3, 5, 7});
    add("separable", {3, 5, 7, 9});
}

// The images that the methods of a Gaussian are compared on.
enum class MethodInput { image, channels, volume };

// Whether a Gaussian of so many taps runs by taps or by sums of exponentials.
void add_method(std::vector<TuneCase> &cases, int taps, MethodInput input) {
    const int radius = taps / 2;
    const double sigma = radius / Gaussian().truncate;
    const bool is_volume = input == MethodInput::volume;
    Gaussian options;
    for (std::size_t axis = 0; axis < (is_volume ? 3U : 2U); ++axis)
        options.sigma[axis] = sigma;
    const auto make_by = [options](const std::string &method) {
        Gaussian own = options;
        own.method = method == "fir" ? GaussianMethod::fir : GaussianMethod::recursive;
        return gaussian(own);
    };
    constexpr int reach_in_radii = 3;
    TuneCase result{"methods",
                    "method of a gaussian of " + std::to_string(taps) + " taps",
                    [options](Type) { return gaussian(options); },
                    {"gaussian", {{"taps", taps}}, reach_in_radii * radius}};
    if (is_volume)
        result.row.input = BenchInput::volume;
    if (input == MethodInput::channels)
        result.channels = several_channels;
    result.make_by = make_by;
    cases.push_back(std::move(result));
}

// For each program of separable taps, the longest taps that it takes, and those that ask for a bit less.
void add_methods(std::vector<TuneCase> &cases) {
    for (const MethodInput input : {MethodInput::image, MethodInput::channels})
        for (const int most : {15, 21, 25, 31, 37, 43, 49, 55, 63})
            for (const int taps : {most, most - 2})
                add_method(cases, taps, input);
    for (const int most : {15, 21, 31, 43, 63})
        add_method(cases, most - 2, MethodInput::volume);
}

std::vector<TuneCase> make_cases() {
    std::vector<TuneCase> cases;
    add_plain(cases, "separable", {1, 2, 3, 5, 7, 15, 31});
    add_plain(cases, "separable", {1, 2, 5, 15}, several_channels);
    add_plain(cases, "correlate", {3, 5, 7, 9, 11, 15, 31});
    add_plain(cases, "correlate", {4, 6, 10, 13}); // sizes without an unrolled body
    add_plain(cases, "correlate", {3, 7, 11, 15}, several_channels);
    add_plain(cases, "box", {3, 5, 7, 31, 100, 200});
    add_plain(cases, "box", {3, 7, 31, 100}, several_channels);
    cases.push_back(case_of(rows_of({"sat"}).front()));
    add_plain(cases, "median", {3, 5, 7, 9, 11, 15, 25});
    add_plain(cases, "maximum", {3, 7, 15, 31, 63, 127});
    // 5, 13, 29, 81, 113, 149, 441 and 709 pixels: a disk for each class of footprints.
    add_plain(cases, "erode", {1, 2, 3, 5, 6, 7, 12, 15});
    for (const char *axes : {"x", "y", "xy"})
        for (const int sigma : {5, 30, 200})
            add_gaussian(cases, sigma, axes);
    for (const char *scans : {"+x", "+x -x", "+y", "+y -y", "+x -x +y -y"})
        for (const int order : {1, 3})
            add_recursive(cases, order, scans, BenchInput::image);
    for (const int order : {1, 2, 3})
        add_recursive(cases, order, "+x", BenchInput::signal);
    for (const BenchRow &row : rows_of({"bspline"})) {
        cases.push_back(case_of(row));
        cases.back().types = TunedTypes::floats;
    }
    add_dog(cases);
    for (const BenchRow &row : rows_of({"derivative", "local", "bilateral", "guided", "nlm"}))
        if (row.targets() == 1 && row.sources() == 1)
            cases.push_back(case_of(row));
    add_volumes(cases);
    cases.push_back({"ssimulacra2", "ssimulacra2", {}, {}, TunedTypes::encoded});
    add_methods(cases); // which run the kernels that the cases before have chosen
    return cases;
}

// Images of 4096x4096 are of the medium class still.
constexpr std::int64_t least_large_side = 4160;

// Pixels along each axis of an image, and of a volume.
struct Sides {
    std::int64_t image, volume;
};
Sides sides_of(TuneSize size, bool gpu) {
    switch (size) {
    case TuneSize::small:
        return {512, 64};
    case TuneSize::medium:
        return {2048, 128};
    case TuneSize::large:
        break;
    }
    return gpu ? Sides{16384, 512} : Sides{least_large_side, 264};
}

// The numbers of values of the smallest and the largest image of a class that results are made for; the limits of classes
// lie between 1008 and 1024 squared, and 4096 and 4112 squared.
struct Ends {
    std::int64_t least, most;
};
Ends ends_of(TuneSize size, bool gpu) {
    const auto square = [](std::int64_t side) { return side * side; };
    switch (size) {
    case TuneSize::small:
        return {square(256), square(1023)};
    case TuneSize::medium:
        return {square(1024), square(4096)};
    case TuneSize::large:
        break;
    }
    return {square(4097), square(gpu ? 16384 : 6144)};
}

// Returns the whole sixteen next to the side of a cube of so many pixels, up or down.
std::int64_t side_of(std::int64_t pixels, int axes, bool up) {
    constexpr double step = 16;
    // A whole root that came out a bit off it stays what it is.
    const double steps = std::pow(static_cast<double>(pixels), 1.0 / axes) / step;
    constexpr double slack = 1e-9;
    return static_cast<std::int64_t>(step *
                                     (up ? std::ceil(steps - slack) : std::floor(steps + slack)));
}

bool is_integer(Type type) {
    return type == Type::u8 || type == Type::u16 || type == Type::s16;
}

// Whether a plan on such images leaves room for the rest of what a device holds.
bool fits(const ImageDesc &image, const DeviceInfo &device) {
    constexpr std::uint64_t images = 8;
    return image.bytes() <= device.max_allocation && images * image.bytes() <= device.global_memory;
}

} // namespace

bool TuneCase::takes(Type type) const {
    switch (types) {
    case TunedTypes::floats:
        return !is_integer(type);
    case TunedTypes::encoded:
        return type == Type::u8 || type == Type::u16;
    case TunedTypes::all:
        break;
    }
    return true;
}

std::vector<std::int64_t> TuneCase::sides(Type type, TuneSize size,
                                          const DeviceInfo &device) const {
    const bool is_gpu = device.kind == GAUZE_DEVICE_GPU;
    const bool is_volume = row.input == BenchInput::volume;
    const auto usual = [&](TuneSize of) {
        const Sides sides = sides_of(of, is_gpu);
        return is_volume ? sides.volume : sides.image;
    };
    std::int64_t side = usual(size);
    if (is_metric()) // pyramids take many times as much as the pixels
        return {std::min(side, least_large_side)};
    if (channels > 1 && size == TuneSize::large && is_gpu)
        side /= 2;
    while (side > usual(TuneSize::small) && !fits(cube(type, side), device))
        side /= 2;
    std::vector<std::int64_t> result{side};
    const Ends ends = ends_of(size, is_gpu);
    for (const bool is_least : {true, false}) {
        const std::int64_t end =
            side_of((is_least ? ends.least : ends.most) / channels, is_volume ? 3 : 2, is_least);
        if (end != side && fits(cube(type, end), device))
            result.push_back(end);
    }
    return result;
}

ImageDesc TuneCase::source(Type type, std::int64_t side) const {
    return is_metric() ? ImageDesc(type, side, side, 3) : cube(type, side);
}

ImageDesc TuneCase::part(Type type) const {
    return cube(type, row.input == BenchInput::volume ? 40 : 256);
}

ImageDesc TuneCase::cube(Type type, std::int64_t side) const {
    switch (row.input) {
    case BenchInput::signal:
        return {type, side * side, 1};
    case BenchInput::volume: {
        ImageDesc desc(type, side, side);
        desc.extent[2] = side;
        return desc;
    }
    default:
        return {type, side, side, channels};
    }
}

ImageDesc TuneCase::target(const ImageDesc &source) const {
    ImageDesc result = source;
    result.type = target_type(row, source.type);
    return result;
}

const std::vector<TuneCase> &tune_cases() {
    static const std::vector<TuneCase> cases = make_cases();
    return cases;
}

std::vector<std::string> tuned_filters() {
    std::vector<std::string> names;
    for (const TuneCase &tuned : tune_cases())
        if (names.empty() || names.back() != tuned.filter)
            names.push_back(tuned.filter);
    return names;
}

const char *name_of(TuneSize size) {
    return std::ranges::find(size_names, size, &std::pair<TuneSize, const char *>::first)->second;
}

TuneSize parse_tune_size(const std::string &text) {
    for (const auto &[size, name] : size_names)
        if (text == name)
            return size;
    throw InputError("--sizes: " + in_quotes(text) + " is not one of large, medium, small");
}

} // namespace gauze::tool
