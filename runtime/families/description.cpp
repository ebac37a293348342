#include "families/description.hpp"

#include "core/error.hpp"

namespace gz {

void refuse_border_zero(const Border &border, const std::string &what) {
    require(
        border.mode != BorderMode::zero,
        "the border zero is for recursive filters and summed-area tables; for a filter that is ",
        what, " there is constant 0");
}

} // namespace gz
