// From a filter and image descriptions to passes over device memory.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "filter/border.hpp"
#include "filter/filter.hpp"
#include "filter/image_desc.hpp"
#include "kernel/box_pass.hpp"
#include "kernel/correlate_pass.hpp"
#include "kernel/recursive_pass.hpp"
#include "kernel/sat_pass.hpp"
#include "kernel/volume_pass.hpp"

namespace gz {

// What a plan is made of, complete and checked.
struct PlanDesc {
    ImageDesc source, target;
    Border border;
    Region region;
    std::vector<ImageDesc> more_targets{}; // after the first, of filters that have several

    std::size_t target_count() const { return 1 + more_targets.size(); }
    const ImageDesc &target_at(std::size_t i) const {
        return i == 0 ? target : more_targets[i - 1];
    }
    // The same plan with target i as its only target.
    PlanDesc for_target(std::size_t i) const { return {source, target_at(i), border, region, {}}; }

    // Bytes of the region's pixels, in the source and in the targets.
    std::int64_t source_bytes() const { return pixels() * source.pixel_bytes(); }
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

// What a filter's target holds: pixels, or sums of them in the types that tables have.
enum class Results { pixels, sums };
Results results_of(const Filter &filter);

// Fills in defaults; refuses images that the filter cannot take.
PlanDesc complete(PlanDesc desc, Results results = Results::pixels);

CorrelatePass lower_correlation(const Filter &filter, const PlanDesc &desc);
BoxPass lower_box(const Box &box, const PlanDesc &desc);
SatPass lower_sat(const PlanDesc &desc);
// The source less a second one like it.
DifferencePass lower_subtraction(const PlanDesc &desc);
// An image of the library's own of pixels like these: rows aligned to a memory transaction of the
// largest kind, unless they are so short and so many that most of much memory would be padding.
ImageDesc own_image(const ImageDesc &like, const Axes &extent);

// One axis of a recursive filter: from the whole source to that part of it that the region is.
// With neighbours the lines go on beyond the region.
RecursivePass lower_axis(const Recursion &recursion, std::size_t axis, const PlanDesc &desc);

// Whether passes along the same lines, of a filter each, can be one pass of both; and that pass. With one
// target, that has what the first filter makes less what the second does.
bool go_together(const RecursivePass &first, const RecursivePass &second);
RecursivePass together(RecursivePass first, const RecursivePass &second, Shared shared);

// One pass, and the images it goes between: a number of an intermediate image, or `ends` for the
// plan's source or its first target; its other targets have the numbers below that.
inline constexpr int ends = -1;
constexpr int number_of_target(std::size_t i) {
    return ends - static_cast<int>(i);
}
constexpr std::size_t target_of_number(int number) {
    return static_cast<std::size_t>(ends - number);
}
struct Step {
    std::variant<CorrelatePass, VolumePass, BoxPass, RecursivePass, SatPass, DifferencePass> pass;
    int from = ends, to = ends;
    // Taps with the same result, which is had sooner with them.
    std::optional<CorrelatePass> as_taps = std::nullopt;
    // The second image of a DifferencePass, of a BoxPass that makes a difference, or of a RecursivePass of
    // two filters with a source each.
    int other = ends;
    // How many images the pass writes, `to` and the ones after it: a VolumePass with several filters and a
    // RecursivePass of two write several.
    std::size_t targets = 1;
};

// Along x and y, or along x, y and z.
using WholePass = std::variant<RecursivePlanePass, VolumePass>;

// Passes in order, and the bytes of the images between them.
struct Lowered {
    std::vector<Step> steps;
    std::vector<std::uint64_t> intermediates;
    // One pass from source to target with the same result, for devices that prefer it.
    std::optional<WholePass> whole = std::nullopt;
};
Lowered lower_recursion(const Recursion &recursion, const PlanDesc &desc);
Lowered lower(const Filter &filter, const PlanDesc &desc);

// The same work on packed images with aligned rows that hold no more than the filter reads and
// writes: what a run on host memory moves to the device and back.
PlanDesc staged(const PlanDesc &desc);

} // namespace gz
