#include "bench_check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <future>
#include <random>
#include <span>
#include <thread>

#include "bench_input.hpp"

namespace gauze::tool {
namespace {

using Point = std::array<std::int64_t, 4>;

struct Box {
    Point origin{}, extent{};
};

// The reference takes longer the more taps there are.
Point window_extent(const BenchRow &row, const ImageDesc &image) {
    const Point wanted = row.reach <= 64 ? Point{64, 16, 1, 1} : Point{16, 4, 1, 1};
    return {std::min(wanted[0], image.extent[0]), std::min(wanted[1], image.extent[1]), 1, 1};
}

std::vector<Box> windows_of(const BenchRow &row, const ImageDesc &image) {
    const Point extent = window_extent(row, image);
    Point last{}, middle{};
    for (std::size_t axis = 0; axis < last.size(); ++axis) {
        last[axis] = image.extent[axis] - extent[axis];
        middle[axis] = last[axis] / 2;
    }
    std::vector<Box> windows{{{0, 0, 0, 0}, extent},
                             {{last[0], 0, last[2], last[3]}, extent},
                             {{0, last[1], last[2], last[3]}, extent},
                             {last, extent},
                             {middle, extent}};
    std::mt19937_64 random(static_cast<std::uint64_t>(row.reach));
    while (windows.size() < checked_windows) {
        Box window{{}, extent};
        for (std::size_t axis = 0; axis < last.size(); ++axis)
            window.origin[axis] =
                static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(last[axis]) + 1));
        windows.push_back(window);
    }
    return windows;
}

// Returns the axes that the row's filter goes along, from x on.
std::size_t filtered_axes(const BenchRow &row) {
    return row.input == BenchInput::volumes ? 4 : row.input == BenchInput::volume ? 3 : 2;
}

// The window and the pixels that its results depend on. Where these end inside the image, no result of the
// window comes from a border, and where they end with the image, the border is the image's.
Box with_apron(const Box &window, const BenchRow &row, const ImageDesc &image) {
    Box result = window;
    for (std::size_t axis = 0; axis < filtered_axes(row); ++axis) {
        const std::int64_t begin = std::max<std::int64_t>(window.origin[axis] - row.reach, 0);
        const std::int64_t end =
            std::min(window.origin[axis] + window.extent[axis] + row.reach, image.extent[axis]);
        result.origin[axis] = begin;
        result.extent[axis] = end - begin;
    }
    return result;
}

// The pixels of a box, tight. `storage` holds them, unless the box is the image.
std::span<const std::byte> cut(const std::vector<std::byte> &pixels, const ImageDesc &image,
                               const Box &box, std::vector<std::byte> &storage) {
    if (box.extent == image.extent)
        return pixels;
    const auto pixel_bytes = static_cast<std::int64_t>(size_of(image.type)) * image.channels;
    storage.clear();
    const Point &extent = box.extent;
    storage.reserve(
        static_cast<std::size_t>(extent[0] * extent[1] * extent[2] * extent[3] * pixel_bytes));
    for (std::int64_t t = 0; t < extent[3]; ++t)
        for (std::int64_t z = 0; z < extent[2]; ++z)
            for (std::int64_t y = 0; y < extent[1]; ++y) {
                const std::int64_t slice =
                    (box.origin[3] + t) * image.extent[2] + box.origin[2] + z;
                const std::int64_t row = slice * image.extent[1] + box.origin[1] + y;
                const auto begin =
                    pixels.begin() + (row * image.extent[0] + box.origin[0]) * pixel_bytes;
                storage.insert(storage.end(), begin, begin + extent[0] * pixel_bytes);
            }
    return storage;
}

} // namespace

CheckResult check_windows(const Engine &engine, const Filter &filter, const BenchRow &row,
                          const ImageDesc &source_desc,
                          std::span<const std::vector<std::byte>> sources, Type target_type,
                          const std::vector<std::vector<std::byte>> &targets) {
    ImageDesc target_desc = source_desc;
    target_desc.type = target_type;
    // Returns what is wrong in a window, "" where nothing is.
    const auto fault_in = [&](const Box &window) -> std::string {
        const Box part = with_apron(window, row, source_desc);
        Region region;
        region.edge = RegionEdge::neighbours;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            region.source_origin[axis] = window.origin[axis] - part.origin[axis];
            region.target_origin[axis] = region.source_origin[axis];
            region.extent[axis] = window.extent[axis];
        }
        const auto part_desc = [&](Type type) {
            ImageDesc desc(type, part.extent[0], part.extent[1], source_desc.channels);
            desc.extent = part.extent;
            return desc;
        };
        const Plan plan =
            engine.plan(filter, part_desc(source_desc.type),
                        std::vector<ImageDesc>(targets.size(), part_desc(target_type)),
                        options_of(row, part_desc(source_desc.type)).with_region(region));
        std::vector<std::vector<std::byte>> source_storage(sources.size()),
            target_storage(targets.size());
        std::vector<HostPixels> part_sources, part_targets;
        for (std::size_t i = 0; i < sources.size(); ++i)
            part_sources.emplace_back(cut(sources[i], source_desc, part, source_storage[i]));
        for (std::size_t i = 0; i < targets.size(); ++i)
            part_targets.emplace_back(cut(targets[i], target_desc, part, target_storage[i]));
        const Verification found = plan.verify_sources(part_sources, part_targets);
        if (found.within_bound)
            return "";
        char text[160];
        std::snprintf(text, sizeof text,
                      "worst error %.6g, bound %.6g, at x=%lld y=%lld z=%lld channel %lld",
                      found.worst_error, found.bound,
                      static_cast<long long>(part.origin[0] + found.worst_at[0]),
                      static_cast<long long>(part.origin[1] + found.worst_at[1]),
                      static_cast<long long>(part.origin[2] + found.worst_at[2]),
                      static_cast<long long>(found.worst_at[5]));
        return text;
    };

    // Where much matters to a window its reference takes seconds: some threads share the windows.
    const std::vector<Box> windows = windows_of(row, source_desc);
    std::vector<std::string> faults(windows.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < windows.size(); i = next++)
            faults[i] = fault_in(windows[i]);
    };
    constexpr unsigned most_threads = 8;
    std::vector<std::future<void>> others;
    for (unsigned i = 1; i < std::min(std::thread::hardware_concurrency(), most_threads); ++i)
        others.push_back(std::async(std::launch::async, work));
    work();
    for (std::future<void> &other : others)
        other.get();
    const auto first =
        std::ranges::find_if(faults, [](const std::string &fault) { return !fault.empty(); });
    return first == faults.end() ? CheckResult() : CheckResult{false, *first};
}

} // namespace gauze::tool
