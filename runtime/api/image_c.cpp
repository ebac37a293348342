// Pixel types, descriptions of images, and images on the device: see gauze.h.
#include <gauze/gauze.h>

#include <memory>

#include "api/boundary.hpp"
#include "api/handles.hpp"
#include "api/versioned_struct.hpp"

namespace {

using gz::check_handle;
using gz::check_pointer;
using gz::guarded;
using gz::image_desc;

} // namespace

extern "C" {

size_t gauze_type_size(gauze_type type) {
    const gz::PixelTypeFacts *facts = gz::find_type(type);
    return facts ? facts->bytes : 0;
}

const char *gauze_type_name(gauze_type type) {
    const gz::PixelTypeFacts *facts = gz::find_type(type);
    return facts ? facts->name : "unknown type";
}

gauze_status gauze_image_desc_bytes(const gauze_image_desc *desc, uint64_t *bytes) {
    return guarded([&] {
        check_pointer(bytes, "bytes");
        *bytes = static_cast<uint64_t>(image_desc(desc, "image").bytes());
    });
}

gauze_status gauze_image_create(gauze_engine *engine, const gauze_image_desc *desc,
                                gauze_image **image) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(image, "image");
        auto result = std::make_unique<gauze_image>();
        result->image.engine = engine->engine;
        result->image.desc = image_desc(desc, "image");
        result->image.buffer = engine->engine->allocate(
            static_cast<std::uint64_t>(result->image.desc.bytes()), "the image");
        *image = result.release();
    });
}

gauze_status gauze_image_wrap(gauze_engine *engine, const gauze_image_desc *desc, cl_mem mem,
                              gauze_image **image) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(mem, "mem");
        check_pointer(image, "image");
        auto result = std::make_unique<gauze_image>();
        result->image = gz::wrap(engine->engine, image_desc(desc, "image"), mem);
        *image = result.release();
    });
}

void gauze_image_destroy(gauze_image *image) {
    gz::destroy(image);
}

cl_mem gauze_image_mem(const gauze_image *image) {
    return gz::is_alive(image) ? image->image.buffer() : nullptr;
}

gauze_status gauze_image_write(gauze_image *image, const void *host, size_t bytes) {
    return guarded([&] {
        check_handle(image, "image");
        check_pointer(host, "host");
        image->image.write(host, bytes);
    });
}

gauze_status gauze_image_read(const gauze_image *image, void *host, size_t bytes) {
    return guarded([&] {
        check_handle(image, "image");
        check_pointer(host, "host");
        image->image.read(host, bytes);
    });
}

} // extern "C"
