#include "kernel/kernel_spec.hpp"

namespace gz {

namespace {

// Items keep arrays on the stack of a CPU's thread or, on a GPU, in memory that is set aside for every item at once.
constexpr std::size_t max_private_bytes = 320 * 1024;

} // namespace

std::string to_text(const Config &config) {
    std::string result;
    for (const auto &[name, value] : config)
        result += (result.empty() ? "" : ",") + name + "=" + std::to_string(value);
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

std::string misfit(const Launch &launch, const DeviceFacts &facts) {
    std::size_t group = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        group *= launch.range.local[i];
        if (launch.range.local[i] > facts.max_item_sizes[i])
            return text("a group of ", launch.range.local[i], " items along axis ", i,
                        "; the device allows ", facts.max_item_sizes[i]);
    }
    if (group > facts.max_group_size)
        return text("groups of ", group, " items; the device allows ", facts.max_group_size);

    std::size_t local = 0;
    std::size_t parameters = 0;
    for (const Argument &argument : launch.arguments) {
        if (const auto *memory = std::get_if<LocalMemory>(&argument))
            local += memory->bytes;
        else if (const auto *value = std::get_if<ByValue>(&argument))
            parameters += value->bytes.size();
        else if (const auto *data = std::get_if<ConstantData>(&argument))
            if (data->bytes.size() > facts.max_constant_size)
                return text(data->bytes.size(), " bytes of constants; the device has ",
                            facts.max_constant_size);
        if (!std::holds_alternative<ByValue>(argument))
            parameters += sizeof(void *);
    }
    if (local > facts.usable_local_memory())
        return text(local, " bytes of local memory; the device has ", facts.usable_local_memory());
    if (launch.private_bytes > max_private_bytes)
        return text(launch.private_bytes, " bytes of private memory; at most ", max_private_bytes,
                    " are used");
    if (parameters > facts.max_parameter_size)
        return text(parameters, " bytes of arguments; the device takes ", facts.max_parameter_size);
    return "";
}

} // namespace gz
