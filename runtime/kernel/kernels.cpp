#include "kernel/kernels.hpp"

#include <algorithm>

namespace gz {

namespace {

// A CPU that runs a group's items one after the other wants long strips and no barriers.
bool wants_strips(DeviceClass device_class) {
    return device_class == DeviceClass::pocl_cpu || device_class == DeviceClass::other_cpu ||
           device_class == DeviceClass::oclgrind;
}

// Where what groups share lies in ordinary memory: items that share nothing come first. Measured on
// llvmpipe: dense taps, boxes, sums and recursive filters take 0.4 to 0.7 of the time.
bool shares_nothing(DeviceClass device_class) {
    return device_class == DeviceClass::plain_gpu || device_class == DeviceClass::mesa_cpu;
}

// Below this many lines a vector of them does not pay: they are as fast one after the other.
constexpr std::int64_t lanes_of_strips = 8;

// Whether groups that have started are known to go on while others wait for them.
bool keeps_groups_going(DeviceClass device_class) {
    return device_class == DeviceClass::nvidia_gpu || device_class == DeviceClass::amd_gpu ||
           device_class == DeviceClass::intel_gpu;
}

// Samples that cost little as a tile's apron.
constexpr std::int64_t short_memory = 512;

} // namespace

std::vector<CorrelateSpec> kernels_for(const CorrelatePass &pass, DeviceClass device_class) {
    if (wants_strips(device_class))
        return {correlate_strips(), separable_passes(), correlate_plain(),
                correlate_tiled(),  separable_fused(),  separable_columns()};
    if (device_class == DeviceClass::plain_gpu)
        return {separable_passes(), separable_columns(), correlate_plain(),
                correlate_strips(), correlate_tiled(),   separable_fused()};
    if (!pass.varied() && pass.separable()) {
        // To keep what few taps add up to in registers is faster than to share it.
        const int most = pass.src_type == PixelType::u8       ? 5
                         : facts_of(pass.src_type).is_integer ? 3
                                                              : 0;
        if (std::max(pass.geometry.taps_x, pass.geometry.taps_y) <= most)
            return {separable_columns(), separable_fused(), correlate_tiled(),
                    separable_passes(),  correlate_plain(), correlate_strips()};
        return {separable_fused(), separable_passes(), correlate_tiled(),
                correlate_plain(), correlate_strips(), separable_columns()};
    }
    if (shares_nothing(device_class))
        return {correlate_plain(),  correlate_tiled(), correlate_strips(),
                separable_passes(), separable_fused(), separable_columns()};
    return {correlate_tiled(),  correlate_plain(), correlate_strips(),
            separable_passes(), separable_fused(), separable_columns()};
}

std::vector<VolumeSpec> kernels_for(const VolumePass &pass, DeviceClass device_class) {
    if (pass.separable)
        return {separable_march()};
    if (wants_strips(device_class))
        return {volume_strips(), correlate_volume(), correlate_march()};
    return {correlate_march(), correlate_volume(), volume_strips()};
}

std::vector<BoxSpec> kernels_for(const BoxPass &pass, DeviceClass device_class) {
    if (wants_strips(device_class))
        return {box_strips(), box_lines(), box_plain(), box_tiled(), box_columns()};
    if (shares_nothing(device_class))
        return {box_plain(), box_strips(), box_columns(), box_tiled(), box_lines()};
    if (sum_of(pass) == BoxSum::f32 && pass.channels == 1)
        return {box_columns(), box_tiled(), box_plain(), box_strips(), box_lines()};
    return {box_tiled(), box_columns(), box_plain(), box_strips(), box_lines()};
}

std::vector<RecursiveSpec> kernels_for(const RecursivePass &pass, DeviceClass device_class) {
    if (pass.second) {
        if (wants_strips(device_class))
            return {recursive_strips(), recursive_plain(), recursive_tiled(), recursive_march()};
        if (device_class == DeviceClass::plain_gpu)
            return {recursive_plain(), recursive_strips(), recursive_march(), recursive_tiled()};
        return {recursive_march(), recursive_tiled(), recursive_plain(), recursive_strips()};
    }
    if (wants_strips(device_class)) {
        if (pass.lines.lines * pass.batch() < lanes_of_strips)
            return {recursive_segments(), recursive_plain(), recursive_strips(),
                    recursive_tiled(),    recursive_march(), recursive_lookback()};
        return {recursive_strips(), recursive_plain(),    recursive_tiled(),
                recursive_march(),  recursive_lookback(), recursive_segments()};
    }
    if (shares_nothing(device_class) && pass.tile == 0)
        return {recursive_plain(), recursive_strips(),   recursive_march(),
                recursive_tiled(), recursive_segments(), recursive_lookback()};
    if (pass.tile > 0) // the kernel that takes the hint
        return {recursive_tiled(),  recursive_march(),    recursive_plain(),
                recursive_strips(), recursive_lookback(), recursive_segments()};
    // Few lines, which lie apart.
    constexpr std::int64_t few = 128;
    if (pass.lines.lines * pass.batch() <= few && keeps_groups_going(device_class) &&
        !forgets_within(pass, short_memory))
        return {recursive_lookback(), recursive_march(),  recursive_tiled(),
                recursive_plain(),    recursive_strips(), recursive_segments()};
    return {recursive_march(),  recursive_tiled(),    recursive_plain(),
            recursive_strips(), recursive_lookback(), recursive_segments()};
}

bool prefers_whole(const RecursivePlanePass &, DeviceClass device_class) {
    return !wants_strips(device_class) && !shares_nothing(device_class);
}

bool prefers_whole(const VolumePass &pass, DeviceClass device_class) {
    // Measured on NVIDIA (H200): two passes of more taps leave more registers to each.
    constexpr int most = 5;
    return !wants_strips(device_class) && longest_side(pass) <= most;
}

std::vector<RecursivePlaneSpec> kernels_for(const RecursivePlanePass &, DeviceClass) {
    return {recursive_fused()};
}

std::vector<SatSpec> kernels_for(const SatPass &, DeviceClass device_class) {
    if (wants_strips(device_class))
        return {sat_strips(), sat_plain(), sat_tiled(), sat_march()};
    if (shares_nothing(device_class))
        return {sat_plain(), sat_strips(), sat_tiled(), sat_march()};
    // Measured there alone.
    if (device_class == DeviceClass::nvidia_gpu)
        return {sat_march(), sat_tiled(), sat_plain(), sat_strips()};
    return {sat_tiled(), sat_plain(), sat_strips(), sat_march()};
}

std::vector<DifferenceSpec> kernels_for(const DifferencePass &, DeviceClass) {
    return {difference_plain()};
}

std::vector<XybSpec> kernels_for(const XybPass &, DeviceClass device_class) {
    if (wants_strips(device_class))
        return {xyb_strips(), xyb_tiled()};
    return {xyb_tiled(), xyb_strips()};
}

std::vector<Ssimulacra2Spec> kernels_for(const Ssimulacra2Pass &, DeviceClass device_class) {
    if (wants_strips(device_class))
        return {ssimulacra2_strips(), ssimulacra2_tiled()};
    return {ssimulacra2_tiled(), ssimulacra2_strips()};
}

} // namespace gz
