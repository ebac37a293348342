#include "support/random_scans.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "support/iir_designs.hpp"

namespace support {

namespace {

using Complex = std::complex<double>;
using Random = std::minstd_rand;

constexpr double pi = 3.14159265358979323846;

double uniform(Random &random, double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
}

int integer(Random &random, int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
}

double of_either_sign(Random &random, double magnitude) {
    return integer(random, 0, 1) == 0 ? magnitude : -magnitude;
}

Coefficients of_any_magnitude(Random &random) {
    Coefficients result{{}, {1.0}};
    const double widest = uniform(random, 0.0, 30.0);
    const auto term = [&] {
        return of_either_sign(random, std::pow(10.0, uniform(random, -widest, widest / 3.0)));
    };
    for (int i = integer(random, 1, 6); i > 0; --i)
        result.b.push_back(integer(random, 0, 5) == 0 ? 0.0 : term());
    for (int i = integer(random, 0, 6); i > 0; --i)
        result.a.push_back(integer(random, 0, 3) == 0 ? 0.0 : 0.3 * term());
    return result;
}

// Poles within a distance of the circle, zeros where they like; each may come several times.
std::vector<Complex> roots(Random &random, int most, double farthest) {
    std::vector<Complex> result;
    const int count = integer(random, 0, most);
    while (static_cast<int>(result.size()) < count) {
        const double distance = farthest * std::pow(10.0, uniform(random, -4.0, 0.0));
        const double angle =
            integer(random, 0, 2) == 0 ? pi * integer(random, 0, 1) : uniform(random, 0.0, pi);
        const Complex root = std::polar(1.0 - distance, angle);
        for (int times = integer(random, 1, 3); times > 0; --times)
            if (std::abs(root.imag()) < 1e-9) {
                result.emplace_back(root.real());
            } else {
                result.push_back(root);
                result.push_back(std::conj(root));
            }
    }
    return result;
}

Coefficients of_roots(Random &random) {
    std::vector<Complex> poles = roots(random, 8, 1.0);
    std::vector<Complex> zeros = roots(random, 8, integer(random, 0, 1) == 0 ? 1.0 : -0.5);
    // Zeros where poles are, or next to them.
    for (std::size_t i = 0; i < std::min(poles.size(), zeros.size()); ++i)
        if (integer(random, 0, 3) == 0 && poles[i].imag() == 0.0 && zeros[i].imag() == 0.0)
            zeros[i] = poles[i] *
                       (1.0 + uniform(random, -1.0, 1.0) * std::pow(10.0, -integer(random, 3, 17)));
    return to_coefficients({zeros, poles, 1.0});
}

double rounded(double value, int digits) {
    if (value == 0.0)
        return value;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits + 1);
    return std::round(value / unit) * unit;
}

Coefficients of_design(Random &random) {
    const auto prototype = static_cast<Prototype>(integer(random, 0, 4));
    const int order = integer(random, 1, 9);
    const double cutoff = std::pow(10.0, uniform(random, -2.3, -0.05));
    Coefficients result = to_coefficients(
        integer(random, 0, 2) == 0
            ? design(prototype, integer(random, 0, 1) == 0 ? Band::pass : Band::stop,
                     (order + 1) / 2, {0.7 * cutoff, cutoff})
            : design(prototype, integer(random, 0, 1) == 0 ? Band::low : Band::high, order,
                     {cutoff}));
    const int digits = integer(random, 3, 17);
    const bool as_f32 = integer(random, 0, 3) == 0;
    for (std::vector<double> *terms : {&result.b, &result.a})
        for (double &term : *terms)
            term = as_f32 ? static_cast<double>(static_cast<float>(term)) : rounded(term, digits);
    if (integer(random, 0, 5) == 0) // a term that is wrong, lost or doubled
        result.b[static_cast<std::size_t>(
            integer(random, 0, static_cast<int>(result.b.size()) - 1))] *= integer(random, -1, 2);
    return result;
}

// Coefficients that make an invalid or nearly invalid filter.
Coefficients odd_one(Random &random) {
    switch (integer(random, 0, 8)) {
    case 0:
        return {{}, {1.0, -0.5}};
    case 1:
        return {{0.0, 0.0}, {1.0, -0.5}};
    case 2:
        return {{1.0}, {1.0, std::numeric_limits<double>::quiet_NaN()}};
    case 3:
        return {{std::numeric_limits<double>::infinity()}, {1.0}};
    case 4:
        return {{1e300}, {1.0, -0.5}};
    case 5:
        return {{1e-320, 1.0}, {1.0, -0.5, 1e-320}};
    case 6:
        return {{1.0, -0.5}, {1.0, -0.5}};
    case 7:
        return {{1.0}, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.9}};
    default:
        return {{3e38}, {1.0, -0.99}};
    }
}

Coefficients any(Random &random) {
    switch (integer(random, 0, 9)) {
    case 0:
    case 1:
    case 2:
        return of_any_magnitude(random);
    case 3:
    case 4:
    case 5:
        return of_roots(random);
    case 6:
        return odd_one(random);
    default:
        return of_design(random);
    }
}

} // namespace

std::vector<gz::Scan> random_scans(std::minstd_rand &random, int axis, bool forward) {
    std::vector<gz::Scan> scans;
    for (int i = integer(random, 0, 3) == 0 ? integer(random, 2, 3) : 1; i > 0; --i)
        scans.push_back(to_scan(any(random), axis, forward));
    return scans;
}

} // namespace support
