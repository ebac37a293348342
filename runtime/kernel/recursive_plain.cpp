// A line an item. See cl/recursive_plain.cl.
#include "kernel/kernels.hpp"

namespace gz {

namespace {

constexpr std::int64_t most_sections_by_value = 8;

Work work(const RecursivePass &pass, const Config &config, const DeviceFacts &facts) {
    return recursive_work(
        pass, {ends_without_barrier(facts), States::stepped}, facts,
        [&](const RecursiveStage &stage, Work &to) -> std::uint64_t {
            const int group = config.at("GROUP");
            const bool by_value_too =
                !facts.misreads_arguments && stage.sections() <= most_sections_by_value;
            Launch launch;
            launch.program = {"recursive_plain.cl", "recursive_plain",
                              recursive_defines(stage, by_value_too)};
            launch.program.defines["GROUP"] = group;
            launch.range.local = {static_cast<std::size_t>(group), 1, 1};
            launch.range.global = {
                static_cast<std::size_t>(ceil_div(stage.lines.lines, group) * group), 1,
                static_cast<std::size_t>(stage.batch)};
            launch.arguments = stage.images_and({stage.own, stage.ends, by_value(stage.lines),
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

RecursiveSpec recursive_plain() {
    RecursiveSpec spec;
    spec.name = "recursive_plain";
    spec.tunables = {{"GROUP", {1, 16, 64}}};
    spec.refusal = [](const RecursivePass &, const Config &) { return std::string(); };
    spec.preferred = [](const RecursivePass &, const DeviceFacts &facts) {
        return std::vector<Config>{{{"GROUP", facts.is_cpu() ? 16 : 64}}, {{"GROUP", 1}}};
    };
    spec.work = work;
    spec.details = [](const RecursivePass &pass, const Config &) {
        return recursive_details(pass);
    };
    return spec;
}

} // namespace gz
