#include "support/iir_designs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <random>
#include <sstream>

#include "core/double_double.hpp"

namespace support {

namespace {

using Complex = std::complex<double>;
using gz::ComplexDoubleDouble;
using gz::DoubleDouble;

constexpr double pi = 3.14159265358979323846;

// 10^x - 1
double power_less_1(double x) {
    return std::expm1(std::log(10.0) * x);
}

// Returns the product of (from - root) over all roots.
Complex product(double from, const std::vector<Complex> &roots) {
    return std::accumulate(roots.begin(), roots.end(), Complex(1.0),
                           [from](Complex all, Complex root) { return all * (from - root); });
}

void add_pair(std::vector<Complex> &roots, Complex root) {
    roots.push_back(root);
    if (root.imag() != 0.0)
        roots.push_back(std::conj(root));
}

// Half of the angles of n points spread evenly over the left half of a circle, counted from the
// negative axis: those from 0 to pi / 2.
std::vector<double> angles(int order) {
    std::vector<double> result;
    for (int m = 1 - order % 2; m < order; m += 2)
        result.push_back(pi * m / (2.0 * order));
    return result;
}

ZerosPolesGain butterworth(int order) {
    ZerosPolesGain filter;
    for (const double angle : angles(order))
        add_pair(filter.poles, {-std::cos(angle), std::sin(angle)});
    return filter;
}

ZerosPolesGain chebyshev1(int order, double ripple) {
    const double epsilon = std::sqrt(power_less_1(0.1 * ripple));
    const double mu = std::asinh(1.0 / epsilon) / order;
    ZerosPolesGain filter;
    for (const double angle : angles(order))
        add_pair(filter.poles, {-std::sinh(mu) * std::cos(angle), std::cosh(mu) * std::sin(angle)});
    filter.gain = product(0.0, filter.poles).real();
    if (order % 2 == 0)
        filter.gain /= std::sqrt(1.0 + epsilon * epsilon);
    return filter;
}

ZerosPolesGain chebyshev2(int order, double attenuation) {
    const double mu = std::asinh(std::sqrt(power_less_1(0.1 * attenuation))) / order;
    ZerosPolesGain filter;
    for (const double angle : angles(order)) {
        add_pair(filter.poles,
                 1.0 / Complex(-std::sinh(mu) * std::cos(angle), std::cosh(mu) * std::sin(angle)));
        if (angle != 0.0)
            add_pair(filter.zeros, {0.0, 1.0 / std::sin(angle)});
    }
    filter.gain = (product(0.0, filter.poles) / product(0.0, filter.zeros)).real();
    return filter;
}

// A modulus k of Jacobi's functions and its complement, k^2 + other^2 = 1: each known to full
// precision, as the difference from 1 of one that is close to it is not.
struct Modulus {
    double k, other;

    Modulus complement() const { return {other, k}; }
};

// Arithmetic and geometric means from (1, other), and half the differences; they meet after 10 steps
// at most.
struct Means {
    std::vector<double> a, b, c;

