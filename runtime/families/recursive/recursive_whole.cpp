// Groups that hold whole lines. See cl/recursive/recursive_whole.cl.
#include <algorithm>

#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"
#include "families/recursive/recursive_starts.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, chunks;
};

constexpr int chunk = recursive_chunk;
constexpr int most_chunks = 256; // of a line
constexpr int run = 16;          // chunks

std::uint64_t add_launch(const RecursiveStage &stage, const Settings &settings,
                         const DeviceFacts &facts, Work &to) {
    const auto [lanes, chunks] = settings;
    const int runs = chunks / run;
    const Lines &lines = stage.lines;
    LanesProgram program = lanes_program(stage, lanes, chunks, run, facts);
    GivenStarts starts = starts_of_whole_lines(stage, chunks, facts);

    Launch launch;
    launch.program = {"recursive/recursive_whole.cl", "recursive_whole",
                      std::move(program.defines)};
    launch.program.defines["RUN"] = run;
    launch.program.defines["OWN_STARTS"] = static_cast<int>(starts.own);
    const int group = lanes * chunks;
    launch.range.local = {static_cast<std::size_t>(group), 1, 1};
    launch.range.global = {static_cast<std::size_t>(ceil_div(lines.lines, lanes) * group), 1,
                           static_cast<std::size_t>(stage.batch)};

    const std::vector<double> matrices = section_places(stage, chunk, run);
    const int of_ends = starts.own == OwnStarts::from_sums ? 3 : 1;
    const std::int64_t kept =
        stage.sections() * lanes * (chunks + 2 * runs + of_ends) * stage.order();
    starts.arguments.insert(starts.arguments.end(),
                            {by_value(lines), sections_argument(stage, program.by_value),
                             std::move(program.powers), in_memory(matrices),
                             local_floats(kept + static_cast<std::int64_t>(matrices.size()))});
    launch.arguments = stage.images_and(std::move(starts.arguments));
    if (stage.along_rows)
        launch.arguments.emplace_back(local_floats(floats_of_rows(stage, lanes, chunks)));
    to.launches.push_back(std::move(launch));
    return 0;
}

// Returns the most sections of a stage. The kernel has an item for each of them in every lane.
int most_sections(const RecursivePass &pass) {
    std::size_t most = 0;
    for (const LineStage &stage : pass.stages)
        most = std::max(most, stage.causal.size() + stage.anticausal.size());
    return static_cast<int>(most);
}

std::string refusal(const RecursivePass &pass, const Settings &settings) {
    if (std::string reason = lanes_refusal(pass, settings.lanes, settings.chunks); !reason.empty())
        return reason;
    if (most_sections(pass) > settings.chunks)
        return text("a stage has ", most_sections(pass), " sections, more than ", settings.chunks,
                    " chunks");
    if (const std::int64_t most = std::int64_t{chunk} * settings.chunks; pass.lines.length > most)
        return text("lines of ", pass.lines.length, " samples are longer than ", most);
    return "";
}

// The number of chunks is one of a few, as a program is compiled for each.
int chunks_for(const RecursivePass &pass) {
    const auto runs = static_cast<int>(ceil_div(pass.lines.length, std::int64_t{chunk * run}));
    return std::max(runs, (most_sections(pass) + run - 1) / run) * run;
}

// Columns side by side are read together: eight fill a sector of 32 bytes.
constexpr int columns = 8;

// Rows take least time by themselves, as many small groups of one begin and end at different times.
std::vector<Settings> preferred(const RecursivePass &pass, const DeviceFacts &) {
    if (chunks_for(pass) > most_chunks)
        return {};
    const auto lanes = [&](int count) {
        return Settings{.lanes = pass.along_rows ? lanes_of_pixels(count, pass.components) : count,
                        .chunks = chunks_for(pass)};
    };
    if (pass.along_rows)
        return {lanes(1), lanes(2), lanes(4)};
    return {lanes(columns), lanes(columns / 2)};
}

// Whether the kernel takes less time than others. Measured on NVIDIA (H200): where there are few samples for each core, it
// takes less than groups that march along their lines, tile after tile; and up to more samples where the latter look far
// ahead.
bool is_fastest(const RecursivePass &pass, const DeviceFacts &facts) {
    if (facts.device_class != DeviceClass::nvidia_gpu || pass.tile > 0)
        return false;
    const int chunks = chunks_for(pass);
    if (chunks > most_chunks || (!pass.along_rows && columns * chunks > most_items_of_lanes))
        return false;
    constexpr std::int64_t soon = 128; // samples, of which other kernels read aprons
    const bool makes_starts = pass.stages.size() == 1 && !pass.stages.front().start_states.empty();
    if (!makes_starts && forgets_within(pass, soon))
        return false;
    constexpr std::int64_t far = 512;                                        // samples
    constexpr std::int64_t few_of_rows = 48 << 10, more_of_rows = 256 << 10; // samples for a core
    constexpr std::int64_t few_of_columns = 12 << 10, more_of_columns = 64 << 10;
    const bool is_far = !forgets_within(pass, far);
    const std::int64_t most = pass.along_rows ? (is_far ? more_of_rows : few_of_rows)
                                              : (is_far ? more_of_columns : few_of_columns);
    return std::int64_t{pass.lines.length} * pass.lines.lines * pass.batch() <=
           most * facts.cores();
}

} // namespace

Kernel recursive_whole() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_whole";
    spec.folder = "recursive";
    spec.tunables = {{"LANES", &Settings::lanes, {1, 2, 3, 4, 6, 8, 12, 16}},
                     {"CHUNKS",
                      &Settings::chunks,
                      {16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256}}};
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
        return pass.second ? Rank::never() : Rank{is_fastest(pass, facts) ? 8 : 0};
    };
    return spec;
}

} // namespace gz
