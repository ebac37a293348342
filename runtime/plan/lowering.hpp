// Functions by which families lower their filters: the numbers that kernels get for the images of a plan, and
// steps along one axis after the other.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "plan/graph.hpp"
#include "plan/image_pass.hpp"
#include "plan/volume.hpp"

namespace gz {

inline gz_int narrow(std::int64_t value) {
    return static_cast<gz_int>(value);
}

// Strides of one image in values, from the first pixel of its region.
struct Strides {
    std::int64_t first, row, slice, volume, plane;

    Strides(const ImageDesc &desc, const Axes &origin);

    // Returns the largest power of two up to 16 that divides the starts of the rows of such an extent.
    // Strides that are never taken do not count.
    int alignment(const Axes &extent, std::int64_t planes) const;
};

// Taps along x and y, and which of them lies on the pixel.
struct TapsExtent {
    std::int64_t size_x = 1, size_y = 1, anchor_x = 0, anchor_y = 0;
};

// read_along: axes, besides x and y, along which more slices are read than are made.
ImagePass lower_images(const PlanDesc &desc, const TapsExtent &taps,
                       std::initializer_list<std::size_t> read_along = {});

// Lowers filters with `count` taps along z or t to passes that kernels compute as along y: slices become
// rows, and rows slices.
ImagePass lower_images_along(std::size_t axis, const PlanDesc &desc, std::int64_t count,
                             std::int64_t anchor);

// Pixels along an axis that may be read, from the region's first on; the end exclusive.
struct Valid {
    gz_int first, end;
};
Valid valid_along(const PlanDesc &desc, std::size_t axis);

// The slices that a filter of this size and anchor reads for a result.
Volume lower_volume(const PlanDesc &desc, const Axes &size, const Axes &anchor);

// An image of a type for all of the region's pixels, and the plan that writes it.
PlanDesc between_images(const PlanDesc &desc, PixelType type = PixelType::f32);

// Makes links one after the other, from the plan's source through images of all pixels that later links
// read, to its target. axes: those that each link filters along. make_link(number, description of its
// images). type: that of the images between, f32 unless the filter's results are exact in another.
Graph lower_along(const std::vector<std::vector<std::size_t>> &axes, const PlanDesc &desc,
                  const std::function<Link(std::size_t, const PlanDesc &)> &make_link,
                  PixelType type = PixelType::f32);

// The same of graphs, one after the other: make_graph(number, description of its images).
Graph lower_in_turn(const std::vector<std::vector<std::size_t>> &axes, const PlanDesc &desc,
                    const std::function<Graph(std::size_t, const PlanDesc &)> &make_graph,
                    PixelType type);

// The axes of a link with such a reach: x and y, and those along which it reads other pixels than its own.
std::vector<std::size_t> axes_of(const AxesReach &reach);

// An image of the source's type for all of the region's pixels, which one geometry reads together with the
// source: it has the source's pitches.
PlanDesc beside_source(const PlanDesc &desc);

// Stores `count` graphs' results as f32 images of the region, and combines them: make_graph(number, description of
// its images). combine: the pass that reads all of them.
Graph lower_apart(std::size_t count, const PlanDesc &desc,
                  const std::function<Graph(std::size_t, const PlanDesc &)> &make_graph,
                  const std::function<Pass(const PlanDesc &)> &combine);

// Makes one step and the links of a graph, a chain of such a name, alternatives with the same result.
Graph with_steps_at_once(Graph by_steps, const char *name, Step at_once);

// Makes two graphs with the same result alternatives, chains of such names: the first where it suits the device, else the
// second.
Graph either(const char *first_name, Graph first, const char *second_name, Graph second,
             std::function<bool(const DeviceFacts &)> suits = {});

// Appends a graph, with new numbers for its images between, that reads `source` and writes `target`.
void append(Graph &to, Graph graph, const ImageRef &target,
            const ImageRef &source = source_image());

} // namespace gz
