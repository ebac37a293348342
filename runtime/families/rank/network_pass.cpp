#include "families/rank/network_pass.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gz {

std::string network_refusal(const RankPass &pass, int most_pixels) {
    if (pass.count < 2)
        return "the window has one pixel";
    // Windows of a footprint share little, so that their networks are many times as long.
    constexpr int most_of_footprint = 49;
    const int most = pass.is_box ? most_pixels : std::min(most_pixels, most_of_footprint);
    if (pass.count > most)
        return text("the window has ", pass.count, " pixels; it takes up to ", most);
    return "";
}

std::string volume_tile_refusal(const RankPass &pass, int tile_y) {
    return pass.is_flat() || tile_y == 1 ? "" : "a tile of a volume's results is one row";
}

NetworkShape network_shape(const RankPass &pass, int tile_x, int tile_y) {
    const Geometry &g = pass.geometry;
    const int rows = g.taps_y * pass.volume.taps_z;
    NetworkShape shape{g.taps_x, rows, {}, pass.rank, tile_x, tile_y};
    if (!pass.is_box) {
        shape.footprint.assign(static_cast<std::size_t>(g.taps_x * rows), 0);
        for (const WindowRun &run : pass.window)
            for (int i = 0; i < run.count; ++i) {
                const int x = run.x / pass.channels + g.anchor_x + i;
                const int y = (run.z + pass.volume.anchor_z) * g.taps_y + run.y + g.anchor_y;
                shape.footprint[static_cast<std::size_t>(y * g.taps_x + x)] = 1;
            }
    }
    return shape;
}

std::int64_t in_fours(std::int64_t pixels) {
    return pixels > 0 ? ceil_div(pixels, 4) * 4 : 0;
}

void add_network(const RankPass &pass, const NetworkShape &shape, int sums,
                 ProgramRequest &program) {
    program.defines["WINDOW_X"] = pass.geometry.taps_x;
    program.defines["WINDOW_Y"] = pass.geometry.taps_y;
    program.defines["DEPTH"] = pass.volume.taps_z;
    program.defines["IS_FLAT"] = pass.is_flat() ? 1 : 0;
    program.generated = selection_network(shape, sums).statements;
}

} // namespace gz
