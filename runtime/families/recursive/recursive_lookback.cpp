// One pass over long lines, by looking back. See cl/recursive/recursive_lookback.cl.
#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"

namespace gz {

namespace {

struct Settings {
    int chunks;
};

constexpr int run = 16;    // chunks, see RUN in cl/lib/recursive_runs.clh
constexpr int window = 32; // tiles, see WINDOW in the kernel

std::uint64_t add_launches(const RecursiveStage &stage, const Settings &settings,
                           const DeviceFacts &facts, Work &to) {
    const int chunks = settings.chunks;
    const std::int64_t tile = std::int64_t{recursive_chunk} * chunks;
    const int runs = chunks / run;
    const Lines &lines = stage.lines;
    const std::int64_t line_tiles = ceil_div(lines.length, tile);
    const std::int64_t tiles = line_tiles * lines.lines * stage.batch;
    const std::int64_t words = 1 + 2 * stage.states() * tiles;
    std::vector<std::byte> powers = chunk_powers(stage, run);
    const bool small = fit_by_value(stage, powers, facts);

    Defines defines = chunk_defines(stage, small, std::nullopt);
    defines["CHUNKS"] = chunks;
    defines["POLLS_ATOMICALLY"] = polls_atomically(facts) ? 1 : 0;
    defines["VECTORS"] = reads_vectors(stage, 1) ? 1 : 0;

    const SharedWords shared = share_words(stage.own, words, facts, to);
    defines["SELF_CLEARS"] = shared.self_clears;

    Launch launch;
    launch.program = {"recursive/recursive_lookback.cl", "recursive_lookback", defines};
    // Two states of each section, and 35 integers.
    launch.local_bytes = static_cast<std::size_t>(4 * stage.sections() + 35) * sizeof(float);
    launch.range.local = {static_cast<std::size_t>(chunks), 1, 1};
    launch.range.global = {static_cast<std::size_t>(tiles * chunks), 1, 1};
    launch.arguments = {
        stage.src(), stage.dst(), shared.words, stage.start_states, by_value(lines),
        by_value(static_cast<std::int32_t>(line_tiles)), by_value(tiles), shared.to_clear,
        sections_argument(stage, small), array_argument(std::move(powers), small),
        in_memory(section_places(stage, recursive_chunk, run)),
        in_memory(section_places(stage, std::int64_t{recursive_chunk} * run, runs)),
        in_memory(section_places(stage, tile, window + 1)),
        local_floats(floats_of_rows(stage, 1, chunks)),
        local_floats(stage.states() * (chunks + runs)), local_floats(stage.states() * runs),
        // The kernel's own arrays are included.
        local_floats(stage.states() * (window + 2) + window + 2)};
    if (stage.has_start_states())
        launch.arguments.emplace_back(local_floats(stage.states()));
    to.launches.push_back(std::move(launch));
    return shared.workspace_bytes;
}

std::string refusal(const RecursivePass &pass, const Settings &settings) {
    const std::int64_t tiles =
        ceil_div(pass.lines.length, std::int64_t{recursive_chunk} * settings.chunks) *
        pass.lines.lines * pass.batch();
    if (tiles >= std::int64_t{1} << 30)
        return text("there would be ", tiles, " tiles");
    for (const LineStage &stage : pass.stages)
        if (!stage.causal.empty() && !stage.anticausal.empty())
            return "scans run in both directions";
    const std::string reason = floats_refusal(pass);
    return reason.empty() ? sections_refusal(pass) : reason;
}

} // namespace

Kernel recursive_lookback() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_lookback";
    spec.folder = "recursive";
    spec.tunables = {{"CHUNKS", &Settings::chunks, {32, 64, 128, 256, 512}}};
    spec.refusal = refusal;
    spec.preferred = [](const RecursivePass &, const DeviceFacts &) {
        return std::vector<Settings>{{.chunks = 512}, {.chunks = 256}, {.chunks = 128}};
    };
    spec.work = [](const RecursivePass &pass, const Settings &settings, const DeviceFacts &facts) {
        return recursive_work(pass, {StartForm::shared, States::made_anew}, facts,
                              [&](const RecursiveStage &stage, Work &to) {
                                  return add_launches(stage, settings, facts, to);
                              });
    };
    spec.details = [](const RecursivePass &pass, const Settings &) {
        return recursive_details(pass);
    };
    spec.rank = [](const RecursivePass &pass, const Settings &, const DeviceFacts &facts) {
        return RecursiveRank{.strips = 2,
                             .few_lines_in_strips = 1,
                             .nothing_shared = 1,
                             .asked_tiles = 2,
                             .few_lines = 6,
                             .tiles = 2,
                             .two_in_strips = RecursiveRank::never,
                             .two_on_plain_gpu = RecursiveRank::never,
                             .two = RecursiveRank::never}(pass, facts);
    };
    return spec;
}

} // namespace gz
