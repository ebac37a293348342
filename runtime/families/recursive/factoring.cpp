#include "families/recursive/factoring.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gz {

namespace {

using Real = DoubleDouble;
using Complex = ComplexDoubleDouble;
using Numerator = std::array<Real, 3>;

// Coefficients below this share of the response cannot be seen in it.
constexpr double invisible = 1e-13;

Complex value_of(const Numerator &num, Complex u) {
    return Complex(num[0]) + u * (Complex(num[1]) + u * Complex(num[2]));
}

Complex value_of(const Poles &poles, Complex u) {
    return Complex(1.0) + u * (Complex(poles.den[0]) + u * Complex(poles.den[1]));
}

Complex value_of(const Factor &factor, Complex u) {
    Complex result = value_of(factor.num, u);
    for (const Poles &poles : factor.poles)
        result = result / value_of(poles, u);
    return result;
}

Factor factor_of(std::vector<Poles> poles) {
    Factor factor;
    for (const Poles &own : poles) {
        factor.order += own.order;
        if (own.radius >= factor.radius) {
            factor.radius = own.radius;
            factor.angle = own.angle;
        }
    }
    factor.poles = std::move(poles);
    return factor;
}

Poles real_poles(Real p, Real q, int order) {
    Poles poles;
    poles.den = {-(p + q), p * q};
    poles.order = order;
    poles.radius = std::max(std::abs(p.high), std::abs(q.high));
    poles.angle = p.high < 0.0 ? std::numbers::pi : 0.0;
    return poles;
}

// Pairs real poles of one sign with their neighbours. Of an odd number one stays alone: the one without which
// the pairs are closest.
std::vector<Poles> paired(std::vector<Real> poles, std::vector<Factor> &to) {
    std::sort(poles.begin(), poles.end(), [](Real a, Real b) { return (a - b).high < 0.0; });
    std::vector<Poles> alone;
    if (poles.size() % 2 == 1) {
        std::size_t best = 0;
        double least = INFINITY;
        for (std::size_t i = 0; i < poles.size(); i += 2) {
            double width = 0.0;
            for (std::size_t j = 0; j + 1 < poles.size(); j += 2) {
                const std::size_t first = j + (j >= i ? 1 : 0);
                width += (poles[first + 1] - poles[first]).high;
            }
            if (width < least) {
                least = width;
                best = i;
            }
        }
        alone.push_back(real_poles(poles[best], 0.0, 1));
        poles.erase(poles.begin() + static_cast<std::ptrdiff_t>(best));
    }
    for (std::size_t i = 0; i + 1 < poles.size(); i += 2)
        to.push_back(factor_of({real_poles(poles[i], poles[i + 1], 2)}));
    return alone;
}

std::vector<Factor> factors_of(const Roots &poles) {
    std::vector<Factor> factors;
    for (const Complex &p : poles.upper) {
        Poles two;
        two.den = {Real(-2.0) * p.re, p.re * p.re + p.im * p.im};
        two.radius = magnitude(p);
        two.angle = std::atan2(p.im.high, p.re.high);
        factors.push_back(factor_of({two}));
    }
    std::vector<Real> negative, positive;
    for (const Real &p : poles.real)
        (p.high < 0.0 ? negative : positive).push_back(p);
    std::vector<Poles> alone = paired(std::move(negative), factors);
    for (const Poles &poles_of_one : paired(std::move(positive), factors))
        alone.push_back(poles_of_one);
    if (!alone.empty())
        factors.push_back(factor_of(std::move(alone)));
    return factors;
}

// Zeros as factors of numerators: 1 - z u or, where |z| > 1, u - 1/z, so that a delay is one too.
struct Zeros {
    struct Pair {
        Numerator num;
        std::complex<double> at;
    };
    struct One {
        std::array<Real, 2> num;
        double at;
    };
    std::vector<Pair> pairs; // conjugates
    std::vector<One> real;
};

Zeros zeros_of(const Roots &roots, int delays) {
    Zeros zeros;
    for (const Complex &z : roots.upper) {
        const Real square = z.re * z.re + z.im * z.im;
        const Real twice = Real(-2.0) * z.re;
        const Numerator num = square.high > 1.0
                                  ? Numerator{Real(1.0) / square, twice / square, Real(1.0)}
                                  : Numerator{Real(1.0), twice, square};
        zeros.pairs.push_back({num, {z.re.high, z.im.high}});
    }
    for (const Real &z : roots.real)
        zeros.real.push_back({std::abs(z.high) > 1.0
                                  ? std::array<Real, 2>{Real(-1.0) / z, Real(1.0)}
                                  : std::array<Real, 2>{Real(1.0), -z},
                              z.high});
    constexpr double infinitely_far = 1e300;
    for (int i = 0; i < delays; ++i)
        zeros.real.push_back({{Real(0.0), Real(1.0)}, infinitely_far});
    return zeros;
}

Numerator product(const std::array<Real, 2> &p, const std::array<Real, 2> &q) {
    return {p[0] * q[0], p[0] * q[1] + p[1] * q[0], p[1] * q[1]};
}

template <class T> std::size_t nearest(const std::vector<T> &zeros, std::complex<double> p) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < zeros.size(); ++i)
        if (std::abs(zeros[i].at - p) < std::abs(zeros[best].at - p))
            best = i;
    return best;
}

