// Tiles whose items take a chunk of samples each. See cl/recursive/recursive_tiled.cl.
#include <algorithm>
#include <cmath>
#include <optional>

#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, chunks, apron, near, exchange;
};

constexpr int chunk = recursive_chunk;
constexpr int longest_run = 16; // chunks
// Tiles before one, or behind it, that it reads from: with more, sums over all tiles take less time.
constexpr std::int64_t most_neighbours = 16;
#include "lib/recursive_exchange.clh"
static_assert(sizeof(Exchange) == 20, "OpenCL C lays the struct out without padding");

// Whether groups may wait for groups that start later. Measured on NVIDIA alone.
bool exchanges_at_once(const DeviceFacts &facts) {
    return facts.device_class == DeviceClass::nvidia_gpu;
}

std::int64_t tile_of(int chunks) {
    return std::int64_t{chunk} * chunks;
}

struct Shape {
    int lanes, chunks;
    int run = 0, runs = 0;
    int lead = 0, trail = 0; // samples of the apron
    std::int64_t tiles = 0;
    bool carries = false;       // from tile to tile
    bool exchanges = false;     // tiles exchange their results with near ones
    int before = 0, behind = 0; // tiles that matter to one, where carries are exchanged
    // Chunks around one that matter to it, for each filter.
    std::optional<std::vector<int>> near = std::nullopt;
    std::int64_t tile() const { return tile_of(chunks); }
    int group() const { return lanes * chunks; }
};

// Words that tiles exchange, and tickets.
std::int64_t exchanged_words(const RecursiveStage &stage, const Shape &shape) {
    return TICKETS + stage.batch * ceil_div(stage.lines.lines, shape.lanes) * shape.tiles *
                         stage.states() * shape.lanes;
}

Shape shape_of(const RecursiveStage &stage, const Settings &settings) {
    Shape shape{settings.lanes, settings.chunks};
    shape.run = std::min(shape.chunks, longest_run);
    shape.runs = shape.chunks / shape.run;
    shape.tiles = ceil_div(stage.lines.length, shape.tile());
    if (settings.near != 0)
        shape.near = near_chunks(stage.filters);
    if (shape.tiles == 1)
        return shape;
    shape.carries = true;
    // An apron costs its share of the tile; carries cost another read of the image.
    const std::int64_t most = shape.tile() * settings.apron / 100;
    const std::optional<int> lead =
        samples_of_lead(stage.filters, &LineStage::causal, Beyond::zero, most);
    const std::optional<int> trail =
        samples_of_lead(stage.filters, &LineStage::anticausal, Beyond::zero, most);
    if (lead && trail && *lead + *trail <= most) {
        shape.carries = false;
        shape.lead = *lead;
        shape.trail = *trail;
        shape.tiles = ceil_div(stage.lines.length, shape.tile() - *lead - *trail);
        return shape;
    }
    shape.near.reset();
    // The exchanged words are floats.
    if (settings.exchange == 0 || stage.states_are != StateType::floats)
        return shape;
    const auto neighbours = [&](SectionsOf direction) {
        const std::int64_t others = shape.tiles - 1;
        const std::optional<int> needed =
            samples_of_lead(stage.filters, direction, Beyond::zero,
                            std::min(most_neighbours, others) * shape.tile());
        return needed ? std::min(ceil_div(*needed, shape.tile()), others) : others;
    };
    const std::int64_t before = neighbours(&LineStage::causal);
    const std::int64_t behind = neighbours(&LineStage::anticausal);
    const std::int64_t words = exchanged_words(stage, shape);
    if (std::max(before, behind) > most_neighbours || words >= std::int64_t{1} << 31)
        return shape;
    shape.carries = false;
    shape.exchanges = true;
    shape.before = static_cast<int>(before);
    shape.behind = static_cast<int>(behind);
    return shape;
}

