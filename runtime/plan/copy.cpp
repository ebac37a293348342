#include "plan/copy.hpp"

namespace gz {

Launch copy_launch(std::int64_t bytes, const DeviceFacts &facts) {
    // A GPU needs one item per vector, a CPU one item for a long stretch.
    const bool cpu = facts.is_cpu();
    const int group = cpu ? 1 : static_cast<int>(std::min(facts.max_group_size, 128U));
    const int chunk = cpu ? 4096 : 1;
    const auto count = static_cast<std::uint64_t>(bytes / copy_unit);
    const auto per_group = static_cast<std::uint64_t>(group) * static_cast<std::uint64_t>(chunk);
    Launch launch;
    launch.program = {"copy.cl", "copy_vectors", {{"GROUP_X", group}, {"CHUNK", chunk}}};
    launch.range.local = {static_cast<std::size_t>(group), 1, 1};
    launch.range.global = {(count + per_group - 1) / per_group * static_cast<std::size_t>(group), 1,
                           1};
    launch.arguments = {SourceBuffer(), TargetBuffer(), by_value(count)};
    return launch;
}

} // namespace gz
