// The images, the border and the region of a plan, complete and checked.
#pragma once

#include <vector>

#include "core/border.hpp"
#include "core/image_desc.hpp"

namespace gz {

struct PlanDesc {
    ImageDesc source, target;
    Border border;
    Region region;
    std::vector<ImageDesc> more_targets{}; // targets after the first, for filters that have several
    std::vector<ImageDesc> more_sources{}; // sources after the first, of its extent and planes
    Store store = Store::saturate;
    bool spreads_rows = false; // of images between passes: see between_image()
    // Small images in the host's memory: kernels take them at any address, and write by way of the caches.
    bool in_caches = false;

    bool operator==(const PlanDesc &) const = default;
    // Whether results lose their fraction: the store policy is for integers alone.
    bool truncates() const { return store == Store::truncate && facts_of(target.type).is_integer; }
    std::size_t target_count() const { return 1 + more_targets.size(); }
    const ImageDesc &target_at(std::size_t i) const {
        return i == 0 ? target : more_targets[i - 1];
    }
    std::size_t source_count() const { return 1 + more_sources.size(); }
    const ImageDesc &source_at(std::size_t i) const {
        return i == 0 ? source : more_sources[i - 1];
    }
    // Returns the same plan with target i as its only target.
    PlanDesc for_target(std::size_t i) const {
        return {source,       target_at(i), border,       region,   {},
                more_sources, store,        spreads_rows, in_caches};
    }

    // Bytes of the region's pixels, in the sources and in the targets.
    std::int64_t source_bytes() const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < source_count(); ++i)
            sum += pixels() * source_at(i).pixel_bytes();
        return sum;
    }
    std::int64_t target_bytes() const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < target_count(); ++i)
            sum += pixels() * target_at(i).pixel_bytes();
        return sum;
    }

    // Pixels of the region, in all planes.
    std::int64_t pixels() const {
        const Axes &extent = region.extent;
        return extent[0] * extent[1] * extent[2] * extent[3] * source.planes;
    }
};

// Fills in defaults; refuses images that the filter cannot take.
PlanDesc complete(PlanDesc desc, Results results = Results::pixels);

// Returns an image of the library's own with such pixels: its rows are aligned to a memory transaction of the
// largest kind, unless short rows would make a large image mostly padding.
ImageDesc own_image(const ImageDesc &like, const Axes &extent);

// Returns whether rows so many bytes apart lie whole pages apart. They share banks of the memory and sets of the caches,
// so that CPUs take longer for columns of them, or for pieces of them by turns.
inline bool lie_pages_apart(std::int64_t row_bytes) {
    return row_bytes % 4096 == 0;
}

// The same as own_image() for an image between two passes of a plan, whose rows do not lie whole pages apart if the plan
// spreads them.
ImageDesc between_image(const PlanDesc &desc, const ImageDesc &like, const Axes &extent);

// Returns the same work on packed images with aligned rows that hold only the pixels that the filter reads
// and writes: runs on host memory move these to the device and back.
PlanDesc staged(const PlanDesc &desc);

} // namespace gz
