// The OpenCL C++ bindings, set up in one way, and their errors turned into ours.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include <string>

#include "core/error.hpp"

namespace gz {

// "CL_OUT_OF_RESOURCES (-5)".
std::string opencl_error_name(cl_int code);

// Our error for a failed OpenCL call: names the call, its error and what was being done.
Error opencl_error(const cl::Error &error, const std::string &doing);

// Returns the result of `call`; `doing` completes "while ..." in the text of its error.
template <class Call> auto attempt(const char *doing, Call &&call) {
    try {
        return call();
    } catch (const cl::Error &error) {
        throw opencl_error(error, doing);
    }
}

// An object of the caller's that the bindings use and do not own: it is neither retained nor released. NVIDIA's driver flushes
// a queue that is released, which takes as long as half of a launch.
template <class Object> class Borrowed {
public:
    explicit Borrowed(typename Object::cl_type object) : object_(object, false) {}
    ~Borrowed() { object_() = nullptr; }
    Borrowed(const Borrowed &) = delete;
    Borrowed &operator=(const Borrowed &) = delete;
    const Object &operator*() const { return object_; }

private:
    Object object_;
};

} // namespace gz