    explicit Means(const Modulus &modulus) : a{1.0}, b{modulus.other}, c{modulus.k} {
        while (std::abs(c.back()) > 1e-17 * a.back() && a.size() < 12) {
            const double last_a = a.back();
            const double last_b = b.back();
            a.push_back((last_a + last_b) / 2.0);
            b.push_back(std::sqrt(last_a * last_b));
            c.push_back((last_a - last_b) / 2.0);
        }
    }
};

// Abramowitz and Stegun 17.6: the quarter period.
double complete_integral(const Modulus &modulus) {
    return pi / (2.0 * Means(modulus).a.back());
}

// 17.6: the integral up to the amplitude whose tangent is given.
double integral_to_tangent(double tangent, const Modulus &modulus) {
    const Means means(modulus);
    double phi = std::atan(tangent);
    const std::size_t steps = means.a.size() - 1;
    for (std::size_t i = 0; i < steps; ++i)
        phi += std::atan(means.b[i] / means.a[i] * std::tan(phi)) + pi * std::round(phi / pi);
    return std::ldexp(phi / means.a.back(), -static_cast<int>(steps));
}

struct Jacobi {
    double sn, cn, dn;
};

// 16.4, but for dn, which loses digits there where cn is small.
Jacobi jacobi(double u, const Modulus &modulus) {
    const Means means(modulus);
    const std::size_t steps = means.a.size() - 1;
    double phi = std::ldexp(means.a.back() * u, static_cast<int>(steps));
    for (std::size_t i = steps; i > 0; --i)
        phi = (phi + std::asin(means.c[i] / means.a[i] * std::sin(phi))) / 2.0;
    const double cn = std::cos(phi);
    return {std::sin(phi), cn, std::hypot(modulus.other, modulus.k * cn)};
}

// The modulus whose ratio of periods is 1 / order of the given one's, from its nome by theta functions.
Modulus modulus_of_degree(int order, const Modulus &modulus) {
    const double ratio = complete_integral(modulus.complement()) / complete_integral(modulus);
    const double nome = std::exp(-pi * ratio / order);
    double theta2 = 0.0;
    double theta3 = 1.0;
    double theta4 = 1.0;
    for (int n = 0; n < 30; ++n) {
        theta2 += 2.0 * std::pow(nome, (n + 0.5) * (n + 0.5));
        const double term = 2.0 * std::pow(nome, (n + 1.0) * (n + 1.0));
        theta3 += term;
        theta4 += n % 2 == 0 ? -term : term;
    }
    return {theta2 * theta2 / (theta3 * theta3), theta4 * theta4 / (theta3 * theta3)};
}

// S. J. Orfanidis, Lecture Notes on Elliptic Filter Design, 2006.
ZerosPolesGain elliptic(int order, const Decibels &decibels) {
    const double epsilon_squared = power_less_1(0.1 * decibels.ripple);
    ZerosPolesGain filter;
    if (order == 1) {
        filter.poles = {-std::sqrt(1.0 / epsilon_squared)};
        filter.gain = -filter.poles[0].real();
        return filter;
    }
    const double ratio_squared = epsilon_squared / power_less_1(0.1 * decibels.attenuation);
    const Modulus ratio{std::sqrt(ratio_squared), std::sqrt(1.0 - ratio_squared)};
    const Modulus modulus = modulus_of_degree(order, ratio);
    const double quarter = complete_integral(modulus);
    const double depth = quarter / (order * complete_integral(ratio)) *
                         integral_to_tangent(1.0 / std::sqrt(epsilon_squared), ratio.complement());
    const Jacobi v = jacobi(depth, modulus.complement());
    for (int j = 1 - order % 2; j < order; j += 2) {
        const Jacobi u = jacobi(j * quarter / order, modulus);
        if (j != 0)
            add_pair(filter.zeros, {0.0, 1.0 / (modulus.k * u.sn)});
        const double size = 1.0 - u.dn * v.sn * u.dn * v.sn;
        add_pair(filter.poles, {-u.cn * u.dn * v.sn * v.cn / size, u.sn * v.dn / size});
    }
    filter.gain = (product(0.0, filter.poles) / product(0.0, filter.zeros)).real();
    if (order % 2 == 0)
        filter.gain /= std::sqrt(1.0 + epsilon_squared);
    return filter;
}

// Returns the roots of the reverse Bessel polynomial, all at once by Ehrlich and Aberth's method, scaled to a
// product of 1. In double the roots of order 20 would have 6 digits.
ZerosPolesGain bessel(int order) {
    const auto count = static_cast<std::size_t>(order);
    std::vector<DoubleDouble> terms(count + 1, 1.0); // of s^k
    for (std::size_t k = count; k-- > 0;)
        terms[k] = terms[k + 1] * DoubleDouble(static_cast<double>((2 * count - k) * (k + 1))) /
                   DoubleDouble(static_cast<double>(2 * (count - k)));
    // The polynomial is made one of s / scale, so that its coefficients are of one size.
    const double scale = std::pow(gz::to_double(terms[0]), 1.0 / order);
    DoubleDouble power = 1.0;
    for (std::size_t k = count; k-- > 0;) {
        power = power * DoubleDouble(scale);
        terms[k] = terms[k] / power;
    }
    std::vector<ComplexDoubleDouble> roots;
    for (int i = 0; i < order; ++i) {
        const Complex start = std::polar(1.0, 2.0 * pi * i / order + 0.4);
        roots.emplace_back(DoubleDouble(start.real()), DoubleDouble(start.imag()));
    }
    for (int step = 0; step < 60; ++step)
        for (std::size_t i = 0; i < count; ++i) {
            ComplexDoubleDouble value = terms[count];
            ComplexDoubleDouble slope;
            for (std::size_t k = count; k-- > 0;) {
                slope = slope * roots[i] + value;
                value = value * roots[i] + ComplexDoubleDouble(terms[k]);
            }
            if (gz::magnitude(value) == 0.0)
                continue;
            ComplexDoubleDouble inverse = slope / value; // of Newton's step
            for (std::size_t j = 0; j < count; ++j)
                if (j != i)
                    inverse = inverse - ComplexDoubleDouble(1.0) / (roots[i] - roots[j]);
            roots[i] = roots[i] - ComplexDoubleDouble(1.0) / inverse;
        }
    ZerosPolesGain filter;
    for (const ComplexDoubleDouble &root : roots) {
        const Complex pole(gz::to_double(root.re), gz::to_double(root.im));
        if (std::abs(pole.imag()) < 1e-20)
            filter.poles.emplace_back(pole.real());
        else if (pole.imag() > 0.0)
            add_pair(filter.poles, pole);
    }
    return filter;
}

ZerosPolesGain analog(Prototype prototype, int order, const Decibels &decibels) {
    switch (prototype) {
    case Prototype::butterworth:
        return butterworth(order);
    case Prototype::chebyshev1:
        return chebyshev1(order, decibels.ripple);
    case Prototype::chebyshev2:
        return chebyshev2(order, decibels.attenuation);
    case Prototype::elliptic:
        return elliptic(order, decibels);
    case Prototype::bessel:
        break;
    }
    return bessel(order);
}

// A root of a low-pass becomes two in a band of the width around the centre: the s with
// (s^2 + centre^2) / s = width root.
std::vector<Complex> around(const std::vector<Complex> &roots, double width, double centre) {
    std::vector<Complex> result;
    for (const Complex &root : roots) {
        const Complex middle = root * (width / 2.0);
        const Complex apart = std::sqrt(middle * middle - centre * centre);
        result.push_back(middle + apart);
        result.push_back(middle - apart);
    }
    return result;
}

std::vector<Complex> inverses(std::vector<Complex> roots) {
    for (Complex &root : roots)
        root = 1.0 / root;
    return roots;
}

ZerosPolesGain to_band(ZerosPolesGain filter, Band band, const std::vector<double> &edges) {
    const auto excess = static_cast<int>(filter.poles.size() - filter.zeros.size());
    const bool rises = band == Band::high || band == Band::stop;
    if (rises) { // s becomes 1 / s, and so zeros at infinity zeros at 0
        filter.gain *= (product(0.0, filter.zeros) / product(0.0, filter.poles)).real();
        filter.zeros = inverses(std::move(filter.zeros));
        filter.poles = inverses(std::move(filter.poles));
    }
    if (band == Band::low || band == Band::high) {
        for (Complex &zero : filter.zeros)
            zero *= edges[0];
        for (Complex &pole : filter.poles)
            pole *= edges[0];
        if (rises)
            filter.zeros.insert(filter.zeros.end(), static_cast<std::size_t>(excess), 0.0);
        else
            filter.gain *= std::pow(edges[0], excess);
        return filter;
    }
    const double width = edges[1] - edges[0];
    const double centre = std::sqrt(edges[0] * edges[1]);
    filter.zeros = around(filter.zeros, width, centre);
    filter.poles = around(filter.poles, width, centre);
    for (int i = 0; i < excess; ++i)
        if (rises)
            add_pair(filter.zeros, {0.0, centre});
        else
            filter.zeros.emplace_back(0.0);
    if (!rises)
        filter.gain *= std::pow(width, excess);
    return filter;
}

// (z - 1) / (z + 1) times 4 for s; zeros at infinity go to -1.
ZerosPolesGain bilinear(ZerosPolesGain filter) {
    filter.gain *= (product(4.0, filter.zeros) / product(4.0, filter.poles)).real();
    for (std::vector<Complex> *roots : {&filter.zeros, &filter.poles})
        for (Complex &root : *roots)
            root = (4.0 + root) / (4.0 - root);
    filter.zeros.resize(filter.poles.size(), -1.0);
    return filter;
}

// Returns a polynomial's coefficients, of the highest power first.
std::vector<double> expand(const std::vector<Complex> &roots) {
    std::vector<Complex> terms{1.0};
    for (const Complex &root : roots) {
        terms.emplace_back(0.0);
        for (std::size_t i = terms.size() - 1; i > 0; --i)
            terms[i] -= root * terms[i - 1];
    }
    std::vector<double> result;
    std::transform(terms.begin(), terms.end(), std::back_inserter(result),
                   [](Complex term) { return term.real(); });
    return result;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
    for (double &value : values)
        value *= factor;
    return values;
}

std::vector<double> convolved(const std::vector<double> &a, const std::vector<double> &b) {
    std::vector<double> result(a.size() + b.size() - 1, 0.0);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j)
            result[i + j] += a[i] * b[j];
    return result;
}

double from_circle(Complex root) {
    return std::abs(1.0 - std::abs(root));
}

// Returns roots in pairs, conjugates or two real ones, and the single real root of an odd number.
struct Pairs {
    std::vector<std::vector<Complex>> pairs, single;
};

enum class Neighbours { by_value, by_circle };

Pairs paired(const std::vector<Complex> &roots, Neighbours neighbours) {
    Pairs result;
    std::vector<double> real;
    for (const Complex &root : roots)
        if (root.imag() > 0.0)
            result.pairs.push_back({root, std::conj(root)});
        else if (root.imag() == 0.0)
            real.push_back(root.real());
    std::sort(real.begin(), real.end(), [neighbours](double a, double b) {
        return neighbours == Neighbours::by_value ? a < b : from_circle(a) < from_circle(b);
    });
    std::size_t i = 0;
    for (; i + 1 < real.size(); i += 2)
        result.pairs.push_back({real[i], real[i + 1]});
    if (i < real.size())
        result.single.push_back({real[i]});
    return result;
}

// Numbers that are the same with every standard library, whose distributions are not.
class Random {
public:
    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(engine_()) / 2147483647.0;
    }
    int integer(int low, int high) { // both included
        return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
    }
    std::vector<double> normal(int count) {
        std::vector<double> values;
        for (int i = 0; i < count; ++i) {
            const double size = std::sqrt(-2.0 * std::log(uniform(1e-12, 1.0)));
            values.push_back(size * std::cos(uniform(0.0, 2.0 * pi)));
        }
        return values;
    }

private:
    std::minstd_rand engine_{1};
};

