// One item filters a line. See cl/recursive/recursive_plain.cl.
#include "families/recursive/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group;
};

Work work(const RecursivePass &pass, const Settings &settings, const DeviceFacts &facts) {
    return recursive_work(
        pass, {start_form_without_barrier(facts), States::stepped}, facts,
        [&](const RecursiveStage &stage, Work &to) -> std::uint64_t {
            const int group = settings.group;
            const bool by_value_too = takes_sections_by_value(stage, facts);
            Launch launch;
            launch.program = {"recursive/recursive_plain.cl", "recursive_plain",
                              recursive_defines(stage, by_value_too)};
            launch.program.defines["GROUP"] = group;
            launch.range.local = {static_cast<std::size_t>(group), 1, 1};
            launch.range.global = {
                static_cast<std::size_t>(ceil_div(stage.lines.lines, group) * group), 1,
                static_cast<std::size_t>(stage.batch)};
            launch.arguments =
                stage.images_and({stage.own, stage.start_states, by_value(stage.lines),
                                  sections_argument(stage, by_value_too)});
            to.launches.push_back(std::move(launch));
            if (stage.first().anticausal.empty())
                return 0;
            return static_cast<std::uint64_t>(stage.batch * stage.lines.length *
                                              stage.lines.lines) *
                   stage.targets() * size_of(stage.states_are);
        });
}

} // namespace

Kernel recursive_plain() {
    KernelSpec<RecursivePass, Settings> spec;
    spec.name = "recursive_plain";
    spec.folder = "recursive";
    spec.tunables = {{"GROUP", &Settings::group, {1, 16, 64}}};
    spec.preferred = [](const RecursivePass &, const DeviceFacts &facts) {
        return std::vector<Settings>{{.group = facts.is_cpu() ? 16 : 64}, {.group = 1}};
    };
    spec.work = work;
    spec.details = [](const RecursivePass &pass, const Settings &) {
        return recursive_details(pass);
    };
    spec.rank = [](const RecursivePass &pass, const Settings &, const DeviceFacts &facts) {
        return RecursiveRank{.strips = 5,
                             .few_lines_in_strips = 5,
                             .nothing_shared = 6,
                             .asked_tiles = 4,
                             .few_lines = 3,
                             .tiles = 4,
                             .two_in_strips = 5,
                             .two_on_plain_gpu = 6,
                             .two = 4}(pass, facts);
    };
    return spec;
}

} // namespace gz
