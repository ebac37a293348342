// One kernel launch, described: a plan keeps these and enqueues them again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "device/program_request.hpp"

namespace gz {

struct NDRange {
    std::array<std::size_t, 3> global{1, 1, 1};
    std::array<std::size_t, 3> local{1, 1, 1};
};

// Kernel arguments, in the order of the kernel's parameters.
struct SourceBuffer {
    std::size_t index = 0;
};
struct TargetBuffer {
    std::size_t index = 0;
};
struct WorkspaceBuffer {
    std::size_t index = 0;
};
// Words that are 0 when the launch starts, and that it leaves so: the engine keeps them for later launches.
struct ClearedWords {
    std::size_t count = 0;
};
struct LocalMemory {
    std::size_t bytes = 0;
};
struct ByValue {
    std::vector<std::byte> bytes;
};
struct ConstantData {
    std::vector<std::byte> bytes; // copied to the device once, when the launch is made ready
    bool is_global = false;       // read as __global const: then it may have any size
};
using Argument = std::variant<SourceBuffer, TargetBuffer, WorkspaceBuffer, ClearedWords,
                              LocalMemory, ByValue, ConstantData>;

template <class T> std::vector<std::byte> bytes_of(const T *values, std::size_t count) {
    std::vector<std::byte> bytes(count * sizeof(T));
    std::memcpy(bytes.data(), values, bytes.size());
    return bytes;
}

template <class T> ByValue by_value(const T &value) {
    return {bytes_of(&value, 1)};
}

// Returns an array as an argument by value, or as constant data.
inline Argument array_argument(std::vector<std::byte> bytes, bool by_value) {
    return by_value ? Argument(ByValue{std::move(bytes)})
                    : Argument(ConstantData{std::move(bytes)});
}

struct Launch {
    ProgramRequest program;
    NDRange range;
    std::vector<Argument> arguments;
    std::size_t private_bytes = 0; // size of an item's arrays, where registers cannot hold them
    std::size_t local_bytes = 0;   // local memory of the kernel's own, besides arguments
    bool needs_f64 = false;        // computes in double
    std::string unfit; // why the device is not to run it, though it could; "" where it may
};

// Launches to run one after the other, and the sizes in bytes of the buffers between them.
struct Work {
    std::vector<Launch> launches;
    std::vector<std::uint64_t> workspace;
    // For kernels that report it: how many times the image passes through memory, and the bytes of a value
    // each time that it is read or written.
    int trips = 0;
    double bytes_per_value = 0.0;

    Work() = default;
    Work(Launch launch) : launches{std::move(launch)} {} // most work is one launch
};

} // namespace gz

// Compiled once, in launch.cpp: each kernel's file would compile them again.
extern template class std::vector<std::byte>;
extern template class std::vector<gz::Argument>;
extern template class std::vector<gz::Launch>;
