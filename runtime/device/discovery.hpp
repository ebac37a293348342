// All OpenCL devices of all platforms, and the choice among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/facts.hpp"
#include "device/opencl.hpp"

namespace gz {

struct FoundDevice {
    cl::Platform platform;
    cl::Device device;
    DeviceFacts facts;
};

struct Discovery {
    std::vector<FoundDevice> devices; // in the order of platforms
    std::vector<std::string> notes;   // a line for each platform that failed
    std::vector<std::string> empty;   // the names of platforms that have no device

    // Index of the device taken where none is asked for; -1 where there is none.
    int default_device() const;
    // Returns the index of the device that a selector names: "", an index, part of a device's or platform's
    // name, "gpu" or "cpu". Throws Status::no_device with the devices that exist, or with advice() where
    // there are none.
    int select(const std::string &selector) const;
    // The notes and, where there is no device, what to install or which platforms have none; a line
    // each.
    std::string advice() const;
};

// Throws Status::unsupported unless this is the process; 0: any may be. Drivers start threads when they are
// asked for devices. A forked process does not have these threads, and would wait for them for ever.
void check_process(std::uint32_t process);

// Asks every platform; one that fails is noted and does not hide the others. Never throws for a lack of
// devices, except where the process that this one was forked from had found platforms before.
Discovery discover();

} // namespace gz