const std::vector<double> cutoffs{.005, .01, .02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95};
const std::vector<std::vector<double>> bands{{.02, .05}, {.1, .2}, {.1, .4},
                                             {.3, .35},  {.4, .6}, {.7, .9}};

const std::string &name_of(Prototype prototype) {
    static const std::string names[] = {"butter", "cheby1", "cheby2", "ellip", "bessel"};
    return names[static_cast<std::size_t>(prototype)];
}

} // namespace

ZerosPolesGain design(Prototype prototype, Band band, int order, const std::vector<double> &edges,
                      const Decibels &decibels) {
    std::vector<double> warped;
    for (const double edge : edges)
        warped.push_back(4.0 * std::tan(pi * edge / 2.0));
    return bilinear(to_band(analog(prototype, order, decibels), band, warped));
}

Coefficients to_coefficients(const ZerosPolesGain &filter) {
    return {scaled(expand(filter.zeros), filter.gain), expand(filter.poles)};
}

std::vector<Coefficients> to_sections(const ZerosPolesGain &filter) {
    Pairs poles = paired(filter.poles, Neighbours::by_circle);
    Pairs zeros = paired(filter.zeros, Neighbours::by_value);
    std::vector<Coefficients> result;
    using Groups = std::vector<std::vector<Complex>>;
    const auto match = [&result](Groups &of_poles, Groups &of_zeros) {
        std::sort(of_poles.begin(), of_poles.end(), [](const auto &a, const auto &b) {
            return from_circle(a[0]) < from_circle(b[0]);
        });
        for (const std::vector<Complex> &roots : of_poles) {
            const auto nearest = std::min_element(
                of_zeros.begin(), of_zeros.end(), [&](const auto &a, const auto &b) {
                    return std::abs(a[0] - roots[0]) < std::abs(b[0] - roots[0]);
                });
            result.push_back({expand(*nearest), expand(roots)});
            of_zeros.erase(nearest);
        }
    };
    match(poles.pairs, zeros.pairs);
    match(poles.single, zeros.single);
    std::reverse(result.begin(), result.end());
    for (Coefficients &section : result) {
        section.b.resize(3, 0.0);
        section.a.resize(3, 0.0);
    }
    result.front().b = scaled(result.front().b, filter.gain);
    return result;
}

