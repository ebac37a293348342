// SSIMULACRA 2 on the host, plainly and in double: the kernels are compared with it.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/image_desc.hpp"
#include "families/ssimulacra2/ssimulacra2.hpp"

namespace gz::ssimulacra2 {

// u8 or u16 encoded as sRGB: gray, RGB, or either with alpha. The description is complete.
struct EncodedImage {
    ImageDesc desc;
    const std::byte *pixels; // the memory that desc describes

    bool has_alpha() const { return desc.channels % 2 == 0; }
};

// Rows of width values, tight.
using Plane = std::vector<double>;
struct Planes {
    Extent extent;
    std::array<Plane, channels> values;
};

// Returns linear RGB, over the encoded gray `background` where the image has an alpha channel.
Planes linear_of(const EncodedImage &image, double background);
// Returns 14 X + 0.42, Y + 0.01 and B - Y + 0.55.
Planes xyb_of(const Planes &linear);
// Returns 2x2 means; an odd last row or column counts twice.
Planes halved(const Planes &linear);
// Blurs along x, then y; the plane is zero outside.
Plane blurred(const Plane &plane, const Extent &extent);
// Returns the error maps of a plane of the reference and of the distorted image.
std::array<Plane, maps> error_maps_of(const Plane &reference, const Plane &distorted,
                                      const Extent &extent);

std::vector<SubScores> sub_scores_in_double(const Planes &reference, const Planes &distorted);

double score_in_double(const EncodedImage &reference, const EncodedImage &distorted);

// Returns what each pixel adds to the weighted error, as shares_of defines it: for the scales and channels
// together, each pixel of a smaller scale standing for the pixels that it is the mean of, and for the
// background with the lower score.
Plane error_map_in_double(const EncodedImage &reference, const EncodedImage &distorted);

} // namespace gz::ssimulacra2
