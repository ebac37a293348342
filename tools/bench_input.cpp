#include "bench_input.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "filter_command.hpp"
#include "gaussian_options.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): a large image asks for a fast generator.
class SplitMix {
public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

// Fills `pixels` with values of T, each made from the lowest bits of a word, as many as T has.
template <class T, class FromBits>
void fill(std::vector<std::byte> &pixels, std::uint64_t seed, FromBits from_bits) {
    static_assert(sizeof(T) < sizeof(std::uint64_t));
    constexpr std::size_t per_word = sizeof(std::uint64_t) / sizeof(T);
    SplitMix random(seed);
    for (std::size_t at = 0; at < pixels.size();) {
        std::uint64_t word = random();
        for (std::size_t i = 0; i < per_word && at < pixels.size(); ++i, at += sizeof(T)) {
            const T value = from_bits(word);
            std::memcpy(pixels.data() + at, &value, sizeof value);
            word >>= 8 * sizeof(T);
        }
    }
}

// k / 1024 as a half, which holds it exactly.
std::uint16_t half_of_1024th(std::uint32_t k) {
    if (k == 0)
        return 0;
    const int exponent = static_cast<int>(std::bit_width(k)) - 1;
    const auto mantissa = k << (10 - exponent) & 0x3ffU;
    return static_cast<std::uint16_t>(static_cast<std::uint32_t>(exponent - 10 + 15) << 10 |
                                      mantissa);
}

} // namespace

std::vector<std::byte> random_pixels(const ImageDesc &desc, std::uint64_t seed) {
    std::vector<std::byte> pixels(desc.bytes());
    switch (desc.type) {
    case Type::u8:
    case Type::u16:
    case Type::s16:
        fill<std::uint8_t>(pixels, seed,
                           [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits); });
        return pixels;
    case Type::f16:
        fill<std::uint16_t>(pixels, seed, [](std::uint64_t bits) {
            return half_of_1024th(static_cast<std::uint32_t>(bits) & 0x3ffU);
        });
        return pixels;
    case Type::f32:
        fill<float>(pixels, seed, [](std::uint64_t bits) {
            return static_cast<float>(bits & 0xffffffU) * 0x1p-24F;
        });
        return pixels;
    default:
        throw InputError("--type: " + name_of(desc.type) + " is not a type that can be filtered");
    }
}

std::vector<std::byte> random_guide(const ImageDesc &desc) {
    std::vector<std::byte> pixels = random_pixels(desc);
    const std::vector<std::byte> others = random_pixels(desc, 1);
    const std::size_t pixel = pixel_bytes(desc);
    for (std::size_t at = 0; at < pixels.size(); at += 2 * pixel)
        std::memcpy(pixels.data() + at, others.data() + at, pixel);
    return pixels;
}

std::vector<double> random_taps(int count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<double> taps(static_cast<std::size_t>(count));
    double sum = 0;
    for (double &tap : taps)
        sum += tap = static_cast<double>(random()) * 0x1p-32;
    double squares = 0;
    for (double &tap : taps) {
        tap -= sum / count;
        squares += tap * tap;
    }
    // Squares that sum to 1/4, whatever their number, beside a mean that sums to 1.
    const double scale = squares > 0 ? 0.5 / std::sqrt(squares) : 0.0;
    for (double &tap : taps)
        tap = tap * scale + 1.0 / count;
    return taps;
}

