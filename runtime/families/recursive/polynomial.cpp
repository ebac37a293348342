#include "families/recursive/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gz {

namespace {

using Real = DoubleDouble;
using Complex = ComplexDoubleDouble;

constexpr double unit = 0x1p-102; // the value of a DoubleDouble's last digit

// Newton's correction at z, value / derivative, and the ratio of the value to the sum of the terms'
// magnitudes: where this is near `unit`, the value is noise.
struct Evaluated {
    Complex correction;
    double relative = 0.0;
};

// Outside the unit circle the reversed polynomial is evaluated at 1/z, so that nothing overflows.
Evaluated evaluate(const Polynomial &c, Complex z) {
    const std::size_t n = c.size() - 1;
    const bool outside = magnitude(z) > 1.0;
    const Complex u = outside ? Complex(1.0) / z : z;
    const double size = magnitude(u);
    Complex value, slope;
    double sum = 0.0;
    for (std::size_t i = 0; i <= n; ++i) {
        const Real &term = outside ? c[n - i] : c[i];
        slope = slope * u + value;
        value = value * u + Complex(term);
        sum = sum * size + std::abs(term.high);
    }
    if (magnitude(value) == 0.0)
        return {};
    // With q(u) = u^n p(1/u): p / p' = q / (n u q - u^2 q').
    if (outside)
        slope = Real(static_cast<double>(n)) * (u * value) - u * u * slope;
    const bool flat = magnitude(slope) == 0.0;
    return {flat ? Complex(size * 1e-3, size * 1e-3) : value / slope, magnitude(value) / sum};
}

// Starting points on circles whose radii are the slopes of the upper hull of log |coefficients|.
std::vector<Complex> starting_points(const Polynomial &c, double turn) {
    const std::size_t n = c.size() - 1;
    constexpr double no_height = -1e300;
    std::vector<double> height(n + 1);
    for (std::size_t i = 0; i <= n; ++i)
        height[i] = c[n - i].high == 0.0 ? no_height : std::log(std::abs(c[n - i].high));
    std::vector<std::size_t> hull;
    for (std::size_t i = 0; i <= n; ++i) {
        while (hull.size() > 1) {
            const std::size_t a = hull[hull.size() - 2];
            const std::size_t b = hull.back();
            if ((height[b] - height[a]) * static_cast<double>(i - a) >
                (height[i] - height[a]) * static_cast<double>(b - a))
                break;
            hull.pop_back();
        }
        hull.push_back(i);
    }
    std::vector<Complex> points;
    for (std::size_t k = 0; k + 1 < hull.size(); ++k) {
        const std::size_t count = hull[k + 1] - hull[k];
        const double radius =
            std::exp((height[hull[k]] - height[hull[k + 1]]) / static_cast<double>(count));
        for (std::size_t i = 0; i < count; ++i) {
            const double angle =
                2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count) +
                turn + 0.3 * static_cast<double>(k);
            points.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
        }
    }
    return points;
}

bool are_conjugate(const Complex &a, const Complex &b) {
    return a.im.high != 0.0 && magnitude(b - conj(a)) == 0.0;
}

// The polynomial less the product of all factors, coefficient by coefficient. It keeps its digits however
// ill-conditioned the roots are, as the two are compared where they are close.
struct Residual {
    std::vector<Complex> coefficients;
    double relative = 0.0; // the sum of their magnitudes over that of the polynomial's
};

Residual residual(const Polynomial &c, const std::vector<Complex> &roots) {
    std::vector<Complex> product{Complex(c[0])};
    for (std::size_t k = 0; k < roots.size(); ++k) {
        product.emplace_back();
        if (k + 1 < roots.size() && are_conjugate(roots[k], roots[k + 1])) {
            // Both conjugates at once, so that no imaginary part is left.
            const Complex &z = roots[k++];
            const Real square = z.re * z.re + z.im * z.im;
            const Real twice = Real(-2.0) * z.re;
            product.emplace_back();
            for (std::size_t i = product.size() - 1; i > 1; --i)
                product[i] = product[i] + twice * product[i - 1] + square * product[i - 2];
            product[1] = product[1] + twice * product[0];
            continue;
        }
        for (std::size_t i = product.size() - 1; i > 0; --i)
            product[i] = product[i] - roots[k] * product[i - 1];
    }
    Residual result;
    double error = 0.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        result.coefficients.push_back(Complex(c[i]) - product[i]);
        error += magnitude(result.coefficients[i]);
        sum += std::abs(c[i].high);
    }
    result.relative = std::isfinite(error) ? error / sum : std::numeric_limits<double>::infinity();
    return result;
}

