// Groups that march along lines side by side and look ahead. See cl/recursive/recursive_look.cl.
#include <algorithm>
#include <cmath>
#include <optional>

#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"
#include "families/recursive/recursive_starts.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, chunks;
    int bodies = 1; // of the loop over tiles: see the kernel
};

constexpr int chunk = recursive_chunk;
constexpr std::int64_t most_look = 64; // tiles

// Returns the tiles to look ahead, at most those of the line; nothing where there are too many.
std::optional<int> look_of(const LineStage &stage, std::int64_t length, int chunks,
                           Beyond beyond = Beyond::held) {
    if (stage.anticausal.empty())
        return 0;
    const std::int64_t tile = std::int64_t{chunk} * chunks;
    const std::int64_t others = std::max<std::int64_t>(ceil_div(length, tile) - 1, 1);
    const std::int64_t most = std::min(others, most_look);
    if (const std::optional<std::int64_t> samples =
            samples_that_matter(stage, &LineStage::anticausal, beyond, most * tile))
        return static_cast<int>(std::max<std::int64_t>(ceil_div(*samples, tile), 1));
    return others <= most_look ? std::optional(static_cast<int>(others)) : std::nullopt;
}

std::uint64_t add_launch(const RecursiveStage &stage, const Settings &settings,
                         const DeviceFacts &facts, Work &to) {
    const int lanes = settings.lanes;
    const int group = lanes * settings.chunks;
    const Lines &lines = stage.lines;
    const LineStage &filter = stage.first();
    const int look = *look_of(filter, lines.length, settings.chunks);
    LanesProgram program = lanes_program(stage, lanes, settings.chunks, settings.chunks, facts);

    Launch launch;
    launch.program = {"recursive/recursive_look.cl", "recursive_look", std::move(program.defines)};
    launch.program.defines["BODIES"] = settings.bodies;
    launch.program.defines["KEEPS_IN_CACHE"] = facts.keeps_in_cache ? 1 : 0;
    // Not where as many tiles are read without.
    const bool has_held = look != look_of(filter, lines.length, settings.chunks, Beyond::zero);
    launch.program.defines["HOLDS"] = has_held ? 1 : 0;
    launch.program.defines["KEEPS"] = look == 1 ? 1 : 0;
    GivenStarts starts = starts_of_lanes(stage, settings.chunks, facts);
    launch.program.defines["OWN_STARTS"] = static_cast<int>(starts.own);
    launch.range.local = {static_cast<std::size_t>(group), 1, 1};
    launch.range.global = {static_cast<std::size_t>(ceil_div(lines.lines, lanes) * group), 1,
                           static_cast<std::size_t>(stage.batch)};
    const auto anticausal = static_cast<std::int64_t>(filter.anticausal.size());
    const std::int64_t places = stage.along_rows ? group + lanes : group; // STATE_PLACES
    const std::int64_t kept = (stage.sections() + anticausal) * places +
                              ((look + (has_held ? 1 : 0)) * anticausal + stage.sections()) * lanes;
    starts.arguments.insert(starts.arguments.end(),
                            {by_value(lines), by_value(look),
                             sections_argument(stage, program.by_value), std::move(program.powers),
                             local_floats(kept * stage.order())});
    launch.arguments = stage.images_and(std::move(starts.arguments));
    if (stage.along_rows) {
        const std::int64_t rows = floats_of_rows(stage, lanes, settings.chunks);
        launch.arguments.emplace_back(local_floats(rows));
        if (program.is_staged && anticausal > 0)
            launch.arguments.emplace_back(local_floats(rows));
    }
    to.launches.push_back(std::move(launch));
    return 0;
}

std::string refusal(const RecursivePass &pass, const Settings &settings) {
    if (std::string reason = lanes_refusal(pass, settings.lanes, settings.chunks); !reason.empty())
        return reason;
    for (const LineStage &stage : pass.stages)
        if (!stage.has_taps() && !look_of(stage, pass.lines.length, settings.chunks))
            return text("samples matter to others that are more than ", most_look, " tiles ahead");
    return "";
}

// Measured on NVIDIA (H200, whose cache has 50 MiB): so many of the bytes that are read between the two times that a pixel is
// are still in the cache. Lines of it that are read in part count whole.
constexpr double cache_bytes = 22e6;
constexpr std::int64_t cache_line = 128; // bytes

