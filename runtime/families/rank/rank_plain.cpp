// Any rank of any window, an item per value. See cl/rank/rank_plain.cl.
#include "families/rank/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x;
};

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &) {
    const int group = settings.group_x;
    Launch result = launch_on_window(pass, group);
    result.program = {"rank/rank_plain.cl", "rank_plain", rank_defines(pass)};
    result.program.defines["GROUP_X"] = group;
    result.arguments.push_back(by_value(pass.rank));
    result.arguments.push_back(by_value(pass.count));
    return result;
}

} // namespace

Kernel rank_plain() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_plain";
    spec.folder = "rank";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 64}}};
    spec.preferred = [](const RankPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group_x = 64}, {.group_x = 1}};
    };
    spec.work = work;
    spec.rank = [](const RankPass &, const Settings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
