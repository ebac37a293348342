// Pixels in host memory, and boxes of them copied to device memory and back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/image_desc.hpp"
#include "device/engine.hpp"

namespace gz {

struct HostSource {
    const std::byte *data = nullptr;
    std::size_t bytes = 0;
};
struct HostTarget {
    std::byte *data = nullptr;
    std::size_t bytes = 0;
};

// Refuses host memory that does not hold the image. what: "source" or "target".
void check_host(const std::byte *data, std::size_t bytes, const ImageDesc &desc,
                const std::string &what);

// A box of pixels in a host image and in a packed device image, whose planes are those of the host
// image from first_plane on.
struct BoxCopy {
    const ImageDesc &host;
    Axes host_origin;
    std::int64_t first_plane;
    const ImageDesc &device;
    Axes device_origin;
    Axes extent;
};

// Host memory is in use until `last` is complete, if the queue is in order.
void write_box(const cl::CommandQueue &queue, const std::byte *host, const cl::Buffer &device,
               const BoxCopy &box, cl::Event *last = nullptr);
void read_box(const cl::CommandQueue &queue, const cl::Buffer &device, std::byte *host,
              const BoxCopy &box, const std::vector<cl::Event> &after, cl::Event *last);
// Returns when the box is read; all that the queue, which is in order, had before is complete then.
void read_box_now(const cl::CommandQueue &queue, const cl::Buffer &device, std::byte *host,
                  const BoxCopy &box);

// Memory for a packed image, its last row as long as the others: NVIDIA (driver 580) counts whole
// rows when it checks that a rectangle lies inside its buffer.
std::uint64_t bytes_of_rows(const ImageDesc &desc);
cl::Buffer allocate_rows(const Engine &engine, const ImageDesc &desc, const char *what);

// The same for commands of the engine's queue, lent by its pool, to which small memory goes back: drivers take longer to make
// memory than to filter a small image.
class BorrowedRows {
public:
    BorrowedRows(Engine &engine, const ImageDesc &desc, const char *what);
    BorrowedRows(BorrowedRows &&) = default;
    BorrowedRows(const BorrowedRows &) = delete; // memory would be given back twice
    BorrowedRows &operator=(const BorrowedRows &) = delete;

    const cl::Buffer &buffer() const { return loan_.buffer; }
    // Call it when all commands that use the memory are enqueued. Without it the memory is freed once they are complete.
    void give_back() &&;

private:
    Engine &engine_;
    WorkspaceLoan loan_;
    bool is_kept_;
};

} // namespace gz
