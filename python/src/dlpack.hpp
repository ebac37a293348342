// The structures of the DLPack protocol, version 0.8, as far as OpenCL buffers need them.
#pragma once

#include <cstdint>

namespace gzpy::dlpack {

constexpr std::int32_t device_opencl = 4; // kDLOpenCL: data is a cl_mem

struct Device {
    std::int32_t type;
    std::int32_t id;
};
enum class Code : std::uint8_t { signed_integer = 0, unsigned_integer = 1, real = 2 };
struct DataType {
    Code code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
struct Tensor {
    void *data;
    Device device;
    std::int32_t dimensions;
    DataType type;
    std::int64_t *shape;
    std::int64_t *strides; // values; nullptr: contiguous
    std::uint64_t byte_offset;
};
struct ManagedTensor {
    Tensor tensor;
    void *owner;
    void (*deleter)(ManagedTensor *self);
};

} // namespace gzpy::dlpack
