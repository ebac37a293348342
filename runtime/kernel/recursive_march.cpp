// Groups that march along lines side by side. See cl/recursive_march.cl.
#include "kernel/image_pass.hpp"
#include "kernel/kernels.hpp"
#include "kernel/recursive_chunks.hpp"

namespace gz {

namespace {

constexpr int held_tiles = 4; // see HELD in the kernel

std::uint64_t add_launch(const RecursiveStage &stage, const Config &config,
                         const DeviceFacts &facts, Work &to) {
    const int lanes = config.at("LANES");
    const int chunks = config.at("CHUNKS");
    const int group = lanes * chunks;
    const Lines &lines = stage.lines;
    std::vector<std::byte> powers = chunk_powers(stage, 1);
    const bool small = fit_by_value(stage, powers, facts);

    Launch launch;
    launch.program = {"recursive_march.cl", "recursive_march",
                      chunk_defines(stage, small, near_chunks(stage.filters))};
    launch.program.defines["LANES"] = lanes;
    launch.program.defines["CHUNKS"] = chunks;
    const std::int64_t tiles = ceil_div(lines.length, std::int64_t{recursive_chunk} * chunks);
    const std::int64_t segment =
        std::max<std::int64_t>(config.at("ROWS") / (recursive_chunk * chunks), 1);
    launch.range.local = {static_cast<std::size_t>(group), 1, 1};
    launch.range.global = {static_cast<std::size_t>(ceil_div(lines.lines, lanes) * group),
                           static_cast<std::size_t>(ceil_div(tiles, segment)),
                           static_cast<std::size_t>(stage.batch)};
    launch.arguments = stage.images_and(
        {stage.ends, by_value(lines), by_value(static_cast<std::int32_t>(segment)),
         sections_argument(stage, small), powers_argument(std::move(powers), small),
         local_floats(stage.states() * held_tiles * group)});
    if (stage.has_ends())
        launch.arguments.emplace_back(local_floats(stage.states() * lanes));
    to.launches.push_back(std::move(launch));
    return 0;
}

std::string refusal(const RecursivePass &pass, const Config &config) {
    if (pass.along_rows)
        return "lines are not side by side";
    if (std::string reason = floats_refusal(pass); !reason.empty())
        return reason;
    for (const LineStage *stage : pass.all_stages()) {
        const std::optional<int> near = near_chunks(*stage);
        if (!near || *near > config.at("CHUNKS"))
            return text("samples matter to others that are more than ",
                        config.at("CHUNKS") * recursive_chunk, " away");
    }
    return "";
}

// Long segments, as both of a segment's ends are read twice, but enough of them for all of the device.
std::vector<Config> preferred(const RecursivePass &pass, const DeviceFacts &facts) {
    const int lanes = pass.second ? 32 : 64;
    const std::int64_t wanted = 2 * std::int64_t{facts.compute_units};
    const std::int64_t strips = ceil_div(pass.lines.lines, std::int64_t{lanes}) * pass.batch();
    int rows = 512;
    for (const int more : {1024, 1536, 2048, 3072})
        if (strips * ceil_div(pass.lines.length, std::int64_t{more}) >= wanted)
            rows = more;
    // Two filters hold twice as much.
    if (pass.second)
        return {{{"LANES", lanes}, {"CHUNKS", 4}, {"ROWS", rows}},
                {{"LANES", 16}, {"CHUNKS", 8}, {"ROWS", rows}}};
    return {{{"LANES", lanes}, {"CHUNKS", 4}, {"ROWS", rows}},
            {{"LANES", 32}, {"CHUNKS", 8}, {"ROWS", rows}}};
}

} // namespace

RecursiveSpec recursive_march() {
    RecursiveSpec spec;
    spec.name = "recursive_march";
    // ROWS: of a segment.
    spec.tunables = {{"LANES", {16, 32, 64}},
                     {"CHUNKS", {1, 2, 4, 8, 16}},
                     {"ROWS", {512, 1024, 1536, 2048, 3072, 5504}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = [](const RecursivePass &pass, const Config &config, const DeviceFacts &facts) {
        return recursive_work(pass, {LineEnds::shared, States::made_anew}, facts,
                              [&](const RecursiveStage &stage, Work &to) {
                                  return add_launch(stage, config, facts, to);
                              });
    };
    spec.details = [](const RecursivePass &pass, const Config &) {
        return recursive_details(pass);
    };
    return spec;
}

} // namespace gz
