// The border modes, which define the pixels outside an image, and the fold that maps an index outside to one
// inside.
#pragma once

#include <cstdint>
#include <string>

#include <gauze/gauze.h>

namespace gz {

enum class BorderMode : gauze_border {
    clamp = GAUZE_BORDER_CLAMP,
    constant = GAUZE_BORDER_CONSTANT,
    reflect = GAUZE_BORDER_REFLECT,
    reflect101 = GAUZE_BORDER_REFLECT101,
    wrap = GAUZE_BORDER_WRAP,
    zero = GAUZE_BORDER_ZERO // for recursive filters: see gauze.h
};

// The modes that extend an image.
inline constexpr BorderMode all_border_modes[] = {BorderMode::clamp, BorderMode::constant,
                                                  BorderMode::reflect, BorderMode::reflect101,
                                                  BorderMode::wrap};

struct Border {
    BorderMode mode = BorderMode::clamp;
    double value = 0.0; // of BorderMode::constant
    bool operator==(const Border &) const = default;
};

const char *name_of(BorderMode mode);

// Returns the index in [0, n) whose pixel stands at index i of the extended line, or -1 where the border's
// constant stands there, or nothing (zero). Folds as often as needed. n >= 1.
std::int64_t fold(std::int64_t i, std::int64_t n, BorderMode mode);

} // namespace gz
