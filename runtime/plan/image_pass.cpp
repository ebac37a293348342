#include "plan/image_pass.hpp"

namespace gz {

Defines type_defines(const ImagePass &pass) {
    Defines defines{{"SRC_TYPE", static_cast<int>(pass.src_type)},
                    {"DST_TYPE", static_cast<int>(pass.dst_type)},
                    {"CHANNELS", pass.channels}};
    if (pass.store == Store::truncate && facts_of(pass.dst_type).is_integer)
        defines["STORE_TRUNCATE"] = 1;
    return defines;
}

void append_other(Subtraction subtraction, Launch &launch) {
    launch.program.defines["DIFFERENCE"] = static_cast<int>(subtraction);
    if (subtraction != Subtraction::none)
        launch.arguments.emplace_back(SourceBuffer{1});
}

NDRange batched_range(const ImagePass &pass, std::int64_t groups_x, std::int64_t groups_y,
                      int group_x, int group_y) {
    NDRange range;
    range.local = {static_cast<std::size_t>(group_x), static_cast<std::size_t>(group_y), 1};
    range.global = {static_cast<std::size_t>(groups_x * group_x),
                    static_cast<std::size_t>(groups_y * group_y),
                    static_cast<std::size_t>(pass.batch())};
    return range;
}

} // namespace gz
