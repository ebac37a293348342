#include "bench_input.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "input_error.hpp"

namespace gauze::tool {
namespace {

// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): a large image asks for a fast generator.
class SplitMix {
public:
    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_ = 0;
};

// Fills `pixels` with values of T, each made from the lowest bits of a word, as many as T has.
template <class T, class FromBits> void fill(std::vector<std::byte> &pixels, FromBits from_bits) {
    static_assert(sizeof(T) < sizeof(std::uint64_t));
    constexpr std::size_t per_word = sizeof(std::uint64_t) / sizeof(T);
    SplitMix random;
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
    const int exponent = std::bit_width(k) - 1;
    const auto mantissa = k << (10 - exponent) & 0x3ffU;
    return static_cast<std::uint16_t>(static_cast<std::uint32_t>(exponent - 10 + 15) << 10 |
                                      mantissa);
}

} // namespace

std::vector<std::byte> random_pixels(const ImageDesc &desc) {
    std::vector<std::byte> pixels(desc.bytes());
    switch (desc.type) {
    case Type::u8:
    case Type::u16:
    case Type::s16:
        fill<std::uint8_t>(pixels,
                           [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits); });
        return pixels;
    case Type::f16:
        fill<std::uint16_t>(pixels, [](std::uint64_t bits) {
            return half_of_1024th(static_cast<std::uint32_t>(bits) & 0x3ffU);
        });
        return pixels;
    case Type::f32:
        fill<float>(pixels, [](std::uint64_t bits) {
            return static_cast<float>(bits & 0xffffffU) * 0x1p-24F;
        });
        return pixels;
    default:
        throw InputError("--type: " + name_of(desc.type) + " is not a type that can be filtered");
    }
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

Filter filter_of(const BenchRow &row) {
    const int n = row.taps();
    if (row.filter == "separable")
        return separable(random_taps(n, 1), random_taps(n, 2));
    if (row.filter == "correlate")
        return correlate({random_taps(n * n, 3), n, n});
    if (row.filter == "gaussian") {
        Gaussian options;
        options.sigma = {static_cast<double>(row.value), static_cast<double>(row.value), 0, 0};
        return gaussian(options);
    }
    return box(row.value);
}

} // namespace gauze::tool
