// Ends while everything is still alive and commands are still to run. A process that ends then must not hang
// or crash.
//   exit_with_live_handles <finished|forked|global|leaked|thread>
// finished: waits for the commands. PoCL compiles a kernel when it first runs, and crashes where the process
// ends meanwhile; it keeps the compiled kernel for the next time.
// forked: the same in a process that was forked before the first use of OpenCL, and then in the other.
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <gauze/gauze.hpp>

namespace {

struct Handles {
    gauze::Engine engine;
    gauze::ImageDesc desc = gauze::Image::f32(1024, 1024);
    gauze::Plan plan = engine.plan(gauze::gaussian(20.0), desc);
    gauze::Image from = engine.image(desc), to = engine.image(desc);

    // Commands that are under way, or wait for nothing but their turn.
    void use() {
        std::vector<float> pixels(1024 * 1024, 1.0F);
        from.write(pixels.data(), pixels.size() * sizeof(float));
        for (int i = 0; i < 4; ++i)
            plan.enqueue(nullptr, from.mem(), to.mem());
    }
};

// Destroyed after main, when drivers may have cleaned up.
std::unique_ptr<Handles> global;
Handles *leaked = nullptr;

void use_and_wait() {
    Handles handles;
    handles.use();
    std::vector<float> pixels(1024 * 1024);
    handles.to.read(pixels.data(), pixels.size() * sizeof(float));
}

} // namespace

int main(int, char **arguments) {
    const std::string how = arguments[1] ? arguments[1] : "";
    if (how == "finished") {
        use_and_wait();
#ifndef _WIN32
    } else if (how == "forked") {
        const pid_t child = fork();
        if (child == 0) {
            use_and_wait();
            return EXIT_SUCCESS;
        }
        int state = -1;
        if (child < 0 || waitpid(child, &state, 0) != child || state != 0)
            return EXIT_FAILURE;
        use_and_wait();
#endif
    } else if (how == "global") {
        global = std::make_unique<Handles>();
        global->use();
    } else if (how == "leaked") {
        leaked = new Handles;
        leaked->use();
    } else if (how == "thread") {
        std::thread([] {
            leaked = new Handles;
            leaked->use();
            std::exit(EXIT_SUCCESS);
        }).join();
    } else {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
