// Functions and objects for tests that see the library as an embedder does: by its public headers.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <gauze/gauze.hpp>

#include "support/shared.hpp"

namespace embedder {

inline constexpr std::size_t float_bytes = sizeof(float);

inline gauze::Engine &engine() {
    return support::shared([] { return gauze::Engine(); });
}

inline std::vector<float> random_pixels(std::size_t count) {
    std::minstd_rand random(5);
    std::vector<float> pixels(count);
    for (float &pixel : pixels)
        pixel = static_cast<float>(random() % 4096) / 4096.0F;
    return pixels;
}

inline gauze::Taps ones(std::int64_t width, std::int64_t height, double value = 1.0) {
    return {std::vector<double>(static_cast<std::size_t>(width * height), value), width, height};
}

// Taps that are not the product of a row and a column.
inline gauze::Taps cross(double middle = 5.0) {
    return {{0, -1, 0, -1, middle, -1, 0, -1, 0}, 3, 3};
}

// The status of the error that `call` throws, GAUZE_OK if none, and its text.
struct Outcome {
    gauze_status status = GAUZE_OK;
    std::string text;
};
template <class Call> Outcome outcome_of(Call &&call) {
    try {
        call();
    } catch (const gauze::Error &error) {
        return {error.status(), error.what()};
    }
    return {};
}

inline void check_refused(const Outcome &outcome, gauze_status status, const std::string &part) {
    INFO(outcome.text);
    CHECK(outcome.status == status);
    CHECK(outcome.text.find(part) != std::string::npos);
    CHECK(outcome.text.find('\n') == std::string::npos);
}

// Checks the status of the C function's call and that the text of the error has the part.
inline void check_c_refused(gauze_status got, gauze_status expected, const std::string &part) {
    const std::string said = gauze_last_error();
    INFO(said);
    CHECK(got == expected);
    CHECK(said.find(part) != std::string::npos);
}

// A command queue beside the engine's own, of its context and device.
class Queue {
public:
    explicit Queue(cl_command_queue_properties properties, const gauze::Engine &on = engine()) {
        const gauze::Image image = on.image(gauze::Image::u8(1, 1));
        clGetMemObjectInfo(image.mem(), CL_MEM_CONTEXT, sizeof context_, &context_, nullptr);
        cl_device_id device = nullptr;
        clGetContextInfo(context_, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
        cl_int error = CL_SUCCESS;
        handle_ = clCreateCommandQueue(context_, device, properties, &error);
    }
    ~Queue() {
        if (handle_)
            clReleaseCommandQueue(handle_);
    }
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;

    cl_command_queue handle() const { return handle_; } // nullptr where the device has none such
    cl_context context() const { return context_; }

private:
    cl_context context_ = nullptr;
    cl_command_queue handle_ = nullptr;
};

// Programs that an embedder keeps in memory, for any number of engines.
class KeptPrograms {
public:
    std::size_t count() const { return entries_.size(); }
    gauze::EngineOptions options() {
        gauze::EngineOptions options;
        options.cache_load = [](const char *name, gauze_cache_receive receive, void *receiver,
                                void *user) {
            KeptPrograms &kept = *static_cast<KeptPrograms *>(user);
            const std::lock_guard<std::mutex> lock(kept.mutex_);
            if (const auto found = kept.entries_.find(name); found != kept.entries_.end())
                receive(found->second.data(), found->second.size(), receiver);
        };
        options.cache_store = [](const char *name, const void *entry, std::uint64_t bytes,
                                 void *user) {
            KeptPrograms &kept = *static_cast<KeptPrograms *>(user);
            const auto *const first = static_cast<const char *>(entry);
            const std::lock_guard<std::mutex> lock(kept.mutex_);
            kept.entries_[name].assign(first, first + bytes);
        };
        options.cache_user = this;
        return options;
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::vector<char>> entries_;
};

} // namespace embedder
