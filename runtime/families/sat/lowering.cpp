#include "families/sat/lowering.hpp"

#include "plan/lowering.hpp"

namespace gz {

SatPass lower_sat(const PlanDesc &desc) {
    return {lower_images(desc, {1, 1, 0, 0})};
}

Graph lower(const Sat &, const PlanDesc &desc) {
    Step step(desc, [](const PlanDesc &part) -> Pass { return lower_sat(part); });
    step.carry = Carry::sums;
    return {{}, {std::move(step)}};
}

} // namespace gz