// Runs Newton's method on all roots at once, as long as the product comes closer to the polynomial. Returns
// the remaining difference. At an approximation the polynomial's value is that of the residual, since the
// product's is 0 there.
double refine(const Polynomial &c, std::vector<Complex> &best) {
    const double enough = 2.0 * static_cast<double>(c.size()) * unit;
    constexpr int most_in_vain = 40;
    std::vector<Complex> now = best;
    Residual left = residual(c, now);
    double least = left.relative;
    for (int in_vain = 0; in_vain < most_in_vain && least > enough;) {
        std::vector<Complex> next = now;
        for (std::size_t k = 0; k < now.size(); ++k) {
            if (k > 0 && are_conjugate(now[k - 1], now[k])) {
                next[k] = conj(next[k - 1]);
                continue;
            }
            Complex value;
            for (const Complex &term : left.coefficients)
                value = value * now[k] + term;
            Complex others(c[0]);
            for (std::size_t j = 0; j < now.size(); ++j)
                if (j != k)
                    others = others * (now[k] - now[j]);
            if (magnitude(others) > 0.0)
                next[k] = now[k] - value / others;
            // Rounding may not take a real root from the axis.
            if (now[k].im.high == 0.0)
                next[k].im = 0.0;
        }
        now = std::move(next);
        left = residual(c, now);
        in_vain = left.relative < 0.7 * least ? 0 : in_vain + 1;
        if (left.relative < least) {
            least = left.relative;
            best = now;
        }
    }
    return least;
}

// Puts conjugates next to one another, exactly equal; roots without a conjugate are real.
std::vector<Complex> symmetric(std::vector<Complex> roots) {
    std::sort(roots.begin(), roots.end(), [](const Complex &a, const Complex &b) {
        return std::abs(a.im.high) > std::abs(b.im.high);
    });
    std::vector<Complex> real, pairs;
    while (!roots.empty()) {
        const Complex one = roots.front();
        roots.erase(roots.begin());
        auto nearest = roots.end();
        double least = 2.0 * std::abs(one.im.high); // to its own conjugate
        for (auto i = roots.begin(); i != roots.end(); ++i)
            if (magnitude(*i - conj(one)) < least) {
                least = magnitude(*i - conj(one));
                nearest = i;
            }
        if (nearest == roots.end()) {
            real.emplace_back(one.re);
            continue;
        }
        const Complex mean = Real(0.5) * (one + conj(*nearest));
        roots.erase(nearest);
        pairs.push_back(mean.im.high < 0.0 ? conj(mean) : mean);
        pairs.push_back(conj(pairs.back()));
    }
    real.insert(real.end(), pairs.begin(), pairs.end());
    return real;
}

// coarse: the relative value at which Aberth's iteration leaves a root to the next method.
Roots attempt(const Polynomial &c, double coarse, double turn) {
    std::vector<Complex> roots = starting_points(c, turn);
    const double enough = std::max(4.0 * static_cast<double>(c.size()) * unit, coarse);
    std::vector<bool> done(roots.size(), false);
    constexpr int most_steps = 300;
    for (int step = 0;
         step < most_steps && std::find(done.begin(), done.end(), false) != done.end(); ++step)
        for (std::size_t i = 0; i < roots.size(); ++i) {
            if (done[i])
                continue;
            const Evaluated at = evaluate(c, roots[i]);
            if (at.relative <= enough) {
                done[i] = true;
                continue;
            }
            Complex repulsion;
            for (std::size_t j = 0; j < roots.size(); ++j)
                if (j != i && magnitude(roots[i] - roots[j]) > 0.0)
                    repulsion = repulsion + Complex(1.0) / (roots[i] - roots[j]);
            const Complex below = Complex(1.0) - at.correction * repulsion;
            roots[i] =
                roots[i] - (magnitude(below) > 1e-12 ? at.correction / below : at.correction);
        }
    refine(c, roots);
    roots = symmetric(std::move(roots));
    Roots result;
    result.backward_error = refine(c, roots);
    for (std::size_t i = 0; i < roots.size(); ++i)
        if (roots[i].im.high == 0.0)
            result.real.push_back(roots[i].re);
        else
            result.upper.push_back(roots[i++]);
    return result;
}

} // namespace

ComplexDoubleDouble value_at(const Polynomial &polynomial, ComplexDoubleDouble u) {
    Complex result;
    for (std::size_t i = polynomial.size(); i-- > 0;)
        result = result * u + Complex(polynomial[i]);
    return result;
}

Polynomial product(const Polynomial &p, const Polynomial &q) {
    if (p.empty() || q.empty())
        return {};
    Polynomial result(p.size() + q.size() - 1);
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j)
            result[i + j] = result[i + j] + p[i] * q[j];
    return result;
}

Roots roots_of(const Polynomial &c) {
    if (c.size() < 2)
        return {};
    if (c.size() == 2) {
        Roots one;
        one.real.push_back(-c[1] / c[0]);
        return one;
    }
    const double enough = 64.0 * static_cast<double>(c.size()) * unit;
    Roots best;
    best.backward_error = std::numeric_limits<double>::infinity();
    for (const double turn : {0.7, 0.2, 1.1})
        for (const double coarse : {1e-6, 1e-3, 1e-9, 1e-12}) {
            Roots one = attempt(c, coarse, turn);
            if (one.backward_error < best.backward_error)
                best = std::move(one);
            if (best.backward_error <= enough)
                return best;
        }
    return best;
}

bool is_stable(Polynomial a) {
    while (a.size() > 1) {
        const Real k = a.back();
        const Real rest = (Real(1.0) - k) * (Real(1.0) + k);
        if (!(rest.high > 0.0))
            return false;
        Polynomial next;
        for (std::size_t i = 0; i + 1 < a.size(); ++i)
            next.push_back((a[i] - k * a[a.size() - 1 - i]) / rest);
        a = std::move(next);
    }
    return true;
}

} // namespace gz
