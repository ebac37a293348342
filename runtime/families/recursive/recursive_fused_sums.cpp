// Both axes in one pass, for filters that forget soon. See cl/recursive/recursive_fused_sums.cl.
#include <algorithm>
#include <cmath>

#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, rows;
    int spare; // 1: room for one tile more than must stay
};

constexpr int chunk = recursive_chunk;
constexpr std::int64_t longest_apron = 5 * chunk;
constexpr std::size_t most_bytes_by_value = 640; // beside the geometry, of what 1024 are allowed

std::optional<int> apron_of(const RecursivePlanePass &pass) {
    return plane_apron(pass, chunk, longest_apron);
}

std::string refusal(const RecursivePlanePass &pass, const Settings &settings) {
    if (std::string reason = plane_refusal(pass, longest_apron); !reason.empty())
        return reason;
    if (pass.second && pass.dst_type != PixelType::f32)
        return "the results of two filters add up in the target, which would round them twice";
    if (const int group = settings.lanes * pass.channels; group > 1024)
        return text("groups would be of ", group, " items");
    // Measured on NVIDIA (H200): beyond that, axis by axis is faster.
    if (const int apron = *apron_of(pass); 8 * apron > 5 * settings.lanes)
        return text("more that matters, ", apron, " pixels, lies beside slabs of ", settings.lanes,
                    " than pays");
    return "";
}

// Whether sums and differences of samples pay: of several states of a direction.
bool is_symmetric(const RecursivePlanePass &pass) {
    const auto is_even = [](const LineStage &stage) {
        return symmetry_of(stage) == Symmetry::even;
    };
    return !pass.is_cut &&
           pass.axes[0].causal.size() * static_cast<std::size_t>(plane_order(pass)) > 1 &&
           std::all_of(pass.axes.begin(), pass.axes.end(), is_even);
}

// Returns the samples beside a row of a slab that an item sums up: a chunk, or more where chunks are more than items.
int part_of(const RecursivePlanePass &pass, const Settings &settings, int apron) {
    const int parts = settings.lanes / (2 * chunk);
    const bool longer = pass.channels == 1 && apron > parts * chunk && !holds(pass.all_axes());
    return longer ? apron / parts : chunk;
}

// The struct Axes. part: see part_of().
std::vector<std::byte> axes_bytes(const RecursivePlanePass &pass, int apron, int part,
                                  bool mirrored, bool signs, bool symmetric) {
    const int order = plane_order(pass);
    std::vector<double> values;
    for (const LineStage &stage : pass.axes)
        append_sections(values, {&stage}, signs);
    // Appends what `append` does for each of the sections whose weights are stored.
    const auto for_sections = [&](auto append) {
        for (const LineStage &stage : pass.axes) {
            for (const Section &section : stage.causal)
                append(section);
            if (!mirrored)
                for (const Section &section : stage.anticausal)
                    append(section);
        }
    };
    for_sections([&](const Section &section) {
        for (const auto &state : responses(section, part))
            values.insert(values.end(), state.begin(), state.begin() + order);
    });
    for_sections([&](const Section &section) { append_transition(values, section, order, chunk); });
    if (part > chunk)
        for_sections([&](const Section &section) {
            append_transition(values, section, order, part - chunk);
        });
    if (holds(pass.all_axes()))
        append_held(values, pass, apron, mirrored);
    if (symmetric)
        for (const LineStage &stage : pass.axes)
            append_symmetric(values, stage, order, Symmetry::even);
    if (pass.is_cut)
        for (const LineStage &stage : pass.axes)
            append_far_weights(values, stage, order, apron);
    return constants_of(values, StateType::floats);
}

// The floats of a group's arrays in local memory.
struct GroupMemory {
    std::int64_t tiles, causal_sums, anticausal_sums, cuts, places, lines;
};

GroupMemory memory_of(const RecursivePlanePass &pass, const Settings &settings) {
    constexpr std::int64_t padding = 4; // see PITCH
    const std::int64_t width = std::int64_t{settings.lanes} * pass.channels;
    const std::int64_t apron = *apron_of(pass);
    const std::int64_t all =
        width + apron * pass.channels; // values that sums of one direction are of
    const LineStage &stage = pass.axes[0];
    const int order = plane_order(pass);
    const auto states = [order](const std::vector<Section> &sections) {
        return static_cast<std::int64_t>(sections.size()) * order;
    };
    const auto some = [](std::int64_t floats) { return std::max<std::int64_t>(floats, 1); };
    return {(apron + settings.spare * chunk) * (width + padding),
            some(states(stage.causal) * all),
            some(states(stage.anticausal) * all),
            some(pass.is_cut ? states(stage.anticausal) * width : 0),
            all + apron * pass.channels,
            2 * chunk};
}

// Whether results are added to what the target has.
enum class Results { stored, added };

