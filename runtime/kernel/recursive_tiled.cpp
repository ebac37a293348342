// Tiles with a chunk of samples an item. See cl/recursive_tiled.cl.
#include <algorithm>
#include <cmath>
#include <optional>

#include "kernel/kernels.hpp"
#include "kernel/recursive_chunks.hpp"

namespace gz {

namespace {

constexpr int chunk = recursive_chunk;
constexpr int longest_run = 16; // chunks

std::int64_t tile_of(int chunks) {
    return std::int64_t{chunk} * chunks;
}

struct Shape {
    int lanes, chunks, run, runs;
    int lead, trail; // samples of the apron
    std::int64_t tiles;
    bool carries;                         // from tile to tile
    std::optional<std::vector<int>> near; // chunks around one that matter to it, for each filter
    std::int64_t tile() const { return tile_of(chunks); }
    int group() const { return lanes * chunks; }
};

Shape shape_of(const RecursiveStage &stage, const Config &config) {
    Shape shape{config.at("LANES"), config.at("CHUNKS"), 0, 0, 0, 0, 0, false, std::nullopt};
    shape.run = std::min(shape.chunks, longest_run);
    shape.runs = shape.chunks / shape.run;
    shape.tiles = parts(stage.lines.length, shape.tile());
    if (config.at("NEAR") != 0)
        shape.near = near_chunks(stage.filters);
    if (shape.tiles == 1)
        return shape;
    shape.carries = true;
    // An apron costs its share of the tile; carries cost another read of the image.
    const std::int64_t most = shape.tile() * config.at("APRON") / 100;
    const std::optional<int> lead = memory_of(stage.causal(), most);
    const std::optional<int> trail = memory_of(stage.anticausal(), most);
    if (lead && trail && *lead + *trail <= most) {
        shape.carries = false;
        shape.lead = *lead;
        shape.trail = *trail;
        shape.tiles = parts(stage.lines.length, shape.tile() - *lead - *trail);
    } else {
        shape.near.reset();
    }
    return shape;
}

std::uint64_t add_launches(const RecursiveStage &stage, const Config &config,
                           const DeviceFacts &facts, Work &to) {
    const Shape shape = shape_of(stage, config);
    const Lines &lines = stage.lines;
    const bool several = shape.carries;
    std::vector<std::byte> powers = chunk_powers(stage, shape.run);
    const bool small = fit_by_value(stage, powers, facts);
    const Argument powers_given = powers_argument(std::move(powers), small);

    Defines defines = chunk_defines(stage, small, shape.near);
    defines["ALONG_ROWS"] = stage.along_rows ? 1 : 0;
    defines["VECTORS"] = reads_vectors(stage) ? 1 : 0;
    defines["HAS_CARRIES"] = several ? 1 : 0;
    defines["LANES"] = shape.lanes;
    defines["CHUNKS"] = shape.chunks;
    // Few lines of many tiles: an item takes a part of the tiles.
    const int carry_parts = lines.lines < 64 && shape.tiles > 64 ? 128 : 1;
    const int carry_lanes = carry_parts > 1 ? 1 : 64;
    defines["CARRY_LANES"] = carry_lanes;
    defines["CARRY_PARTS"] = carry_parts;

    const auto tile_range = [&] {
        NDRange range;
        range.local = {static_cast<std::size_t>(shape.group()), 1, 1};
        range.global = {static_cast<std::size_t>(parts(lines.lines, shape.lanes) * shape.group()),
                        static_cast<std::size_t>(shape.tiles),
                        static_cast<std::size_t>(stage.batch)};
        return range;
    };
    const ByValue tile_count = by_value(static_cast<std::int32_t>(shape.tiles));
    const std::int64_t places =
        stage.along_rows ? std::int64_t{shape.lanes} * (shape.chunks + shape.runs) : shape.group();
    const auto add_local = [&](Launch &launch) {
        if (stage.along_rows)
            launch.arguments.emplace_back(local_floats(shape.lanes * shape.tile()));
        launch.arguments.emplace_back(local_floats(stage.states() * places));
        if (!shape.near)
            launch.arguments.emplace_back(local_floats(stage.states() * shape.lanes * shape.runs));
        if (stage.has_ends())
            launch.arguments.emplace_back(local_floats(stage.states() * shape.lanes));
    };

    if (several) {
        Launch aggregate;
        aggregate.program = {"recursive_tiled.cl", "recursive_aggregate", defines};
        aggregate.range = tile_range();
        aggregate.arguments = stage.sources_and({stage.own, stage.ends, by_value(lines), tile_count,
                                                 sections_argument(stage, small), powers_given});
        add_local(aggregate);
        to.launches.push_back(std::move(aggregate));

        Launch carry;
        carry.program = {"recursive_tiled.cl", "recursive_carry", defines};
        carry.range.local = {static_cast<std::size_t>(carry_lanes),
                             static_cast<std::size_t>(carry_parts), 1};
        carry.range.global = {
            static_cast<std::size_t>(parts(lines.lines, carry_lanes) * carry_lanes),
            static_cast<std::size_t>(carry_parts * stage.sections()),
            static_cast<std::size_t>(stage.batch)};
        const std::int64_t part = parts(shape.tiles, carry_parts);
        carry.arguments = {stage.own,
                           by_value(lines),
                           tile_count,
                           in_memory(section_matrices(stage, shape.tile())),
                           in_memory(section_matrices(stage, shape.tile() * part)),
                           local_floats(2 * carry_lanes * carry_parts)};
        to.launches.push_back(std::move(carry));
    }

    Launch apply;
    apply.program = {"recursive_tiled.cl", "recursive_apply", defines};
    apply.range = tile_range();
    apply.arguments = stage.images_and({stage.own, stage.ends, by_value(lines), tile_count,
                                        sections_argument(stage, small), powers_given,
                                        in_memory(section_places(stage, chunk, shape.run)),
                                        by_value(static_cast<std::int32_t>(shape.lead)),
                                        by_value(static_cast<std::int32_t>(shape.trail))});
    add_local(apply);
    to.launches.push_back(std::move(apply));
    return several ? static_cast<std::uint64_t>(stage.batch * shape.tiles * stage.states() *
                                                lines.lines * 4)
                   : 0;
}

std::string refusal(const RecursivePass &pass, const Config &config) {
    if (std::string reason = sections_refusal(pass); !reason.empty())
        return reason;
    const int group = config.at("LANES") * config.at("CHUNKS");
    return group < 32 || group > 1024 ? text("groups would be of ", group, " items") : "";
}

const std::vector<int> chunk_counts{4, 16, 32, 64, 128, 256};

// Those with tiles nearest to what is asked for first.
std::vector<Config> nearest(const RecursivePass &pass) {
    std::vector<int> counts = chunk_counts;
    std::stable_sort(counts.begin(), counts.end(), [&](int a, int b) {
        return std::abs(tile_of(a) - pass.tile) < std::abs(tile_of(b) - pass.tile);
    });
    std::vector<Config> configs;
    for (const int count : counts)
        configs.push_back({{"LANES", std::clamp((pass.along_rows ? 256 : 512) / count, 1, 32)},
                           {"CHUNKS", count},
                           {"APRON", 50},
                           {"NEAR", 1}});
    return configs;
}

// Lines side by side are read together. Where more than a few chunks matter to one, sums over all
// tiles take less time than aprons.
std::vector<Config> preferred(const RecursivePass &pass, const DeviceFacts &) {
    if (pass.tile > 0)
        return nearest(pass);
    const bool is_near = near_chunks(pass.all_stages()).has_value();
    const auto shape = [&](int lanes, int chunks) {
        return Config{{"LANES", lanes},
                      {"CHUNKS", chunks},
                      {"APRON", is_near ? 50 : 0},
                      {"NEAR", is_near ? 1 : 0}};
    };
    if (!pass.along_rows)
        return {shape(16, is_near ? 32 : 16), shape(32, 4)};
    const std::int64_t chunks = parts(pass.lines.length, chunk);
    for (const int count : {16, 64})
        if (chunks <= count)
            return {shape(256 / count, count)};
    // Few lines: what their memory costs as an apron is less than to read them twice, where it is short.
    constexpr std::int64_t few = 128;
    if (pass.lines.lines <= few && !is_near)
        for (const int count : {128, 256})
            if (forgets_within(pass, tile_of(count) / 8))
                return {{{"LANES", 1}, {"CHUNKS", count}, {"APRON", 50}, {"NEAR", 0}},
                        shape(4, 16)};
    return {shape(1, 128), shape(4, 16)};
}

} // namespace

RecursiveSpec recursive_tiled() {
    RecursiveSpec spec;
    spec.name = "recursive_tiled";
    spec.tunables = {{"LANES", {1, 2, 4, 8, 16, 32}},
                     {"CHUNKS", chunk_counts},
                     {"APRON", {0, 50}},
                     {"NEAR", {0, 1}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = [](const RecursivePass &pass, const Config &config, const DeviceFacts &facts) {
        return recursive_work(pass, LineEnds::shared, [&](const RecursiveStage &stage, Work &to) {
            return add_launches(stage, config, facts, to);
        });
    };
    spec.details = [](const RecursivePass &pass, const Config &config) {
        return recursive_details(pass, tile_of(config.at("CHUNKS")));
    };
    return spec;
}

} // namespace gz
