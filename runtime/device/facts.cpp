#include "device/facts.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>

#include "core/error.hpp"
#include "device/environment.hpp"
#include "device/opencl.hpp"

namespace gz {

namespace {

std::string trimmed(const std::string &text) {
    const auto is_text = [](unsigned char c) { return c != 0 && !std::isspace(c); };
    const auto begin = std::find_if(text.begin(), text.end(), is_text);
    const auto end = std::find_if(text.rbegin(), text.rend(), is_text).base();
    return begin < end ? std::string(begin, end) : std::string();
}

bool contains(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

DeviceClass class_of(const DeviceFacts &facts) {
    if (contains(facts.platform, "Oclgrind"))
        return DeviceClass::oclgrind;
    if (contains(facts.name, "llvmpipe"))
        return DeviceClass::mesa_cpu;
    if (facts.type & CL_DEVICE_TYPE_GPU) {
        if (contains(facts.vendor, "NVIDIA"))
            return DeviceClass::nvidia_gpu;
        if (contains(facts.vendor, "Advanced Micro Devices") || contains(facts.vendor, "AMD"))
            return DeviceClass::amd_gpu;
        if (contains(facts.vendor, "Intel"))
            return DeviceClass::intel_gpu;
        return facts.shares_in_memory ? DeviceClass::plain_gpu : DeviceClass::other_gpu;
    }
    if (facts.type & CL_DEVICE_TYPE_CPU)
        return contains(facts.platform, "Portable Computing Language") ? DeviceClass::pocl_cpu
               : contains(facts.platform, "Intel")                     ? DeviceClass::intel_cpu
                                                                       : DeviceClass::other_cpu;
    return DeviceClass::accelerator;
}

// Returns the file of a driver. Where a loader is between, each object of a driver begins with the address of
// the table of the driver's functions: that is the extension cl_khr_icd.
std::string library_of(const cl::Platform &platform) {
    const std::string extensions = text(" ", platform.getInfo<CL_PLATFORM_EXTENSIONS>(), " ");
    if (!contains(extensions, " cl_khr_icd "))
        return "";
    const void *const *const *const object =
        reinterpret_cast<const void *const *const *>(platform());
    return system::file_of_code((*object)[1]);
}

// NVIDIA's compute capability, as 90 for 9.0; 0 where there is none.
int nvidia_capability(const cl::Device &device, const std::string &extensions) {
    if (!contains(extensions, " cl_nv_device_attribute_query "))
        return 0;
    constexpr cl_device_info major_query = 0x4000; // CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV
    constexpr cl_device_info minor_query = 0x4001;
    cl_uint major = 0;
    cl_uint minor = 0;
    const bool known =
        clGetDeviceInfo(device(), major_query, sizeof major, &major, nullptr) == CL_SUCCESS &&
        clGetDeviceInfo(device(), minor_query, sizeof minor, &minor, nullptr) == CL_SUCCESS;
    return known ? static_cast<int>(10 * major + minor) : 0;
}

// A number that only drivers with the extension report; 0 for others.
std::uint32_t asked(const cl::Device &device, const std::string &extensions, const char *extension,
                    cl_device_info query) {
    cl_uint value = 0;
    if (!contains(extensions, extension) ||
        clGetDeviceInfo(device(), query, sizeof value, &value, nullptr) != CL_SUCCESS)
        return 0;
    return value;
}

std::uint32_t wave_of(const cl::Device &device, const std::string &extensions) {
    constexpr cl_device_info warp_query = 0x4003;      // CL_DEVICE_WARP_SIZE_NV
    constexpr cl_device_info wavefront_query = 0x4043; // CL_DEVICE_WAVEFRONT_WIDTH_AMD
    return std::max(asked(device, extensions, " cl_nv_device_attribute_query ", warp_query),
                    asked(device, extensions, " cl_amd_device_attribute_query ", wavefront_query));
}

// Intel counts execution units, of which a sub-slice has several. Drivers from before 2021, whose GPUs have 8, do not
// say so. An Arc A770 says 16, and some drivers of an Arc A380 say 8 for its 16.
std::uint32_t units_of_core(const cl::Device &device, const std::string &extensions) {
    constexpr cl_device_info units_query = 0x4254; // CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL
    const std::uint32_t units =
        asked(device, extensions, " cl_intel_device_attribute_query ", units_query);
    return units > 0 ? units : 8;
}

// Whether PoCL compiles for a CPU without AVX-512, whatever the CPU has: its device's name says for which, as in
// "pthread-haswell-Xeon". POCL_KERNELLIB_NAME chooses another than the CPU itself.
bool targets_avx2(const std::string &device) {
    for (const char *const target :
         {"-haswell-", "-broadwell-", "-skylake-", "-alderlake-", "-raptorlake-", "-znver1-",
          "-znver2-", "-znver3-", "-x86-64-v3-"})
        if (contains(device, target) && !contains(device, "-skylake-avx512-"))
            return true;
    return false;
}

// Variables of the environment that change what a driver compiles, with their values. Settings for work on a driver
// itself are left to its developers.
std::string settings_of_driver(DeviceClass device_class) {
    if (device_class == DeviceClass::pocl_cpu)
        return environment("POCL_EXTRA_BUILD_FLAGS");
    std::string settings;
    if (device_class == DeviceClass::intel_cpu)
        for (const char *const name : {"CL_CONFIG_CPU_TARGET_ARCH", "CL_CONFIG_CPU_VECTORIZER_MODE",
                                       "CL_CONFIG_USE_VECTORIZER"})
            if (const std::string value = environment(name); !value.empty())
                settings += text(settings.empty() ? "" : " ", name, "=", value);
    return settings;
}

// The widest vectors that the driver's compiler may use on this very CPU.
std::string cpu_architecture(const std::string &device, const std::string &driver_settings) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    const bool has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    if (has_512 && !targets_avx2(device) && !contains(driver_settings, "-mno-avx512f") &&
        !contains(driver_settings, "TARGET_ARCH=core-avx2"))
        return "x86-avx512";
    return __builtin_cpu_supports("avx2") ? "x86-avx2" : "x86";
#elif defined(__aarch64__)
    static_cast<void>(device);
    static_cast<void>(driver_settings);
    return "arm64";
#else
    static_cast<void>(device);
    static_cast<void>(driver_settings);
    return "";
#endif
}

std::string architecture_of(const DeviceFacts &facts, int capability) {
    switch (facts.device_class) {
    case DeviceClass::nvidia_gpu:
        return capability > 0 ? text("sm_", capability) : "";
    case DeviceClass::amd_gpu:
        // "gfx90a:sramecc+:xnack-"; older drivers say the chip's name.
        return facts.name.substr(0, facts.name.find(':'));
    case DeviceClass::pocl_cpu:
    case DeviceClass::intel_cpu:
    case DeviceClass::mesa_cpu:
        return cpu_architecture(facts.name, facts.driver_settings);
    default:
        return "";
    }
}

} // namespace

const char *name_of(DeviceClass device_class) {
    switch (device_class) {
    case DeviceClass::nvidia_gpu:
        return "nvidia";
    case DeviceClass::amd_gpu:
        return "amd";
    case DeviceClass::intel_gpu:
        return "intel";
    case DeviceClass::other_gpu:
        return "gpu";
    case DeviceClass::plain_gpu:
        return "gpu-plain";
    case DeviceClass::pocl_cpu:
        return "pocl-cpu";
    case DeviceClass::intel_cpu:
        return "intel-cpu";
    case DeviceClass::mesa_cpu:
        return "mesa-cpu";
    case DeviceClass::other_cpu:
        return "cpu";
    case DeviceClass::oclgrind:
        return "oclgrind";
    case DeviceClass::accelerator:
        return "accelerator";
    }
    return "unknown";
}

bool DeviceFacts::takes_by_value(std::size_t bytes) const {
    constexpr std::size_t beside = 256; // bytes of geometry, of pointers, ...
    return !misreads_arguments && !copies_arguments && bytes + beside <= max_parameter_size;
}

std::int64_t DeviceFacts::cores() const {
    return std::max<std::int64_t>(compute_units / units_of_core, 1);
}

std::uint64_t DeviceFacts::usable_local_memory() const {
    // Launches that ask for all 48 KiB fail with CL_OUT_OF_RESOURCES on NVIDIA (driver 580).
    constexpr std::uint64_t kept_by_nvidia = 1024;
    return device_class == DeviceClass::nvidia_gpu ? local_memory - kept_by_nvidia : local_memory;
}

std::uint64_t DeviceFacts::usable_private_memory() const {
    // A CPU's thread has room on its stack: those that PoCL starts have what the system gives, 1 MiB and more.
    // A GPU sets memory aside for every item that could run at once: an H200 for 270,336. Mesa 22.3 is slow with
    // arrays and gives wrong bits for arrays of 144 KiB.
    if (device_class == DeviceClass::mesa_cpu)
        return 8 * 1024;
    if (device_class == DeviceClass::pocl_cpu)
        return 640 * 1024;
    return is_cpu() ? 320 * 1024 : 16 * 1024;
}

std::string DeviceFacts::reason_of_defaults() const {
    const std::string waves = wave > 0 ? text(", in groups of whole waves of ", wave) : "";
    switch (device_class) {
    case DeviceClass::nvidia_gpu:
    case DeviceClass::amd_gpu:
    case DeviceClass::intel_gpu:
    case DeviceClass::other_gpu:
    case DeviceClass::accelerator:
        return text("tiles, as items share ", usable_local_memory(), " bytes of local memory",
                    waves);
    case DeviceClass::plain_gpu:
        return "an item for each result" + waves +
               ", as local memory is ordinary memory there and sharing gains nothing";
    case DeviceClass::pocl_cpu:
    case DeviceClass::intel_cpu:
    case DeviceClass::other_cpu:
    case DeviceClass::oclgrind:
        return "long strips without barriers, as a group's items run one after the other";
    case DeviceClass::mesa_cpu:
        return "an item for each result, as items are lanes of a CPU's vectors and sharing gains "
               "nothing; separable taps in tiles";
    }
    return "";
}

namespace {

// Operations that a compute unit starts at once: vendors call different things a unit. NVIDIA's and AMD's have 64 to
// 128 lanes, while Intel counts its execution units, of 8 lanes.
int lanes_of_unit(const DeviceFacts &facts) {
    switch (facts.device_class) {
    case DeviceClass::nvidia_gpu:
        return 128;
    case DeviceClass::amd_gpu:
        return 64;
    case DeviceClass::intel_gpu:
        return 8;
    default:
        return 32;
    }
}

// Whether a driver's compiler copies each array that was passed by value. That of Intel's 22.43 does, those of 24.35 and
// 26.27 do not; any between, and those of Windows, which count otherwise ("31.0.101.4146"), may.
bool may_copy_arguments(const DeviceFacts &facts) {
    if (facts.device_class != DeviceClass::intel_gpu)
        return false;
    char *end = nullptr;
    const long year = std::strtol(facts.driver.c_str(), &end, 10);
    const long release = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
    return release == 0 || year < 24 || (year == 24 && release < 35);
}

} // namespace

double DeviceFacts::preference() const {
    if (!unusable.empty())
        return -1.0;
    double kind = 0.0;
    switch (device_class) {
    case DeviceClass::nvidia_gpu:
    case DeviceClass::amd_gpu:
    case DeviceClass::intel_gpu:
    case DeviceClass::other_gpu:
    case DeviceClass::plain_gpu:
        // A card with memory of its own comes first, whatever a GPU that shares the host's says.
        kind = shares_host_memory ? 5.0 : 6.0;
        break;
    case DeviceClass::accelerator:
        kind = 4.0;
        break;
    case DeviceClass::pocl_cpu:
        kind = 3.0;
        break;
    case DeviceClass::intel_cpu:
    case DeviceClass::other_cpu:
        kind = 2.0;
        break;
    case DeviceClass::mesa_cpu:
        kind = 1.0;
        break;
    case DeviceClass::oclgrind:
        break;
    }
    // A rough measure of speed decides within a kind.
    const double speed =
        static_cast<double>(compute_units) * lanes_of_unit(*this) * std::max(clock_mhz, 1U);
    return kind * 1e9 + std::min(speed, 1e9 - 1.0);
}

DeviceFacts without_allocation_limit(DeviceFacts facts) {
    facts.max_allocation = std::numeric_limits<std::uint64_t>::max();
    return facts;
}

DeviceFacts facts_of(const cl::Platform &platform, const cl::Device &device) {
    DeviceFacts facts;
    facts.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
    facts.vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>());
    facts.platform = trimmed(platform.getInfo<CL_PLATFORM_NAME>());
    facts.platform_version = trimmed(platform.getInfo<CL_PLATFORM_VERSION>());
    facts.version = trimmed(device.getInfo<CL_DEVICE_VERSION>());
    facts.driver = trimmed(device.getInfo<CL_DRIVER_VERSION>());
    facts.type = device.getInfo<CL_DEVICE_TYPE>();
    facts.global_memory = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    facts.max_allocation = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    facts.local_memory = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    facts.max_parameter_size = device.getInfo<CL_DEVICE_MAX_PARAMETER_SIZE>();
    facts.max_constant_size = device.getInfo<CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE>();
    facts.base_alignment = device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8; // reported in bits
    facts.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    facts.clock_mhz = device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>();
    facts.max_group_size =
        static_cast<std::uint32_t>(device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
    const auto sizes = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
    for (std::size_t i = 0; i < 3 && i < sizes.size(); ++i)
        facts.max_item_sizes[i] = static_cast<std::uint32_t>(sizes[i]);
    const std::string extensions = text(" ", device.getInfo<CL_DEVICE_EXTENSIONS>(), " ");
    // Many GPUs are slow in double: pairs of floats can be the better choice there.
    facts.has_f64 = contains(extensions, " cl_khr_fp64 ") && environment("GAUZE_F64") != "off";
    facts.shares_in_memory = device.getInfo<CL_DEVICE_LOCAL_MEM_TYPE>() == CL_GLOBAL;
    facts.shares_host_memory = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() == CL_TRUE;
    facts.wave = wave_of(device, extensions);
    facts.device_class = class_of(facts);
    if (facts.device_class == DeviceClass::intel_gpu)
        facts.units_of_core = units_of_core(device, extensions);
    // rusticl of Mesa 22 reports event times of 0, 1, 2, 3; Oclgrind simulates.
    facts.junk_event_times =
        facts.device_class == DeviceClass::mesa_cpu || facts.device_class == DeviceClass::oclgrind;
    // "Treating load_kernel_arg in control flow as uniform", says Mesa 22.3, and reads 0.
    facts.misreads_arguments = facts.device_class == DeviceClass::mesa_cpu;
    const bool is_amd_or_intel =
        facts.device_class == DeviceClass::amd_gpu || facts.device_class == DeviceClass::intel_gpu;
    // Seen with LLVM 15 to 19 and with each compiler of Intel's that was tried.
    facts.copies_indexed_arguments = is_amd_or_intel;
    facts.copies_arguments = may_copy_arguments(facts);
    // NVIDIA's cores have several times what a group may take. RDNA's have it twice, for pairs of units with
    // two SIMDs each.
    facts.local_memory_is_of_core = is_amd_or_intel;
    facts.takes_vector_hint = contains(extensions, " cl_intel_vec_len_hint ");
    const int capability = nvidia_capability(device, extensions);
    facts.packs_integers = capability >= 72;
    const std::string denormals = environment("GAUZE_DENORMALS");
    facts.reads_denormals = denormals == "on" || (capability >= 72 && denormals != "off");
    // Drivers before 470 know neither the form of cp.async that also fills the cache nor its policies.
    facts.copies_to_local = facts.keeps_in_cache =
        capability >= 80 && std::strtol(facts.driver.c_str(), nullptr, 10) >= 470;
    facts.caps_registers = facts.device_class == DeviceClass::nvidia_gpu;
    facts.driver_settings = settings_of_driver(facts.device_class);
    facts.architecture = architecture_of(facts, capability);
    facts.library = library_of(platform);
    facts.unusable = reason_to_refuse(facts);
    return facts;
}

std::string reason_to_refuse(const DeviceFacts &facts) {
    // Clover ends the process when a kernel of ours is compiled.
    if (facts.platform == "Clover")
        return "Mesa's Clover ends the process when it compiles; use rusticl or PoCL";
    // Its LLVM 14 has no instruction for _cl_fma(float16), which most kernels have, and ends the process.
    if (facts.device_class == DeviceClass::pocl_cpu && facts.architecture == "x86-avx512" &&
        contains(facts.driver, "3.0-rc"))
        return "PoCL 3.0-rc, which PyPI's pocl-binary-distribution has, ends the process when it "
               "compiles "
               "for AVX-512; install another PoCL, or set POCL_EXTRA_BUILD_FLAGS=-mno-avx512f";
    return "";
}

} // namespace gz
