#include "plan/device_image.hpp"

#include "core/error.hpp"

namespace gz {

namespace {

std::size_t checked_size(const ImageDesc &desc, std::size_t bytes) {
    const auto needed = static_cast<std::size_t>(desc.bytes());
    require(bytes >= needed, "the host memory has ", bytes, " bytes; the image needs ", needed);
    return needed;
}

} // namespace

void DeviceImage::write(const void *host, std::size_t bytes) const {
    const std::size_t size = checked_size(desc, bytes);
    attempt("writing an image",
            [&] { engine->queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, size, host); });
}

void DeviceImage::read(void *host, std::size_t bytes) const {
    const std::size_t size = checked_size(desc, bytes);
    attempt("reading an image",
            [&] { engine->queue().enqueueReadBuffer(buffer, CL_TRUE, 0, size, host); });
}

} // namespace gz
