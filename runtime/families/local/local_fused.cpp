// Pixels and means by taps along x and y in one pass. See cl/local/local_fused.cl.
#include <algorithm>

#include "families/local/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x, group_y, item_y;
};

constexpr int buckets[] = {5, 9, 17, 31}; // most taps along an axis
constexpr int columns = 4;                // values of a row that an item makes

int bucket_of(const FusedLocalPass &pass) {
    const int most = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    return *std::lower_bound(std::begin(buckets), std::end(buckets) - 1, most);
}

// Returns the taps along x, padded to the bucket's number, and those along y; the rest is never used.
ConstantData packed_taps(const FusedLocalPass &pass, int most) {
    std::vector<float> taps(2 * static_cast<std::size_t>(most), 0.0F);
    std::copy_n(pass.taps.begin(), pass.geometry.taps_x, taps.begin());
    std::copy_n(pass.taps.begin() + pass.geometry.taps_x, pass.geometry.taps_y,
                taps.begin() + most);
    return {bytes_of(taps.data(), taps.size())};
}

Work work(const FusedLocalPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const int most = bucket_of(pass);
    Launch result;
    result.program = {"local/local_fused.cl", "local_fused", type_defines(pass)};
    Defines &defines = result.program.defines;
    defines["GROUP_X"] = settings.group_x;
    defines["GROUP_Y"] = settings.group_y;
    defines["ITEM_Y"] = settings.item_y;
    defines["MOST"] = most;
    defines["ALIGNED"] = pass.alignment >= columns ? 1 : 0;
    defines["RESULT"] = static_cast<int>(pass.result);
    defines["SQUARES"] = pass.has_squares ? 1 : 0;
    result.range = batched_range(
        pass, ceil_div(pass.geometry.width, std::int64_t{settings.group_x} * columns),
        ceil_div(pass.geometry.height, std::int64_t{settings.group_y} * settings.item_y),
        settings.group_x, settings.group_y);
    const int vectors = static_cast<int>(ceil_div(columns + (most - 1) * pass.channels, 4));
    const int rows = settings.group_y * settings.item_y + most - 1;
    const auto local = [](int count) {
        return LocalMemory{static_cast<std::size_t>(count) * columns * sizeof(float)};
    };
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(pass.geometry),
                        packed_taps(pass, most),
                        by_value(pass.numbers),
                        local((settings.group_x - 1 + vectors) * rows),
                        local(settings.group_x * rows * (pass.has_squares ? 2 : 1))};
    if (facts.is_cpu()) // where a group's items keep their windows in memory
        result.private_bytes =
            static_cast<std::size_t>(settings.group_x * settings.group_y * vectors) * columns *
            sizeof(float);
    return result;
}

std::string refusal(const FusedLocalPass &pass, const Settings &) {
    const int most = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    if (most > std::end(buckets)[-1])
        return text("an axis has ", most, " taps; it takes up to ", std::end(buckets)[-1]);
    constexpr int largest_window = 68; // values in an item's registers
    const int window = columns + (bucket_of(pass) - 1) * pass.channels;
    return window > largest_window ? text("an item would keep ", window,
                                          " values of a row; it keeps up to ", largest_window)
                                   : "";
}

} // namespace

Kernel local_fused() {
    KernelSpec<FusedLocalPass, Settings> spec;
    spec.name = "local_fused";
    spec.folder = "local";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {8, 16, 32}},
                     {"GROUP_Y", &Settings::group_y, {4, 8}},
                     {"ITEM_Y", &Settings::item_y, {1, 2, 4}}};
    spec.refusal = refusal;
    spec.preferred = [](const FusedLocalPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group_x = 16, .group_y = 8, .item_y = 4},
                                     {.group_x = 16, .group_y = 8, .item_y = 2},
                                     {.group_x = 16, .group_y = 4, .item_y = 1},
                                     {.group_x = 8, .group_y = 4, .item_y = 1}};
    };
    spec.work = work;
    spec.rank = [](const FusedLocalPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 1}(facts)};
    };
    return spec;
}

} // namespace gz