// Strips whose tiles are given out together; 0 where groups cannot wait for later ones. All that one waits
// for must be at work at the same time. Where groups go on, each unit has one at least; a quarter of
// them, as several launches may share the device. Measured on NVIDIA (H200): four strips are best, two
// where groups wait for many.
int strips_together(const Shape &shape, const DeviceFacts &facts) {
    if (!exchanges_at_once(facts))
        return 0;
    const int most = static_cast<int>(facts.cores() / 4) / (shape.behind + 1);
    return std::min(most, std::clamp(24 / (shape.behind + 1), 2, 4));
}

// Returns the most registers that an item may take; 0: as many as the compiler likes. Measured on NVIDIA (H200, signals of
// 10^8 samples of f32): with 88 in place of 96, sections of two states take 0.97 of the time where they are 15, 0.99 where
// they are 16, and 1.01 to 1.05 where they are 6, 8, 10, 12, 14 or 18.
int most_registers(const RecursiveStage &stage, const Shape &shape) {
    const bool is_signal = stage.along_rows && shape.lanes == 1 && shape.chunks == 128;
    return is_signal && stage.order() == 2 && (stage.sections() == 15 || stage.sections() == 16)
               ? 88
               : 0;
}

std::uint64_t add_launches(const RecursiveStage &stage, const Settings &settings,
                           const DeviceFacts &facts, Work &to) {
    const Shape shape = shape_of(stage, settings);
    const Lines &lines = stage.lines;
    const bool several = shape.carries;
    std::vector<std::byte> powers = chunk_powers(stage, shape.run);
    const bool small = fit_by_value(stage, powers, facts);
    const Argument powers_given = array_argument(std::move(powers), small);

    Defines defines = chunk_defines(stage, small, shape.near);
    defines["ALONG_ROWS"] = stage.along_rows ? 1 : 0;
    defines["VECTORS"] = reads_vectors(stage, shape.lanes) ? 1 : 0;
    defines["HAS_CARRIES"] = several ? 1 : 0;
    defines["EXCHANGES"] = shape.exchanges ? 1 : 0;
    const int together = strips_together(shape, facts);
    const bool at_once = together > 0;
    // A separate launch finds all words from the one before.
    if (shape.exchanges)
        defines["POLLS_ATOMICALLY"] = at_once && polls_atomically(facts) ? 1 : 0;
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
        range.global = {
            static_cast<std::size_t>(ceil_div(lines.lines, shape.lanes) * shape.group()),
            static_cast<std::size_t>(shape.tiles), static_cast<std::size_t>(stage.batch)};
        return range;
    };
    const ByValue tile_count = by_value(static_cast<std::int32_t>(shape.tiles));
    const std::int64_t places =
        stage.along_rows ? std::int64_t{shape.lanes} * (shape.chunks + shape.runs) : shape.group();
    const auto add_local = [&](Launch &launch) {
        if (stage.along_rows)
            launch.arguments.emplace_back(
                local_floats(floats_of_rows(stage, shape.lanes, shape.chunks)));
        launch.arguments.emplace_back(local_states(stage.states() * places, stage.states_are));
        if (!shape.near)
            launch.arguments.emplace_back(
                local_states(stage.states() * shape.lanes * shape.runs, stage.states_are));
        if (stage.has_start_states())
            launch.arguments.emplace_back(
                local_states(stage.states() * shape.lanes, stage.states_are));
    };

    if (several) {
        Launch aggregate;
        aggregate.program = {"recursive/recursive_tiled.cl", "recursive_aggregate", defines};
        aggregate.range = tile_range();
        aggregate.arguments =
            stage.sources_and({stage.own, stage.start_states, by_value(lines), tile_count,
                               sections_argument(stage, small), powers_given});
        add_local(aggregate);
        to.launches.push_back(std::move(aggregate));

        Launch carry;
        carry.program = {"recursive/recursive_tiled.cl", "recursive_carry", defines};
        carry.range.local = {static_cast<std::size_t>(carry_lanes),
                             static_cast<std::size_t>(carry_parts), 1};
        carry.range.global = {
            static_cast<std::size_t>(ceil_div(lines.lines, carry_lanes) * carry_lanes),
            static_cast<std::size_t>(carry_parts * stage.sections()),
            static_cast<std::size_t>(stage.batch)};
        const std::int64_t part = ceil_div(shape.tiles, carry_parts);
        carry.arguments = {
            stage.own,
            by_value(lines),
            tile_count,
            in_memory(section_matrices(stage, shape.tile()), stage.states_are),
            in_memory(section_matrices(stage, shape.tile() * part), stage.states_are),
            local_states(2 * carry_lanes * carry_parts, stage.states_are)};
        to.launches.push_back(std::move(carry));
    }

    const auto apply = [&](std::vector<Argument> entering) {
        Launch launch;
        launch.program = {"recursive/recursive_tiled.cl", "recursive_apply", defines};
        limit_registers(launch.program.defines, most_registers(stage, shape), facts);
        launch.local_bytes =
            4 * sizeof(std::int32_t); // a ticket, and whether the group is the last
        launch.range = tile_range();
        for (Argument &argument : std::vector<Argument>{
                 stage.start_states, by_value(lines), tile_count, sections_argument(stage, small),
                 powers_given, in_memory(section_places(stage, chunk, shape.run), stage.states_are),
                 by_value(static_cast<std::int32_t>(shape.lead)),
                 by_value(static_cast<std::int32_t>(shape.trail))})
            entering.push_back(std::move(argument));
        launch.arguments = stage.images_and(std::move(entering));
        add_local(launch);
        to.launches.push_back(std::move(launch));
    };
    if (!shape.exchanges) {
        apply({stage.own});
        return several ? static_cast<std::uint64_t>(stage.batch * shape.tiles * stage.states() *
                                                    lines.lines) *
                             size_of(stage.states_are)
                       : 0;
    }

    const std::int64_t words = exchanged_words(stage, shape);
    const SharedWords shared = at_once ? share_words(stage.own, words, facts, to)
                                       : words_cleared_before(stage.own, words, to);
    defines["SELF_CLEARS"] = shared.self_clears;
    // In two launches any order will do.
    constexpr int whichever = 3;
    for (const int doing :
         at_once ? std::vector<int>{PUBLISHES | APPLIES} : std::vector<int>{PUBLISHES, APPLIES})
        apply(
            {shared.words, shared.to_clear,
             by_value(Exchange{static_cast<std::int32_t>(ceil_div(lines.lines, shape.lanes)),
                               at_once ? together : whichever, shape.before, shape.behind, doing}),
             in_memory(section_matrices(stage, shape.tile())),
             in_memory(section_places(stage, std::int64_t{chunk} * shape.run, shape.runs))});
    if (!at_once) // the launch that publishes gets the target, but does not write it
        to.bytes_per_value -= static_cast<double>(size_of(stage.dst_type));
    return shared.workspace_bytes;
}

