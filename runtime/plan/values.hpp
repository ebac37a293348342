// Kernels that make each value of the target from those at its place in other images, as cl/lib/values.clh has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

struct ValueSettings {
    int group, item; // items of a group, and values of an item
};

// Returns the launch of such a kernel on `images` images; a kernel's own defines and arguments are added to it.
inline Launch launch_on_values(const ImagePass &pass, const ValueSettings &settings,
                               const std::string &file, const std::string &entry, int images) {
    Launch result;
    result.program = {file, entry, type_defines(pass)};
    result.program.defines["GROUP"] = settings.group;
    result.program.defines["ITEM"] = settings.item;
    const std::int64_t span = std::int64_t{settings.group} * settings.item;
    result.range = batched_range(pass, ceil_div(pass.geometry.width, span), pass.geometry.height,
                                 settings.group, 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(images); ++i)
        result.arguments.push_back(SourceBuffer{i});
    result.arguments.push_back(TargetBuffer());
    result.arguments.push_back(by_value(pass.geometry));
    return result;
}

// A kernel of that folder, cl/`folder`/`name`.cl.
template <class P>
Kernel
kernel_of_values(std::string folder, std::string name,
                 std::function<Work(const P &, const ValueSettings &, const DeviceFacts &)> work) {
    KernelSpec<P, ValueSettings> spec;
    spec.name = std::move(name);
    spec.folder = std::move(folder);
    spec.tunables = {{"GROUP", &ValueSettings::group, {1, 64}},
                     {"ITEM", &ValueSettings::item, {1, 4, 16}}};
    spec.refusal = [](const P &pass, const ValueSettings &settings) -> std::string {
        return settings.item == 4 && pass.alignment < 4 ? "rows start at no multiple of four values"
                                                        : "";
    };
    spec.preferred = [](const P &, const DeviceFacts &facts) {
        return facts.is_cpu()
                   ? std::vector<ValueSettings>{{.group = 64, .item = 16}, {.group = 1, .item = 16}}
                   : std::vector<ValueSettings>{{.group = 64, .item = 4},
                                                {.group = 64, .item = 1},
                                                {.group = 1, .item = 1}};
    };
    spec.work = std::move(work);
    spec.rank = [](const P &, const ValueSettings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
