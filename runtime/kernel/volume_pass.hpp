// Correlations with dense taps that extend along z or t: what the plan lowers such filters to.
#pragma once

#include <vector>

#include "kernel/image_pass.hpp"
#include "kernel/kernel_spec.hpp"

namespace gz {

#include "lib/volume.clh"
static_assert(sizeof(Volume) == 32, "OpenCL C lays the struct out without padding");

struct VolumePass : ImagePass {
    Volume volume{};
    std::vector<float>
        taps;        // in memory order, x fastest; those of one filter after those of another
    int filters = 1; // of one shape, each with a target of the same layout
    // Whether they are taps along x, then those along y and along z, of one filter.
    bool separable = false;

    std::size_t taps_of_one() const { return taps.size() / static_cast<std::size_t>(filters); }
};

// Taps along the axis that has most of them.
int longest_side(const VolumePass &pass);

// The taps of one filter: in constant memory where they are few.
struct TapsArgument {
    ConstantData data;
    bool are_few;
};
TapsArgument dense_taps(const VolumePass &pass, std::size_t filter);

// For kernels that march along z by chunks of DEPTH slices, in groups of GROUP_X x GROUP_Y items of
// ITEM_Y rows of four values (cl/lib/march.clh): why one cannot take the pass; its launch, for up to
// `most` taps along x and y, where an item holds so many sums of each value; the configuration with as
// deep chunks as leave groups for all of the device.
std::string march_refusal(const VolumePass &pass);
struct March {
    Launch launch; // without file, entry and arguments
    gz_int depth, chunks;
    int row_vectors, rows; // of a slice in local memory, with its apron
};
March march_of(const VolumePass &pass, const Config &config, const DeviceFacts &facts, int most,
               int sums);
LocalMemory local_vectors(int count); // of four floats
Config with_fitting_depth(const VolumePass &pass, Config config, const DeviceFacts &facts);

} // namespace gz
