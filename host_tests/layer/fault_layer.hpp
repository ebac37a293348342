// A layer between the OpenCL loader and the drivers that makes calls fail and counts live objects.
// Loaders put in what OPENCL_LAYERS names; a test finds it there by fault_layer_state().
#pragma once

#include <array>
#include <atomic>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

namespace faults {

// The calls that can be made to fail.
#define FAULTS_CALLS(CALL)                                                                         \
    CALL(clGetPlatformIDs)                                                                         \
    CALL(clGetDeviceIDs)                                                                           \
    CALL(clGetDeviceInfo)                                                                          \
    CALL(clCreateContext)                                                                          \
    CALL(clGetContextInfo)                                                                         \
    CALL(clCreateCommandQueue)                                                                     \
    CALL(clGetCommandQueueInfo)                                                                    \
    CALL(clCreateBuffer)                                                                           \
    CALL(clGetMemObjectInfo)                                                                       \
    CALL(clCreateProgramWithSource)                                                                \
    CALL(clCreateProgramWithBinary)                                                                \
    CALL(clBuildProgram)                                                                           \
    CALL(clGetProgramInfo)                                                                         \
    CALL(clCreateKernel)                                                                           \
    CALL(clSetKernelArg)                                                                           \
    CALL(clEnqueueNDRangeKernel)                                                                   \
    CALL(clEnqueueReadBuffer)                                                                      \
    CALL(clEnqueueReadBufferRect)                                                                  \
    CALL(clEnqueueWriteBuffer)                                                                     \
    CALL(clEnqueueWriteBufferRect)                                                                 \
    CALL(clEnqueueCopyBuffer)                                                                      \
    CALL(clEnqueueMapBuffer)                                                                       \
    CALL(clEnqueueUnmapMemObject)                                                                  \
    CALL(clGetEventInfo)                                                                           \
    CALL(clGetEventProfilingInfo)                                                                  \
    CALL(clWaitForEvents)                                                                          \
    CALL(clFlush)                                                                                  \
    CALL(clFinish)

enum Call {
#define FAULTS_ENUMERATOR(call) call_##call,
    FAULTS_CALLS(FAULTS_ENUMERATOR)
#undef FAULTS_ENUMERATOR
        call_count
};

inline constexpr const char *call_names[] = {
#define FAULTS_NAME(call) #call,
    FAULTS_CALLS(FAULTS_NAME)
#undef FAULTS_NAME
};

enum Object { contexts, queues, buffers, programs, kernels, events, object_count };
inline constexpr const char *object_names[] = {"contexts", "queues",  "buffers",
                                               "programs", "kernels", "events"};

// The state of the process. All threads count together.
struct State {
    std::atomic<bool> is_watching{false}; // else calls are neither counted nor made to fail
    std::array<std::atomic<int>, call_count> calls{};
    std::atomic<int> failing{call_count}; // a Call
    std::atomic<int> number{0};           // which one of these, counted from 0 by `calls`
    std::atomic<cl_int> code{CL_SUCCESS};
    std::atomic<bool> has_failed{false};
    std::array<std::atomic<int>, object_count> live{}; // creations and retains less releases
};

} // namespace faults

extern "C" faults::State *fault_layer_state();
