// Filters computed on the host, plainly: in double to say whether a filter is right, and in f32 in
// the canonical order to say whether a kernel is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/border.hpp"
#include "core/image_desc.hpp"

namespace gz {

class Filter;

// A source after the first, and the memory that it describes.
struct MoreSource {
    ImageDesc desc;
    const std::byte *pixels;
};

// A filter to compute, and its images. Descriptions and region are complete.
struct ReferenceJob {
    const Filter &filter;
    ImageDesc source;
    Border border;
    Region region;
    const std::byte *pixels; // the memory that `source` describes
    std::vector<MoreSource> more_sources{};
};

// One row of results: its place in the region, and extent[0] * channels values.
struct RowPlace {
    std::int64_t y = 0, z = 0, t = 0, plane = 0;
};
template <class Real> using RowSink = std::function<void(const RowPlace &, const Real *)>;

// Computes every row of the region from the taps as given, in double; boxes by running sums; scans as they
// are written. Modes that stand for a response are replaced by that response: a recursive Gaussian is
// compared with the Gaussian. Rows of summed-area tables may be beyond the range of their type, which is
// modular.
void compute_in_double(const ReferenceJob &job, const RowSink<double> &sink);

// Computes the same, but with a recursive filter's modes as they are: a kernel differs from it by rounding
// alone.
void compute_as_written(const ReferenceJob &job, const RowSink<double> &sink);

// Every row of the region in the canonical order, which only filters with taps have: see
// correlate/correlate.hpp.
void compute_in_f32(const ReferenceJob &job, const RowSink<float> &sink);

// Largest finite magnitude among the pixels of all sources that the job may read, and the border's constant.
double largest_magnitude(const ReferenceJob &job);

} // namespace gz
