#include "plan/host_copy.hpp"

#include "core/error.hpp"

namespace gz {

namespace {

// Rows of pixels in a buffer and in host memory, as OpenCL describes rectangles.
struct Rows {
    cl::array<cl::size_type, 3> buffer_origin;
    cl::array<cl::size_type, 3> size;
    std::size_t buffer_pitch, host_pitch;
    std::int64_t host_byte;
};

// Calls copy(rows) for each slice of a box.
template <class Copy> void for_each_slice(const BoxCopy &box, Copy &&copy) {
    const ImageDesc &device = box.device;
    const ImageDesc &host = box.host;
    const auto pitch = static_cast<std::size_t>(device.pitch[1]);
    const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    for (std::int64_t plane = 0; plane < device.planes; ++plane)
        for (std::int64_t t = 0; t < box.extent[3]; ++t)
            for (std::int64_t z = 0; z < box.extent[2]; ++z) {
                const Axes &from = box.device_origin;
                const Axes &at = box.host_origin;
                const auto row_byte =
                    size(device.byte_of({0, from[1], from[2] + z, from[3] + t}, plane));
                copy(Rows{
                    {size(from[0] * device.pixel_bytes()), row_byte / pitch, 0},
                    {size(box.extent[0] * host.pixel_bytes()), size(box.extent[1]), 1},
                    pitch,
                    size(host.pitch[1]),
                    host.byte_of({at[0], at[1], at[2] + z, at[3] + t}, box.first_plane + plane)});
            }
}

} // namespace

void check_host(const std::byte *data, std::size_t bytes, const ImageDesc &desc,
                const std::string &what) {
    require(data != nullptr, "the ", what, " pointer is null");
    require(bytes >= static_cast<std::uint64_t>(desc.bytes()), "the ", what, " has ", bytes,
            " bytes; its description needs ", desc.bytes());
}

void write_box(const cl::CommandQueue &queue, const std::byte *host, const cl::Buffer &device,
               const BoxCopy &box, cl::Event *last) {
    for_each_slice(box, [&](const Rows &rows) {
        attempt("copying the source to the device", [&] {
            queue.enqueueWriteBufferRect(device, CL_FALSE, rows.buffer_origin, {0, 0, 0}, rows.size,
                                         rows.buffer_pitch, 0, rows.host_pitch, 0,
                                         host + rows.host_byte, nullptr, last);
        });
    });
}

void read_box(const cl::CommandQueue &queue, const cl::Buffer &device, std::byte *host,
              const BoxCopy &box, const std::vector<cl::Event> &after, cl::Event *last) {
    for_each_slice(box, [&](const Rows &rows) {
        attempt("copying the target from the device", [&] {
            queue.enqueueReadBufferRect(device, CL_FALSE, rows.buffer_origin, {0, 0, 0}, rows.size,
                                        rows.buffer_pitch, 0, rows.host_pitch, 0,
                                        host + rows.host_byte, &after, last);
        });
    });
}

std::uint64_t bytes_of_rows(const ImageDesc &desc) {
    return static_cast<std::uint64_t>(desc.plane_pitch * desc.planes);
}

cl::Buffer allocate_rows(const Engine &engine, const ImageDesc &desc, const char *what) {
    return engine.allocate(bytes_of_rows(desc), what);
}

} // namespace gz
