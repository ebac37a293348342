#include "families/edge/lowering.hpp"

#include <memory>
#include <utility>

#include "plan/lowering.hpp"

namespace gz {

BilateralPass lower_bilateral(const Bilateral &filter, const PlanDesc &desc) {
    const auto &radius = filter.radius;
    BilateralPass pass;
    static_cast<ImagePass &>(pass) =
        lower_images(desc, {2 * radius[0] + 1, 2 * radius[1] + 1, radius[0], radius[1]}, {2});
    pass.volume = lower_volume(desc, {2 * radius[0] + 1, 2 * radius[1] + 1, 2 * radius[2] + 1, 1},
                               {radius[0], radius[1], radius[2], 0});
    BilateralExponent exponent = exponent_of(filter);
    const std::array<float, 7> &p = bilateral_weight_terms;
    pass.terms = {p[0], p[1], p[2], p[3], p[4], p[5], p[6], exponent.scale, bilateral_weight(1.0F)};
    pass.space = std::move(exponent.space);
    return pass;
}

Graph lower(const Bilateral &given, const PlanDesc &desc) {
    const auto filter = std::make_shared<const Bilateral>(given);
    Step step(desc,
              [filter](const PlanDesc &part) -> Pass { return lower_bilateral(*filter, part); });
    step.reach = reach_of(*filter);
    return {{}, {std::move(step)}};
}

} // namespace gz
