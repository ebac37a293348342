// Pixels and means by taps along x and y in one pass. See cl/local/local_fused.cl.
#include "families/local/kernels.hpp"

namespace gz {

namespace {

// Means of the pixels, and of their squares where these count.
int fields_of(const FusedLocalPass &pass) {
    return pass.has_squares ? 2 : 1;
}

Work work(const FusedLocalPass &pass, const SeparableTile &settings, const DeviceFacts &facts) {
    Launch result = separable_tile_launch("local/local_fused.cl", "local_fused", pass.mean,
                                          settings, facts, fields_of(pass));
    result.program.defines["BOUNDED"] = 0; // results may be larger than means
    result.program.defines["LOCAL_RESULT"] = static_cast<int>(pass.result);
    result.program.defines["SQUARES"] = pass.has_squares ? 1 : 0;
    result.arguments.push_back(by_value(pass.numbers));
    return result;
}

} // namespace

Kernel local_fused() {
    KernelSpec<FusedLocalPass, SeparableTile> spec;
    spec.name = "local_fused";
    spec.folder = "local";
    spec.tunables = separable_tile_tunables();
    spec.refusal = [](const FusedLocalPass &pass, const SeparableTile &settings) {
        return separable_tile_refusal(pass.mean, settings);
    };
    spec.preferred = [](const FusedLocalPass &pass, const DeviceFacts &facts) {
        return separable_tile_preferred(pass.mean, fields_of(pass), facts);
    };
    spec.work = work;
    spec.details = [](const FusedLocalPass &pass, const SeparableTile &settings) {
        return separable_tile_details(pass.mean, settings);
    };
    spec.rank = [](const FusedLocalPass &, const SeparableTile &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 1}(facts)};
    };
    return spec;
}

} // namespace gz
