// The pixels and taps of `gauze bench`: random, and the same on every run.
#ifndef GAUZE_TOOLS_BENCH_INPUT_HPP
#define GAUZE_TOOLS_BENCH_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gauze/gauze.hpp>

#include "bench_rows.hpp"

namespace gauze::tool {

// Returns the bytes of a pixel, of all its channels.
inline std::size_t pixel_bytes(const ImageDesc &desc) {
    return size_of(desc.type) * static_cast<std::size_t>(desc.channels);
}

// Returns the pixels of a tight image, over the whole range of an integer type, in [0, 1) for a floating one.
// Other seeds give other pixels. Throws InputError for a type that cannot be filtered.
std::vector<std::byte> random_pixels(const gauze::ImageDesc &desc, std::uint64_t seed = 0);

// Returns a tight guide for random_pixels(), of which every other pixel is the image's: results depend little on a
// guide that has nothing in common with the image, and not on which image guides where both are alike.
std::vector<std::byte> random_guide(const gauze::ImageDesc &desc);

// Returns taps that sum to 1, so that results keep clear of an integer type's limits, and that differ enough
// for each of them to show in every result.
std::vector<double> random_taps(int count, std::uint32_t seed);

// Returns the filter of a row for random pixels of a type, whose range decides what is alike to an edge-aware
// filter. Throws gauze::Error where the library has no such filter.
gauze::Filter filter_of(const BenchRow &row, gauze::Type type);

// Returns the options of a row's plan: the border that its filter has by default, and a guide like the source
// where the row has one. Throws gauze::Error where no guide can be like it.
gauze::PlanOptions options_of(const BenchRow &row, const gauze::ImageDesc &source);

// Returns the type that a row writes where it reads pixels of the type.
gauze::Type target_type(const BenchRow &row, gauze::Type source);

} // namespace gauze::tool

#endif