template <class T> T take(std::vector<T> &from, std::size_t i) {
    const T result = from[i];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
    return result;
}

// Gives each pole one zero: the poles closest to the circle choose first, and take the nearest zeros. Returns
// the zeros left over.
std::vector<Numerator> give_zeros(Zeros zeros, std::vector<Factor> &factors) {
    std::vector<Factor *> order;
    for (Factor &factor : factors)
        order.push_back(&factor);
    std::stable_sort(order.begin(), order.end(),
                     [](const Factor *p, const Factor *q) { return p->radius > q->radius; });
    for (Factor *factor : order) {
        const std::complex<double> p = std::polar(factor->radius, factor->angle);
        const auto take_real = [&] { return take(zeros.real, nearest(zeros.real, p)).num; };
        if (!zeros.pairs.empty() && factor->order == 2) {
            const std::size_t pair = nearest(zeros.pairs, p);
            if (zeros.real.size() < 2 || std::abs(zeros.pairs[pair].at - p) <=
                                             std::abs(zeros.real[nearest(zeros.real, p)].at - p)) {
                factor->num = take(zeros.pairs, pair).num;
                continue;
            }
        }
        if (zeros.real.empty())
            continue;
        const std::array<Real, 2> first = take_real();
        factor->num = factor->order == 2 && !zeros.real.empty()
                          ? product(first, take_real())
                          : Numerator{first[0], first[1], Real(0.0)};
    }
    std::vector<Numerator> left;
    for (const Zeros::Pair &pair : zeros.pairs)
        left.push_back(pair.num);
    for (std::size_t i = 0; i < zeros.real.size(); i += 2)
        left.push_back(i + 1 < zeros.real.size()
                           ? product(zeros.real[i].num, zeros.real[i + 1].num)
                           : Numerator{zeros.real[i].num[0], zeros.real[i].num[1], Real(0.0)});
    return left;
}

// Leaves out the coefficients that Trim names, and returns by how many samples the numerator is late.
int trim(TransferFunction &scan, Trim what, const std::vector<Complex> &points) {
    double least = 0.0;   // of the denominator on the circle
    double largest = 0.0; // of the response there
    if (what == Trim::invisible && scan.a.size() + scan.b.size() > 2) {
        least = INFINITY;
        for (const Complex &u : points) {
            const Complex below = value_at(scan.a, u);
            least = std::min(least, magnitude(below));
            largest = std::max(largest, magnitude(value_at(scan.b, u)) / magnitude(below));
        }
    }
    const auto is_small = [](const Real &c, double limit) { return std::abs(c.high) <= limit; };
    while (scan.a.size() > 1 && is_small(scan.a.back(), invisible * least))
        scan.a.pop_back();
    while (scan.b.size() > 1 && is_small(scan.b.back(), invisible * least * largest))
        scan.b.pop_back();
    int delays = 0;
    while (scan.b.size() > 1 && is_small(scan.b.front(), invisible * least * largest)) {
        scan.b.erase(scan.b.begin());
        ++delays;
    }
    return delays;
}

