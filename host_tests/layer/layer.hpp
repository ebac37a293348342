// Code that all layers between the OpenCL loader and the drivers share. Loaders put in the layers that OPENCL_LAYERS names.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <cstring>

#include <CL/cl.h>
#include <CL/cl_layer.h>

namespace layer {

inline constexpr cl_uint entries = sizeof(cl_icd_dispatch) / sizeof(void *);

// Answers a query as OpenCL does: with `bytes` bytes at `data`, or how many there are.
inline cl_int answer(const void *data, size_t bytes, size_t size, void *value,
                     size_t *size_needed) {
    if (size_needed)
        *size_needed = bytes;
    if (!value)
        return CL_SUCCESS;
    if (size < bytes)
        return CL_INVALID_VALUE;
    std::memcpy(value, data, bytes);
    return CL_SUCCESS;
}

} // namespace layer

// Defines the two functions that a loader asks a layer for. target: a pointer that is set to the drivers'
// functions; make_table: returns the layer's, of the drivers' in `target`.
#define LAYER_ENTRY_POINTS(target, make_table)                                                     \
    CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,   \
                                                   size_t *size_needed) {                          \
        const cl_layer_api_version version = CL_LAYER_API_VERSION_100;                             \
        return name == CL_LAYER_API_VERSION                                                        \
                   ? layer::answer(&version, sizeof version, size, value, size_needed)             \
                   : CL_INVALID_VALUE;                                                             \
    }                                                                                              \
    CL_API_ENTRY cl_int CL_API_CALL clInitLayer(                                                   \
        cl_uint entry_count, const cl_icd_dispatch *layer_below, cl_uint *entry_count_here,        \
        const cl_icd_dispatch **here) {                                                            \
        if (entry_count < layer::entries || !layer_below || !entry_count_here || !here)            \
            return CL_INVALID_VALUE;                                                               \
        target = layer_below;                                                                      \
        static const cl_icd_dispatch table = make_table();                                         \
        *entry_count_here = layer::entries;                                                        \
        *here = &table;                                                                            \
        return CL_SUCCESS;                                                                         \
    }
