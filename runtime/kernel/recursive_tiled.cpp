// Tiles with a chunk of samples an item. See cl/recursive_tiled.cl.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "kernel/kernels.hpp"

namespace gz {

namespace {

constexpr int chunk = 16;       // samples
constexpr int longest_run = 16; // chunks
constexpr std::int64_t most_sections = 16;
constexpr std::size_t most_bytes_by_value = 800; // of what 1024 are allowed at least

struct Shape {
    int lanes, chunks, run, runs;
    int lead, trail; // samples of the apron
    std::int64_t tiles;
    bool carries; // from tile to tile
    std::int64_t tile() const { return std::int64_t{chunk} * chunks; }
    int group() const { return lanes * chunks; }
};

Shape shape_of(const RecursiveStage &stage, const Config &config) {
    Shape shape{config.at("LANES"), config.at("CHUNKS"), 0, 0, 0, 0, 0, false};
    shape.run = std::min(shape.chunks, longest_run);
    shape.runs = shape.chunks / shape.run;
    shape.tiles = parts(stage.lines.length, shape.tile());
    if (shape.tiles == 1)
        return shape;
    shape.carries = true;
    // An apron costs its share of the tile; carries cost another read of the image.
    const std::int64_t most = shape.tile() * config.at("APRON") / 100;
    const std::optional<int> lead = memory_of(stage.stage->causal, most);
    const std::optional<int> trail = memory_of(stage.stage->anticausal, most);
    if (lead && trail && *lead + *trail <= most) {
        shape.carries = false;
        shape.lead = *lead;
        shape.trail = *trail;
        shape.tiles = parts(stage.lines.length, shape.tile() - *lead - *trail);
    }
    return shape;
}

void append(std::vector<float> &to, const Section &section, int order, std::int64_t samples) {
    const Transition result = transition(section, samples);
    for (std::size_t i = 0; i < static_cast<std::size_t>(order); ++i)
        for (std::size_t j = 0; j < static_cast<std::size_t>(order); ++j)
            to.push_back(static_cast<float>(result.less_identity[i][j]));
}

// A matrix for each section.
std::vector<float> matrices(const RecursiveStage &stage, std::int64_t samples) {
    std::vector<float> result;
    for (std::int64_t s = 0; s < stage.sections(); ++s)
        append(result, stage.section(static_cast<std::size_t>(s)), stage.order(), samples);
    return result;
}

// Whether the anticausal sections are the causal ones, backwards.
bool is_mirrored(const RecursiveStage &stage) {
    const LineStage &sections = *stage.stage;
    return std::equal(sections.causal.begin(), sections.causal.end(), sections.anticausal.begin(),
                      sections.anticausal.end(), [](const Section &a, const Section &b) {
                          return a.rest == b.rest && a.decay == b.decay;
                      });
}

std::vector<std::byte> powers_of(const RecursiveStage &stage, const Shape &shape) {
    std::vector<float> values;
    const auto order = static_cast<std::size_t>(stage.order());
    if (is_mirrored(stage)) {
        for (const double sign : {1.0, -1.0})
            for (const Section &section : stage.stage->causal) {
                const auto ages = responses(section, chunk);
                for (std::size_t i = 0; i < chunk / 2; ++i)
                    for (std::size_t o = 0; o < order; ++o)
                        values.push_back(
                            static_cast<float>((ages[i][o] + sign * ages[chunk - 1 - i][o]) / 2.0));
            }
    } else {
        for (std::int64_t s = 0; s < stage.sections(); ++s)
            for (const auto &state : responses(stage.section(static_cast<std::size_t>(s)), chunk))
                for (std::size_t o = 0; o < order; ++o)
                    values.push_back(static_cast<float>(state[o]));
    }
    const std::int64_t last = (stage.lines.length - 1) % chunk + 1;
    for (const std::int64_t samples :
         {std::int64_t{chunk}, std::int64_t{chunk} * shape.run, last}) {
        const std::vector<float> more = matrices(stage, samples);
        values.insert(values.end(), more.begin(), more.end());
    }
    return bytes_of(values.data(), values.size());
}

ConstantData in_memory(const std::vector<float> &values) {
    return {bytes_of(values.data(), values.size()), true};
}

LocalMemory floats(std::int64_t count) {
    return {static_cast<std::size_t>(count) * sizeof(float)};
}

std::uint64_t add_launches(const RecursiveStage &stage, const Config &config,
                           const DeviceFacts &facts, Work &to) {
    const Shape shape = shape_of(stage, config);
    const Lines &lines = stage.lines;
    const bool several = shape.carries;
    const std::vector<std::byte> powers = powers_of(stage, shape);
    const bool small = !facts.misreads_arguments && powers.size() <= most_bytes_by_value;
    const auto powers_argument = small ? Argument(ByValue{powers}) : Argument(ConstantData{powers});

    Defines defines = recursive_defines(stage, small);
    defines["ALONG_ROWS"] = stage.along_rows ? 1 : 0;
    defines["VECTORS"] =
        stage.along_rows && stage.components == 1 && stage.alignment >= 4 && lines.begin % 4 == 0
            ? 1
            : 0;
    defines["MIRRORED"] = is_mirrored(stage) ? 1 : 0;
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
    const LocalMemory tile_memory =
        floats(stage.along_rows ? shape.lanes * shape.tile() : std::int64_t{4});
    const std::int64_t places =
        stage.along_rows ? std::int64_t{shape.lanes} * (shape.chunks + shape.runs) : shape.group();
    const LocalMemory carries = floats(stage.states() * places);
    const LocalMemory runs = floats(stage.states() * shape.lanes * shape.runs);

    if (several) {
        Launch aggregate;
        aggregate.program = {"recursive_tiled.cl", "recursive_aggregate", defines};
        aggregate.range = tile_range();
        aggregate.arguments = {stage.src(),     stage.own,
                               stage.ends,      by_value(lines),
                               tile_count,      sections_argument(stage, small),
                               powers_argument, tile_memory,
                               carries,         runs};
        to.launches.push_back(std::move(aggregate));

        Launch carry;
        carry.program = {"recursive_tiled.cl", "recursive_carry", defines};
        carry.range.local = {static_cast<std::size_t>(carry_lanes),
                             static_cast<std::size_t>(carry_parts), 1};
        carry.range.global = {static_cast<std::size_t>(parts(lines.lines, carry_lanes) *
                                                       carry_lanes * stage.sections()),
                              static_cast<std::size_t>(carry_parts),
                              static_cast<std::size_t>(stage.batch)};
        const std::int64_t part = parts(shape.tiles, carry_parts);
        carry.arguments = {stage.own,
                           by_value(lines),
                           tile_count,
                           in_memory(matrices(stage, shape.tile())),
                           in_memory(matrices(stage, shape.tile() * part)),
                           floats(2 * carry_lanes * carry_parts)};
        to.launches.push_back(std::move(carry));
    }

    std::vector<float> positions;
    for (std::int64_t s = 0; s < stage.sections(); ++s)
        for (int k = 0; k < shape.run; ++k)
            append(positions, stage.section(static_cast<std::size_t>(s)), stage.order(),
                   std::int64_t{chunk} * k);
    Launch apply;
    apply.program = {"recursive_tiled.cl", "recursive_apply", defines};
    apply.range = tile_range();
    apply.arguments = {stage.src(),
                       stage.dst(),
                       stage.own,
                       stage.ends,
                       by_value(lines),
                       tile_count,
                       sections_argument(stage, small),
                       powers_argument,
                       in_memory(positions),
                       by_value(static_cast<std::int32_t>(shape.lead)),
                       by_value(static_cast<std::int32_t>(shape.trail)),
                       tile_memory,
                       carries,
                       runs};
    to.launches.push_back(std::move(apply));
    return several ? static_cast<std::uint64_t>(stage.batch * shape.tiles * stage.states() *
                                                lines.lines * 4)
                   : 0;
}

std::string refusal(const RecursivePass &pass, const Config &config) {
    for (const LineStage &stage : pass.stages)
        if (static_cast<std::int64_t>(stage.causal.size() + stage.anticausal.size()) >
            most_sections)
            return text("a stage has ", stage.causal.size() + stage.anticausal.size(),
                        " sections, more than ", most_sections);
    const int group = config.at("LANES") * config.at("CHUNKS");
    return group < 32 || group > 1024 ? text("groups would be of ", group, " items") : "";
}

// Lines side by side are read together; along rows, long tiles keep what goes between tiles small.
std::vector<Config> preferred(const RecursivePass &pass, const DeviceFacts &) {
    if (!pass.along_rows)
        return {{{"LANES", 32}, {"CHUNKS", 16}, {"APRON", 50}},
                {{"LANES", 32}, {"CHUNKS", 4}, {"APRON", 50}}};
    const std::int64_t chunks = parts(pass.lines.length, chunk);
    for (const int count : {16, 64})
        if (chunks <= count)
            return {{{"LANES", std::max(256 / count, 1)}, {"CHUNKS", count}, {"APRON", 50}}};
    return {{{"LANES", 1}, {"CHUNKS", 256}, {"APRON", 50}},
            {{"LANES", 4}, {"CHUNKS", 16}, {"APRON", 50}}};
}

} // namespace

RecursiveSpec recursive_tiled() {
    RecursiveSpec spec;
    spec.name = "recursive_tiled";
    spec.tunables = {
        {"LANES", {1, 2, 4, 8, 16, 32}}, {"CHUNKS", {4, 16, 32, 64, 128, 256}}, {"APRON", {0, 50}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = [](const RecursivePass &pass, const Config &config, const DeviceFacts &facts) {
        return recursive_work(pass, [&](const RecursiveStage &stage, Work &to) {
            return add_launches(stage, config, facts, to);
        });
    };
    spec.details = [](const RecursivePass &pass, const Config &) {
        return recursive_details(pass);
    };
    return spec;
}

} // namespace gz
