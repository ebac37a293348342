// The pool of workspace: which buffers are lent again, to whom and when.
#include <doctest/doctest.h>

#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "device/workspace.hpp"
#include "support/image_case.hpp"

namespace {

using gz::WorkspacePool;

const cl::Context &context() {
    return support::engine()->context();
}

cl::CommandQueue make_queue(cl_command_queue_properties properties = 0) {
    return {context(), support::engine()->device(), properties};
}

// Commands wait for this gate until it is opened, or destroyed.
class Gate {
public:
    ~Gate() { open(); }
    void open() {
        if (!is_open_)
            event_.setStatus(CL_COMPLETE);
        is_open_ = true;
    }
    // The last command on a buffer, on the queue.
    cl::Event use(const cl::Buffer &buffer, cl::CommandQueue &queue) {
        const std::vector<cl::Event> waits{event_};
        cl::Event done;
        queue.enqueueFillBuffer(buffer, 0, 0, 16, &waits, &done);
        queue.flush();
        return done;
    }

private:
    cl::UserEvent event_{context()};
    bool is_open_ = false;
};

std::uint64_t size_of(const cl::Buffer &buffer) {
    return buffer.getInfo<CL_MEM_SIZE>();
}

cl::Buffer lend(WorkspacePool &pool, std::uint64_t bytes, const cl::CommandQueue &queue) {
    return pool.lend(bytes, queue).buffer;
}

void give_back(WorkspacePool &pool, const cl::Buffer &buffer, const cl::CommandQueue &queue,
               const cl::Event &done) {
    pool.give_back({buffer, size_of(buffer), {}}, queue, done);
}

// A buffer of the pool that a command which is complete used.
cl::Buffer used(WorkspacePool &pool, std::uint64_t bytes, cl::CommandQueue &queue) {
    cl::Buffer buffer = lend(pool, bytes, queue);
    Gate gate;
    cl::Event done = gate.use(buffer, queue);
    gate.open();
    done.wait();
    give_back(pool, buffer, queue, done);
    return buffer;
}

} // namespace

