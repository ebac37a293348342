#include "plan/kernel.hpp"

#include <algorithm>

#include "plan/image_pass.hpp"

namespace gz {

std::string to_text(const Config &config) {
    std::string result;
    for (const auto &[name, value] : config)
        result += (result.empty() ? "" : ",") + name + "=" + std::to_string(value);
    return result;
}

std::string to_text(const std::vector<Tunable> &tunables) {
    std::string result;
    for (const Tunable &tunable : tunables) {
        result += (result.empty() ? "" : ",") + tunable.name;
        for (std::size_t i = 0; i < tunable.values.size(); ++i) {
            result += i == 0 ? '=' : '|';
            result += std::to_string(tunable.values[i]);
        }
    }
    return result;
}

std::vector<Config> all_configs(const std::vector<Tunable> &tunables) {
    std::vector<Config> configs{Config()};
    for (const Tunable &tunable : tunables) {
        std::vector<Config> longer;
        for (const Config &config : configs)
            for (const int value : tunable.values) {
                longer.push_back(config);
                longer.back()[tunable.name] = value;
            }
        configs = std::move(longer);
    }
    return configs;
}

void limit_registers(Defines &to, int most, const DeviceFacts &facts) {
    if (most > 0 && facts.caps_registers)
        to["MAX_REGISTERS"] = most;
}

const Kernel *find_kernel(const Pass &pass, const std::string &name) {
    for (const Kernel &kernel : pass.kernels())
        if (kernel.name == name && kernel.takes(pass))
            return &kernel;
    return nullptr;
}

std::vector<RankedKernel> kernels_for(const Pass &pass, const DeviceFacts &facts) {
    std::vector<RankedKernel> result;
    for (const Kernel &kernel : pass.kernels()) {
        if (!kernel.takes(pass))
            continue;
        Rank rank = kernel.rank(pass, facts);
        if (!rank.is_never())
            result.push_back({&kernel, std::move(rank)});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const RankedKernel &one, const RankedKernel &other) {
                         if (one.rank.against.empty() != other.rank.against.empty())
                             return one.rank.against.empty();
                         return one.rank.wanted > other.rank.wanted;
                     });
    return result;
}

GroupHabit habit_of(const DeviceFacts &facts) {
    switch (facts.device_class) {
    case DeviceClass::pocl_cpu:
    case DeviceClass::intel_cpu:
    case DeviceClass::other_cpu:
    case DeviceClass::oclgrind:
        return GroupHabit::strips;
    // Measured on llvmpipe: dense taps, boxes, sums and recursive filters take 0.4 to 0.7 of the time.
    case DeviceClass::plain_gpu:
    case DeviceClass::mesa_cpu:
        return GroupHabit::nothing_shared;
    default:
        return GroupHabit::tiles;
    }
}

int RankByHabit::operator()(const DeviceFacts &facts) const {
    switch (habit_of(facts)) {
    case GroupHabit::strips:
        return strips;
    case GroupHabit::nothing_shared:
        return nothing_shared;
    default:
        return tiles;
    }
}

std::size_t local_memory_of(const Launch &launch) {
    std::size_t bytes = launch.local_bytes;
    for (const Argument &argument : launch.arguments)
        if (const auto *memory = std::get_if<LocalMemory>(&argument))
            bytes += memory->bytes;
    return bytes;
}

std::string misfit(const Launch &launch, const DeviceFacts &facts) {
    if (!launch.unfit.empty())
        return launch.unfit;
    std::size_t group = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        group *= launch.range.local[i];
        if (launch.range.local[i] > facts.max_item_sizes[i])
            return text("needs a group of ", launch.range.local[i], " items along axis ", i,
                        "; the device allows ", facts.max_item_sizes[i]);
    }
    if (group > facts.max_group_size)
        return text("needs groups of ", group, " items; the device allows ", facts.max_group_size);

    if (launch.needs_f64 && !facts.has_f64)
        return "needs double, which the device does not have";
    const std::size_t local = local_memory_of(launch);
    std::size_t parameters = 0;
    for (const Argument &argument : launch.arguments) {
        if (const auto *value = std::get_if<ByValue>(&argument))
            parameters += value->bytes.size();
        else if (const auto *data = std::get_if<ConstantData>(&argument))
            if (!data->is_global && data->bytes.size() > facts.max_constant_size)
                return text("needs ", data->bytes.size(), " bytes of constants; the device has ",
                            facts.max_constant_size);
        if (!std::holds_alternative<ByValue>(argument))
            parameters += sizeof(void *);
    }
    if (local > facts.usable_local_memory())
        return text("needs ", local, " bytes of local memory; the device has ",
                    facts.usable_local_memory());
    if (launch.private_bytes > facts.usable_private_memory())
        return text("needs ", launch.private_bytes, " bytes of private memory; ",
                    facts.usable_private_memory(), " are used at most");
    if (parameters > facts.max_parameter_size)
        return text("needs ", parameters, " bytes of arguments; the device takes ",
                    facts.max_parameter_size);
    return "";
}

std::string misfit(const Work &work, const DeviceFacts &facts) {
    for (const Launch &launch : work.launches)
        if (std::string reason = misfit(launch, facts); !reason.empty())
            return reason;
    for (const std::uint64_t bytes : work.workspace)
        if (bytes > facts.max_allocation)
            return text("needs a workspace of ", bytes, " bytes; the largest buffer is ",
                        facts.max_allocation);
    return "";
}

bool polls_atomically(const DeviceFacts &facts) {
    // Measured on NVIDIA: plain volatile reads are enough, and faster.
    return facts.device_class != DeviceClass::nvidia_gpu;
}

SharedWords words_cleared_before(const WorkspaceBuffer &own, std::int64_t count, Work &to) {
    constexpr int group = 64;
    constexpr int words_of_item = 16;
    Launch clear;
    clear.program = {
        "shared_words.cl", "clear_words", {{"GROUP", group}, {"WORDS", words_of_item}}};
    clear.range.local = {group, 1, 1};
    clear.range.global = {static_cast<std::size_t>(ceil_div(count, group * words_of_item)) * group,
                          1, 1};
    clear.arguments = {own, by_value(count)};
    to.launches.push_back(std::move(clear));
    return {own, by_value(std::int32_t{0}),
            static_cast<std::uint64_t>(count) * sizeof(std::uint32_t), 0};
}

bool fences_reach_all(const DeviceFacts &facts) {
    return facts.is_cpu() || facts.device_class == DeviceClass::nvidia_gpu ||
           facts.device_class == DeviceClass::oclgrind;
}

SharedWords share_words(const WorkspaceBuffer &own, std::int64_t count, const DeviceFacts &facts,
                        Work &to) {
    constexpr std::int64_t few = 32768;
    if (count <= few && fences_reach_all(facts))
        return {ClearedWords{static_cast<std::size_t>(count) + 1},
                by_value(static_cast<std::int32_t>(count)), 0, 1};
    return words_cleared_before(own, count, to);
}

} // namespace gz
