// Separable correlation of tiles in one pass by way of local memory. See cl/correlate/separable_fused.cl.
#include "families/correlate/kernels.hpp"
#include "families/correlate/separable_stream.hpp"
#include "families/correlate/separable_tile.hpp"

namespace gz {

Kernel separable_fused() {
    KernelSpec<CorrelatePass, SeparableTile> spec;
    spec.name = "separable_fused";
    spec.folder = "correlate";
    spec.tunables = separable_tile_tunables();
    spec.refusal = separable_tile_refusal;
    spec.preferred = [](const CorrelatePass &pass, const DeviceFacts &) {
        return separable_tile_preferred(pass, 1);
    };
    spec.work = [](const CorrelatePass &pass, const SeparableTile &settings,
                   const DeviceFacts &facts) -> Work {
        return separable_tile_launch("correlate/separable_fused.cl", "separable_fused", pass,
                                     settings, facts, 1);
    };
    spec.details = separable_tile_details;
    spec.rank = [](const CorrelatePass &pass, const auto &, const DeviceFacts &facts) {
        Rank rank = CorrelateRank{.strips = 2,
                                  .plain_gpu = 1,
                                  .few_taps = 5,
                                  .separable = 6,
                                  .nothing_shared = 2,
                                  .tiles = 2}(pass, facts);
        if (streams_best(pass, facts))
            rank.against = "much of its tiles is apron";
        return rank;
    };
    return spec;
}

} // namespace gz