Coefficients notch(double frequency, double quality) {
    const double gain = 1.0 / (1.0 + std::tan(pi * frequency / quality / 2.0));
    const double turn = -2.0 * std::cos(pi * frequency);
    return {scaled({1.0, turn, 1.0}, gain), {1.0, gain * turn, 2.0 * gain - 1.0}};
}

Coefficients peak(double frequency, double quality) {
    const double gain = 1.0 / (1.0 + std::tan(pi * frequency / quality / 2.0));
    return {scaled({1.0, 0.0, -1.0}, 1.0 - gain),
            {1.0, -2.0 * gain * std::cos(pi * frequency), 2.0 * gain - 1.0}};
}

gz::Scan to_scan(const Coefficients &coefficients, int axis, bool forward) {
    return {axis, forward, coefficients.b,
            scaled({coefficients.a.begin() + 1, coefficients.a.end()}, -1.0)};
}

std::vector<gz::Scan> to_scans(const Design &design, int axis, bool forward) {
    std::vector<gz::Scan> scans;
    for (const Coefficients &coefficients : design.scans)
        scans.push_back(to_scan(coefficients, axis, forward));
    return scans;
}

bool wants_all_designs() {
    return std::getenv("GAUZE_ALL_DESIGNS") != nullptr;
}

std::vector<Design> families() {
    std::vector<Design> result;
    for (int n = 1; n <= 12; ++n) {
        for (const double cutoff : cutoffs)
            for (const Prototype prototype :
                 {Prototype::butterworth, Prototype::chebyshev1, Prototype::chebyshev2,
                  Prototype::elliptic, Prototype::bessel})
                for (const Band band : {Band::low, Band::high})
                    if (prototype != Prototype::bessel || band == Band::low)
                        result.push_back(
                            {name_of(prototype) + (band == Band::low ? "-low" : "-high"),
                             n,
                             cutoff,
                             {to_coefficients(design(prototype, band, n, {cutoff}))}});
        for (const std::vector<double> &edges : bands)
            for (const Band band : {Band::pass, Band::stop})
                for (const Prototype prototype :
                     {Prototype::butterworth, Prototype::elliptic, Prototype::chebyshev2})
                    if (n <= 6)
                        result.push_back(
                            {name_of(prototype) + (band == Band::pass ? "-bandpass" : "-bandstop"),
                             2 * n,
                             edges[0],
                             {to_coefficients(design(prototype, band, n, edges))}});
    }
    return result;
}