// Returns the launch of a pass of one filter.
Launch launch_of(const RecursivePlanePass &pass, Results results, const Settings &settings,
                 const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int lanes = settings.lanes;
    const int rows = settings.rows;
    const int width = lanes * pass.channels;
    const int apron = *apron_of(pass);
    const auto &[x, y] = pass.axes;
    const bool mirrored = is_mirrored(x) && is_mirrored(y);
    const bool symmetric = is_symmetric(pass);
    const int part = part_of(pass, settings, apron);
    std::vector<std::byte> axes =
        axes_bytes(pass, apron, part, mirrored, has_signs({&x, &y}), symmetric);
    const bool small = facts.takes_by_value(axes.size()) && !facts.copies_indexed_arguments &&
                       axes.size() <= most_by_value(facts, most_bytes_by_value);

    Launch launch;
    launch.program = {"recursive/recursive_fused_sums.cl", "recursive_fused_sums",
                      plane_defines(pass, small)};
    Defines &defines = launch.program.defines;
    defines["MIRRORED"] = mirrored ? 1 : 0;
    defines["LANES"] = lanes;
    defines["BLOCKS"] = apron / chunk;
    defines["PART"] = part;
    defines["VECTORS"] = pass.alignment >= 4 ? 1 : 0;
    defines["CUT"] = pass.is_cut ? 1 : 0;
    defines["SPARE"] = settings.spare;
    defines["ADDS"] = results == Results::added ? 1 : 0;
    defines["SYMMETRY"] = static_cast<int>(symmetric ? Symmetry::even : Symmetry::none);
    const GroupMemory memory = memory_of(pass, settings);
    launch.range =
        batched_range(pass, ceil_div(g.width, width), ceil_div(g.height, rows), width, 1);
    launch.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(static_cast<std::int32_t>(rows)),
                        array_argument(std::move(axes), small),
                        local_floats(memory.tiles),
                        local_floats(memory.causal_sums),
                        local_floats(memory.anticausal_sums),
                        local_floats(memory.cuts),
                        local_floats(memory.places),
                        local_floats(memory.lines)};
    return launch;
}

// Returns the pass of one filter alone.
RecursivePlanePass pass_of(RecursivePlanePass pass, const std::array<LineStage, 2> &axes) {
    pass.axes = axes;
    pass.second.reset();
    pass.reach = plane_reach(pass);
    return pass;
}

Work work(const RecursivePlanePass &pass, const Settings &settings, const DeviceFacts &facts) {
    Work result(
        launch_of(pass.second ? pass_of(pass, pass.axes) : pass, Results::stored, settings, facts));
    result.trips = 1;
    result.bytes_per_value = static_cast<double>(size_of(pass.src_type) + size_of(pass.dst_type));
    if (pass.second) {
        result.launches.push_back(
            launch_of(pass_of(pass, *pass.second), Results::added, settings, facts));
        result.bytes_per_value +=
            static_cast<double>(size_of(pass.src_type) + 2 * size_of(pass.dst_type));
        result.trips = 2;
    }
    return result;
}

// Returns settings with as many lanes, and bands of rows by which all groups finish first: a group has the tiles of other
// bands that matter to its own as well. Fitted to times of 37 filters and images of one channel and of three on an H200: the
// bands that it takes are at most 9 % slower than the fastest ones, 1 % in the mean.
Settings with_bands(const RecursivePlanePass &pass, int lanes, const DeviceFacts &facts) {
    constexpr int registers = 128;
    const Geometry &g = pass.geometry;
    const int group = lanes * pass.channels;
    const std::int64_t slabs = ceil_div(g.width, std::int64_t{group}) * pass.batch();
    const int blocks = apron_of(pass).value_or(longest_apron) / chunk;
    const int rows = of_least_cost({64, 128, 256, 512, 1024, 2048}, [&](int band) {
        // The core that has the most groups finishes last. Fewer than it holds leave it waiting, but each is faster then.
        const double groups = std::ceil(static_cast<double>(slabs * ceil_div(g.height, band)) /
                                        static_cast<double>(facts.cores()));
        const double rounds = groups / groups_of_registers(registers, group);
        constexpr double lost = 0.2; // rounds, to the start
        const double tiles = band / chunk + 0.5 * blocks + 6;
        return (std::max(rounds, 0.4 + 0.6 * rounds) + lost) * tiles;
    });
    return {.lanes = lanes, .rows = rows, .spare = 0};
}

// Slabs of 64 pixels of one channel have too much beside them. A spare tile saves 5 % (H200).
std::vector<Settings> preferred(const RecursivePlanePass &pass, const DeviceFacts &facts) {
    Settings settings = with_bands(pass, pass.channels == 1 ? 128 : 64, facts);
    Settings with_spare = settings;
    with_spare.spare = 1;
    return {with_spare, settings};
}

} // namespace

Kernel recursive_fused_sums() {
    KernelSpec<RecursivePlanePass, Settings> spec;
    spec.name = "recursive_fused_sums";
    spec.folder = "recursive";
    // ROWS: the rows of a band.
    spec.tunables = {{"LANES", &Settings::lanes, {64, 128}},
                     {"ROWS", &Settings::rows, {64, 128, 256, 512, 1024, 2048}},
                     {"SPARE", &Settings::spare, {0, 1}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const RecursivePlanePass &pass, const Settings &settings) {
        const LineStage &stage = pass.axes[0];
        return text(stage.causal.size(), " causal and ", stage.anticausal.size(),
                    " anticausal sections along x and y",
                    pass.second ? " of one filter after the other" : "", ", slabs of ",
                    settings.lanes, " columns with ", *apron_of(pass), " more on either side");
    };
    // Measured on NVIDIA (H200): faster than recursive_fused, but for an apron of one chunk of a large image, where it
    // takes up to 1.15 times as long, and than axis by axis. Of no other device is anything known.
    spec.rank = [](const RecursivePlanePass &, const Settings &, const DeviceFacts &facts) {
        return Rank{facts.device_class == DeviceClass::nvidia_gpu ? 2 : 0};
    };
    return spec;
}

} // namespace gz