namespace {

// A pair of conjugate poles, or a real one. Moduli from 0.8 to 0.9, all around the circle.
struct PolePair {
    double modulus, angle;
    bool single;
};

std::vector<PolePair> poles_of(int order) {
    std::vector<PolePair> poles;
    const int pairs = order / 2;
    for (int i = 0; i < pairs; ++i)
        poles.push_back(
            {0.9 - 0.1 * i / pairs, std::numbers::pi * (2 * i + 1) / (2 * pairs + 1), false});
    if (order % 2 == 1)
        poles.push_back({0.8, 0.0, true});
    return poles;
}

// A scan with all these poles that leaves constants as they are.
Scan scan_with(const std::vector<PolePair> &poles) {
    std::vector<double> terms{1.0}; // 1 - a1 z^-1 - a2 z^-2 - ...
    for (const PolePair &pole : poles) {
        const double first = (pole.single ? -1.0 : -2.0 * std::cos(pole.angle)) * pole.modulus;
        const double second = pole.single ? 0.0 : pole.modulus * pole.modulus;
        std::vector<double> product(terms.size() + (pole.single ? 1 : 2));
        for (std::size_t i = 0; i < terms.size(); ++i) {
            product[i] += terms[i];
            product[i + 1] += terms[i] * first;
            if (!pole.single)
                product[i + 2] += terms[i] * second;
        }
        terms = std::move(product);
    }
    Scan scan;
    scan.feedforward = {std::accumulate(terms.begin(), terms.end(), 0.0)};
    for (std::size_t i = 1; i < terms.size(); ++i)
        scan.feedback.push_back(-terms[i]);
    return scan;
}

// Returns scans of an order in the directions that the row names, or second-order sections.
Filter recursive_of(const BenchRow &row) {
    std::vector<Scan> scans;
    if (row.params.front().name == "sections") {
        for (const PolePair &pole : poles_of(2 * row.value()))
            scans.push_back(scan_with({pole}));
        return recursive(scans);
    }
    const std::string names = row.text("scans"); // "+x -x"
    for (const std::string_view name : split(names, ' ')) {
        scans.push_back(scan_with(poles_of(row.value())));
        scans.back().direction = name[0] == '+' ? Direction::forward : Direction::backward;
        scans.back().axis = name[1] - 'x';
    }
    return recursive(scans);
}

GaussianMethod method_of(const BenchRow &row) {
    const std::string method = row.text("method");
    return method.empty() ? GaussianMethod::automatic : parse_method(method);
}

// Cubes of dense taps, one or a bank of them, or the same taps along each of three axes.
Filter volume_filter_of(const BenchRow &row) {
    const int n = row.value();
    if (row.params.front().name == "separable") {
        SeparableTaps taps;
        for (std::size_t axis = 0; axis < 3; ++axis)
            taps.values[axis] = random_taps(n, static_cast<std::uint32_t>(axis + 1));
        return separable(taps);
    }
    const bool is_4d = row.input == BenchInput::volumes;
    std::vector<Filter> filters;
    for (std::size_t i = 0; i < row.targets(); ++i) {
        Taps taps(random_taps(n * n * n * (is_4d ? n : 1), static_cast<std::uint32_t>(i + 1)), n,
                  n);
        taps.size = {n, n, n, is_4d ? n : 1};
        filters.push_back(correlate(taps));
    }
    return filters.size() == 1 ? filters.front() : bank(filters);
}

Filter derivative_of(const BenchRow &row) {
    const std::string result = row.text("result");
    if (result == "sobel")
        return sobel(0);
    if (result == "magnitude")
        return gradient_magnitude(DerivativeMethod::sobel);
    if (result == "orientation")
        return gradient_orientation(DerivativeMethod::sobel);
    if (result == "gradient")
        return gradient(DerivativeMethod::sobel);
    if (result == "hessian")
        return hessian();
    if (result == "laplace")
        return laplace();
    const double sigma = std::stod(row.text("sigma"));
    Gaussian options;
    options.sigma = {sigma, sigma, 0, 0};
    return result == "structure" ? structure_tensor(options, options) : laplacian(options);
}

Filter local_of(const BenchRow &row) {
    const std::string radius = row.text("radius");
    const LocalMean mean = radius.empty() ? LocalMean::of_gaussian(std::stod(row.text("sigma")))
                                          : LocalMean::of_box(std::stoll(radius));
    return row.text("result") == "unsharp" ? unsharp(mean, 1) : local_deviation(mean);
}

// The range of random pixels.
double range_of(Type type) {
    return type == Type::u8 ? 255.0 : type == Type::u16 || type == Type::s16 ? 65535.0 : 1.0;
}

Filter edge_filter_of(const BenchRow &row, Type type) {
    const double range = range_of(type);
    // Bounds of guided filters grow with the square of the range over epsilon, on which no time depends.
    if (row.filter == "guided")
        return guided(row.value(), range * range, row.has_guide() ? Guide::image : Guide::channels);
    if (row.filter == "bilateral")
        return bilateral(bilateral_sigma_space * row.value(), bilateral_sigma_range * range,
                         {row.value(), row.value(), 0});
    return non_local_means(nlm_strength * range, {nlm_patch, row.value(), 0.0});
}

} // namespace

Filter filter_of(const BenchRow &row, Type type) {
    if (row.filter == "bilateral" || row.filter == "guided" || row.filter == "nlm")
        return edge_filter_of(row, type);
    if (row.filter == "derivative")
        return derivative_of(row);
    if (row.filter == "local")
        return local_of(row);
    if (row.filter == "volume")
        return volume_filter_of(row);
    if (row.filter == "sat")
        return sat();
    const int n = row.taps();
    if (row.filter == "separable")
        return separable(random_taps(n, 1), random_taps(n, 2));
    if (row.filter == "correlate")
        return correlate({random_taps(n * n, 3), n, n});
    if (row.filter == "gaussian") {
        Gaussian options;
        options.sigma = {static_cast<double>(row.value()), static_cast<double>(row.value()), 0, 0};
        options.method = method_of(row);
        return gaussian(options);
    }
    if (row.filter == "dog")
        return dog(row.value(), std::stoi(row.text("sigma2")), method_of(row));
    if (row.filter == "median")
        return median(Window(row.value()));
    if (row.filter == "maximum")
        return maximum(Window(row.value()));
    if (row.filter == "erode")
        return erode(disk(row.value()));
    if (row.filter == "bspline")
        return bspline(row.value());
    if (row.filter == "recursive")
        return recursive_of(row);
    const std::string iterations = row.text("iterations");
    return box(row.value(),
               iterations.empty() ? 1U : static_cast<std::uint32_t>(std::stoul(iterations)));
}

PlanOptions options_of(const BenchRow &row, const ImageDesc &source) {
    PlanOptions options;
    for (const FilterCommand &command : filter_commands())
        if (command.name == row.filter)
            options.with_border(parse_border(command.border));
    if (row.has_guide()) {
        if (source.channels != 1 && source.channels != 3)
            throw Error(GAUZE_ERROR_UNSUPPORTED, "guides have 1 or 3 channels");
        options.with_guide(source);
    }
    return options;
}

Type target_type(const BenchRow &row, Type source) {
    for (const FilterCommand &command : filter_commands())
        if (command.name == row.filter)
            return command.out_type(source);
    return source;
}

} // namespace gauze::tool
