// SSIMULACRA 2 as its kernels see it: one pass makes pyramids of XYB planes from pixels, the other sums of
// errors, or a map of them, from the pyramids of two images.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "device/facts.hpp"
#include "device/launch.hpp"
#include "plan/kernel.hpp"

namespace gz {

using gz_int = std::int32_t;
using gz_float = float;
#include "lib/ssimulacra2.clh"
static_assert(sizeof(Decoding) == 24 && sizeof(Opsin) == 68 && sizeof(Blur) == 24,
              "OpenCL C lays the structs out without padding");

// The places of one scale's planes in a pyramid's buffer, in values.
struct PyramidScale {
    std::int64_t width, height; // pixels
    std::int64_t pitch, plane;  // to the next row, to the next plane
    std::int64_t first;         // to the first pixel of the first plane
};

struct Pyramid {
    std::vector<PyramidScale> scales;
    std::int64_t values = 0; // of the buffer; all but the pixels are 0
};

// extents: width and height of each scale.
Pyramid pyramid_of(const std::vector<std::array<std::int64_t, 2>> &extents);

// Pixels of an image, sources[0], to a pyramid, targets[0].
struct XybPass {
    PixelType type = PixelType::u8;  // or u16
    int channels = 3;                // gray, gray and alpha, RGB, RGB and alpha
    std::int64_t first = 0, row = 0; // values to the first pixel, and to the next row
    Pyramid pyramid;
    Decoding decoding{};
    Opsin opsin{};
};

std::string problem_of(const XybPass &pass);
const std::vector<Kernel> &kernels_of(const XybPass &pass);

// The share of an error in a map: mean e + fourth (inverse_root e)^4.
struct ErrorShare {
    float mean, fourth, inverse_root;
};

// Pyramids of the reference and of the distorted image, sources[0] and [1], to targets[0]: SUMS
// pairs of floats, to be added up, for each scale and channel; or a map, rows of floats.
struct Ssimulacra2Pass {
    Pyramid pyramid;
    Blur blur{};
    // An entry for each scale: a bit for each channel whose SSIM error is needed.
    std::vector<int> needs;
    // For a map: [scale][channel][error]. Empty: the pass makes sums.
    std::vector<std::array<std::array<ErrorShare, 3>, 3>> shares;

    bool makes_map() const { return !shares.empty(); }
};

std::string problem_of(const Ssimulacra2Pass &pass);
const std::vector<Kernel> &kernels_of(const Ssimulacra2Pass &pass);

// How work is cut into pieces of so many columns and rows of a scale.
struct WorkPieces {
    std::int64_t columns, rows;
};

// Return the number of pieces on all scales, and the table of the scales for kernels that work on such
// pieces.
std::int64_t count_of(const Pyramid &pyramid, const WorkPieces &pieces);
ConstantData scale_table(const Pyramid &pyramid, const WorkPieces &pieces,
                         const std::vector<int> &needs);

// Returns the launch of a family's kernel, the stem of its .cl, that makes pyramids in such pieces of the
// image.
Launch xyb_launch(const XybPass &pass, const std::string &family, const WorkPieces &pieces);

// Returns the launches of a pass whose errors the launch `errors` makes, in such pieces. The arguments that
// all its kernels take come before its own: both pyramids, the shares for maps, the target, the table of
// scales, their number, and the blur. group: the group of the launch that adds up, or that makes the map.
Work ssimulacra2_work(const Ssimulacra2Pass &pass, Launch errors, const WorkPieces &pieces,
                      int group);

} // namespace gz
