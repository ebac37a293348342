// Errors and their sums on GPUs, tile by tile. See cl/ssimulacra2_tiled.cl.
#include <algorithm>
#include <bit>

#include "kernel/image_pass.hpp"
#include "kernel/kernels.hpp"

namespace gz {

namespace {

constexpr std::int64_t parts_of_sums = 8;

int group_of(const Config &config) {
    return config.at("TILE_X") * (config.at("TILE_Y") / BLOCK);
}

Work work(const Ssimulacra2Pass &pass, const Config &config, const DeviceFacts &facts) {
    const WorkPieces pieces{config.at("TILE_X"), config.at("TILE_Y")};
    const auto group = static_cast<std::size_t>(group_of(config));
    Launch launch;
    launch.program = {"ssimulacra2_tiled.cl", "ssimulacra2_tiled", config};
    launch.range.local = {group, 1, 1};
    launch.range.global = {static_cast<std::size_t>(count_of(pass.pyramid, pieces)) * group, 3, 1};
    // Four filtered quantities of the tile; then the sums of all items, and pairs of parts of them.
    const std::int64_t pitch = pieces.columns + 4 * config.at("SPARE");
    const std::int64_t filtered = 4 * pitch * (pieces.rows + 2 * APRON);
    const std::int64_t sums = SUMS * (group_of(config) + 2 * parts_of_sums);
    launch.arguments = {
        LocalMemory{static_cast<std::size_t>(std::max(filtered, sums)) * sizeof(float)}};
    const int last = static_cast<int>(std::bit_floor(std::min(facts.max_group_size, 128U)));
    return ssimulacra2_work(pass, std::move(launch), pieces, last);
}

Config shaped(int tile_x, int tile_y, int row_item, int rows, int spare) {
    return {{"TILE_X", tile_x},
            {"TILE_Y", tile_y},
            {"ROW_ITEM", row_item},
            {"ROWS", rows},
            {"SPARE", spare}};
}

} // namespace

Ssimulacra2Spec ssimulacra2_tiled() {
    Ssimulacra2Spec spec;
    spec.name = "ssimulacra2_tiled";
    spec.tunables = {{"TILE_X", {32, 64}},
                     {"TILE_Y", {16, 32, 64}},
                     {"ROW_ITEM", {4, 8}},
                     {"ROWS", {4, 8, 16}},
                     {"SPARE", {0, 1}}};
    spec.refusal = [](const Ssimulacra2Pass &, const Config &) { return std::string(); };
    spec.preferred = [](const Ssimulacra2Pass &, const DeviceFacts &) {
        return std::vector<Config>{shaped(32, 64, 8, 8, 1), shaped(32, 32, 8, 8, 1)};
    };
    spec.work = work;
    spec.details = [](const Ssimulacra2Pass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
