#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/double_double.hpp"
#include "core/error.hpp"
#include "families/host_volume.hpp"
#include "families/recursive/recursive.hpp"

namespace gz {

namespace {

// Lines are kept in long double, which is no more than double with some compilers: nothing is computed
// in it that loses digits.
using Real = long double;
using Complex = std::complex<Real>;

// Runs a scan as it is written, over x from its first sample to its last; `before` is what came before, the
// latest first, and 0 before that.
Line run_in_long_double(const Scan &scan, const Line &x, const Line &x_before,
                        const Line &y_before) {
    Line y(x.size());
    const auto earlier = [](const Line &before, std::size_t i) {
        return i < before.size() ? before[i] : 0.0L;
    };
    for (std::size_t n = 0; n < x.size(); ++n) {
        Real sum = 0.0L;
        for (std::size_t i = 0; i < scan.feedforward.size(); ++i)
            sum += scan.feedforward[i] * (i <= n ? x[n - i] : earlier(x_before, i - n - 1));
        for (std::size_t i = 1; i <= scan.feedback.size(); ++i)
            sum += scan.feedback[i - 1] * (i <= n ? y[n - i] : earlier(y_before, i - n - 1));
        y[n] = sum;
    }
    return y;
}

DoubleDouble split(Real value) {
    const auto high = static_cast<double>(value);
    return {high, static_cast<double>(value - static_cast<Real>(high))};
}

// The same in double-double: high orders in the direct form lose more digits than long double has.
Line run_in_double_double(const Scan &scan, const Line &x, const Line &x_before,
                          const Line &y_before) {
    const std::size_t order = scan.feedback.size();
    const std::size_t late = scan.feedforward.size();
    const auto with_history = [](const Line &line, const Line &before, std::size_t count) {
        std::vector<DoubleDouble> all(count);
        for (std::size_t i = 0; i < count && i < before.size(); ++i)
            all[count - 1 - i] = split(before[i]);
        for (const Real value : line)
            all.push_back(split(value));
        return all;
    };
    const std::vector<DoubleDouble> in = with_history(x, x_before, late);
    std::vector<DoubleDouble> out = with_history({}, y_before, order);
    out.resize(order + x.size());
    for (std::size_t n = 0; n < x.size(); ++n) {
        DoubleDouble sum;
        for (std::size_t i = 0; i < late; ++i)
            sum = sum + DoubleDouble(scan.feedforward[i]) * in[n + late - i];
        for (std::size_t i = 1; i <= order; ++i)
            sum = sum + DoubleDouble(scan.feedback[i - 1]) * out[n + order - i];
        out[n + order] = sum;
    }
    Line y;
    for (std::size_t n = 0; n < x.size(); ++n)
        y.push_back(static_cast<Real>(out[n + order].high) + static_cast<Real>(out[n + order].low));
    return y;
}

Line run(const Scan &scan, const Line &x, const Line &x_before, const Line &y_before) {
    constexpr std::size_t low_order = 3;
    constexpr bool has_more_digits =
        std::numeric_limits<Real>::digits > std::numeric_limits<double>::digits;
    return has_more_digits && scan.feedback.size() <= low_order
               ? run_in_long_double(scan, x, x_before, y_before)
               : run_in_double_double(scan, x, x_before, y_before);
}

// Returns the last `count` samples, the latest first; `before` is what came before the line.
Line latest(const Line &line, std::size_t count, const Line &before = {}) {
    Line result(count, 0.0L);
    for (std::size_t i = 0; i < count; ++i)
        if (i < line.size())
            result[i] = line[line.size() - 1 - i];
        else if (i - line.size() < before.size())
            result[i] = before[i - line.size()];
    return result;
}

Real gain(const Scan &scan) {
    Real sum = 0.0L;
    Real rest = 1.0L;
    for (const double b : scan.feedforward)
        sum += b;
    for (const double a : scan.feedback)
        rest -= a;
    return sum / rest;
}

// Returns the samples of the extended line that it repeats for ever, from index 0 on; none where it goes on
// as a constant.
std::vector<std::int64_t> period_of(BorderMode mode, std::int64_t n) {
    std::int64_t length = 0;
    if (mode == BorderMode::wrap)
        length = n;
    else if (mode == BorderMode::reflect)
        length = 2 * n;
    else if (mode == BorderMode::reflect101)
        length = 2 * n - 2;
    std::vector<std::int64_t> indices;
    indices.reserve(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i)
        indices.push_back(fold(i, n, mode));
    return indices;
}

Line repeated(const Line &line, const std::vector<std::int64_t> &period) {
    Line result;
    result.reserve(period.size());
    for (const std::int64_t i : period)
        result.push_back(line[static_cast<std::size_t>(i)]);
    return result;
}

// The constants beyond the ends of a line.
struct Beyond {
    Real left, right;
};
Beyond beyond(const Line &line, const Border &border) {
    if (border.mode == BorderMode::constant)
        return {border.value, border.value};
    return {line.front(), line.back()};
}

// Solves m x = b for each b that comes, by Gauss and Jordan's method with pivots.
class Inverse {
public:
    explicit Inverse(std::vector<Line> m) : inverse_(m.size(), Line(m.size(), 0.0L)) {
        const std::size_t n = m.size();
        for (std::size_t i = 0; i < n; ++i)
            inverse_[i][i] = 1.0L;
        for (std::size_t c = 0; c < n; ++c) {
            std::size_t pivot = c;
            for (std::size_t r = c; r < n; ++r)
                if (std::abs(m[r][c]) > std::abs(m[pivot][c]))
                    pivot = r;
            std::swap(m[c], m[pivot]);
            std::swap(inverse_[c], inverse_[pivot]);
            const Real scale = 1.0L / m[c][c];
            for (std::size_t j = 0; j < n; ++j) {
                m[c][j] *= scale;
                inverse_[c][j] *= scale;
            }
            for (std::size_t r = 0; r < n; ++r) {
                const Real times = m[r][c];
                if (r == c || times == 0.0L)
                    continue;
                for (std::size_t j = 0; j < n; ++j) {
                    m[r][j] -= times * m[c][j];
                    inverse_[r][j] -= times * inverse_[c][j];
                }
            }
        }
    }

