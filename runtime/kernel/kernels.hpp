// The kernel families, by the kind of pass that they compute.
#pragma once

#include <string>
#include <vector>

#include "kernel/box_pass.hpp"
#include "kernel/correlate_pass.hpp"
#include "kernel/kernel_spec.hpp"
#include "kernel/recursive_pass.hpp"
#include "kernel/sat_pass.hpp"
#include "kernel/ssimulacra2_pass.hpp"
#include "kernel/volume_pass.hpp"

namespace gz {

using CorrelateSpec = KernelSpec<CorrelatePass>;
CorrelateSpec correlate_tiled();
CorrelateSpec correlate_strips();
CorrelateSpec correlate_plain();
CorrelateSpec separable_fused();
CorrelateSpec separable_passes();
CorrelateSpec separable_columns();

using VolumeSpec = KernelSpec<VolumePass>;
VolumeSpec correlate_volume();
VolumeSpec correlate_march();
VolumeSpec volume_strips();
VolumeSpec separable_march();

using BoxSpec = KernelSpec<BoxPass>;
BoxSpec box_tiled();
BoxSpec box_columns();
BoxSpec box_strips();
BoxSpec box_lines();
BoxSpec box_plain();

using RecursiveSpec = KernelSpec<RecursivePass>;
RecursiveSpec recursive_plain();
RecursiveSpec recursive_lookback();
RecursiveSpec recursive_march();
RecursiveSpec recursive_tiled();
RecursiveSpec recursive_strips();
RecursiveSpec recursive_segments();

using RecursivePlaneSpec = KernelSpec<RecursivePlanePass>;
RecursivePlaneSpec recursive_fused();

using SatSpec = KernelSpec<SatPass>;
SatSpec sat_tiled();
SatSpec sat_march();
SatSpec sat_strips();
SatSpec sat_plain();

using DifferenceSpec = KernelSpec<DifferencePass>;
DifferenceSpec difference_plain();

using XybSpec = KernelSpec<XybPass>;
XybSpec xyb_tiled();
XybSpec xyb_strips();

using Ssimulacra2Spec = KernelSpec<Ssimulacra2Pass>;
Ssimulacra2Spec ssimulacra2_tiled();
Ssimulacra2Spec ssimulacra2_strips();

// Whether a device of the class should run a recursive filter along x and y in one pass where that
// can be, rather than axis by axis.
bool prefers_whole(const RecursivePlanePass &pass, DeviceClass device_class);
// The same of separable taps along x, y and z.
bool prefers_whole(const VolumePass &pass, DeviceClass device_class);

// All families for a kind of pass, in the order in which a device of the class should try them.
std::vector<CorrelateSpec> kernels_for(const CorrelatePass &pass, DeviceClass device_class);
std::vector<VolumeSpec> kernels_for(const VolumePass &pass, DeviceClass device_class);
std::vector<BoxSpec> kernels_for(const BoxPass &pass, DeviceClass device_class);
std::vector<DifferenceSpec> kernels_for(const DifferencePass &pass, DeviceClass device_class);
std::vector<RecursiveSpec> kernels_for(const RecursivePass &pass, DeviceClass device_class);
std::vector<RecursivePlaneSpec> kernels_for(const RecursivePlanePass &pass,
                                            DeviceClass device_class);
std::vector<SatSpec> kernels_for(const SatPass &pass, DeviceClass device_class);
std::vector<XybSpec> kernels_for(const XybPass &pass, DeviceClass device_class);
std::vector<Ssimulacra2Spec> kernels_for(const Ssimulacra2Pass &pass, DeviceClass device_class);

} // namespace gz
