#include "device/workspace.hpp"

#include <algorithm>
#include <cstddef>

namespace gz {

namespace {

// Buffers are kept for later runs, so that a plan in a loop allocates nothing; beyond this size the oldest
// are released.
constexpr std::size_t most_idle = 8;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace

bool is_in_order(const cl::CommandQueue &queue) {
    return !(queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

Place place_of(const cl::Buffer &buffer) {
    const cl::Memory parent = buffer.getInfo<CL_MEM_ASSOCIATED_MEMOBJECT>();
    if (!parent())
        return {buffer, 0};
    return {cl::Buffer(parent(), true), buffer.getInfo<CL_MEM_OFFSET>()};
}

std::vector<cl::Buffer> parts_of(const cl::Buffer &whole, const std::vector<std::uint64_t> &sizes,
                                 std::uint64_t alignment) {
    // OpenCL makes no part of a part.
    Place place = place_of(whole);
    std::vector<cl::Buffer> parts;
    for (const std::uint64_t bytes : sizes) {
        const cl_buffer_region region{place.offset, bytes};
        parts.push_back(place.outermost.createSubBuffer(CL_MEM_READ_WRITE,
                                                        CL_BUFFER_CREATE_TYPE_REGION, &region));
        place.offset += rounded_up(bytes, alignment);
    }
    return parts;
}

std::uint64_t bytes_of_parts(const std::vector<std::uint64_t> &sizes, std::uint64_t alignment) {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : sizes)
        sum += rounded_up(bytes, alignment);
    return sum;
}

bool WorkspacePool::Idle::is_complete() {
    try {
        if (!done()) {
            memory.queue.enqueueMarkerWithWaitList(nullptr, &done);
            memory.queue.flush(); // or it might stay there for ever
        }
        // Commands that failed have a negative status.
        return done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
    } catch (const cl::Error &) {
        done = {}; // which may never be flushed
        return false;
    }
}

WorkspaceLoan WorkspacePool::make(std::uint64_t bytes) const {
    if (fresh_ == Fresh::anything)
        return {cl::Buffer(context_, CL_MEM_READ_WRITE, bytes), bytes, {}};
    std::vector<std::byte> zeros(bytes);
    return {cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, zeros.data()),
            bytes,
            {}};
}

WorkspaceLoan WorkspacePool::lend(std::uint64_t bytes, const cl::CommandQueue &queue) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const bool in_order = is_in_order(queue);
        const auto is_free = [&](Idle &idle) {
            return (in_order && idle.memory.queue() == queue()) || idle.is_complete();
        };
        auto best = idle_.end();
        for (auto idle = idle_.begin(); idle != idle_.end(); ++idle)
            if (idle->memory.bytes >= bytes &&
                (best == idle_.end() || idle->memory.bytes < best->memory.bytes) && is_free(*idle))
                best = idle;
        if (best != idle_.end()) {
            WorkspaceLoan memory = std::move(best->memory);
            idle_.erase(best);
            return memory;
        }
    }
    try {
        return make(bytes);
    } catch (const cl::Error &) {
        std::vector<Idle> released;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            released.swap(idle_);
        }
        if (released.empty())
            throw;
    }
    return make(bytes);
}

void WorkspacePool::forget_idle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.clear();
}

void WorkspacePool::give_back(WorkspaceLoan loan, const cl::CommandQueue &queue,
                              cl::Event done) noexcept {
    // A buffer that cannot be kept is released: OpenCL frees it when no command uses it any more.
    try {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (loan.queue() != queue())
            loan.queue = queue;
        idle_.push_back({std::move(loan), std::move(done)});
        std::uint64_t kept = 0;
        for (const Idle &idle : idle_)
            kept += idle.memory.bytes;
        while (idle_.size() > most_idle || kept > most_idle_bytes_) {
            kept -= idle_.front().memory.bytes;
            idle_.erase(idle_.begin());
        }
    } catch (const std::exception &) {
    }
}

} // namespace gz
