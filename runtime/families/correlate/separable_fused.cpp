// Separable correlation of tiles in one pass by way of local memory. See cl/correlate/separable_fused.cl.
#include <algorithm>

#include "families/correlate/kernels.hpp"
#include "families/correlate/separable_stream.hpp"
#include "families/correlate/separable_tile.hpp"

namespace gz {

namespace {

// Returns the most registers that an item may take; 0: as many as the compiler likes. Measured on NVIDIA (H200,
// 16384x16384). Its compiler takes 56 for bytes that are read as denormals; with 48 five groups run at a time for four,
// which takes 0.95 of the time with 7 and 11 taps, 0.99 with 15, and 1.02 with 21. For f32 it takes fewer than 56, with
// which 11 taps take 0.81 of the time, 9 0.95 and 7 the same.
int most_registers(const CorrelatePass &pass, const SeparableTile &settings) {
    if (pass.channels != 1 || pass.src_type != pass.dst_type || settings.tile_x != 64 ||
        settings.column_x != 4 || settings.column_y != 8)
        return 0;
    const int taps = tap_bucket(std::max(pass.geometry.taps_x, pass.geometry.taps_y)).most;
    if (pass.src_type == PixelType::u8 && fills_buckets(pass) && settings.tile_y == 128 &&
        settings.row_item == 16)
        return taps >= 7 && taps <= 15 ? 48 : 0;
    if (pass.src_type == PixelType::f32 && settings.tile_y == 64 && settings.row_item == 8)
        return taps >= 7 && taps <= 11 ? 56 : 0;
    return 0;
}

Work work(const CorrelatePass &pass, const SeparableTile &settings, const DeviceFacts &facts) {
    Launch result = separable_tile_launch("correlate/separable_fused.cl", "separable_fused",
                                          with_denormals(pass, facts), settings, facts, 1);
    limit_registers(result.program.defines, most_registers(pass, settings), facts);
    return result;
}

} // namespace

Kernel separable_fused() {
    KernelSpec<CorrelatePass, SeparableTile> spec;
    spec.name = "separable_fused";
    spec.folder = "correlate";
    spec.tunables = separable_tile_tunables();
    spec.refusal = separable_tile_refusal;
    spec.preferred = [](const CorrelatePass &pass, const DeviceFacts &facts) {
        return separable_tile_preferred(pass, 1, facts);
    };
    spec.work = work;
    spec.details = separable_tile_details;
    spec.rank = [](const CorrelatePass &pass, const SeparableTile &tile, const DeviceFacts &facts) {
        Rank rank = CorrelateRank{.strips = 2,
                                  .plain_gpu = 1,
                                  .few_taps = 5,
                                  .separable = 6,
                                  .nothing_shared = 2,
                                  .tiles = 2}(pass, facts);
        if (streams_best(pass, facts))
            rank.against = pass.has_frames ? "frames may take a launch of their own"
                                           : "much of its tiles is apron";
        else
            rank.against = separable_tile_drawback(pass, tile, facts);
        return rank;
    };
    return spec;
}

} // namespace gz
