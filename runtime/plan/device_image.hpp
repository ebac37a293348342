// Images in memory of an engine's device.
#pragma once

#include <memory>

#include "core/image_desc.hpp"
#include "device/engine.hpp"

namespace gz {

struct DeviceImage {
    std::shared_ptr<Engine> engine;
    ImageDesc desc; // complete
    cl::Buffer buffer;

    // Copies the bytes of the description from or to host memory of `bytes` bytes laid out the same. Waits.
    void write(const void *host, std::size_t bytes) const;
    void read(void *host, std::size_t bytes) const;
};

// The image in a buffer of the embedder's, which it retains. Refuses a buffer of another context, and one that is
// too small.
DeviceImage wrap(std::shared_ptr<Engine> engine, const ImageDesc &desc, cl_mem mem);

} // namespace gz