// Returns how many times as long groups take that read so many bytes between the two times that they read a pixel, as some
// of them come from memory again. Columns of 16384x16384 f32 by groups of 64 take 0.57, 0.66, 0.73 and 0.81 ms with 22, 26,
// 35 and 48 million.
double time_beyond_cache(std::int64_t bytes) {
    constexpr double most = 1.45;
    const double from_memory = 1.0 - cache_bytes / static_cast<double>(bytes);
    return std::clamp(1.0 + 0.8 * from_memory, 1.0, most);
}

// A shape of groups, how many of them run on a unit at a time, and the milliseconds that 16384 lines of f32 of as many
// samples take, measured on NVIDIA (H100, which copies them in 0.71).
struct Shape {
    Settings settings;
    std::int64_t of_unit;
    double time;
};
constexpr Shape shapes_of_columns[] = {{{.lanes = 64, .chunks = 8}, 1, 0.76},
                                       {{.lanes = 32, .chunks = 16}, 1, 0.80},
                                       {{.lanes = 16, .chunks = 16}, 2, 0.87},
                                       {{.lanes = 16, .chunks = 32}, 1, 0.87},
                                       {{.lanes = 8, .chunks = 32}, 2, 0.92}};
constexpr Shape shapes_of_rows[] = {{{.lanes = 16, .chunks = 16}, 2, 0.77},
                                    {{.lanes = 8, .chunks = 16}, 4, 0.85},
                                    {{.lanes = 8, .chunks = 32}, 2, 0.92}};

// The same of rows of several components.
Shape shape_of_pixels(int components) {
    return {{.lanes = lanes_of_pixels(8, components), .chunks = 16}, 4, 0.85};
}

bool forgets_soon(const RecursivePass &pass) {
    constexpr std::int64_t soon = 128; // samples, of which other kernels read aprons
    return forgets_within(pass, soon);
}

struct Expected {
    double time;           // in the units of Shape, without what whole tiles have beyond lines
    double of_whole_tiles; // with that
    bool one_round;
    Settings settings;
};

// Returns what a shape is expected to take. A unit that has more groups takes longer, whether they run at a time or one after
// the other.
Expected expected_of(const RecursivePass &pass, const Shape &shape, const DeviceFacts &facts) {
    const int lanes = shape.settings.lanes;
    const int chunks = shape.settings.chunks;
    const std::int64_t units = facts.cores();
    const std::int64_t lines = pass.lines.lines * pass.batch();
    const std::int64_t groups = ceil_div(pass.lines.lines, std::int64_t{lanes}) * pass.batch();
    const auto rounds = static_cast<double>(ceil_div(groups, units));

    int look = 0;
    for (const LineStage &stage : pass.stages)
        if (!stage.has_taps())
            look = std::max(look, look_of(stage, pass.lines.length, chunks).value_or(0));
    const std::int64_t between = std::min(std::int64_t{look + 1} * chunks * chunk,
                                          std::int64_t{pass.lines.length}); // samples of a line
    const auto bytes = static_cast<std::int64_t>(size_of(pass.src_type));
    const std::int64_t beside =
        pass.along_rows ? lanes * bytes : std::max(lanes * bytes, cache_line);
    const std::int64_t kept = std::min(groups, units * shape.of_unit) * beside * between;
    const double time = rounds * static_cast<double>(lanes * units) / static_cast<double>(lines) *
                        shape.time * (look == 0 ? 1.0 : time_beyond_cache(kept));
    const std::int64_t tile = std::int64_t{chunks} * chunk;
    const auto marched = static_cast<double>((ceil_div(pass.lines.length, tile) + look) * tile);
    return {time, time * marched / static_cast<double>(pass.lines.length), groups <= units,
            shape.settings};
}

// Returns what is expected of all shapes, the fastest first.
std::vector<Expected> expectations(const RecursivePass &pass, const DeviceFacts &facts) {
    std::vector<Expected> result;
    const auto add = [&](const Shape &shape) { result.push_back(expected_of(pass, shape, facts)); };
    constexpr int vector = 4;
    if (!pass.along_rows)
        std::for_each(std::begin(shapes_of_columns), std::end(shapes_of_columns), add);
    else if (pass.components > 1)
        add(shape_of_pixels(pass.components));
    else if (pass.alignment >= vector)
        std::for_each(std::begin(shapes_of_rows), std::end(shapes_of_rows), add);
    else
        add(shapes_of_rows[0]);
    std::stable_sort(result.begin(), result.end(), [](const Expected &a, const Expected &b) {
        return a.of_whole_tiles < b.of_whole_tiles;
    });
    return result;
}

