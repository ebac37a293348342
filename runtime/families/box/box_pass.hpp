// One mean over boxes of pixels: the plan lowers an iteration of a box filter to it.
#pragma once

#include <array>

#include "plan/columns.hpp"
#include "plan/geometry.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// Geometry's taps are 2 radius + 1, its anchors the radius. The other image, where there is one, is f32 and laid out as
// the source.
struct BoxPass : ImagePass {
    Subtraction difference = Subtraction::none;
};

#include "lib/box_frames.clh"

static_assert(sizeof(BoxFrames) == 60, "OpenCL C lays the struct out without padding");

// Pixels of a region from `begin` on, `end` exclusive, along one axis.
struct Part {
    std::int64_t begin, end;

    std::int64_t length() const { return end - begin; }
};

// The pixels of a region along one axis: those so near to a border that it tells between iterations lie before and after
// the inner ones.
struct FramedAxis {
    Part before, inner, after;
};

// All iterations of a small box for the pixels of the frames, which are those that are not inner ones along both axes.
// Geometry's taps are those of all iterations. The other image is laid out as the target, in values.
struct BoxFramesPass : ImagePass {
    std::array<int, 2> radius{}; // of an iteration
    int iterations = 1;
    std::array<FramedAxis, 2> axes{};
    Subtraction subtraction = Subtraction::none;
};

std::string problem_of(const BoxPass &pass);
std::string problem_of(const BoxFramesPass &pass);
const std::vector<Kernel> &kernels_of(const BoxPass &pass);
const std::vector<Kernel> &kernels_of(const BoxFramesPass &pass);

// How sums are kept: see cl/lib/box.clh. Exact for integers, unless the border's constant is not
// one of the source's type.
enum class BoxSum { i32 = 0, i64 = 1, f32 = 2 };
BoxSum sum_of(const BoxPass &pass);

// The macros of cl/lib/pixel.clh, border.clh and box.clh.
Defines box_defines(const BoxPass &pass);
// The same for kernels whose sums of columns fit 32 bits, where those of boxes may need more.
Defines box_defines_of_narrow_columns(const BoxPass &pass);

// Returns the largest magnitude that a sum of a box's column can have.
double largest_of_columns(const BoxPass &pass);

std::int64_t area_of(const BoxPass &pass); // pixels of a box
float share_of(const BoxPass &pass);       // the weight of a pixel in the mean
// Appends the other image, where there is one: the last argument of kernels that store means.
void append_other(const BoxPass &pass, Launch &launch);

// Settings of kernels for CPUs, of which an item filters a strip of a row, up to so many values of it, and a band of rows.
struct BoxStripSettings {
    int strip, band;
};
const std::vector<Setting<BoxStripSettings>> &box_strip_tunables();
// Returns the settings to try first. Long strips read whole pages in order. Bands are high, so that few boxes are filled anew,
// but not so high that cores stay idle; a band lower than its boxes takes longer to fill them than to move them, so that a
// band for each core is enough before that.
std::vector<BoxStripSettings> preferred_strips(const BoxPass &pass, const DeviceFacts &facts);
// Returns an item for each strip and band. Each strip has whole pixels and vectors, as many as it holds.
NDRange range_of_strips(const BoxPass &pass, const BoxStripSettings &settings);

// Whether long boxes reach past the whole image, so that reading every pixel of a box to fill it would take
// longer than all other work.
bool outgrows_image(const BoxPass &pass);

} // namespace gz