void append(const Roots &roots, Roots &to) {
    to.upper.insert(to.upper.end(), roots.upper.begin(), roots.upper.end());
    to.real.insert(to.real.end(), roots.real.begin(), roots.real.end());
}

// r[0] + r[1] z modulo z^2 + q[0] z + q[1], or modulo z + q[0].
class Modulo {
public:
    using Rest = std::array<Real, 2>;
    explicit Modulo(const Poles &poles) : q_(poles.den), order_(poles.order) {}

    // The remainder of c2 z^2 + c1 z + c0.
    Rest rest(Real c2, Real c1, Real c0) const {
        if (order_ == 1) {
            const Real z = -q_[0];
            return {(c2 * z + c1) * z + c0, Real(0.0)};
        }
        return {c0 - c2 * q_[1], c1 - c2 * q_[0]};
    }
    Rest times(const Rest &a, const Rest &b) const {
        return rest(a[1] * b[1], a[0] * b[1] + a[1] * b[0], a[0] * b[0]);
    }
    Rest inverse(const Rest &a) const {
        if (order_ == 1)
            return {Real(1.0) / a[0], Real(0.0)};
        const Real norm = a[0] * a[0] - a[0] * a[1] * q_[0] + a[1] * a[1] * q_[1];
        return {(a[0] - a[1] * q_[0]) / norm, -a[1] / norm};
    }

private:
    std::array<Real, 2> q_;
    int order_;
};

// Returns the section of these poles in the partial fractions of the product.
Section section_of(const Poles &poles, const std::vector<Factor> &own,
                   const std::vector<Factor> &other, Real gain) {
    const Modulo modulo(poles);
    // `r` is in powers of z; the factors of the other direction are in powers of 1/z.
    Modulo::Rest r{gain, Real(0.0)};
    for (const Factor &factor : own) {
        const Numerator &num = factor.num;
        r = modulo.times(r, factor.order == 1 ? modulo.rest(Real(0.0), num[0], num[1])
                                              : modulo.rest(num[0], num[1], num[2]));
        for (const Poles &p : factor.poles)
            if (&p != &poles)
                r = modulo.times(
                    r, modulo.inverse(p.order == 1 ? modulo.rest(Real(0.0), Real(1.0), p.den[0])
                                                   : modulo.rest(Real(1.0), p.den[0], p.den[1])));
    }
    for (const Factor &factor : other) {
        r = modulo.times(r, modulo.rest(factor.num[2], factor.num[1], factor.num[0]));
        for (const Poles &p : factor.poles)
            r = modulo.times(r, modulo.inverse(modulo.rest(p.den[1], p.den[0], Real(1.0))));
    }
    Section section;
    section.sign = std::cos(poles.angle) < 0.0 && poles.radius > 0.0 ? -1.0 : 1.0;
    const Real sign(section.sign);
    if (poles.order == 1) {
        section.rest = to_double(Real(1.0) + sign * poles.den[0]);
        section.w_weight = to_double(r[0]);
        return section;
    }
    section.rest = to_double(Real(1.0) + sign * poles.den[0] + poles.den[1]);
    section.decay = to_double(poles.den[1]);
    section.w_weight = to_double(r[1] + sign * r[0]);
    section.v_weight = to_double(-sign * r[0]);
    return section;
}

