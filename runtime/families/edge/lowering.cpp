#include "families/edge/lowering.hpp"

#include <array>
#include <memory>
#include <utility>

#include "families/edge/weights.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

// scale: of squares of differences in v.
WeightTerms terms_of(double accuracy, float scale) {
    const std::array<float, 7> &p = weight_terms;
    const float centre = are_of_device(accuracy) ? 1.0F : weight_of(1.0F);
    return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], scale, centre};
}

} // namespace

BilateralPass lower_bilateral(const Bilateral &filter, const PlanDesc &desc) {
    const auto &radius = filter.radius;
    BilateralPass pass;
    static_cast<ImagePass &>(pass) =
        lower_images(desc, {2 * radius[0] + 1, 2 * radius[1] + 1, radius[0], radius[1]}, {2});
    pass.volume = lower_volume(desc, {2 * radius[0] + 1, 2 * radius[1] + 1, 2 * radius[2] + 1, 1},
                               {radius[0], radius[1], radius[2], 0});
    BilateralExponent exponent = exponent_of(filter);
    pass.terms = terms_of(filter.accuracy, exponent.scale);
    pass.device_weights = are_of_device(filter.accuracy);
    pass.space = std::move(exponent.space);
    return pass;
}

NonLocalPass lower_non_local(const NonLocalMeans &filter, const PlanDesc &desc) {
    const std::int64_t reach = filter.reach();
    NonLocalPass pass;
    static_cast<ImagePass &>(pass) =
        lower_images(desc, {2 * reach + 1, 2 * reach + 1, reach, reach});
    const WeightScale scale = distance_scale(filter.accuracy);
    pass.terms = terms_of(filter.accuracy, static_cast<float>(scale.unit));
    pass.patches.scale = scale_of(filter, pass.channels);
    pass.patches.unscale = 1.0F / pass.patches.scale;
    pass.patches.top = static_cast<float>(scale.top);
    pass.device_weights = are_of_device(filter.accuracy);
    pass.patch = static_cast<int>(filter.patch);
    pass.radius = static_cast<int>(filter.window / 2);
    return pass;
}

namespace {

// A graph of one pass. lower_one: makes it.
template <class D, class Lower>
Graph lower_to_one(const D &given, const PlanDesc &desc, const Lower &lower_one) {
    const auto filter = std::make_shared<const D>(given);
    Step step(desc, [filter, lower_one](const PlanDesc &part) -> Pass {
        return lower_one(*filter, part);
    });
    step.reach = reach_of(*filter);
    return {{}, {std::move(step)}};
}

} // namespace

Graph lower(const Bilateral &filter, const PlanDesc &desc) {
    return lower_to_one(filter, desc, lower_bilateral);
}

Graph lower(const NonLocalMeans &filter, const PlanDesc &desc) {
    return lower_to_one(filter, desc, lower_non_local);
}

} // namespace gz
