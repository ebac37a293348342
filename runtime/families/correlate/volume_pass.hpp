// Correlations with dense taps that extend along z or t: the plan lowers such filters to them.
#pragma once

#include <vector>

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"
#include "plan/volume.hpp"

namespace gz {

struct VolumePass : ImagePass {
    Volume volume{};
    std::vector<float> taps; // in memory order, x fastest, one filter's taps after another's
    int filters = 1;         // of one shape, each with a target of the same layout
    // Whether they are taps along x, then those along y and along z, of one filter.
    bool separable = false;

    std::size_t taps_of_one() const { return taps.size() / static_cast<std::size_t>(filters); }
};

std::string problem_of(const VolumePass &pass);
const std::vector<Kernel> &kernels_of(const VolumePass &pass);

// The rank of a kernel for dense taps.
Rank rank_of_dense(const VolumePass &pass, const DeviceFacts &facts, const RankByHabit &ranks);

// Returns the number of taps along the axis that has most of them.
int longest_side(const VolumePass &pass);

// Returns the taps of one filter, in constant memory where they are few.
struct TapsArgument {
    ConstantData data;
    bool are_few;
};
TapsArgument dense_taps(const VolumePass &pass, std::size_t filter);

// For kernels that march in groups of GROUP_X x GROUP_Y items of ITEM_Y rows of four values, along z by chunks of
// DEPTH slices (cl/lib/march.clh): why one cannot take the pass; its launch, for up to `most` taps along x and y,
// where an item holds so many sums for each value; the configuration with the deepest chunks, of a power of two,
// that still leave groups for all of the device.
struct MarchSettings {
    int group_x, group_y, item_y, depth;
    int ring = 2;    // slices in local memory
    int filters = 1; // that a launch computes at once, where there are several
};
// Whether the device brings slices of the pass's type without registers.
bool is_async(const VolumePass &pass, const DeviceFacts &facts);
std::string march_refusal(const VolumePass &pass);
struct March {
    Launch launch; // without file, entry and arguments
    gz_int depth, chunks;
    int rows;    // of a slice in local memory, with its apron
    int vectors; // of all of them
};
March march_of(const VolumePass &pass, const MarchSettings &settings, const DeviceFacts &facts,
               int most, int sums);
LocalMemory local_vectors(int count); // vectors of four floats
// Whether a device has groups enough to do.
bool keeps_cores_busy(const VolumePass &pass, const MarchSettings &settings,
                      const DeviceFacts &facts);
MarchSettings with_fitting_depth(const VolumePass &pass, MarchSettings settings,
                                 const DeviceFacts &facts);

} // namespace gz
