// Images in memory of an engine's device.
#pragma once

#include <memory>

#include "device/engine.hpp"
#include "filter/image_desc.hpp"

namespace gz {

struct DeviceImage {
    std::shared_ptr<Engine> engine;
    ImageDesc desc; // complete
    cl::Buffer buffer;

    // The bytes of the description, from or to host memory of `bytes` bytes laid out the same.
    // Waits.
    void write(const void *host, std::size_t bytes) const;
    void read(void *host, std::size_t bytes) const;
};

} // namespace gz
