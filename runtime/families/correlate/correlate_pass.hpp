// One correlation over images in device memory: what the plan lowers filters with taps to.
#pragma once

#include <vector>

#include "device/facts.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// f32 taps in memory order: those of a box, or, if separable, those along x and then those along y.
struct TapSet {
    int taps_x = 1, taps_y = 1, anchor_x = 0, anchor_y = 0;
    bool separable = false;
    std::vector<float> taps;
};

// Geometry's taps and anchors are those of the one set, or cover all sets.
struct CorrelatePass : ImagePass {
    // One set for all components, or a set for each: channel c of plane p is component p channels +
    // c.
    std::vector<TapSet> sets;

    bool varied() const { return sets.size() > 1; }
    const TapSet &set() const { return sets.front(); } // of a pass that is not varied
    bool separable() const { return set().separable; }
};

std::string problem_of(const CorrelatePass &pass);
const std::vector<Kernel> &kernels_of(const CorrelatePass &pass);

// How much a kernel is wanted for a pass, in each of the cases that decide it: more is better.
struct CorrelateRank {
    int strips, plain_gpu; // devices
    int few_taps;          // separable ones on other devices: their sums stay in registers
    int separable;         // other separable ones
    int nothing_shared;    // all other taps, where items share nothing
    int tiles;             // and where groups have memory of their own

    Rank operator()(const CorrelatePass &pass, const DeviceFacts &facts) const;
};

// Sizes of taps share a program with all others of their bucket: the smallest of these that holds
// both sizes, or the last for more taps than kernels with buckets take.
inline constexpr int tap_buckets[] = {3, 5, 7, 9, 11, 15, 31, 63};
int bucket_of(const CorrelatePass &pass);

// Why a kernel that is made for up to `most` taps along an axis, the same ones for all components,
// cannot take the pass; "" where it can.
std::string tap_refusal(const CorrelatePass &pass, int most);

// Whether the source is of integers and no result, whatever they are, larger than 2^22.
bool is_bounded(const CorrelatePass &pass);

// What kernels with cl/lib/taps.clh share: why one that is made for up to `most` taps along an axis
// cannot take the pass; macros of it and of pixel.clh; the argument.
std::string separable_refusal(const CorrelatePass &pass, int most);
Defines separable_defines(const CorrelatePass &pass, const DeviceFacts &facts);
Argument taps_argument(const std::vector<std::byte> &taps, const DeviceFacts &facts);

// The taps with `stride` in place of the sizes: rows of stride values, or those along x from 0 on
// and those along y from stride on. What is left over is 0 and never read.
std::vector<float> strided_taps(const TapSet &set, int stride);

// Numbers of taps along an axis that share a program of a separable kernel.
struct TapBucket {
    int least, most;
};
TapBucket tap_bucket(int taps); // up to 63

// The taps along x and then those along y, as many of each as their bucket's most: what is left
// over is 0 and never read.
std::vector<std::byte> bucketed_taps(const CorrelatePass &pass, const TapBucket &along_x,
                                     const TapBucket &along_y);

} // namespace gz