std::string refusal(const RecursivePass &pass, const Settings &settings) {
    if (std::string reason = sections_refusal(pass); !reason.empty())
        return reason;
    const int group = settings.lanes * settings.chunks;
    return group < 32 || group > 1024 ? text("groups would be of ", group, " items") : "";
}

const std::vector<int> chunk_counts{4, 16, 32, 64, 128, 256};

// Returns the shapes whose tiles are nearest to the length asked for first.
std::vector<Settings> nearest(const RecursivePass &pass) {
    std::vector<int> counts = chunk_counts;
    std::stable_sort(counts.begin(), counts.end(), [&](int a, int b) {
        return std::abs(tile_of(a) - pass.tile) < std::abs(tile_of(b) - pass.tile);
    });
    std::vector<Settings> configs;
    for (const int count : counts)
        configs.push_back({.lanes = std::clamp((pass.along_rows ? 256 : 512) / count, 1, 32),
                           .chunks = count,
                           .apron = 50,
                           .near = 1,
                           .exchange = 0});
    return configs;
}

// Lines side by side are read together. Where more than a few chunks matter to one, sums over all
// tiles take less time than aprons.
std::vector<Settings> preferred(const RecursivePass &pass, const DeviceFacts &facts) {
    if (pass.tile > 0)
        return nearest(pass);
    const bool is_near = near_chunks(pass.all_stages()).has_value();
    // Where there are too many tiles, they do not exchange their carries, whatever is asked for.
    const int exchange = exchanges_at_once(facts) ? 1 : 0;
    const auto exchanges = [&](int chunks) {
        return exchange == 1 && !is_near &&
               (ceil_div(pass.lines.length, tile_of(chunks)) <= most_neighbours + 1 ||
                forgets_within(pass, most_neighbours * tile_of(chunks)));
    };
    const auto shape = [&](int lanes, int chunks) {
        return Settings{.lanes = pass.along_rows ? lanes_of_pixels(lanes, pass.components) : lanes,
                        .chunks = chunks,
                        .apron = is_near ? 50 : 0,
                        .near = is_near ? 1 : 0,
                        .exchange = exchange};
    };
    if (!pass.along_rows) {
        // Tiles that exchange carries do so with few others.
        const bool long_tiles =
            is_near || (exchanges(32) && !forgets_within(pass, 2 * tile_of(16)));
        return {shape(16, long_tiles ? 32 : 16), shape(32, 4)};
    }
    const std::int64_t chunks = ceil_div(pass.lines.length, chunk);
    for (const int count : {16, 64})
        if (chunks <= count)
            return {shape(256 / count, count)};
    // For few lines a short apron costs less than reading them twice.
    constexpr std::int64_t few = 128;
    if (pass.lines.lines <= few && !is_near)
        for (const int count : {128, 256})
            if (forgets_within(pass, tile_of(count) / 8))
                return {{.lanes = 1, .chunks = count, .apron = 50, .near = 0, .exchange = 0},
                        shape(4, 16)};
    // Measured on NVIDIA (H200): two filters of an image of three channels take 0.87 of the time of tiles of one line.
    if (pass.components > 1)
        return is_near ? std::vector<Settings>{shape(8, 16)}
                       : std::vector<Settings>{shape(4, 64), shape(8, 16)};
    if (exchanges(64) && pass.lines.lines > few)
        return {shape(2, 64), shape(1, 128), shape(4, 16)};
    return {shape(1, 128), shape(4, 16)};
}

} // namespace