std::vector<Design> others() {
    std::vector<Design> result;
    for (const double frequency : {.01, .05, .2, .5, .8, .99})
        for (const double quality : {1.0, 10.0, 30.0, 100.0}) {
            result.push_back({"notch", 2, frequency, {notch(frequency, quality)}});
            result.push_back({"peak", 2, frequency, {peak(frequency, quality)}});
        }
    for (int times = 1; times <= 20; ++times)
        for (const double pole : {.5, -.5, .9, .99, -.9}) {
            std::vector<double> a{1.0};
            for (int i = 0; i < times; ++i)
                a = convolved(a, {1.0, -pole});
            const double b = pole > 0.0 ? std::pow(1.0 - pole, times) : 1.0;
            result.push_back({"multiple", times, pole, {{{b}, a}}});
        }
    Random random;
    for (int order = 1; order <= 20; ++order)
        for (int i = 0; i < 15; ++i) {
            std::vector<Complex> poles;
            while (static_cast<int>(poles.size()) < order) {
                const double modulus = random.uniform(.1, .97);
                const double angle = random.uniform(0.0, pi);
                if (static_cast<int>(poles.size()) + 2 <= order && random.uniform(0.0, 1.0) < .8)
                    add_pair(poles, std::polar(modulus, angle));
                else
                    poles.emplace_back(random.integer(0, 1) == 0 ? modulus : -modulus);
            }
            const std::vector<double> a = expand(poles);
            const int fewer = random.integer(1, order + 1);
            const int more = order + 1 + random.integer(2, 8);
            result.push_back(
                {"random", order, static_cast<double>(i), {{random.normal(fewer), a}}});
            result.push_back(
                {"fir+iir", order, static_cast<double>(i), {{random.normal(more), a}}});
        }
    for (int n = 1; n < 8; ++n) {
        Coefficients delayed = to_coefficients(design(Prototype::butterworth, Band::low, n, {.3}));
        delayed.b.insert(delayed.b.begin(), 2, 0.0);
        result.push_back({"delayed", n, .3, {delayed}});
        result.push_back({"fir", n, 0.0, {{random.normal(n + 1), {1.0}}}});
    }
    return result;
}

