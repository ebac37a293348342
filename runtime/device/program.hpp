// Compiled programs.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/opencl.hpp"

namespace gz {

// A built program with one kernel function. Safe to use from many threads.
class Program {
public:
    Program(cl::Program program, std::string entry);

    // A kernel object for one thread's use; OpenCL allows no two threads to set arguments of one
    // kernel.
    cl::Kernel lease();
    void give_back(cl::Kernel kernel) noexcept;

private:
    cl::Program program_;
    std::string entry_;
    std::mutex mutex_;
    std::vector<cl::Kernel> idle_;
};

// Builds the program for the device. Throws cl::Error.
void build(cl::Program &program, const cl::Device &device, const std::string &options);

// Returns the program as the driver compiled it for the device; nothing where the driver does not hand it
// out.
std::vector<std::byte> binary_of(const cl::Program &program, const cl::Device &device);

// Makes the program that binary_of returned, with the options that it was compiled with. Throws Error where
// the driver refuses it.
cl::Program program_of(std::span<const std::byte> binary, const cl::Context &context,
                       const cl::Device &device, const std::string &options);

// Returns a kernel's PTX, as binary_of returned it, with a cap on the registers of an item; nothing where the bytes
// are no PTX with that kernel.
std::vector<std::byte> cap_registers(std::span<const std::byte> ptx, const std::string &entry,
                                     int most);

} // namespace gz
