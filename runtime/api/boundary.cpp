#include "api/boundary.hpp"

#include <string>

#include "api/versioned_struct.hpp"
#include "device/system.hpp"

namespace gz {

gauze_status record(Status status, const char *text) noexcept {
    std::string &last_error = system::thread_texts().last_error;
    try {
        last_error = text;
    } catch (...) {
        last_error.clear(); // no memory for the text; the status still stands
    }
    return static_cast<gauze_status>(status);
}

void forget_last_error() noexcept {
    system::thread_texts().last_error.clear();
}

Axes axes_of(const std::int64_t (&values)[4]) {
    return {values[0], values[1], values[2], values[3]};
}

ImageDesc image_desc(const gauze_image_desc *given, const char *name) {
    const gauze_image_desc desc = known_part(given, name);
    require(find_type(desc.type) != nullptr, name, "->type is ", desc.type,
            ", which is no pixel type");
    if (desc.memory == GAUZE_MEMORY_CL_IMAGE || desc.memory == GAUZE_MEMORY_SVM)
        fail(Status::unsupported, name,
             "->memory asks for OpenCL images or shared virtual memory; only buffers are "
             "supported so far");
    require(desc.memory == GAUZE_MEMORY_BUFFER, name, "->memory is ", desc.memory,
            ", which is no kind of memory");
    ImageDesc result;
    result.type = static_cast<PixelType>(desc.type);
    result.channels = desc.channels;
    result.extent = axes_of(desc.extent);
    result.pitch = axes_of(desc.pitch);
    result.offset = desc.offset;
    result.planes = desc.planes;
    result.plane_pitch = desc.plane_pitch;
    return complete(result, name);
}

HostSource host_source(const gauze_host_source *source) {
    return {static_cast<const std::byte *>(source->data), source->bytes};
}

} // namespace gz

extern "C" {

const char *gauze_status_name(gauze_status status) {
    switch (status) {
    case GAUZE_OK:
        return "GAUZE_OK";
    case GAUZE_ERROR_INVALID_ARGUMENT:
        return "GAUZE_ERROR_INVALID_ARGUMENT";
    case GAUZE_ERROR_UNSUPPORTED:
        return "GAUZE_ERROR_UNSUPPORTED";
    case GAUZE_ERROR_NO_DEVICE:
        return "GAUZE_ERROR_NO_DEVICE";
    case GAUZE_ERROR_BUILD_FAILED:
        return "GAUZE_ERROR_BUILD_FAILED";
    case GAUZE_ERROR_OUT_OF_MEMORY:
        return "GAUZE_ERROR_OUT_OF_MEMORY";
    case GAUZE_ERROR_DEVICE:
        return "GAUZE_ERROR_DEVICE";
    case GAUZE_ERROR_OVERLAP:
        return "GAUZE_ERROR_OVERLAP";
    case GAUZE_ERROR_CANCELLED:
        return "GAUZE_ERROR_CANCELLED";
    case GAUZE_ERROR_INTERNAL:
        return "GAUZE_ERROR_INTERNAL";
    default:
        return "unknown status";
    }
}

const char *gauze_last_error(void) {
    return gz::system::thread_texts().last_error.c_str();
}

int32_t gauze_version(void) {
    return GAUZE_VERSION_MAJOR * 10000 + GAUZE_VERSION_MINOR * 100 + GAUZE_VERSION_PATCH;
}

} // extern "C"
