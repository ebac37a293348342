// Facts about a device: what it reports, what it gets wrong, and its class, which kernel choice depends on.
// The only place that knows vendors.
#pragma once

#include <cstdint>
#include <string>

namespace cl {
class Device;
class Platform;
} // namespace cl

namespace gz {

// Classes of devices that the same kernels suit.
enum class DeviceClass {
    nvidia_gpu,
    amd_gpu,
    intel_gpu,
    other_gpu,
    plain_gpu, // reports that its local memory is ordinary memory, as Mali does: sharing gains nothing
    pocl_cpu, // compiles a group to vector code: strips suit it, barriers do not
    intel_cpu, // Intel's CPU runtime: the same, and makes lanes of items too, which it must not do to strips
    mesa_cpu, // rusticl on llvmpipe: runs items as vector lanes, like a GPU
    other_cpu,
    oclgrind, // simulator: everything is slow
    accelerator
};

const char *name_of(DeviceClass device_class); // "nvidia", "pocl-cpu", ...

struct DeviceFacts {
    std::string name, vendor, platform, platform_version, version, driver;
    std::string library;         // file of the driver; "" where it is unknown
    std::string driver_settings; // settings of the environment that change what the driver compiles
    DeviceClass device_class = DeviceClass::other_gpu;
    // The same configurations suit all devices of an architecture: "sm_90", "gfx1100", "x86-avx2"; "" where
    // it is unknown.
    std::string architecture;
    std::uint64_t type = 0; // CL_DEVICE_TYPE_CPU and the like
    std::string unusable;   // why the device is refused; "" where it is not
    std::uint64_t global_memory = 0;
    std::uint64_t max_allocation = 0;
    std::uint64_t local_memory = 0;
    std::uint64_t max_parameter_size = 0;
    std::uint64_t max_constant_size = 0;
    std::uint32_t base_alignment = 0; // buffers start at a multiple of this many bytes
    std::uint32_t compute_units = 0;  // what vendors call so: see cores()
    std::uint32_t units_of_core = 1;
    std::uint32_t clock_mhz = 0;
    std::uint32_t max_group_size = 0;
    std::uint32_t max_item_sizes[3] = {0, 0, 0};
    std::uint32_t wave = 0;        // items that run in step: a warp, a wavefront; 0: not reported
    bool shares_in_memory = false; // says that local memory is ordinary memory
    bool local_memory_is_of_core = false; // groups that run on a core share local_memory
    bool has_f64 = false;
    bool junk_event_times = false; // profiling times mean nothing: use the wall clock

    bool shares_host_memory = false; // is no card with memory of its own
    bool misreads_arguments = false; // arrays passed by value read as 0 inside branches
    // Compilers copy arrays that were passed by value to memory of each item: all of them, or those that items
    // index with numbers of their own.
    bool copies_arguments = false, copies_indexed_arguments = false;
    // The compiler takes a number of items to make lanes of a vector of: intel_vec_len_hint.
    bool takes_vector_hint = false;
    bool packs_integers = false; // has cvt.pack, NVIDIA's saturation of several at once
    // Takes fewer instructions to read integers as denormal floats, with which it computes at full speed.
    bool reads_denormals = false;
    bool copies_to_local = false; // has cp.async, NVIDIA's copies that take no registers
    bool keeps_in_cache =
        false; // has reads whose values the cache keeps rather than others: NVIDIA's policies
    bool caps_registers =
        false; // hands programs out as PTX, in which a kernel's registers can be capped

    bool is_cpu() const {
        return device_class == DeviceClass::pocl_cpu || device_class == DeviceClass::intel_cpu ||
               device_class == DeviceClass::mesa_cpu || device_class == DeviceClass::other_cpu ||
               device_class == DeviceClass::oclgrind;
    }
    // AMD's GPUs for games since 2019.
    bool is_rdna() const { return device_class == DeviceClass::amd_gpu && wave == 32; }
    // Whether kernels take an array of so many bytes by value, beside small arguments; else it is constant data.
    bool takes_by_value(std::size_t bytes) const;
    // Places that a group runs on, whose items share local memory there: NVIDIA's multiprocessors, AMD's compute
    // units (RDNA's drivers count its pairs), Intel's sub-slices, which each have several of what it counts.
    std::int64_t cores() const;
    // Bytes of local memory that a kernel's arguments can take.
    std::uint64_t usable_local_memory() const;
    // Bytes of arrays that an item can keep.
    std::uint64_t usable_private_memory() const;
    // Returns why devices of the class get their kernels where nothing was measured.
    std::string reason_of_defaults() const;
    // Larger is the better default device; negative: never by default.
    double preference() const;
};

// Returns the facts of a device of the same kind whose buffers can be of any size.
DeviceFacts without_allocation_limit(DeviceFacts facts);

DeviceFacts facts_of(const cl::Platform &platform, const cl::Device &device);

// Returns why an engine refuses a device; "" where it does not.
std::string reason_to_refuse(const DeviceFacts &facts);

} // namespace gz
