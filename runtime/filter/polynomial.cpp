#include "filter/polynomial.hpp"

#include <algorithm>
#include <cmath>

namespace gz {

namespace {

using Complex = std::complex<long double>;

// z^r - a[0] z^(r-1) - ... - a[r-1], and its derivative.
struct Value {
    Complex value, slope;
};
Value evaluate(const std::vector<long double> &a, Complex z) {
    Value result{1.0L, 0.0L};
    for (const long double coefficient : a) {
        result.slope = result.slope * z + result.value;
        result.value = result.value * z - coefficient;
    }
    return result;
}

// All at once (Aberth's iteration), from a circle around the roots.
std::vector<Complex> iterate(const std::vector<long double> &a) {
    const std::size_t count = a.size();
    long double radius = 0.0L;
    for (std::size_t i = 0; i < count; ++i)
        radius = std::max(radius, std::pow(std::abs(a[i]), 1.0L / static_cast<long double>(i + 1)));
    std::vector<Complex> roots(count);
    for (std::size_t i = 0; i < count; ++i)
        roots[i] = std::polar(radius, 0.4L + 6.2831853L * static_cast<long double>(i) /
                                                 static_cast<long double>(count));
    constexpr int most_steps = 500;
    for (int step = 0; step < most_steps; ++step) {
        long double moved = 0.0L;
        for (std::size_t i = 0; i < count; ++i) {
            const Value at = evaluate(a, roots[i]);
            if (at.value == Complex(0.0L))
                continue;
            Complex repulsion = 0.0L;
            for (std::size_t j = 0; j < count; ++j)
                if (j != i && roots[j] != roots[i])
                    repulsion += 1.0L / (roots[i] - roots[j]);
            const Complex denominator = at.slope / at.value - repulsion;
            if (denominator == Complex(0.0L))
                continue;
            const Complex change = 1.0L / denominator;
            if (!std::isfinite(change.real()) || !std::isfinite(change.imag()))
                continue;
            roots[i] -= change;
            moved = std::max(moved, std::abs(change) / std::max(std::abs(roots[i]), 1e-30L));
        }
        if (moved < 1e-18L)
            break;
    }
    return roots;
}

// Roots of multiplicity m scatter around their mean by the m-th root of the rounding.
void merge(std::vector<Complex> &roots) {
    std::vector<bool> taken(roots.size(), false);
    for (std::size_t i = 0; i < roots.size(); ++i) {
        if (taken[i])
            continue;
        std::vector<std::size_t> cluster{i};
        long double reach = 0.0L;
        for (std::size_t size = roots.size() - i; size >= 1; --size) {
            reach =
                4.0L * std::pow(1e-16L, 1.0L / static_cast<long double>(size)) * std::abs(roots[i]);
            cluster = {i};
            for (std::size_t j = i + 1; j < roots.size(); ++j)
                if (!taken[j] && std::abs(roots[j] - roots[i]) < reach)
                    cluster.push_back(j);
            if (cluster.size() >= size)
                break;
        }
        Complex mean = 0.0L;
        for (const std::size_t j : cluster)
            mean += roots[j] / static_cast<long double>(cluster.size());
        for (const std::size_t j : cluster) {
            taken[j] = true;
            roots[j] = std::abs(mean.imag()) <= reach ? Complex(mean.real()) : mean;
        }
    }
}

} // namespace

std::vector<std::complex<double>> poles_of(const std::vector<double> &feedback) {
    std::vector<long double> a(feedback.begin(), feedback.end());
    std::size_t zeros = 0;
    while (!a.empty() && a.back() == 0.0L) {
        a.pop_back();
        ++zeros;
    }
    std::vector<Complex> roots = iterate(a);
    merge(roots);

    // Real ones, and one of each conjugate pair.
    std::vector<std::complex<double>> real, upper;
    for (const Complex &root : roots) {
        const auto x = static_cast<double>(root.real());
        const auto y = static_cast<double>(root.imag());
        if (y == 0.0)
            real.emplace_back(x, 0.0);
        else if (y > 0.0)
            upper.emplace_back(x, y);
    }
    std::vector<std::complex<double>> result = real;
    result.insert(result.end(), upper.begin(), upper.end());
    result.insert(result.end(), zeros, 0.0);
    std::stable_sort(result.begin(), result.end(),
                     [](const auto &p, const auto &q) { return std::abs(p) > std::abs(q); });
    std::vector<std::complex<double>> all;
    for (const std::complex<double> &pole : result) {
        all.push_back(pole);
        if (pole.imag() != 0.0)
            all.push_back(std::conj(pole));
    }
    return all;
}

std::vector<double> product(const std::vector<double> &p, const std::vector<double> &q) {
    if (p.empty() || q.empty())
        return {};
    std::vector<double> result(p.size() + q.size() - 1, 0.0);
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j)
            result[i + j] += p[i] * q[j];
    return result;
}

} // namespace gz
