#include "kernel/kernels.hpp"

#include <algorithm>

namespace gz {

namespace {

// A CPU that runs a group's items one after the other wants long strips and no barriers.
bool wants_strips(DeviceClass device_class) {
    return device_class == DeviceClass::pocl_cpu || device_class == DeviceClass::other_cpu ||
           device_class == DeviceClass::oclgrind;
}

} // namespace

std::vector<CorrelateSpec> kernels_for(const CorrelatePass &pass, DeviceClass device_class) {
    if (wants_strips(device_class))
        return {correlate_strips(), separable_passes(), correlate_plain(),
                correlate_tiled(),  separable_tiled(),  separable_fused()};
    // To filter rows along x anew is faster than to share them for few taps, if these fill their
    // bucket.
    const Geometry &g = pass.geometry;
    const bool few =
        g.taps_x == g.taps_y && g.taps_x <= 9 && g.taps_x % 2 == 1 && g.anchor_x == g.taps_x / 2;
    if (few || pass.varied() || !pass.separable())
        return {correlate_tiled(), separable_tiled(),  separable_passes(),
                correlate_plain(), correlate_strips(), separable_fused()};
    return {separable_tiled(), separable_passes(), correlate_tiled(),
            correlate_plain(), correlate_strips(), separable_fused()};
}

std::vector<BoxSpec> kernels_for(const BoxPass &, DeviceClass device_class) {
    if (wants_strips(device_class))
        return {box_strips(), box_plain(), box_tiled()};
    return {box_tiled(), box_plain(), box_strips()};
}

} // namespace gz