Complex response(const Section &section, Complex u) {
    const Real rest(section.rest);
    const Real decay(section.decay);
    const Real sign(section.sign);
    if (section.is_first_order()) {
        const Complex below = Complex(1.0) - (sign * (Real(1.0) - rest)) * u;
        return Real(section.w_weight) * u / below;
    }
    const Complex below =
        Complex(1.0) - u * (Complex(sign * (Real(1.0) + decay - rest)) - decay * u);
    const Complex v = Complex(1.0) - sign * u; // of w
    return u * (Complex(section.w_weight) + Real(section.v_weight) * v) / below;
}

// Has twice double's digits, so that the point lies on the circle and not beside it.
Complex on_circle(double angle, double circle) {
    const Complex u(Real(std::cos(angle)), Real(-std::sin(angle)));
    const Real scale = Real(1.5) - Real(0.5) * (u.re * u.re + u.im * u.im);
    return (scale / Real(circle)) * u;
}

constexpr int even_steps = 256;

std::vector<Complex> even_points() {
    std::vector<Complex> points;
    for (int i = 0; i <= even_steps; ++i)
        points.push_back(on_circle(std::numbers::pi * i / even_steps, 1.0));
    return points;
}

} // namespace

TransferFunction transfer_function(const Scan &scan) {
    TransferFunction result;
    result.b.assign(scan.feedforward.begin(), scan.feedforward.end());
    result.a.emplace_back(1.0);
    for (const double coefficient : scan.feedback)
        result.a.emplace_back(-coefficient);
    return result;
}

ComplexDoubleDouble response(const Cascade &chain, ComplexDoubleDouble u) {
    Complex result(1.0);
    for (const TransferFunction &scan : chain)
        result = result * value_at(scan.b, u) / value_at(scan.a, u);
    return result;
}

std::vector<ComplexDoubleDouble> test_points(const std::vector<Factor> &factors, double circle) {
    std::vector<double> angles;
    for (int i = 0; i <= even_steps; ++i)
        angles.push_back(std::numbers::pi * i / even_steps);
    for (const Factor &factor : factors)
        for (const Poles &poles : factor.poles)
            for (const double step : {0.0, 0.3, 1.0, 3.0, 10.0, 30.0})
                for (const double side : {-1.0, 1.0}) {
                    if (step == 0.0 && side > 0.0)
                        continue;
                    const double angle =
                        std::abs(poles.angle) + side * step * std::abs(1.0 - poles.radius / circle);
                    if (angle >= 0.0 && angle <= std::numbers::pi)
                        angles.push_back(angle);
                }
    std::vector<Complex> points;
    for (const double angle : angles)
        points.push_back(on_circle(angle, circle));
    return points;
}

Factored factored(const Cascade &chain, Trim what) {
    static const std::vector<Complex> circle = even_points();
    Roots poles, zeros;
    int delays = 0;
    for (TransferFunction scan : chain) {
        delays += trim(scan, what, circle);
        append(roots_of(scan.a), poles);
        append(roots_of(scan.b), zeros);
    }
    Factored result;
    result.factors = factors_of(poles);
    for (const Factor &factor : result.factors)
        result.radius = std::max(result.radius, factor.radius);
    constexpr double beyond = 1.05; // poles that do not fade
    if (result.radius >= 1.0)
        result.circle = beyond * result.radius;
    result.fir = give_zeros(zeros_of(zeros, delays), result.factors);
    if (result.fir.size() == 1) {
        // Poles at 0 for one or two zeros make a section, rather than a stage of taps.
        Factor factor = factor_of({Poles{}});
        factor.num = result.fir[0];
        result.factors.push_back(factor);
        result.fir.clear();
    }

    const std::vector<Complex> points = test_points(result.factors, result.circle);
    std::size_t where = 0;
    double largest = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double size = magnitude(response(chain, points[i]));
        if (size > largest) {
            largest = size;
            where = i;
        }
    }
    if (largest == 0.0) { // nothing comes out
        result.factors.clear();
        result.fir.clear();
        result.gain = 0.0;
        return result;
    }
    Complex product(1.0);
    const auto normalise = [&](const auto &what_of, Numerator &num) {
        double most = 0.0;
        for (const Complex &u : points)
            most = std::max(most, magnitude(value_of(what_of, u)));
        for (Real &c : num)
            c = c / Real(most);
        product = product * value_of(what_of, points[where]);
    };
    for (Factor &factor : result.factors)
        normalise(factor, factor.num);
    for (Numerator &num : result.fir)
        normalise(num, num);
    result.gain = (response(chain, points[where]) / product).re;
    return result;
}

