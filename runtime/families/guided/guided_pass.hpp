// The passes of guided filters: two that make all of it, and those between the means that the same takes step by step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "families/guided/guided.hpp"
#include "plan/geometry.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

#include "lib/guided.clh"

static_assert(sizeof(GuidePlaces) == 40, "OpenCL C lays the struct out without padding");
static_assert(sizeof(GuidedNumbers) == 12, "OpenCL C lays the struct out without padding");

// The images of a guided filter besides those of the geometry: where their regions start.
struct GuidedImages : ImagePass {
    int guides = 0; // channels that guide together, 0 where each channel of the image guides itself
    PixelType image_type = PixelType::f32, guide_type = PixelType::f32;
    GuidePlaces image{}, guide{};
    GuidedNumbers numbers{};

    std::int64_t columns() const { return geometry.width / channels; } // pixels of a row
};

// Images of f32 that means are taken of, see cl/guided/guided_products.cl. Those of the guide alone are at `means`.
struct GuidedProductsPass : GuidedImages {
    GuidePlaces means{};
};
// The slopes and offsets of linear functions, by these means.
struct GuidedSolvePass : GuidedImages {
    GuidePlaces means{};
};
// The results, by the means of slopes and offsets.
struct GuidedCombinePass : GuidedImages {};

// Both from the images at once: slopes and offsets from the image and the guide, or results from slopes, offsets and the
// guide. For guides of one channel. Geometry's taps are 2 radius + 1, its anchors the radius.
enum class GuidedStage { slopes = 1, results = 2 };
struct GuidedPass : GuidedImages {
    GuidedStage stage = GuidedStage::slopes;
};

std::string problem_of(const GuidedProductsPass &pass);
std::string problem_of(const GuidedSolvePass &pass);
std::string problem_of(const GuidedCombinePass &pass);
std::string problem_of(const GuidedPass &pass);
const std::vector<Kernel> &kernels_of(const GuidedProductsPass &pass);
const std::vector<Kernel> &kernels_of(const GuidedSolvePass &pass);
const std::vector<Kernel> &kernels_of(const GuidedCombinePass &pass);
const std::vector<Kernel> &kernels_of(const GuidedPass &pass);

// The macros of cl/lib/pixel.clh, border.clh and guided.clh.
Defines guided_defines(const GuidedImages &pass);

// The images of a pass that makes all at once, and the first arguments by value: geometry, guide and numbers.
std::vector<Argument> images_of_stage(const GuidedPass &pass);

// The settings of kernels that go pixel by pixel.
struct PixelSettings {
    int group;
};
// A launch of such a kernel; its arguments are `inputs` sources and `outputs` targets, the geometry, and those that a
// kernel adds.
Launch launch_on_pixels(const GuidedImages &pass, const PixelSettings &settings,
                        const std::string &name, std::size_t inputs, std::size_t outputs);

// Such a kernel.
template <class P>
Kernel
kernel_of_pixels(std::string name,
                 std::function<Work(const P &, const PixelSettings &, const DeviceFacts &)> work) {
    KernelSpec<P, PixelSettings> spec;
    spec.name = std::move(name);
    spec.folder = "guided";
    spec.tunables = {{"GROUP", &PixelSettings::group, {1, 64}}};
    spec.preferred = [](const P &, const DeviceFacts &) {
        return std::vector<PixelSettings>{{.group = 64}, {.group = 1}};
    };
    spec.work = std::move(work);
    spec.rank = [](const P &, const PixelSettings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