Kernel recursive_tiled() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_tiled";
    spec.folder = "recursive";
    spec.tunables = {{"LANES", &Settings::lanes, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}},
                     {"CHUNKS", &Settings::chunks, chunk_counts},
                     {"APRON", &Settings::apron, {0, 50}},
                     {"NEAR", &Settings::near, {0, 1}},
                     {"EXCHANGE", &Settings::exchange, {0, 1}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = [](const RecursivePass &pass, const Settings &settings, const DeviceFacts &facts) {
        return recursive_work(pass, {StartForm::shared, States::made_anew}, facts,
                              [&](const RecursiveStage &stage, Work &to) {
                                  return add_launches(stage, settings, facts, to);
                              });
    };
    spec.details = [](const RecursivePass &pass, const Settings &settings) {
        return recursive_details(pass, tile_of(settings.chunks));
    };
    spec.rank = [](const RecursivePass &pass, const Settings &, const DeviceFacts &facts) {
        return RecursiveRank{.strips = 4,
                             .few_lines_in_strips = 3,
                             .nothing_shared = 3,
                             .asked_tiles = 6,
                             .few_lines = 4,
                             .tiles = 5,
                             .two_in_strips = 4,
                             .two_on_plain_gpu = 3,
                             .two = 5}(pass, facts);
    };
    return spec;
}

} // namespace gz