    Line times(const Line &b) const {
        Line x(b.size(), 0.0L);
        for (std::size_t i = 0; i < b.size(); ++i)
            for (std::size_t j = 0; j < b.size(); ++j)
                x[i] += inverse_[i][j] * b[j];
        return x;
    }

private:
    std::vector<Line> inverse_;
};

// A scan of a line that repeats itself after `period` samples. The state that a period starts from
// is the one that it ends with, s = A s + q: q is the end of a period that starts from nothing, and
// the columns of A those that start from one value alone, over zeros.
LineFilter periodic(const Scan &scan, std::size_t period) {
    const std::size_t order = scan.feedback.size();
    std::vector<Line> matrix(order, Line(order));
    for (std::size_t j = 0; j < order; ++j) {
        Line before(order, 0.0L);
        before[j] = 1.0L;
        const Line end = latest(run(scan, Line(period, 0.0L), {}, before), order, before);
        for (std::size_t i = 0; i < order; ++i)
            matrix[i][j] = (i == j ? 1.0L : 0.0L) - end[i];
    }
    return [scan, order, inverse = Inverse(std::move(matrix))](Line &x) {
        if (!scan.forward)
            std::reverse(x.begin(), x.end());
        Line x_before;
        for (std::size_t i = 0; i + 1 < scan.feedforward.size(); ++i)
            x_before.push_back(x[x.size() - 1 - i % x.size()]);
        const Line nothing(order, 0.0L);
        const Line end = latest(run(scan, x, x_before, nothing), order, nothing);
        x = run(scan, x, x_before, inverse.times(end));
        if (!scan.forward)
            std::reverse(x.begin(), x.end());
    };
}

// Scans of one direction, one after the other. Histories are those of the input and of each scan's
// result, all of one depth, the latest first.
class Cascade {
public:
    using Histories = std::vector<Line>;

    Cascade(std::vector<Scan> scans, std::size_t depth) : scans_(std::move(scans)), depth_(depth) {}

    bool empty() const { return scans_.empty(); }
    std::size_t lines() const { return scans_.size() + 1; }

    // The state where the input has long been a constant.
    Histories steady(Real constant) const {
        Histories histories{Line(depth_, constant)};
        for (const Scan &scan : scans_)
            histories.emplace_back(depth_, constant *= gain(scan));
        return histories;
    }

    // The result; histories move on to the end of the line.
    Line operator()(Line line, Histories &histories) const {
        for (std::size_t i = 0; i < scans_.size(); ++i) {
            Line result = run(scans_[i], line, histories[i], histories[i + 1]);
            histories[i] = latest(line, depth_, histories[i]);
            line = std::move(result);
        }
        histories.back() = latest(line, depth_, histories.back());
        return line;
    }

