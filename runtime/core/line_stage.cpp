#include "core/line_stage.hpp"

namespace gz {

Transition transition(const Section &section, std::int64_t count) {
    using Matrix = std::array<std::array<double, 2>, 2>;
    // (I + A)(I + B) - I, so that what is close to the identity stays exact.
    const auto times = [](const Matrix &a, const Matrix &b) {
        Matrix result{};
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 2; ++j)
                result[i][j] = a[i][j] + b[i][j] + a[i][0] * b[0][j] + a[i][1] * b[1][j];
        return result;
    };
    const double sign = section.sign;
    const double less = sign > 0.0 ? -section.rest : section.rest - 2.0; // sign (1 - rest) - 1
    Matrix power{
        {{less, sign * section.decay}, {-sign * section.rest, sign * section.decay - 1.0}}};
    Matrix result{};
    for (; count > 0; count /= 2) {
        if (count % 2 == 1)
            result = times(result, power);
        power = times(power, power);
    }
    return {result};
}

std::vector<std::array<double, 2>> responses(const Section &section, std::int64_t count) {
    std::vector<std::array<double, 2>> result;
    result.reserve(static_cast<std::size_t>(count));
    std::array<double, 2> state{0.0, 0.0};
    for (std::int64_t age = 0; age < count; ++age) {
        step(section, state, age == 0 ? 1.0 : 0.0);
        result.push_back(state);
    }
    return result;
}

std::vector<double> filtered(const LineStage &stage, const std::vector<double> &x, Way way) {
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<double> y(x.size());
    const auto at = [&](std::int64_t i) {
        return static_cast<std::size_t>(way == Way::as_is ? i : n - 1 - i);
    };
    if (stage.has_taps()) {
        const auto count = static_cast<std::int64_t>(stage.taps.size());
        for (std::int64_t i = 0; i < n; ++i) {
            if (x[at(i)] == 0.0) // as most samples of an impulse are
                continue;
            for (std::int64_t k = 0; k < count; ++k) {
                const std::int64_t to = i - stage.first_tap - k;
                if (to >= 0 && to < n)
                    y[at(to)] += stage.taps[static_cast<std::size_t>(k)] * x[at(i)];
            }
        }
        return y;
    }
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = stage.direct * x[i];
    const auto add = [&](const Section &section, std::size_t i, std::array<double, 2> &state) {
        y[i] += added(section, state);
        step(section, state, x[i]);
    };
    for (const Section &section : stage.causal) {
        std::array<double, 2> state{0.0, 0.0};
        for (std::int64_t i = 0; i < n; ++i)
            add(section, at(i), state);
    }
    for (const Section &section : stage.anticausal) {
        std::array<double, 2> state{0.0, 0.0};
        for (std::int64_t i = n - 1; i >= 0; --i)
            add(section, at(i), state);
    }
    return y;
}

} // namespace gz
