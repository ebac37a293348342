// Groups that hold whole lines. See cl/recursive/recursive_whole.cl.
#include <algorithm>
#include <array>

#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_chunks.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, chunks;
};

constexpr int chunk = recursive_chunk;
constexpr int most_chunks = 256; // of a line
constexpr int run = 16;          // chunks

// Whether start states are made of what all chunks leave, in place of sums over the samples that matter to them.
bool has_start_sums(const RecursiveStage &stage, OwnStarts own) {
    return (own == OwnStarts::from_many || own == OwnStarts::from_powers) &&
           !stage.first().start_powers.empty() && is_mirrored(stage);
}

// Appends the matrix by which what samples leave, each counted from 1 on, is multiplied where `first` is the first one's
// weights: it is the identity and the transition over a sample, each so many times.
void append_times(std::vector<double> &to, const Section &section, std::array<double, 2> first,
                  int order) {
    if (order == 1) {
        to.push_back(first[0]);
        return;
    }
    const auto less = transition(section, 1).less_identity;
    // A sample leaves (1, 1), and that a sample later these.
    const double later_w = 1.0 + less[0][0] + less[0][1];
    const double later_v = less[1][0] + 1.0 + less[1][1];
    const double transitions = (first[1] - first[0]) / (later_v - later_w);
    const double identities = first[0] - transitions * later_w;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            to.push_back(transitions * less[i][j] + (i == j ? identities + transitions : 0.0));
}

using TwoByTwo = std::array<std::array<double, 2>, 2>;
std::array<double, 2> carried_over(const TwoByTwo &less_identity, std::array<double, 2> state) {
    return {state[0] + less_identity[0][0] * state[0] + less_identity[0][1] * state[1],
            state[1] + less_identity[1][0] * state[0] + less_identity[1][1] * state[1]};
}

// What FROM_SUMS of the kernel takes.
GivenStarts start_sums(const RecursiveStage &stage) {
    const LineStage &filter = stage.first();
    const std::int64_t length = stage.lines.length;
    const int order = stage.order();
    std::vector<double> constants;
    std::vector<double> of_first;
    std::vector<double> of_last;
    std::vector<double> of_start;
    std::vector<double> of_end;
    std::vector<double> over_rest;
    for (std::size_t s = 0; s < filter.start_powers.size(); ++s) {
        const Section &section = stage.section(s);
        const StartPowers &powers = filter.start_powers[s];
        append_times(of_start, section, powers.near, order);
        append_times(of_end, section, powers.far, order);
        // What arrives at an end has the sample at the other with it, which counts by its own weight.
        std::array<double, 2> near_at_last = powers.near;
        std::array<double, 2> far_at_first = powers.far;
        if (length > 1) {
            const auto less = transition(section, length - 2).less_identity;
            near_at_last = carried_over(less, near_at_last);
            far_at_first = carried_over(less, far_at_first);
        }
        for (std::size_t k = 0; k < static_cast<std::size_t>(order); ++k) {
            constants.push_back(filter.start_states[2 * s + k].constant);
            of_first.push_back(powers.of_first[k] - (length > 1 ? far_at_first[k] : 0.0));
            of_last.push_back(powers.of_last[k] - (length > 1 ? near_at_last[k] : 0.0));
        }
        const std::int64_t rest =
            s < filter.causal.size() ? (length - 1) % chunk : std::int64_t{chunk} - 1;
        const auto less = transition(section, rest).less_identity;
        for (std::size_t i = 0; i < static_cast<std::size_t>(order); ++i)
            for (std::size_t j = 0; j < static_cast<std::size_t>(order); ++j)
                over_rest.push_back(less[i][j]);
    }
    std::vector<double> weights;
    for (const auto *part : {&constants, &of_first, &of_last, &of_start, &of_end, &over_rest})
        weights.insert(weights.end(), part->begin(), part->end());
    return {OwnStarts::from_sums, {in_memory(weights)}};
}

std::uint64_t add_launch(const RecursiveStage &stage, const Settings &settings,
                         const DeviceFacts &facts, Work &to) {
    const auto [lanes, chunks] = settings;
    const int runs = chunks / run;
    const Lines &lines = stage.lines;
    LanesProgram program = lanes_program(stage, lanes, chunks, run, facts);
    GivenStarts starts = lanes_starts(stage, chunks, facts);
    if (has_start_sums(stage, starts.own))
        starts = start_sums(stage);

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
