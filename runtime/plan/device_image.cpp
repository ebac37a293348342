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

DeviceImage wrap(std::shared_ptr<Engine> engine, const ImageDesc &desc, cl_mem mem) {
    const cl::Buffer buffer(mem, true);
    attempt("asking for the facts of the image's buffer", [&] {
        require(buffer.getInfo<CL_MEM_TYPE>() == CL_MEM_OBJECT_BUFFER,
                "mem is an OpenCL image; only buffers are supported so far");
        require(buffer.getInfo<CL_MEM_CONTEXT>()() == engine->context()(),
                "mem belongs to another context than the engine's");
        const std::size_t size = buffer.getInfo<CL_MEM_SIZE>();
        require(size >= static_cast<std::size_t>(desc.bytes()), "mem has ", size,
                " bytes; the image needs ", desc.bytes());
    });
    return {std::move(engine), desc, buffer};
}

} // namespace gz
