// Device memory that runs borrow for values between launches. Concurrent runs never share any.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "device/opencl.hpp"

namespace gz {

// Lent memory. The pool keeps what it knows of it with it: to retain and release a queue anew for each run takes NVIDIA's driver
// as long as half of a launch, as it flushes what it releases.
struct WorkspaceLoan {
    cl::Buffer buffer;
    std::uint64_t bytes = 0;
    cl::CommandQueue queue; // of the commands that used it last; empty: none did
};

class WorkspacePool {
public:
    // The contents of new memory.
    enum class Fresh { anything, zeros };

    // most_idle_bytes: how much is kept for later runs, besides lent memory.
    WorkspacePool(cl::Context context, std::uint64_t most_idle_bytes, Fresh fresh = Fresh::anything)
        : context_(std::move(context)), most_idle_bytes_(most_idle_bytes), fresh_(fresh) {}

    // Returns memory of at least `bytes` bytes that no command uses any more, or only commands of `queue`, if
    // that runs in order, so that later ones come after them. Where the device is full, idle memory is
    // released. Safe to call from many threads.
    WorkspaceLoan lend(std::uint64_t bytes, const cl::CommandQueue &queue);
    // done: the last command that uses the memory, on `queue`; empty where that runs in order, and nobody has its event:
    // NVIDIA's driver takes longer over an event than over a launch.
    void give_back(WorkspaceLoan loan, const cl::CommandQueue &queue, cl::Event done) noexcept;
    // Releases all memory that is not lent. A run that failed may have left other contents than it should.
    void forget_idle();

private:
    struct Idle {
        WorkspaceLoan memory;
        cl::Event done; // empty: when all that the queue has now is complete

        bool is_complete();
    };

    WorkspaceLoan make(std::uint64_t bytes) const;

    cl::Context context_;
    std::uint64_t most_idle_bytes_;
    Fresh fresh_;
    std::mutex mutex_;
    std::vector<Idle> idle_; // the one given back last is last
};

bool is_in_order(const cl::CommandQueue &queue);

// The place of a buffer's bytes: the outermost buffer that it is part of, and its first byte in that one.
struct Place {
    cl::Buffer outermost;
    std::uint64_t offset;
};
Place place_of(const cl::Buffer &buffer);

// Makes buffers of these sizes as parts of one, each at a multiple of `alignment` bytes; and computes the
// size of that one.
std::vector<cl::Buffer> parts_of(const cl::Buffer &whole, const std::vector<std::uint64_t> &sizes,
                                 std::uint64_t alignment);
std::uint64_t bytes_of_parts(const std::vector<std::uint64_t> &sizes, std::uint64_t alignment);

} // namespace gz