    // Returns the samples after which all states have faded, or the most that are waited for.
    std::size_t memory() const {
        constexpr Real nothing = 1e-21L;
        constexpr std::size_t longest = std::size_t{1} << 22;
        std::vector<Scan> all_pole = scans_;
        for (Scan &scan : all_pole)
            scan.feedforward = {1.0};
        Line impulse(64, 0.0L);
        impulse[0] = 1.0L;
        for (;; impulse.resize(2 * impulse.size(), 0.0L)) {
            Line line = impulse;
            for (const Scan &scan : all_pole)
                line = run(scan, line, {}, {});
            Real most = 0.0L;
            Real end = 0.0L;
            for (std::size_t n = 0; n < line.size(); ++n) {
                most = std::max(most, std::abs(line[n]));
                if (n >= line.size() / 2)
                    end = std::max(end, std::abs(line[n]));
            }
            if (end <= nothing * most || line.size() >= longest)
                return line.size();
        }
    }

private:
    std::vector<Scan> scans_;
    std::size_t depth_;
};

// Runs all scans of an axis on a line that goes on as a constant beyond either end. On such a line scans
// commute, so the causal ones run first. They ring on beyond the right end. The anticausal scans reach the
// line in a state that is linear in the difference between the causal histories and those that the constant
// would have left.
LineFilter on_constants(const std::vector<Scan> &scans, const Border &border) {
    std::vector<Scan> forward, backward;
    std::size_t depth = 1;
    for (const Scan &scan : scans) {
        (scan.forward ? forward : backward).push_back(scan);
        depth = std::max({depth, scan.feedforward.size(), scan.feedback.size()});
    }
    const Cascade causal(forward, depth);
    const Cascade anticausal(backward, depth);

    // Each number in the causal histories adds such a share to the anticausal ones.
    std::vector<Cascade::Histories> share;
    if (!causal.empty() && !anticausal.empty()) {
        const std::size_t tail = causal.memory() + anticausal.memory();
        for (std::size_t i = 0; i < causal.lines() * depth; ++i) {
            Cascade::Histories histories(causal.lines(), Line(depth, 0.0L));
            histories[i / depth][i % depth] = 1.0L;
            Line ringing = causal(Line(tail, 0.0L), histories);
            std::reverse(ringing.begin(), ringing.end());
            Cascade::Histories reached(anticausal.lines(), Line(depth, 0.0L));
            anticausal(std::move(ringing), reached);
            share.push_back(std::move(reached));
        }
    }
    return [=](Line &line) {
        const Beyond outside = beyond(line, border);
        Cascade::Histories left = causal.steady(outside.left);
        line = causal(std::move(line), left);
        const Cascade::Histories wanted = causal.steady(outside.right);
        Cascade::Histories right = anticausal.steady(wanted.back().front());
        for (std::size_t i = 0; i < share.size(); ++i) {
            const Real off = left[i / depth][i % depth] - wanted[i / depth][i % depth];
            for (std::size_t j = 0; j < right.size(); ++j)
                for (std::size_t k = 0; k < depth; ++k)
                    right[j][k] += off * share[i][j][k];
        }
        std::reverse(line.begin(), line.end());
        line = anticausal(std::move(line), right);
        std::reverse(line.begin(), line.end());
    };
}

LineFilter extended_scans(const std::vector<Scan> &scans, const Border &border, std::int64_t n) {
    const std::vector<std::int64_t> period = period_of(border.mode, n);
    if (period.empty())
        return on_constants(scans, border);
    std::vector<LineFilter> filters;
    filters.reserve(scans.size());
    for (const Scan &scan : scans)
        filters.push_back(periodic(scan, period.size()));
    return [=](Line &line) {
        Line whole = repeated(line, period);
        for (const LineFilter &filter : filters)
            filter(whole);
        std::copy_n(whole.begin(), n, line.begin());
    };
}

// Sums of geometric series both ways. s[n] = p s[n-1] + x[n] starts from c / (1 - p) where c has
// stood for ever, and from F / (1 - p^P) where the line has period P and F is the end of a period
// that starts from nothing.
LineFilter extended_modes(const Modes &modes, const Border &border, std::int64_t n) {
    const std::vector<std::int64_t> period = period_of(border.mode, n);
    return [=](Line &line) {
        const Line x = period.empty() ? line : repeated(line, period);
        const Beyond outside = beyond(line, border);
        const std::size_t count = x.size();
        Line y(count);
        for (std::size_t i = 0; i < count; ++i)
            y[i] = modes.direct * x[i];
        for (std::size_t k = 0; k < modes.poles.size(); ++k) {
            const Complex p(modes.poles[k].real(), modes.poles[k].imag());
            const Complex weight(modes.weights[k].real(), modes.weights[k].imag());
            const auto start = [&](Real constant, auto &&sample) -> Complex {
                if (period.empty())
                    return constant / (1.0L - p);
                Complex state = 0.0L;
                for (std::size_t i = 0; i < count; ++i)
                    state = p * state + sample(i);
                return state / (1.0L - std::pow(p, static_cast<Real>(count)));
            };
            Complex state = start(outside.left, [&](std::size_t i) { return x[i]; });
            for (std::size_t i = 0; i < count; ++i) {
                const Complex before = p * state;
                state = before + x[i];
                y[i] += (weight * (modes.odd ? before : state)).real();
            }
            state = start(outside.right, [&](std::size_t i) { return x[count - 1 - i]; });
            for (std::size_t i = count; i-- > 0;) {
                state *= p;
                y[i] += (modes.odd ? -1.0L : 1.0L) * (weight * state).real();
                state += x[i];
            }
        }
        std::copy_n(y.begin(), line.size(), line.begin());
    };
}

// The response itself, on as much of the extended line as it reaches; the rest of the line stays as
// it is.
LineFilter extended_response(const std::vector<double> &response, bool odd, const Border &border,
                             std::int64_t n, Range wanted) {
    const auto radius = static_cast<std::int64_t>(response.size()) - 1;
    std::vector<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(wanted.end - wanted.begin + 2 * radius));
    for (std::int64_t i = wanted.begin - radius; i < wanted.end + radius; ++i)
        places.push_back(fold(i, n, border.mode));
    return [=](Line &line) {
        std::vector<double> x;
        x.reserve(places.size());
        for (const std::int64_t i : places)
            x.push_back(i < 0 ? border.value
                              : static_cast<double>(line[static_cast<std::size_t>(i)]));
        for (std::int64_t i = wanted.begin; i < wanted.end; ++i) {
            const double *at = x.data() + i - wanted.begin + radius;
            double sum = odd ? 0.0 : response[0] * at[0];
            for (std::int64_t j = radius; j > 0; --j)
                sum +=
                    response[static_cast<std::size_t>(j)] * (odd ? at[-j] - at[j] : at[-j] + at[j]);
            line[static_cast<std::size_t>(i)] = sum;
        }
    };
}

struct AxisFilter {
    std::size_t axis;
    LineFilter filter;
    std::size_t done = 0; // axes, from x on, along which all is done before
};

std::vector<AxisFilter> filters_of(const Recursion &recursion, ModesAs modes_as,
                                   const Border &border, const HostVolume &volume) {
    std::vector<AxisFilter> filters;
    if (!recursion.extended) {
        for (const Scan &scan : recursion.scans)
            filters.push_back({static_cast<std::size_t>(scan.axis), [scan](Line &line) {
                                   if (!scan.forward)
                                       std::reverse(line.begin(), line.end());
                                   line = run(scan, line, {}, {});
                                   if (!scan.forward)
                                       std::reverse(line.begin(), line.end());
                               }});
        return filters;
    }
    // Beyond the image along an axis, pixels are what the axes before it have made of the constant.
    Border own = border;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t n = volume.extent(axis);
        std::vector<Scan> scans;
        for (const Scan &scan : recursion.scans)
            if (static_cast<std::size_t>(scan.axis) == axis)
                scans.push_back(scan);
        if (!scans.empty())
            filters.push_back({axis, extended_scans(scans, own, n), axis});
        const Modes &modes = recursion.modes[axis];
        const std::vector<double> &response = recursion.approximated[axis].response;
        if (!response.empty() && modes_as == ModesAs::approximated)
            filters.push_back(
                {axis, extended_response(response, modes.odd, own, n, volume.region(axis)), axis});
        else if (!modes.empty())
            filters.push_back({axis, extended_modes(modes, own, n), axis});
        own.value *= recursion.gain(static_cast<int>(axis));
    }
    return filters;
}

} // namespace

void compute(const Recursion &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink) {
    const auto [recursion, border] = bordered(filter, job.border);
    HostVolume volume(job, recursion.filters(2));
    const std::vector<AxisFilter> filters = filters_of(recursion, modes, border, volume);
    for (std::int64_t plane = 0; plane < job.source.planes; ++plane)
        for (std::int64_t t = 0; t < job.region.extent[3]; ++t) {
            volume.read(t, plane);
            for (const AxisFilter &along : filters)
                volume.filter(along.axis, along.filter, along.done);
            volume.write(t, plane, sink);
        }
}

} // namespace gz
