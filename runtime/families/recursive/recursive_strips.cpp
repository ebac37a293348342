// Strips of lines in vector registers, for CPUs. See cl/recursive/recursive_strips.cl.
#include <algorithm>
#include <cmath>

#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive_starts.hpp"

namespace gz {

namespace {

struct Settings {
    int wide, block;
};

constexpr int vector_width = 16; // values of a vector
constexpr int usual_block = 256;
constexpr int longest_block = 2048;
constexpr int longest_run = 128; // samples of a row that are written at once

std::uint64_t add_launch(const RecursiveStage &stage, const Settings &settings,
                         const DeviceFacts &facts, Work &to) {
    const int block = settings.block;
    const int vectors = settings.wide * (stage.along_rows ? stage.components : 1);
    const bool small = takes_sections_by_value(stage, facts);
    const std::optional<int> ahead =
        samples_of_lead(stage.filters, &LineStage::anticausal, Beyond::held, block);
    const std::int64_t strips = ceil_div(stage.lines.lines, std::int64_t{vector_width} * vectors);

    Launch launch;
    launch.program = {"recursive/recursive_strips.cl", "recursive_strips",
                      recursive_defines(stage, small)};
    Defines &defines = launch.program.defines;
    defines["ALONG_ROWS"] = stage.along_rows ? 1 : 0;
    defines["ALIGNED"] = stage.alignment >= vector_width ? 1 : 0;
    defines["LOOKS_AHEAD"] = ahead ? 1 : 0;
    defines["HOLDS"] = ahead && holds(stage.filters) ? 1 : 0;
    defines["WIDE"] = settings.wide;
    defines["BLOCK"] = block;
    launch.range.global = {static_cast<std::size_t>(strips), 1,
                           static_cast<std::size_t>(stage.batch)};
    GivenStarts starts = starts_of_strips(stage, facts);
    defines["OWN_STARTS"] = static_cast<int>(starts.own);
    std::vector<Argument> arguments = std::move(starts.arguments);
    arguments.insert(arguments.begin(), stage.own);
    arguments.insert(arguments.end(), {by_value(stage.lines), sections_argument(stage, small),
                                       by_value(static_cast<std::int32_t>(ahead.value_or(0)))});
    launch.arguments = stage.images_and(std::move(arguments));
    // Results of rows wait in private memory until there are `run` samples of each.
    std::size_t waiting_bytes = 0;
    if (stage.along_rows) {
        const int run = std::min(block, longest_run);
        const int values_of_a_strip = vector_width * (run * stage.components + vector_width);
        defines["RUN"] = run;
        waiting_bytes = stage.targets() *
                        static_cast<std::size_t>(settings.wide * values_of_a_strip) * sizeof(float);
    }
    // Two blocks of samples and of sums; the second source's or target's lie five samples further on.
    constexpr int apart = 5;
    const std::size_t block_bytes =
        static_cast<std::size_t>(vectors * (block + apart) * vector_width) * sizeof(float);
    launch.private_bytes =
        2 * block_bytes *
            (stage.sources() + stage.targets() * size_of(stage.states_are) / sizeof(float)) +
        waiting_bytes;
    launch.needs_f64 = stage.states_are != StateType::floats;
    // Where lines end, results were off by up to nine times their bound as the driver optimises them (H100, driver 580);
    // unoptimised they were right there, as they are on all CPUs.
    if (facts.device_class == DeviceClass::nvidia_gpu)
        launch.unfit = "is for CPUs, and beyond its bound on NVIDIA's GPUs";
    to.launches.push_back(std::move(launch));
    if (ahead)
        return 0;
    const std::int64_t states =
        static_cast<std::int64_t>(stage.anticausal().size()) * stage.order();
    return static_cast<std::uint64_t>(stage.batch * strips * ceil_div(stage.lines.length, block) *
                                      vectors * states * vector_width) *
           size_of(stage.states_are);
}

std::string refusal(const RecursivePass &pass, const Settings &settings) {
    // Short blocks of few lines fit where little private memory is to be had, and so take any filter.
    if (settings.block < usual_block && settings.wide > 1)
        for (const LineStage *stage : pass.all_stages())
            if (!samples_of_lead({stage}, &LineStage::anticausal, Beyond::held, settings.block))
                return text("samples matter to others before them that are more than ",
                            settings.block, " away");
    return sections_refusal(pass);
}

// Blocks have what matters to the block before, so that lines are read once: long blocks leave less to be read there
// twice, but more than the nearest caches hold. Down columns, a cache line has 16 values, and pages have more.
std::vector<Settings> preferred(const RecursivePass &pass, const DeviceFacts &) {
    const int wide = pass.along_rows ? 1 : 4;
    int block = usual_block;
    for (const LineStage *stage : pass.all_stages())
        if (const auto needed =
                samples_of_lead({stage}, &LineStage::anticausal, Beyond::held, longest_block))
            while (block < *needed)
                block *= 2;
    std::vector<Settings> result;
    if (block != usual_block && (pass.along_rows || block == 512))
        result.push_back({.wide = wide, .block = block});
    result.push_back({.wide = wide, .block = usual_block});
    result.push_back({.wide = 1, .block = 32});
    return result;
}

} // namespace

Kernel recursive_strips() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_strips";
    spec.folder = "recursive";
    spec.tunables = {{"WIDE", &Settings::wide, {1, 2, 4}},
                     {"BLOCK", &Settings::block, {32, usual_block, 512, 1024, longest_block}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = [](const RecursivePass &pass, const Settings &settings, const DeviceFacts &facts) {
        return recursive_work(
            pass, {StartForm::in_kernel, States::stepped, start_form_without_barrier(facts)}, facts,
            [&](const RecursiveStage &stage, Work &to) {
                return add_launch(stage, settings, facts, to);
            });
    };
    spec.details = [](const RecursivePass &pass, const Settings &) {
        return recursive_details(pass);
    };
    spec.rank = [](const RecursivePass &pass, const Settings &, const DeviceFacts &facts) {
        return RecursiveRank{.strips = 6,
                             .few_lines_in_strips = 4,
                             .nothing_shared = 5,
                             .asked_tiles = 3,
                             .few_lines = 2,
                             .tiles = 3,
                             .two_in_strips = 6,
                             .two_on_plain_gpu = 5,
                             .two = 3}(pass, facts);
    };
    return spec;
}

} // namespace gz