LineStage stage_of(const std::vector<Factor> &causal, const std::vector<Factor> &anticausal,
                   DoubleDouble gain) {
    LineStage stage;
    for (const Factor &factor : causal)
        for (const Poles &poles : factor.poles)
            stage.causal.push_back(section_of(poles, causal, anticausal, gain));
    for (const Factor &factor : anticausal)
        for (const Poles &poles : factor.poles)
            stage.anticausal.push_back(section_of(poles, anticausal, causal, gain));
    if (causal.empty() || anticausal.empty()) {
        // The first sample of the response.
        for (const auto *factors : {&causal, &anticausal})
            for (const Factor &factor : *factors)
                gain = gain * factor.num[0];
        stage.direct = to_double(gain);
        return stage;
    }
    // The product less the sections is a constant: it is computed at u = -1 or 1, where less cancels.
    double least = INFINITY;
    for (const double side : {-1.0, 1.0}) {
        const Complex u{Real(side)};
        Complex whole{gain};
        Complex sum;
        double size = 0.0;
        for (const auto *factors : {&causal, &anticausal})
            for (const Factor &factor : *factors)
                whole = whole * value_of(factor, u);
        for (const auto *sections : {&stage.causal, &stage.anticausal})
            for (const Section &section : *sections) {
                const Complex own = response(section, u);
                sum = sum + own;
                size += magnitude(own);
            }
        if (size < least) {
            least = size;
            stage.direct = to_double((whole - sum).re);
        }
    }
    return stage;
}

LineStage taps_of(const std::vector<Numerator> &causal, const std::vector<Numerator> &anticausal,
                  DoubleDouble gain) {
    const auto multiply = [](const std::vector<Numerator> &factors) {
        Polynomial result{Real(1.0)};
        for (const Numerator &num : factors)
            result = gz::product(result, {num.begin(), num.end()});
        return result;
    };
    // Coefficients of powers of 1/u, from the highest delay on.
    Polynomial delays = multiply(causal);
    const auto longest = static_cast<std::int64_t>(delays.size()) - 1;
    std::reverse(delays.begin(), delays.end());
    LineStage stage;
    stage.first_tap = -longest;
    for (const Real &tap : gz::product(delays, multiply(anticausal)))
        stage.taps.push_back(to_double(gain * tap));
    while (stage.taps.size() > 1 && stage.taps.back() == 0.0)
        stage.taps.pop_back();
    while (stage.taps.size() > 1 && stage.taps.front() == 0.0) {
        stage.taps.erase(stage.taps.begin());
        ++stage.first_tap;
    }
    return stage;
}

ComplexDoubleDouble response(const LineStage &stage, ComplexDoubleDouble u) {
    if (stage.has_taps()) {
        // taps[i] reads first_tap + i samples ahead.
        Complex sum;
        const Complex ahead = Complex(1.0) / u;
        for (std::size_t i = stage.taps.size(); i-- > 0;)
            sum = sum * ahead + Complex(stage.taps[i]);
        for (std::int64_t i = stage.first_tap; i < 0; ++i)
            sum = sum * u;
        for (std::int64_t i = 0; i < stage.first_tap; ++i)
            sum = sum * ahead;
        return sum;
    }
    Complex result{Real(stage.direct)};
    for (const Section &section : stage.causal)
        result = result + response(section, u);
    const Complex ahead = Complex(1.0) / u;
    for (const Section &section : stage.anticausal)
        result = result + response(section, ahead);
    return result;
}

} // namespace gz
