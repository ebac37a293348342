// From a filter and image descriptions to a pass over device memory.
#pragma once

#include "filter/border.hpp"
#include "filter/filter.hpp"
#include "filter/image_desc.hpp"
#include "kernel/correlate_pass.hpp"

namespace gz {

// What a plan is made of, complete and checked.
struct PlanDesc {
    ImageDesc source, target;
    Border border;
    Region region;

    // Bytes of the region's pixels, in the source and in the target.
    std::int64_t source_bytes() const { return pixels() * source.pixel_bytes(); }
    std::int64_t target_bytes() const { return pixels() * target.pixel_bytes(); }

    // Of the region, in all planes.
    std::int64_t pixels() const {
        const Axes &extent = region.extent;
        return extent[0] * extent[1] * extent[2] * extent[3] * source.planes;
    }
};

// Fills in defaults; refuses images that the filter cannot take.
PlanDesc complete(PlanDesc desc);

CorrelatePass lower(const Filter &filter, const PlanDesc &desc);

// The same work on packed images with aligned rows that hold no more than the filter reads and
// writes: what a run on host memory moves to the device and back.
PlanDesc staged(const PlanDesc &desc);

} // namespace gz
