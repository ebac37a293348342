// Shared parts of several unit tests: refusals, made-up descriptions and devices, temporary directories.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "device/facts.hpp"
#include "device/log.hpp"
#include "support/environment.hpp"
#include "support/file_rights.hpp"
#include "support/passes.hpp"

namespace support {

// Checks that a call is refused with the status and that the text says each of the parts.
template <class Call>
void check_refused(gz::Status status, std::initializer_list<std::string> parts, Call &&call) {
    std::optional<gz::Error> refusal;
    try {
        call();
    } catch (const gz::Error &error) {
        refusal = error;
    }
    const std::string said = refusal ? refusal->what() : "nothing was refused";
    INFO(said);
    REQUIRE(refusal.has_value());
    CHECK(refusal->status() == status);
    for (const std::string &part : parts) {
        INFO("the text should say: ", part);
        CHECK(said.find(part) != std::string::npos);
    }
}

// A number from low to high, both included.
inline std::int64_t draw(std::minstd_rand &random, std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline gz::Taps make_taps(std::int64_t width, std::int64_t height, std::int64_t anchor_x,
                          std::int64_t anchor_y, std::vector<double> values) {
    return {{width, height, 1, 1}, {anchor_x, anchor_y, 0, 0}, std::move(values)};
}

// Returns taps of the size that are no product of a row and a column, or are one, anchored in the middle.
enum class Rank { one, full };
inline gz::Taps make_taps(std::int64_t width, std::int64_t height, Rank rank) {
    std::vector<double> values;
    for (std::int64_t j = 0; j < height; ++j)
        for (std::int64_t i = 0; i < width; ++i)
            values.push_back(rank == Rank::one ? 1.0
                                               : static_cast<double>(1 + (i * i + 3 * j) % 7));
    return make_taps(width, height, width / 2, height / 2, std::move(values));
}

// An image without gaps.
inline gz::ImageDesc make_image(gz::PixelType type, gz::Axes extent, std::int64_t channels = 1,
                                std::int64_t planes = 1) {
    gz::ImageDesc desc;
    desc.type = type;
    desc.extent = extent;
    desc.channels = channels;
    desc.planes = planes;
    return gz::complete(desc, "image");
}

// Taps along x and y for Filter::separable, anchored in the middle.
inline gz::AxisTaps make_axis_taps(std::vector<double> x, std::vector<double> y) {
    return {{std::move(x), std::move(y), {}, {}}, std::nullopt};
}

// The pass of taps over a whole image without gaps.
inline gz::CorrelatePass make_pass(gz::PixelType type, gz::Axes extent, std::int64_t channels,
                                   const gz::Taps &taps) {
    gz::PlanDesc desc;
    desc.source = make_image(type, extent, channels);
    desc.target = desc.source;
    return support::lower_taps(gz::Filter::correlate(taps), gz::complete(desc));
}

// The same for a box.
inline gz::BoxPass make_box_pass(gz::PixelType type, gz::Axes extent, std::int64_t channels,
                                 std::int64_t radius_x, std::int64_t radius_y,
                                 const gz::Border &border = {}) {
    gz::PlanDesc desc;
    desc.source = make_image(type, extent, channels);
    desc.target = desc.source;
    desc.border = border;
    return gz::lower_box({{radius_x, radius_y, 0, 0}, 1}, gz::complete(desc));
}

inline constexpr gz::DeviceClass all_device_classes[] = {
    gz::DeviceClass::nvidia_gpu, gz::DeviceClass::amd_gpu,    gz::DeviceClass::intel_gpu,
    gz::DeviceClass::other_gpu,  gz::DeviceClass::plain_gpu,  gz::DeviceClass::pocl_cpu,
    gz::DeviceClass::intel_cpu,  gz::DeviceClass::mesa_cpu,   gz::DeviceClass::other_cpu,
    gz::DeviceClass::oclgrind,   gz::DeviceClass::accelerator};

// A device that does not exist, with room for everything.
inline gz::DeviceFacts make_facts(gz::DeviceClass device_class) {
    gz::DeviceFacts facts;
    facts.name = "made-up device";
    facts.vendor = "made-up vendor";
    facts.platform = "made-up platform";
    facts.device_class = device_class;
    facts.global_memory = std::uint64_t{1} << 34;
    facts.max_allocation = std::uint64_t{1} << 32;
    facts.local_memory = 48 * 1024;
    facts.max_parameter_size = 4096;
    facts.max_constant_size = 64 * 1024;
    facts.base_alignment = 128;
    facts.compute_units = 16;
    facts.clock_mhz = 1000;
    facts.max_group_size = 1024;
    for (std::uint32_t &size : facts.max_item_sizes)
        size = 1024;
    return facts;
}

// Lines that are logged.
class LogLines {
public:
    gz::Log log() {
        return {[](gauze_log_level level, const char *text, void *user) {
                    auto *self = static_cast<LogLines *>(user);
                    const std::lock_guard<std::mutex> lock(self->mutex_);
                    self->lines_.push_back(std::to_string(level) + " " + text);
                },
                this};
    }
    std::size_t count(gauze_log_level level, const std::string &part) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return static_cast<std::size_t>(
            std::count_if(lines_.begin(), lines_.end(), [&](const std::string &line) {
                return line.rfind(std::to_string(level) + " ", 0) == 0 &&
                       line.find(part) != std::string::npos;
            }));
    }
    bool has(gauze_log_level level, const std::string &part) { return count(level, part) > 0; }

private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
};

// An empty directory of its own, removed with all that is in it.
class TempDir {
public:
    TempDir() {
        std::random_device random;
        do
            path_ = std::filesystem::temp_directory_path() / ("gauze_" + std::to_string(random()));
        while (!std::filesystem::create_directory(path_));
        let_nobody_else(path_.string());
    }
    ~TempDir() {
        std::error_code ignored; // a destructor has nobody to tell
        std::filesystem::remove_all(path_, ignored);
    }
    TempDir(const TempDir &) = delete;
    TempDir &operator=(const TempDir &) = delete;

    std::string path() const { return path_.string(); }
    std::size_t file_count() const {
        using Iterator = std::filesystem::directory_iterator;
        return static_cast<std::size_t>(std::distance(Iterator(path_), Iterator()));
    }

    // name: may have directories, which are made.
    void write(const std::string &name, const std::string &text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream file(path_ / name, std::ios::binary);
        file << text;
        REQUIRE(file.good());
    }

private:
    std::filesystem::path path_;
};

} // namespace support
