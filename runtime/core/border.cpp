#include "core/border.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gz {

namespace {

std::int64_t floor_mod(std::int64_t i, std::int64_t n) {
    const std::int64_t m = i % n;
    return m < 0 ? m + n : m;
}

} // namespace

const char *name_of(BorderMode mode) {
    switch (mode) {
    case BorderMode::clamp:
        return "clamp";
    case BorderMode::constant:
        return "constant";
    case BorderMode::reflect:
        return "reflect";
    case BorderMode::reflect101:
        return "reflect101";
    case BorderMode::wrap:
        return "wrap";
    case BorderMode::zero:
        return "zero";
    }
    fail(Status::internal, "no border has the number ", static_cast<gauze_border>(mode));
}

std::int64_t fold(std::int64_t i, std::int64_t n, BorderMode mode) {
    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case BorderMode::constant:
    case BorderMode::zero:
        return -1;
    case BorderMode::clamp:
        return std::clamp<std::int64_t>(i, 0, n - 1);
    case BorderMode::wrap:
        return floor_mod(i, n);
    case BorderMode::reflect: {
        const std::int64_t m = floor_mod(i, 2 * n);
        return std::min(m, 2 * n - 1 - m);
    }
    case BorderMode::reflect101: {
        if (n == 1)
            return 0;
        const std::int64_t m = floor_mod(i, 2 * n - 2);
        return std::min(m, 2 * n - 2 - m);
    }
    }
    fail(Status::internal, "no border has the number ", static_cast<gauze_border>(mode));
}

} // namespace gz
