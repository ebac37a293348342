// Both axes in one pass, for filters that forget soon. See cl/recursive/recursive_fused.cl.
#include <algorithm>

#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, rows;
};

constexpr int chunk = recursive_chunk;
constexpr std::int64_t longest_apron = 2 * chunk;
constexpr std::size_t most_bytes_by_value = 640; // beside the geometry, of what 1024 are allowed

std::optional<int> apron_of(const RecursivePlanePass &pass) {
    return plane_apron(pass, chunk, longest_apron);
}

std::string refusal(const RecursivePlanePass &pass, const Settings &settings) {
    if (std::string reason = plane_refusal(pass, longest_apron); !reason.empty())
        return reason;
    if (pass.is_cut)
        return "scans that come back start from what others have reached at the image's end";
    if (pass.second)
        return "there are two filters";
    const int group = settings.lanes * pass.channels;
    return group > 1024 ? text("groups would be of ", group, " items") : "";
}

// The struct Axes.
std::vector<std::byte> axes_bytes(const RecursivePlanePass &pass, int apron, int order,
                                  bool mirrored, bool signs) {
    std::vector<double> values;
    for (const LineStage &stage : pass.axes)
        append_sections(values, {&stage}, signs);
    for (const LineStage &stage : pass.axes) {
        const auto append = [&](const std::vector<Section> &sections) {
            for (const Section &section : sections)
                for (const auto &state : responses(section, apron))
                    for (int o = 0; o < order; ++o)
                        values.push_back(state[static_cast<std::size_t>(o)]);
        };
        append(stage.causal);
        if (!mirrored)
            append(stage.anticausal);
    }
    if (holds(pass.all_axes()))
        append_held(values, pass, apron, mirrored);
    return constants_of(values, StateType::floats);
}

Work work(const RecursivePlanePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int lanes = settings.lanes;
    const int rows = settings.rows;
    const int width = lanes * pass.channels;
    const int apron = *apron_of(pass);
    const auto &[x, y] = pass.axes;
    const int order = std::max(order_of(x), order_of(y));
    const bool mirrored = is_mirrored(x) && is_mirrored(y);
    const bool signs = has_signs({&x, &y});
    std::vector<std::byte> axes = axes_bytes(pass, apron, order, mirrored, signs);
    const bool small = facts.takes_by_value(axes.size()) &&
                       axes.size() <= most_by_value(facts, most_bytes_by_value);

    Launch launch;
    launch.program = {"recursive/recursive_fused.cl", "recursive_fused",
                      plane_defines(pass, small)};
    Defines &defines = launch.program.defines;
    defines["MIRRORED"] = mirrored ? 1 : 0;
    defines["LANES"] = lanes;
    defines["APRON"] = apron;
    defines["VECTORS"] = pass.alignment >= 4 ? 1 : 0;
    launch.range =
        batched_range(pass, ceil_div(g.width, width), ceil_div(g.height, rows), width, 1);
    const std::int64_t columns = width + 2 * std::int64_t{apron} * pass.channels;
    constexpr std::int64_t padding = 4; // see PITCH
    launch.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(static_cast<std::int32_t>(rows)),
                        array_argument(std::move(axes), small),
                        local_floats(chunk * (columns + padding)),
                        local_floats(chunk * (width + padding))};
    Work result(std::move(launch));
    result.trips = 1;
    result.bytes_per_value = static_cast<double>(size_of(pass.src_type) + size_of(pass.dst_type));
    return result;
}

// Measured on NVIDIA (H200): segments are long, as both of a segment's ends are read twice, but there are at
// least two groups for each compute unit; slabs are wide beside a wide apron.
std::vector<Settings> preferred(const RecursivePlanePass &pass, const DeviceFacts &facts) {
    const bool is_short = apron_of(pass) == chunk;
    const int lanes = is_short || pass.channels > 1 ? 128 : 256;
    const std::int64_t wanted = 2 * facts.cores();
    const std::int64_t slabs =
        ceil_div(pass.geometry.width, std::int64_t{lanes} * pass.channels) * pass.batch();
    int rows = 256;
    for (const int more : {512, 1024})
        if ((more == 512 || !is_short) && slabs * ceil_div(pass.geometry.height, more) >= wanted)
            rows = more;
    // RDNA has registers for few groups anyway: beside an apron of 32, Debian 12's compiler spills 384 bytes of an
    // item with 64 lanes, 160 with 128, and none with 256.
    const int least = facts.is_rdna() && lanes == 256 ? lanes : 64;
    std::vector<Settings> result;
    for (int fewer = lanes; fewer >= least; fewer /= 2)
        result.push_back({.lanes = fewer, .rows = rows});
    return result;
}

} // namespace

Kernel recursive_fused() {
    KernelSpec<RecursivePlanePass, Settings> spec;
    spec.name = "recursive_fused";
    spec.folder = "recursive";
    // ROWS: the rows of a segment.
    spec.tunables = {{"LANES", &Settings::lanes, {64, 128, 256}},
                     {"ROWS", &Settings::rows, {256, 512, 1024, 2048}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const RecursivePlanePass &pass, const Settings &settings) {
        const LineStage &stage = pass.axes[0];
        return text(stage.causal.size(), " causal and ", stage.anticausal.size(),
                    " anticausal sections along x and y, slabs of ", settings.lanes,
                    " columns with ", *apron_of(pass), " more on either side");
    };
    // Measured on other devices: axis by axis is faster.
    spec.rank = [](const RecursivePlanePass &, const Settings &, const DeviceFacts &facts) {
        return Rank{habit_of(facts) == GroupHabit::tiles ? 1 : 0};
    };
    return spec;
}

} // namespace gz