std::vector<Design> sections() {
    std::vector<Design> result;
    for (const int n : {2, 4, 6, 8, 12, 16, 20}) {
        for (const double cutoff : {.001, .005, .05, .3, .5, .7, .95}) {
            const auto put = [&](Prototype prototype, Band band) {
                result.push_back({"sos-" + name_of(prototype) + (band == Band::high ? "-high" : ""),
                                  n, cutoff, to_sections(design(prototype, band, n, {cutoff}))});
            };
            put(Prototype::butterworth, Band::low);
            put(Prototype::butterworth, Band::high);
            put(Prototype::chebyshev1, Band::low);
            put(Prototype::chebyshev2, Band::low);
            put(Prototype::elliptic, Band::low);
            put(Prototype::bessel, Band::low);
        }
        for (const std::vector<double> &edges : bands) {
            result.push_back({"sos-bandpass", 2 * n, edges[0],
                              to_sections(design(Prototype::butterworth, Band::pass, n, edges))});
            result.push_back({"sos-bandstop", 2 * n, edges[0],
                              to_sections(design(Prototype::elliptic, Band::stop, n, edges))});
        }
    }
    for (const int times : {2, 3, 5})
        for (const double cutoff : {.05, .3, .7}) {
            const std::vector<Coefficients> once =
                to_sections(design(Prototype::butterworth, Band::low, 3, {cutoff}));
            Design repeated{"sos-repeated", times, cutoff, {}};
            for (int i = 0; i < times; ++i)
                repeated.scans.insert(repeated.scans.end(), once.begin(), once.end());
            result.push_back(std::move(repeated));
        }
    return result;
}

std::vector<Design> distances() {
    std::vector<Design> result;
    for (int k = 1; k <= 5; ++k) {
        const double e = std::pow(10.0, -k);
        const double pole = 1.0 - e;
        result.push_back({"real+", 1, e, {{{e}, {1.0, -pole}}}});
        result.push_back({"real-", 1, e, {{{e}, {1.0, pole}}}});
        result.push_back({"double+", 2, e, {{{e * e}, convolved({1.0, -pole}, {1.0, -pole})}}});
        for (const double angle : {.01, .3, 1.5, 2.9}) {
            std::ostringstream name;
            name << "pair" << angle;
            result.push_back(
                {name.str(), 2, e, {{{1.0}, {1.0, -2.0 * pole * std::cos(angle), pole * pole}}}});
        }
    }
    return result;
}

} // namespace support
