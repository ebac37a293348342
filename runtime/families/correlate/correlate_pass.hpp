// One correlation over images in device memory: what the plan lowers filters with taps to.
#pragma once

#include <vector>

#include "device/facts.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// f32 taps in memory order: the taps of a box, or, if separable, those along x and then those along y.
struct TapSet {
    int taps_x = 1, taps_y = 1, anchor_x = 0, anchor_y = 0;
    bool separable = false;
    std::vector<float> taps;
};

// Geometry's taps and anchors are those of the only set, or cover all sets.
struct CorrelatePass : ImagePass {
    // One set for all components, or a set for each: channel c of plane p is component p channels +
    // c.
    std::vector<TapSet> sets;
    // The other image is laid out as the target, in values.
    Subtraction subtraction = Subtraction::none;
    // Kernels read integers as denormal floats, times 2^-149, for which the taps and the border's constant make up.
    bool reads_denormals = false;
    // The step after this one makes the pixels near the image's edges once more, which a launch of separable_stream can do too.
    bool has_frames = false;

    bool varied() const { return sets.size() > 1; }
    const TapSet &set() const { return sets.front(); } // for a pass that is not varied
    bool separable() const { return set().separable; }
};

std::string problem_of(const CorrelatePass &pass);
const std::vector<Kernel> &kernels_of(const CorrelatePass &pass);

// The rank of a kernel for a pass in each case that decides it; a higher rank is preferred.
struct CorrelateRank {
    int strips, plain_gpu; // devices
    int few_taps;          // separable taps on other devices: their sums stay in registers
    int separable;         // other separable taps
    int nothing_shared;    // all other taps on devices where items share nothing
    int tiles;             // all other taps on devices whose groups have local memory

    Rank operator()(const CorrelatePass &pass, const DeviceFacts &facts) const;
};

// Sizes of taps share a program with all others of their bucket: the smallest of these that holds
// both sizes, or the last for more taps than kernels with buckets take.
inline constexpr int tap_buckets[] = {3, 5, 7, 9, 11, 15, 31, 63};
int bucket_of(const CorrelatePass &pass);

// Whether dense taps are a square of their bucket around the anchor along x. Kernels with buckets have an unrolled body for
// such taps, of up to most_unrolled a side.
inline constexpr int most_unrolled = 15;
bool fills_dense_bucket(const CorrelatePass &pass);

// Kernels for GPUs read rows by vectors of so many values where they are aligned.
inline constexpr int values_of_vector = 4;
bool has_vectors(const CorrelatePass &pass);
// Returns how many values past an aligned address the first value lies that an item's first tap needs.
int shift_of_vectors(const CorrelatePass &pass);

// Returns the strips of so many values in the rows of all slices; 1 where there is no image.
std::int64_t strips_of(const CorrelatePass &pass, int values);

// Why a kernel that is made for up to `most` taps along an axis, the same ones for all components,
// cannot take the pass; "" where it can. subtracts: whether the kernel takes another image.
std::string tap_refusal(const CorrelatePass &pass, int most, bool subtracts = false);

// Whether the source is of integers and no result, whatever they are, larger than 2^22.
bool is_bounded(const CorrelatePass &pass);

// Shared by kernels that include cl/lib/taps.clh: why a kernel made for up to `most` taps along an axis
// cannot take the pass.
std::string separable_refusal(const CorrelatePass &pass, int most, bool subtracts = false);
// Returns type_defines() and what else cl/lib/pixel.clh asks for.
Defines pixel_defines(const CorrelatePass &pass, const DeviceFacts &facts);
// Returns the pass with denormals to read, where that takes fewer instructions and gives the same bits: the taps are
// separable and make results of sources of u8 and u16 that are as far from denormals as the sources.
CorrelatePass with_denormals(const CorrelatePass &pass, const DeviceFacts &facts);
// Returns the argument, and defines BY_VALUE.
Argument taps_argument(Defines &defines, std::vector<std::byte> taps, const DeviceFacts &facts);

// Returns the taps with `stride` in place of their sizes: rows of stride values, or the taps along x from 0
// on and those along y from stride on. The rest is 0 and never read.
std::vector<float> strided_taps(const TapSet &set, int stride);

// Numbers of taps along an axis that share a program of a separable kernel.
struct TapBucket {
    int least, most;
};
TapBucket tap_bucket(int taps); // up to 63

// Whether the taps fill their buckets, around the anchor along x: they have a program without conditions.
bool fills_buckets(const CorrelatePass &pass);

// Returns pixel_defines() and the least and the largest number of taps of a program, which the buckets decide.
Defines bucketed_defines(const CorrelatePass &pass, const DeviceFacts &facts);

// Returns the taps along x and then those along y, each padded to its bucket's largest number. The rest is 0
// and never read.
std::vector<std::byte> bucketed_taps(const CorrelatePass &pass, const TapBucket &along_x,
                                     const TapBucket &along_y);

} // namespace gz
