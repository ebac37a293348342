// Filters frames in a program's own OpenCL objects: its context, its queue (out of order where the device
// has that), its buffers. Copies and filters of several frames are under way at once, ordered by events
// alone; the host waits once, at the end. Then compares with the library's own way from host memory.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gauze/gauze.hpp>

namespace {

void check(cl_int code, const char *call) {
    if (code != CL_SUCCESS)
        throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code));
}

// The OpenCL objects of a program that uses OpenCL anyway. The program releases them, after everything of
// Gauze.
struct OpenCl {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;

    OpenCl() {
        cl_platform_id platform = nullptr;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
        cl_command_queue_properties can = 0;
        check(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, nullptr),
              "clGetDeviceInfo");
        cl_int code = CL_SUCCESS;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        queue = clCreateCommandQueue(context, device, can & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                     &code);
        check(code, "clCreateCommandQueue");
    }
    ~OpenCl() {
        if (queue)
            clReleaseCommandQueue(queue);
        if (context)
            clReleaseContext(context);
    }
    OpenCl(const OpenCl &) = delete;
    OpenCl &operator=(const OpenCl &) = delete;
};

// A frame on its way: up, through the filter, and down again.
struct Frame {
    cl_mem source = nullptr, target = nullptr;
    cl_event uploaded = nullptr, filtered = nullptr, downloaded = nullptr;
    std::vector<std::uint8_t> pixels, result;

    ~Frame() {
        for (cl_event event : {uploaded, filtered, downloaded})
            if (event)
                clReleaseEvent(event);
        for (cl_mem buffer : {source, target})
            if (buffer)
                clReleaseMemObject(buffer);
    }

    void enqueue(const OpenCl &own, const gauze::Plan &plan) {
        cl_int code = CL_SUCCESS;
        source = clCreateBuffer(own.context, CL_MEM_READ_ONLY, pixels.size(), nullptr, &code);
        check(code, "clCreateBuffer");
        target = clCreateBuffer(own.context, CL_MEM_WRITE_ONLY, pixels.size(), nullptr, &code);
        check(code, "clCreateBuffer");
        check(clEnqueueWriteBuffer(own.queue, source, CL_FALSE, 0, pixels.size(), pixels.data(), 0,
                                   nullptr, &uploaded),
              "clEnqueueWriteBuffer");
        plan.enqueue(own.queue, source, target, {uploaded}, &filtered);
        result.resize(pixels.size());
        check(clEnqueueReadBuffer(own.queue, target, CL_FALSE, 0, result.size(), result.data(), 1,
                                  &filtered, &downloaded),
              "clEnqueueReadBuffer");
    }
};

} // namespace

int main() {
    try {
        const OpenCl own;
        gauze::EngineOptions options;
        options.context = own.context;
        options.device_id = own.device;
        const gauze::Engine engine(options);

        const int width = 640, height = 480;
        const gauze::Plan plan =
            engine.plan(gauze::gaussian(2.5), gauze::Image::u8(width, height, 4));
        plan.prepare(); // so that the first frame need not wait for the compiler

        std::vector<Frame> frames(3);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            frames[i].pixels.resize(static_cast<std::size_t>(width) * height * 4);
            for (std::size_t p = 0; p < frames[i].pixels.size(); ++p)
                frames[i].pixels[p] = static_cast<std::uint8_t>((p * (p / width + i)) >> 3);
        }
        for (Frame &frame : frames)
            frame.enqueue(own, plan);
        check(clFinish(own.queue), "clFinish");

        int different = 0;
        for (const Frame &frame : frames) {
            std::vector<std::uint8_t> expected(frame.pixels.size());
            plan.run(frame.pixels, expected);
            different += frame.result == expected ? 0 : 1;
        }
        std::cout << frames.size() << " frames on " << engine.device().name << ", " << different
                  << " of them other than by way of host memory\n";
        return different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
