// Segments of long lines in vector registers, for CPUs. See cl/recursive/recursive_segments.cl.
#include <algorithm>
#include <limits>

#include "families/recursive/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int block, blocks;
};

constexpr std::int64_t lanes = 16; // of a vector

std::int64_t segment_of(const Settings &settings) {
    return std::int64_t{settings.block} * settings.blocks;
}

// Samples by which segments start early: less than half of one.
std::optional<std::int64_t> lead_of(const LineStage &stage, std::int64_t segment,
                                    std::int64_t block) {
    const std::optional<int> needed =
        samples_of_lead({&stage}, &LineStage::causal, Beyond::zero, segment / 2 - block);
    if (!needed)
        return std::nullopt;
    return ceil_div(*needed, block) * block;
}

std::string refusal(const RecursivePass &pass, const Settings &settings) {
    const std::int64_t segment = segment_of(settings);
    const int block = settings.block;
    if (!pass.along_rows || pass.components != 1)
        return "samples are not side by side";
    if (pass.lines.length < lanes * segment)
        return text("lines are shorter than ", lanes, " segments of ", segment);
    if (pass.lines.length + lanes * segment > std::numeric_limits<std::int32_t>::max())
        return text("lines have ", pass.lines.length, " samples");
    for (const LineStage &stage : pass.stages) {
        if (!lead_of(stage, segment, block))
            return text("samples matter to others that are half a segment of ", segment, " away");
        if (!samples_of_lead({&stage}, &LineStage::anticausal, Beyond::zero, block))
            return text("samples matter to others before them that are more than ", block, " away");
    }
    return sections_refusal(pass);
}

std::uint64_t add_launch(const RecursiveStage &stage, const Settings &settings,
                         const DeviceFacts &facts, Work &to) {
    const std::int64_t segment = segment_of(settings);
    const int block = settings.block;
    const bool small = takes_sections_by_value(stage, facts);
    Launch launch;
    launch.program = {"recursive/recursive_segments.cl", "recursive_segments",
                      recursive_defines(stage, small)};
    launch.program.defines["BLOCK"] = block;
    launch.program.defines["ALIGNED"] = stage.alignment >= lanes ? 1 : 0;
    launch.range.global = {static_cast<std::size_t>(ceil_div(stage.lines.length, lanes * segment)),
                           static_cast<std::size_t>(stage.lines.lines),
                           static_cast<std::size_t>(stage.batch)};
    launch.arguments = {
        stage.src(),
        stage.dst(),
        stage.start_states,
        by_value(stage.lines),
        by_value(static_cast<std::int32_t>(segment)),
        by_value(static_cast<std::int32_t>(*lead_of(stage.first(), segment, block))),
        by_value(static_cast<std::int32_t>(
            *samples_of_lead({&stage.first()}, &LineStage::anticausal, Beyond::zero, block))),
        sections_argument(stage, small)};
    launch.private_bytes =
        static_cast<std::size_t>(block * lanes) * (2 * sizeof(float) + size_of(stage.states_are));
    launch.needs_f64 = stage.states_are != StateType::floats;
    to.launches.push_back(std::move(launch));
    return 0;
}

} // namespace

Kernel recursive_segments() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_segments";
    spec.folder = "recursive";
    // The numbers are odd, so that segments start in different sets of a cache.
    spec.tunables = {{"BLOCK", &Settings::block, {64, 256}},
                     {"BLOCKS", &Settings::blocks, {7, 15, 63, 255, 1023, 4095}}};
    spec.refusal = refusal;
    // Prefers short segments, of which there are enough for all cores, whose early start is a small part of
    // themselves.
    spec.preferred = [](const RecursivePass &pass, const DeviceFacts &facts) {
        std::vector<Settings> configs;
        for (const int block : {64, 256})
            for (const int blocks : {255, 63, 15, 7, 1023, 4095}) {
                const std::int64_t segment = std::int64_t{block} * blocks;
                const bool leads_little = std::all_of(
                    pass.stages.begin(), pass.stages.end(), [&](const LineStage &stage) {
                        const std::optional<std::int64_t> lead = lead_of(stage, segment, block);
                        return lead && *lead * 8 <= segment;
                    });
                const std::int64_t items =
                    pass.lines.lines * pass.batch() * (pass.lines.length / (lanes * segment));
                if (leads_little && items >= 4 * facts.cores())
                    configs.push_back({.block = block, .blocks = blocks});
            }
        return configs;
    };
    spec.work = [](const RecursivePass &pass, const Settings &settings, const DeviceFacts &facts) {
        return recursive_work(pass, {StartForm::alone, States::stepped}, facts,
                              [&](const RecursiveStage &stage, Work &to) {
                                  return add_launch(stage, settings, facts, to);
                              });
    };
    spec.details = [](const RecursivePass &pass, const Settings &settings) {
        return text(recursive_details(pass), ", segments of ", segment_of(settings));
    };
    spec.rank = [](const RecursivePass &pass, const Settings &, const DeviceFacts &facts) {
        return RecursiveRank{.strips = 1,
                             .few_lines_in_strips = 6,
                             .nothing_shared = 2,
                             .asked_tiles = 1,
                             .few_lines = 1,
                             .tiles = 1,
                             .two_in_strips = RecursiveRank::never,
                             .two_on_plain_gpu = RecursiveRank::never,
                             .two = RecursiveRank::never}(pass, facts);
    };
    return spec;
}

} // namespace gz
