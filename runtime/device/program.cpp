#include "device/program.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <string_view>

namespace gz {

Program::Program(cl::Program program, std::string entry)
    : program_(std::move(program)), entry_(std::move(entry)) {}

cl::Kernel Program::lease() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!idle_.empty()) {
            cl::Kernel kernel = std::move(idle_.back());
            idle_.pop_back();
            return kernel;
        }
    }
    return attempt("making a kernel object", [&] { return cl::Kernel(program_, entry_.c_str()); });
}

void Program::give_back(cl::Kernel kernel) noexcept {
    try {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(kernel));
    } catch (const std::bad_alloc &) {
        // The kernel object is released, and the next lease makes another.
    }
}

namespace {

// Returns the driver's data of one kind for each device; nothing where it fails.
template <class T>
std::vector<T> for_each_device(const cl::Program &program, cl_program_info what) {
    std::size_t bytes = 0;
    if (clGetProgramInfo(program(), what, 0, nullptr, &bytes) != CL_SUCCESS)
        return {};
    std::vector<T> values(bytes / sizeof(T));
    if (clGetProgramInfo(program(), what, bytes, values.data(), nullptr) != CL_SUCCESS)
        return {};
    return values;
}

} // namespace

void build(cl::Program &program, const cl::Device &device, const std::string &options) {
    // The bindings ask for the log first where a build fails, and report only a failure of the log if that
    // fails too.
    const cl_int code = clBuildProgram(program(), 1, &device(), options.c_str(), nullptr, nullptr);
    if (code != CL_SUCCESS)
        throw cl::Error(code, "clBuildProgram");
}

std::vector<std::byte> binary_of(const cl::Program &program, const cl::Device &device) {
    // A context of the embedder's may have more devices, for which nothing was compiled: they have
    // no bytes, and PoCL 3.1 leaves them out.
    const auto devices = for_each_device<cl_device_id>(program, CL_PROGRAM_DEVICES);
    const auto sizes = for_each_device<std::size_t>(program, CL_PROGRAM_BINARY_SIZES);
    std::size_t place = 0;
    if (sizes.size() != 1)
        place = static_cast<std::size_t>(
            std::distance(devices.begin(), std::find(devices.begin(), devices.end(), device())));
    if (place >= sizes.size() || sizes[place] == 0)
        return {};
    std::vector<std::byte> binary(sizes[place]);
    std::vector<unsigned char *> targets(sizes.size(), nullptr); // null: not requested
    targets[place] = reinterpret_cast<unsigned char *>(binary.data());
    if (clGetProgramInfo(program(), CL_PROGRAM_BINARIES, targets.size() * sizeof(unsigned char *),
                         targets.data(), nullptr) != CL_SUCCESS)
        return {};
    return binary;
}

cl::Program program_of(std::span<const std::byte> binary, const cl::Context &context,
                       const cl::Device &device, const std::string &options) {
    return attempt("loading a compiled program", [&] {
        const auto *const bytes = reinterpret_cast<const unsigned char *>(binary.data());
        const cl::Program::Binaries binaries(
            1, std::vector<unsigned char>(bytes, bytes + binary.size()));
        std::vector<cl_int> statuses;
        cl::Program program(context, {device}, binaries, &statuses);
        if (statuses.front() != CL_SUCCESS)
            throw cl::Error(statuses.front(), "clCreateProgramWithBinary");
        build(program, device, options);
        return program;
    });
}

std::vector<std::byte> cap_registers(std::span<const std::byte> ptx, const std::string &entry,
                                     int most) {
    const std::string_view whole(reinterpret_cast<const char *>(ptx.data()), ptx.size());
    // ".entry name(" begins a kernel, ")" ends its parameters, and directives follow.
    const std::size_t begin = whole.find(text(".entry ", entry, "("));
    const std::size_t end = begin == whole.npos ? begin : whole.find(')', begin);
    if (end == whole.npos)
        return {};
    const std::string cap = text("\n.maxnreg ", most);
    std::vector<std::byte> capped(ptx.begin(), ptx.end());
    const auto *const bytes = reinterpret_cast<const std::byte *>(cap.data());
    capped.insert(capped.begin() + static_cast<std::ptrdiff_t>(end + 1), bytes, bytes + cap.size());
    return capped;
}

} // namespace gz
