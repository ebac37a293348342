// A layer between the OpenCL loader and the drivers that makes every device look like one that is not here, and
// refuses launches that this one could not run. The environment says what it does:
//   DEVICE_LAYER=gfx90a    the device: see the table below
//   DEVICE_LAYER_DRIVER=VERSION  of its driver, in place of the table's
//   DEVICE_LAYER_RUN=off   programs are neither compiled nor run: results are whatever was in memory
//   DEVICE_LAYER_DUMP=DIR  an existing folder for what would be compiled: HASH.cl and HASH.opt, source and
//                          options of each program, and launches.tsv, a line for each kernel in each shape:
//                          HASH, kernel, items of a group, bytes of local memory that are arguments, bytes of
//                          other arguments, and what DEVICE_LAYER_NOTE said then
#include "layer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace {

struct Device {
    std::string_view key;
    std::string name, vendor, platform, driver;
    cl_ulong local_memory;
    size_t group_size, item_size;            // the most of a group in all, and along an axis
    cl_uint wave;                            // 0: the device does not say
    cl_uint capability;                      // 90: compute capability 9.0; 0: not NVIDIA's
    size_t parameters;                       // bytes of a kernel's arguments
    cl_uint units, units_of_core, clock_mhz; // units_of_core: Intel's alone say it
    bool has_f64, shares_host_memory;
    std::string extensions; // besides those that all have
};

constexpr cl_ulong gibibyte = cl_ulong{1} << 30;

// As drivers of 2022 to 2024 describe them; memory is less, since programs here ask for as much as there is.
const Device *device_of(std::string_view key) {
    const std::string amd = "Advanced Micro Devices, Inc.";
    const std::string rocm = "AMD Accelerated Parallel Processing";
    const std::string amd_extensions = "cl_amd_device_attribute_query cl_amd_media_ops";
    const std::string intel = "Intel(R) Corporation";
    const std::string neo = "Intel(R) OpenCL Graphics";
    const std::string intel_extensions = "cl_intel_subgroups cl_intel_required_subgroup_size "
                                         "cl_intel_device_attribute_query";
    const std::string nvidia = "NVIDIA Corporation";
    static const Device devices[] = {
        {"gfx90a", "gfx90a:sramecc+:xnack-", amd, rocm, "3570.0 (HSA1.1,LC)", 65536, 256, 1024, 64,
         0, 1024, 104, 0, 1700, true, false, amd_extensions},
        {"gfx1030", "gfx1030", amd, rocm, "3570.0 (PAL,HSAIL)", 65536, 256, 1024, 32, 0, 1024, 30,
         0, 2200, true, false, amd_extensions},
        {"gfx1100", "gfx1100", amd, rocm, "3570.0 (HSA1.1,LC)", 65536, 256, 1024, 32, 0, 1024, 48,
         0, 2300, true, false, amd_extensions},
        {"skl", "Intel(R) Gen9 HD Graphics NEO", intel, neo, "22.43.24595", 65536, 256, 256, 0, 0,
         1024, 24, 8, 1150, true, true, intel_extensions},
        {"tgllp", "Intel(R) Iris(R) Xe Graphics", intel, neo, "22.43.24595", 65536, 512, 512, 0, 0,
         2048, 96, 16, 1300, false, true, intel_extensions},
        {"dg2", "Intel(R) Arc(TM) A770 Graphics", intel, neo, "22.43.24595", 65536, 1024, 1024, 0,
         0, 2048, 512, 16, 2400, false, false, intel_extensions},
        {"h200", "NVIDIA H200", nvidia, "NVIDIA CUDA", "580.159.04", 49152, 1024, 1024, 32, 90,
         4352, 132, 0, 1980, true, false, "cl_nv_device_attribute_query"},
    };
    const auto *const found = std::find_if(std::begin(devices), std::end(devices),
                                           [&](const Device &each) { return each.key == key; });
    return found == std::end(devices) ? nullptr : found;
}

std::string environment(const char *name) {
    const char *const value = std::getenv(name);
    return value ? value : "";
}

struct Program {
    std::string source, hash;
};
struct Kernel {
    cl_program program;
    std::string name;
    std::map<cl_uint, size_t> local, others; // bytes of arguments
};

// Never destroyed: drivers may call until the process is gone.
struct State {
    const Device *device = nullptr;
    bool runs = true;
    std::string driver, dump;
    std::mutex mutex; // guards what follows
    std::map<cl_program, Program> programs;
    std::map<cl_kernel, Kernel> kernels;
    std::map<std::string, cl_program> stubs; // that stand for kernels by name
    std::set<std::string> written;
};
State &state = *new State;
const cl_icd_dispatch *below = nullptr;

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info query, size_t size,
                                 void *value, size_t *size_needed) {
    const std::string &name = state.device->platform;
    if (query == CL_PLATFORM_NAME)
        return layer::answer(name.c_str(), name.size() + 1, size, value, size_needed);
    return below->clGetPlatformInfo(platform, query, size, value, size_needed);
}

cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info query, size_t size, void *value,
                               size_t *size_needed) {
    constexpr cl_device_info capability_major_nv = 0x4000;
    constexpr cl_device_info capability_minor_nv = 0x4001;
    constexpr cl_device_info warp_size_nv = 0x4003;
    constexpr cl_device_info wavefront_width_amd = 0x4043;
    constexpr cl_device_info units_of_core_intel = 0x4254;
    const Device &device = *state.device;
    const auto text = [&](const std::string &answer) {
        return layer::answer(answer.c_str(), answer.size() + 1, size, value, size_needed);
    };
    const auto number = [&](auto answer) {
        return layer::answer(&answer, sizeof answer, size, value, size_needed);
    };
    switch (query) {
    case CL_DEVICE_NAME:
        return text(device.name);
    case CL_DEVICE_VENDOR:
        return text(device.vendor);
    case CL_DRIVER_VERSION:
        return text(state.driver.empty() ? device.driver : state.driver);
    case CL_DEVICE_TYPE:
        return number(cl_device_type{CL_DEVICE_TYPE_GPU});
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return number(device.local_memory);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return number(cl_device_local_mem_type{CL_LOCAL});
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return number(device.group_size);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        const size_t sizes[3] = {device.item_size, device.item_size, device.item_size};
        return layer::answer(sizes, sizeof sizes, size, value, size_needed);
    }
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        return number(device.parameters);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return number(4 * gibibyte - 4096);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return number(device.units);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return number(device.clock_mhz);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return number(cl_bool{device.shares_host_memory});
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return number(cl_uint{1024}); // bits
    case CL_DEVICE_EXTENSIONS:
        return text("cl_khr_global_int32_base_atomics cl_khr_local_int32_base_atomics "
                    "cl_khr_byte_addressable_store cl_khr_fp16 " +
                    std::string(device.has_f64 ? "cl_khr_fp64 " : "") + device.extensions);
    case capability_major_nv:
        return device.capability ? number(device.capability / 10) : CL_INVALID_VALUE;
    case capability_minor_nv:
        return device.capability ? number(device.capability % 10) : CL_INVALID_VALUE;
    case warp_size_nv:
    case wavefront_width_amd:
        return device.wave ? number(device.wave) : CL_INVALID_VALUE;
    case units_of_core_intel:
        return device.units_of_core ? number(device.units_of_core) : CL_INVALID_VALUE;
    default:
        return below->clGetDeviceInfo(id, query, size, value, size_needed);
    }
}

cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **strings,
                                      const size_t *lengths, cl_int *error) {
    const cl_program program =
        below->clCreateProgramWithSource(context, count, strings, lengths, error);
    if (program) {
        std::string source;
        for (cl_uint i = 0; i < count; ++i)
            source += lengths && lengths[i] ? std::string(strings[i], lengths[i]) : strings[i];
        const std::lock_guard<std::mutex> lock(state.mutex);
        state.programs[program] = {std::move(source), ""};
    }
    return program;
}

// Writes a program, once.
void dump_program(Program &program, const std::string &options) {
    std::ostringstream hash;
    hash << std::hex << std::hash<std::string>()(options + "\n" + program.source);
    program.hash = hash.str();
    if (state.dump.empty() || !state.written.insert(program.hash).second)
        return;
    const std::string path = state.dump + "/" + program.hash;
    std::ofstream(path + ".cl") << program.source;
    std::ofstream(path + ".opt") << options << "\n";
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id *devices,
                                 const char *options, void(CL_CALLBACK *done)(cl_program, void *),
                                 void *user) {
    {
        const std::lock_guard<std::mutex> lock(state.mutex);
        if (const auto found = state.programs.find(program); found != state.programs.end())
            dump_program(found->second, options ? options : "");
    }
    return state.runs ? below->clBuildProgram(program, count, devices, options, done, user)
                      : CL_SUCCESS;
}

// Returns a program of an empty kernel, in place of one that was not compiled.
cl_program stub_of(cl_program program, const std::string &name, cl_int *error) {
    cl_program &stub = state.stubs[name];
    if (!stub) {
        cl_context context = nullptr;
        below->clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, nullptr);
        const std::string source = "__kernel void " + name + "(void) {}";
        const char *text = source.c_str();
        stub = below->clCreateProgramWithSource(context, 1, &text, nullptr, error);
        below->clBuildProgram(stub, 0, nullptr, "", nullptr, nullptr);
    }
    return stub;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error) {
    const std::lock_guard<std::mutex> lock(state.mutex);
    const cl_kernel kernel =
        below->clCreateKernel(state.runs ? program : stub_of(program, name, error), name, error);
    if (kernel)
        state.kernels[kernel] = {program, name, {}, {}};
    return kernel;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    {
        const std::lock_guard<std::mutex> lock(state.mutex);
        Kernel &known = state.kernels[kernel];
        (value ? known.others : known.local)[index] = size;
    }
    return state.runs ? below->clSetKernelArg(kernel, index, size, value) : CL_SUCCESS;
}

