// Cuts an image into slabs that are filtered one by one as if the whole image were there: computes the part
// of an axis that a slab reads, and where it lies in the slab.
#pragma once

#include <cstdint>
#include <vector>

#include "core/border.hpp"
#include "core/reach.hpp"

namespace gz {

// Adjacent pixels on an axis of the image.
struct Run {
    std::int64_t first, count;
};

// A part of an axis of the results, and the pixels that it reads, which lie one after the other in a slab.
// Where they reach an end of the slab, that is the image's end: the border extends the slab there as it
// extends the image.
struct Span {
    std::int64_t first, count; // results, from the region's first on
    std::vector<Run> read;
    std::int64_t at; // where the first result's pixel lies in the slab

    std::int64_t length() const; // pixels of the slab
};

// An axis of an image, and the results on it.
struct Axis {
    std::int64_t length;         // pixels of the image
    std::int64_t origin, extent; // of the region
    Reach reach;
};

// mode: one that extends an image, or zero, which adds nothing to it.
Span span_of(const Axis &axis, std::int64_t first, std::int64_t count, BorderMode mode);

// Returns all results in spans of at most so many.
std::vector<Span> spans_of(const Axis &axis, std::int64_t most, BorderMode mode);

} // namespace gz