TEST_SUITE("workspace") {
    TEST_CASE("what is lent is as large as asked for, and nobody else's") {
        WorkspacePool pool(context(), 1 << 20);
        const cl::CommandQueue queue = make_queue();
        const cl::Buffer one = lend(pool, 1000, queue);
        const cl::Buffer two = lend(pool, 1000, queue);
        CHECK(one() != two());
        CHECK(size_of(one) >= 1000);
        CHECK(size_of(two) >= 1000);
    }

    TEST_CASE("new memory of a pool of zeros is 0, and what is given back as such stays so") {
        WorkspacePool pool(context(), 1 << 20, WorkspacePool::Fresh::zeros);
        cl::CommandQueue queue = make_queue();
        const auto check = [&](const cl::Buffer &buffer) {
            std::vector<unsigned char> held(size_of(buffer), 1);
            queue.enqueueReadBuffer(buffer, CL_TRUE, 0, held.size(), held.data());
            CHECK(held == std::vector<unsigned char>(held.size(), 0));
        };
        const cl::Buffer one = lend(pool, 70000, queue);
        check(one);
        check(lend(pool, 1000, queue));
        give_back(pool, one, queue, {});
        const cl::Buffer again = lend(pool, 4000, queue);
        CHECK(again() == one());
        check(again);
    }

    TEST_CASE("a queue that runs in order gets a buffer back while its commands are still to run") {
        WorkspacePool pool(context(), 1 << 20);
        cl::CommandQueue queue = make_queue();
        Gate gate;
        const cl::Buffer buffer = lend(pool, 1000, queue);
        const cl::Event done = gate.use(buffer, queue);
        give_back(pool, buffer, queue, done);
        const cl::Buffer again = lend(pool, 1000, queue);
        CHECK(again() == buffer());
        CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
        const cl::Buffer another = lend(pool, 1000, queue); // that one is lent
        CHECK(another() != buffer());
        gate.open();
        done.wait();
    }

    TEST_CASE("another queue gets it once the commands are complete") {
        WorkspacePool pool(context(), 1 << 20);
        cl::CommandQueue queue = make_queue();
        const cl::CommandQueue other = make_queue();
        Gate gate;
        const cl::Buffer buffer = lend(pool, 1000, queue);
        const cl::Event done = gate.use(buffer, queue);
        give_back(pool, buffer, queue, done);
        CHECK(lend(pool, 1000, other)() != buffer());
        gate.open();
        done.wait();
        CHECK(lend(pool, 1000, other)() == buffer());
    }

    TEST_CASE("without an event all that the queue has by then is waited for") {
        WorkspacePool pool(context(), 1 << 20);
        cl::CommandQueue queue = make_queue();
        const cl::CommandQueue other = make_queue();
        Gate gate;
        const cl::Buffer buffer = lend(pool, 1000, queue);
        const cl::Event last = gate.use(buffer, queue);
        give_back(pool, buffer, queue, {});
        CHECK(lend(pool, 1000, queue)() == buffer()); // which comes after it
        give_back(pool, buffer, queue, {});
        CHECK(lend(pool, 1000, other)() != buffer());
        CHECK(last.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
        gate.open();
        queue.finish();
        CHECK(lend(pool, 1000, other)() == buffer());
    }

    TEST_CASE("a queue that runs out of order gets it once the commands are complete") {
        cl::CommandQueue queue;
        try {
            queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        } catch (const cl::Error &) {
            MESSAGE("the device has no queues that run out of order");
            return;
        }
        CHECK_FALSE(gz::is_in_order(queue));
        CHECK(gz::is_in_order(make_queue()));
        WorkspacePool pool(context(), 1 << 20);
        Gate gate;
        const cl::Buffer buffer = lend(pool, 1000, queue);
        const cl::Event done = gate.use(buffer, queue);
        give_back(pool, buffer, queue, done);
        CHECK(lend(pool, 1000, queue)() != buffer());
        gate.open();
        done.wait();
        CHECK(lend(pool, 1000, queue)() == buffer());
    }

    TEST_CASE("another queue gets it once the commands were given up") {
        WorkspacePool pool(context(), 1 << 20);
        cl::CommandQueue queue = make_queue();
        const cl::CommandQueue other = make_queue();
        cl::UserEvent event(context());
        const std::vector<cl::Event> waits{event};
        const cl::Buffer buffer = lend(pool, 1000, queue);
        cl::Event done;
        queue.enqueueFillBuffer(buffer, 0, 0, 16, &waits, &done);
        give_back(pool, buffer, queue, done);
        event.setStatus(CL_OUT_OF_RESOURCES);
        CHECK_THROWS_AS(done.wait(), cl::Error);
        CHECK(lend(pool, 1000, other)() == buffer());
    }

    TEST_CASE("the smallest that is large enough") {
        WorkspacePool pool(context(), 1 << 20);
        cl::CommandQueue queue = make_queue();
        // Lent at once, so that none serves for another.
        const cl::Buffer large = lend(pool, 64000, queue);
        const cl::Buffer small = lend(pool, 1000, queue);
        const cl::Buffer middle = lend(pool, 8000, queue);
        Gate gate;
        for (const cl::Buffer &buffer : {large, small, middle})
            give_back(pool, buffer, queue, gate.use(buffer, queue));
        CHECK(lend(pool, 64001, queue)() != large());
        CHECK(lend(pool, 1001, queue)() == middle());
        CHECK(lend(pool, 1001, queue)() == large());
        CHECK(lend(pool, 1000, queue)() == small());
        gate.open();
        queue.finish();
    }

    TEST_CASE("a few are kept, the oldest go first") {
        WorkspacePool pool(context(), 1 << 20);
        cl::CommandQueue queue = make_queue();
        std::vector<cl::Buffer> buffers;
        for (int i = 0; i < 20; ++i)
            buffers.push_back(lend(pool, 1000, queue));
        Gate gate;
        gate.open();
        for (const cl::Buffer &buffer : buffers)
            give_back(pool, buffer, queue, gate.use(buffer, queue));
        queue.finish();
        std::vector<cl::Buffer> again;
        std::set<cl_mem> lent;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            again.push_back(lend(pool, 1000, queue));
            lent.insert(again.back()());
        }
        std::size_t kept = 0;
        for (const cl::Buffer &buffer : buffers) {
            const bool is_kept = lent.count(buffer()) == 1;
            kept += is_kept ? 1 : 0;
            CHECK((kept == 0 || is_kept)); // all after the first
        }
        CHECK(kept >= 2);
        CHECK(kept <= 8);
    }

    TEST_CASE("no more bytes are kept than the pool may keep") {
        WorkspacePool pool(context(), 20000);
        cl::CommandQueue queue = make_queue();
        const cl::Buffer one = lend(pool, 9000, queue);
        const cl::Buffer two = lend(pool, 9000, queue);
        const cl::Buffer three = lend(pool, 9000, queue);
        const cl::Buffer huge = lend(pool, 20001, queue);
        Gate gate;
        gate.open();
        for (const cl::Buffer &buffer : {one, two, three})
            give_back(pool, buffer, queue, gate.use(buffer, queue));
        queue.finish();
        std::set<cl_mem> lent;
        for (int i = 0; i < 3; ++i) {
            const cl::Buffer buffer = lend(pool, 9000, queue);
            lent.insert(buffer());
            give_back(pool, buffer, queue, gate.use(buffer, queue));
            queue.finish();
        }
        CHECK(lent.count(one()) == 0); // the oldest
        give_back(pool, huge, queue, gate.use(huge, queue));
        queue.finish();
        CHECK(lend(pool, 20001, queue)() != huge());
    }

    TEST_CASE("a loop of runs allocates nothing new") {
        WorkspacePool pool(context(), 1 << 20);
        cl::CommandQueue queue = make_queue();
        std::set<cl_mem> met;
        for (int i = 0; i < 50; ++i)
            met.insert(used(pool, 4096, queue)());
        CHECK(met.size() == 1);
    }

    TEST_CASE("no two threads hold one buffer") {
        WorkspacePool pool(context(), 1 << 20);
        std::mutex mutex;
        std::set<cl_mem> held;
        int shared = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                cl::CommandQueue queue = make_queue();
                Gate gate;
                gate.open();
                for (int i = 0; i < 100; ++i) {
                    const cl::Buffer buffer = lend(pool, 4096, queue);
                    {
                        const std::lock_guard<std::mutex> lock(mutex);
                        shared += held.insert(buffer()).second ? 0 : 1;
                    }
                    const cl::Event done = gate.use(buffer, queue);
                    {
                        const std::lock_guard<std::mutex> lock(mutex);
                        held.erase(buffer());
                    }
                    give_back(pool, buffer, queue, done);
                }
                queue.finish();
            });
        for (std::thread &thread : threads)
            thread.join();
        CHECK(shared == 0);
    }
}
