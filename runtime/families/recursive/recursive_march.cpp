// Groups that march along lines side by side. See cl/recursive/recursive_march.cl.
#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"
#include "plan/image_pass.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, chunks, rows;
};

constexpr int held_tiles = 4; // see HELD in the kernel

std::uint64_t add_launch(const RecursiveStage &stage, const Settings &settings,
                         const DeviceFacts &facts, Work &to) {
    const int lanes = settings.lanes;
    const int chunks = settings.chunks;
    const int group = lanes * chunks;
    const Lines &lines = stage.lines;
    std::vector<std::byte> powers = chunk_powers(stage, 1);
    const bool small = fit_by_value(stage, powers, facts);

    Launch launch;
    launch.program = {"recursive/recursive_march.cl", "recursive_march",
                      chunk_defines(stage, small, near_chunks(stage.filters))};
    launch.program.defines["LANES"] = lanes;
    launch.program.defines["CHUNKS"] = chunks;
    const std::int64_t tiles = ceil_div(lines.length, std::int64_t{recursive_chunk} * chunks);
    const std::int64_t segment =
        std::max<std::int64_t>(settings.rows / (recursive_chunk * chunks), 1);
    launch.range.local = {static_cast<std::size_t>(group), 1, 1};
    launch.range.global = {static_cast<std::size_t>(ceil_div(lines.lines, lanes) * group),
                           static_cast<std::size_t>(ceil_div(tiles, segment)),
                           static_cast<std::size_t>(stage.batch)};
    launch.arguments = stage.images_and(
        {stage.start_states, by_value(lines), by_value(static_cast<std::int32_t>(segment)),
         sections_argument(stage, small), array_argument(std::move(powers), small),
         local_floats(stage.states() * held_tiles * group)});
    if (stage.has_start_states())
        launch.arguments.emplace_back(local_floats(stage.states() * lanes));
    to.launches.push_back(std::move(launch));
    return 0;
}

std::string refusal(const RecursivePass &pass, const Settings &settings) {
    if (pass.along_rows)
        return "lines are not side by side";
    if (std::string reason = floats_refusal(pass); !reason.empty())
        return reason;
    for (const LineStage *stage : pass.all_stages()) {
        const std::optional<int> near = near_chunks(*stage);
        if (!near || *near > settings.chunks)
            return text("samples matter to others that are more than ",
                        settings.chunks * recursive_chunk, " away");
    }
    return "";
}

// Returns long segments, as both of a segment's ends are read twice, but enough of them for all of the
// device.
std::vector<Settings> preferred(const RecursivePass &pass, const DeviceFacts &facts) {
    const int lanes = pass.second ? 32 : 64;
    const std::int64_t wanted = 2 * facts.cores();
    const std::int64_t strips = ceil_div(pass.lines.lines, std::int64_t{lanes}) * pass.batch();
    int rows = 512;
    for (const int more : {1024, 1536, 2048, 3072})
        if (strips * ceil_div(pass.lines.length, std::int64_t{more}) >= wanted)
            rows = more;
    // Two filters hold twice as much.
    std::vector<Settings> result = {{.lanes = lanes, .chunks = 4, .rows = rows},
                                    {.lanes = lanes / 2, .chunks = 8, .rows = rows}};
    // Groups of half as many items, where groups share local memory.
    if (facts.local_memory_is_of_core)
        result.push_back({.lanes = lanes / 2, .chunks = 4, .rows = rows});
    return result;
}

} // namespace

Kernel recursive_march() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_march";
    spec.folder = "recursive";
    // ROWS: the rows of a segment.
    spec.tunables = {{"LANES", &Settings::lanes, {16, 32, 64}},
                     {"CHUNKS", &Settings::chunks, {1, 2, 4, 8, 16}},
                     {"ROWS", &Settings::rows, {512, 1024, 1536, 2048, 3072, 5504}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = [](const RecursivePass &pass, const Settings &settings, const DeviceFacts &facts) {
        return recursive_work(pass, {StartForm::shared, States::made_anew}, facts,
                              [&](const RecursiveStage &stage, Work &to) {
                                  return add_launch(stage, settings, facts, to);
                              });
    };
    spec.details = [](const RecursivePass &pass, const Settings &) {
        return recursive_details(pass);
    };
    spec.rank = [](const RecursivePass &pass, const Settings &, const DeviceFacts &facts) {
        return RecursiveRank{.strips = 3,
                             .few_lines_in_strips = 2,
                             .nothing_shared = 4,
                             .asked_tiles = 5,
                             .few_lines = 5,
                             .tiles = 6,
                             .two_in_strips = 3,
                             .two_on_plain_gpu = 4,
                             .two = 6}(pass, facts);
    };
    return spec;
}

} // namespace gz
