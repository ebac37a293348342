// Passes of rank filters: the plan lowers minima and maxima of boxes to one kind, and all else to the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"
#include "plan/volume.hpp"

namespace gz {

#include "lib/window.clh"
static_assert(sizeof(WindowRun) == 16, "OpenCL C lays the struct out without padding");

// The pixels of a window. Geometry's taps and anchors are the window's size and anchor.
struct WindowPass : ImagePass {
    Volume volume{};
    std::vector<WindowRun> window; // rows of slices in order, each from left to right

    // Whether it reads its own slice alone.
    bool is_flat() const { return volume.taps_z == 1 && volume.anchor_z == 0; }
};

// Returns the launch of a kernel with an item per value, in groups along x: its range, and its arguments up to the
// window.
Launch launch_on_window(const WindowPass &pass, int group);

// One rank of the pixels of a window.
struct RankPass : WindowPass {
    std::int32_t rank = 0, count = 1;
    bool is_box = true;
};

std::string problem_of(const RankPass &pass);
const std::vector<Kernel> &kernels_of(const RankPass &pass);

// The longest side of boxes for which extreme_march is fast; plans may cut longer ones.
inline constexpr std::int64_t max_marching_side = 129;

// The minimum or the maximum of a box along x and y.
struct ExtremePass : ImagePass {
    bool is_maximum = false;
};

std::string problem_of(const ExtremePass &pass);
const std::vector<Kernel> &kernels_of(const ExtremePass &pass);

// How pixels become keys: as integers; as halves; or as floats, where the border's constant is not of the source's
// type too. Numbers of KEY_KIND in cl/lib/rank_key.clh, rank_vectors.clh, rank_words.clh and rank_order.clh.
enum class KeyKind { integers = 0, halves = 1, floats = 2 };
KeyKind key_kind(const ImagePass &pass);
std::size_t key_bytes(const ImagePass &pass);

// Words of keys, as cl/lib/rank_words.clh has them: how many keys a word holds, and whether a row's pixels become keys
// without a conversion, so that they are read as words.
int keys_of_word(const ImagePass &pass);
bool reads_words(const ImagePass &pass);

// KEY_KIND, and the macros of cl/lib/pixel.clh and border.clh.
Defines rank_defines(const ImagePass &pass);

// Why a kernel of slices cannot take the pass; "" where it can.
std::string volume_refusal(const WindowPass &pass);

} // namespace gz