// Whether two bodies of the loop take less time than one. Measured on NVIDIA (H200): 0.94 to 0.98 for Gaussians whose lines
// start from states; 1.17 for rows that are read one tile ahead where samples behind that are not held, of which the
// compiler keeps too much in registers. CPUs take twice as long to compile them.
bool gains_by_bodies(const RecursivePass &pass, const DeviceFacts &facts) {
    return !facts.is_cpu() &&
           std::all_of(pass.stages.begin(), pass.stages.end(), [&](const LineStage &stage) {
               const bool holds = stage.negligible > half_of_rounding;
               return !stage.start_states.empty() && symmetry_of(stage) != Symmetry::none &&
                      (holds || !pass.along_rows);
           });
}

std::vector<Settings> preferred(const RecursivePass &pass, const DeviceFacts &facts) {
    std::vector<Settings> result;
    for (const Expected &expected : expectations(pass, facts))
        result.push_back(expected.settings);
    // Stages of many sections have room for few lines.
    result.push_back(
        {.lanes = pass.along_rows ? lanes_of_pixels(16, pass.components) : 16, .chunks = 4});
    if (gains_by_bodies(pass, facts))
        for (Settings &settings : result)
            settings.bodies = 2;
    return result;
}

bool forgets_bytes_soon(const RecursivePass &pass) {
    constexpr std::int64_t very_soon = 64; // samples
    return pass.src_type == PixelType::u8 && forgets_within(pass, very_soon);
}

// Whether the kernel takes less time than others. Measured on NVIDIA (H100, H200): what tiles that exchange their sums and
// tiles with aprons take, in the units of Shape. Where lines are few, launches and clearing cost the former more.
bool is_fastest(const RecursivePass &pass, const DeviceFacts &facts) {
    if (facts.device_class != DeviceClass::nvidia_gpu || pass.tile > 0)
        return false;
    constexpr std::int64_t tile_of_others =
        1024; // samples; where there are many lines, they also take twice as many
    constexpr std::int64_t least_lines = 8; // of each unit
    const std::int64_t lines = pass.lines.lines * pass.batch();
    const bool makes_starts = pass.stages.size() == 1 && !pass.stages.front().start_states.empty();
    const bool is_large =
        pass.lines.length > tile_of_others && lines >= least_lines * facts.cores();
    if (!makes_starts && !is_large)
        return false;
    const Expected expected = expectations(pass, facts).front();
    const double others = forgets_soon(pass) ? 0.9 : pass.along_rows ? 0.96 : 1.15;
    if (makes_starts) {
        // The others' launches, for start states and for what tiles leave, take 22 us more: 128x128 to 4096x4096.
        constexpr double launches = 0.022; // ms
        constexpr double unit = 16384.0 * 16384.0;
        const double samples = static_cast<double>(lines) * static_cast<double>(pass.lines.length);
        const double tiles = forgets_bytes_soon(pass) ? 0.5 : others; // 0.5 by estimate
        if ((expected.time - tiles) * samples / unit < launches)
            return true;
    }
    if (!is_large)
        return false;
    if (!forgets_soon(pass))
        return expected.one_round || expected.time < others;
    return pass.lines.length > 2 * tile_of_others && !forgets_bytes_soon(pass) &&
           expected.time < others;
}

} // namespace

Kernel recursive_look() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_look";
    spec.folder = "recursive";
    spec.tunables = {{"LANES", &Settings::lanes, {4, 6, 8, 12, 16, 24, 32, 64}},
                     {"CHUNKS", &Settings::chunks, {4, 8, 16, 32}},
                     {"BODIES", &Settings::bodies, {1, 2}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = [](const RecursivePass &pass, const Settings &settings, const DeviceFacts &facts) {
        return recursive_work(pass, {StartForm::in_kernel, States::made_anew}, facts,
                              [&](const RecursiveStage &stage, Work &to) {
                                  return add_launch(stage, settings, facts, to);
                              });
    };
    spec.details = [](const RecursivePass &pass, const Settings &settings) {
        return recursive_details(pass, std::int64_t{chunk} * settings.chunks);
    };
    spec.rank = [](const RecursivePass &pass, const Settings &, const DeviceFacts &facts) {
        return pass.second ? Rank::never() : Rank{is_fastest(pass, facts) ? 7 : 0};
    };
    return spec;
}

} // namespace gz