struct LaunchShape {
    size_t items = 1; // of a group
    size_t local_arguments = 0, other_arguments = 0;
};

size_t bytes_of(const std::map<cl_uint, size_t> &arguments) {
    size_t bytes = 0;
    for (const auto &[index, size] : arguments)
        bytes += size;
    return bytes;
}

LaunchShape shape_of(const Kernel &kernel, cl_uint dimensions, const size_t *group) {
    LaunchShape shape;
    for (cl_uint i = 0; group && i < dimensions; ++i)
        shape.items *= group[i];
    shape.local_arguments = bytes_of(kernel.local);
    shape.other_arguments = bytes_of(kernel.others) + sizeof(void *) * kernel.local.size();
    return shape;
}

void dump_launch(const Kernel &kernel, const LaunchShape &shape) {
    if (state.dump.empty())
        return;
    std::ostringstream line;
    line << state.programs[kernel.program].hash << '\t' << kernel.name << '\t' << shape.items
         << '\t' << shape.local_arguments << '\t' << shape.other_arguments;
    if (state.written.insert(line.str()).second)
        std::ofstream(state.dump + "/launches.tsv", std::ios::app)
            << line.str() << '\t' << environment("DEVICE_LAYER_NOTE") << '\n';
}

// Returns the code with which the device refuses the launch, and says why; CL_SUCCESS if it runs it.
cl_int refusal(const Kernel &kernel, const LaunchShape &shape, size_t local_memory,
               cl_uint dimensions, const size_t *global, const size_t *group) {
    const Device &device = *state.device;
    const auto refused = [&](cl_int code, const std::string &why) {
        std::fprintf(stderr, "%s refuses %s: %s\n", std::string(device.key).c_str(),
                     kernel.name.c_str(), why.c_str());
        return code;
    };
    if (!group)
        return refused(CL_INVALID_WORK_GROUP_SIZE, "it has no group size");
    if (shape.items > device.group_size)
        return refused(CL_INVALID_WORK_GROUP_SIZE,
                       "its groups have " + std::to_string(shape.items) + " items");
    for (cl_uint i = 0; i < dimensions; ++i)
        if (group[i] > device.item_size || global[i] % group[i] != 0)
            return refused(CL_INVALID_WORK_ITEM_SIZE, "its size is " + std::to_string(global[i]) +
                                                          " in groups of " +
                                                          std::to_string(group[i]));
    if (local_memory > device.local_memory)
        return refused(CL_OUT_OF_RESOURCES,
                       "it takes " + std::to_string(local_memory) + " bytes of local memory");
    if (shape.other_arguments > device.parameters)
        return refused(CL_OUT_OF_RESOURCES,
                       "it has " + std::to_string(shape.other_arguments) + " bytes of arguments");
    return CL_SUCCESS;
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t *offset, const size_t *global, const size_t *group,
                           cl_uint waits, const cl_event *wait_list, cl_event *event) {
    {
        const std::lock_guard<std::mutex> lock(state.mutex);
        const Kernel &known = state.kernels[kernel];
        const LaunchShape shape = shape_of(known, dimensions, group);
        dump_launch(known, shape);
        cl_ulong local_memory = 0; // with arrays that the kernel has itself
        cl_device_id device = nullptr;
        below->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
        if (state.runs)
            below->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE,
                                            sizeof local_memory, &local_memory, nullptr);
        if (const cl_int code =
                refusal(known, shape, std::max<size_t>(local_memory, shape.local_arguments),
                        dimensions, global, group))
            return code;
    }
    if (!state.runs)
        return below->clEnqueueMarkerWithWaitList(queue, waits, wait_list, event);
    return below->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, group, waits,
                                         wait_list, event);
}

cl_icd_dispatch layered() {
    state.device = device_of(environment("DEVICE_LAYER"));
    state.runs = environment("DEVICE_LAYER_RUN") != "off";
    state.driver = environment("DEVICE_LAYER_DRIVER");
    state.dump = environment("DEVICE_LAYER_DUMP");
    if (!state.device) {
        std::fprintf(stderr, "DEVICE_LAYER names no device that the layer knows\n");
        std::exit(2);
    }
    cl_icd_dispatch table = *below;
    table.clGetPlatformInfo = platform_info;
    table.clGetDeviceInfo = device_info;
    table.clCreateProgramWithSource = create_program;
    table.clBuildProgram = build_program;
    table.clCreateKernel = create_kernel;
    table.clSetKernelArg = set_argument;
    table.clEnqueueNDRangeKernel = enqueue;
    return table;
}

} // namespace

extern "C" {
LAYER_ENTRY_POINTS(below, layered)
}
