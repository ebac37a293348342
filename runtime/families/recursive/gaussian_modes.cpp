#include "families/recursive/gaussian_modes.hpp"

#include <cmath>

namespace gz {

namespace {

using Complex = std::complex<double>;

// exp(-t^2 / 2), t exp(-t^2 / 2) and (t^2 - 1) exp(-t^2 / 2) for t >= 0 are nearly sums of
// Re(w_k exp(-lambda_k t)). These lambda_k were found by numerical search (Nelder and Mead's simplex
// method from random starts): with the weights that are best in the least-squares sense, exact in
// the moment that gaussian_modes() holds, they leave the smallest integral of the magnitude of the
// error that it met. That is how far results can be off for pixels of magnitude 1.
constexpr int sets = most_gaussian_modes - fewest_gaussian_modes + 1;
constexpr Complex lambda[3][sets][most_gaussian_modes] = {
    {{{1.8362803072, 0.6289738428}, {1.7753445260, 1.9913244914}}, // 4.9e-4
     {{2.2173285892, 0.5267822235}, {2.1867227346, 1.6173959087}, {2.1172568751, 2.8586382008}},
     // 6.9e-6
     {{2.5397352399, 0.4611075024},
      {2.5202932744, 1.4013296728},
      {2.4786929088, 2.4048984814},
      {2.4044972657, 3.5701698168}}},                              // 9.1e-8
    {{{1.6176620610, 0.6523740096}, {1.5850363645, 2.0495040683}}, // 2.1e-3
     {{2.0264025193, 0.5407700495}, {2.0091442550, 1.6539777069}, {1.9579264965, 2.9069391333}},
     // 3.4e-5
     {{2.3718282184, 0.4720478122},
      {2.3607794762, 1.4313894377},
      {2.3320793866, 2.4481186848},
      {2.2718778329, 3.6215371318}}},                              // 5.2e-7
    {{{1.3908226442, 0.6831129237}, {1.4019147368, 2.1165512176}}, // 8.5e-3
     {{1.8254107810, 0.5618428015}, {1.8308520313, 1.7073084984}, {1.8093206093, 2.9730545817}},
     // 1.7e-4
     {{2.1955572028, 0.4854545509},
      {2.1960934772, 1.4673492669},
      {2.1845587026, 2.4980335459},
      {2.1427073713, 3.6777367862}}}, // 3.0e-6
};

// Returns the sum over all distances, of both signs, of a symmetric or of an odd response times n^power.
double moment(const std::vector<double> &response, int power) {
    double sum = power == 0 ? response[0] : 0.0;
    for (std::size_t n = 1; n < response.size(); ++n)
        sum += 2.0 * std::pow(static_cast<double>(n), power) * response[n];
    return sum;
}

// Householder's method on a dense system of more rows than columns, row after row: the x that
// minimises |A x - b|.
std::vector<double> least_squares(std::vector<double> a, std::vector<double> b,
                                  std::size_t columns) {
    const std::size_t rows = b.size();
    std::vector<double> v(rows);
    for (std::size_t c = 0; c < columns; ++c) {
        double squares = 0.0;
        for (std::size_t r = c; r < rows; ++r)
            squares += a[r * columns + c] * a[r * columns + c];
        const double diagonal = a[c * columns + c];
        const double reflected = std::copysign(std::sqrt(squares), -diagonal);
        for (std::size_t r = c; r < rows; ++r)
            v[r] = a[r * columns + c];
        v[c] -= reflected;
        const double scale = 1.0 / (squares - diagonal * reflected);
        for (std::size_t j = c; j < columns; ++j) {
            double dot = 0.0;
            for (std::size_t r = c; r < rows; ++r)
                dot += v[r] * a[r * columns + j];
            for (std::size_t r = c; r < rows; ++r)
                a[r * columns + j] -= scale * dot * v[r];
        }
        double dot = 0.0;
        for (std::size_t r = c; r < rows; ++r)
            dot += v[r] * b[r];
        for (std::size_t r = c; r < rows; ++r)
            b[r] -= scale * dot * v[r];
    }
    std::vector<double> x(columns);
    for (std::size_t c = columns; c-- > 0;) {
        double sum = b[c];
        for (std::size_t j = c + 1; j < columns; ++j)
            sum -= a[c * columns + j] * x[j];
        x[c] = sum / a[c * columns + c];
    }
    return x;
}

// The pole next to p that a section of f32 has: |1 - p|^2 and |p|^2 are its coefficients, see
// core/line_stage.hpp. Close to 1 their rounding would otherwise be the largest error of all; as it is,
// the weights are fitted to the poles that kernels have.
Complex nearest_in_f32(Complex p) {
    const double rest = static_cast<float>(std::norm(1.0 - p));
    const double decay = static_cast<float>(std::norm(p));
    // Rounding sqrt(1 - ...) must not lose what 1 - decay holds: the real part is 1 less this.
    const double below_one = (1.0 - decay + rest) / 2.0;
    return {1.0 - below_one, std::copysign(std::sqrt(rest - below_one * below_one), p.imag())};
}

std::vector<double> response_of(const Modes &modes, std::size_t count) {
    std::vector<double> response(count, 0.0);
    for (std::size_t k = 0; k < modes.poles.size(); ++k) {
        Complex power = modes.weights[k];
        for (std::size_t n = 0; n < count; ++n) {
            response[n] += power.real();
            power *= modes.poles[k];
        }
    }
    response[0] = modes.odd ? 0.0 : response[0] + modes.direct;
    return response;
}

// Returns the sum over all distances, of both signs, of the response times n^power, exactly.
double moment(const Modes &modes, int power) {
    double sum = power == 0 ? modes.direct : 0.0;
    for (std::size_t k = 0; k < modes.poles.size(); ++k) {
        const Complex p = modes.poles[k];
        const Complex rest = 1.0 - p;
        const Complex geometric = power == 0   ? (1.0 + p) / rest
                                  : power == 1 ? 2.0 * p / (rest * rest)
                                               : 2.0 * p * (1.0 + p) / (rest * rest * rest);
        sum += (modes.weights[k] * geometric).real();
    }
    return sum;
}

} // namespace

std::vector<double> sampled_gaussian(double sigma, int derivative) {
    constexpr double reach = 9.0; // sigmas, where 1e-18 of the peak is left
    std::vector<double> samples(static_cast<std::size_t>(reach * sigma) + 2);
    for (std::size_t n = 0; n < samples.size(); ++n) {
        const double t = static_cast<double>(n) / sigma;
        samples[n] = std::exp(-0.5 * t * t);
    }
    const double sum = moment(samples, 0);
    const double variance = moment(samples, 2) / sum;
    for (std::size_t n = 0; n < samples.size(); ++n) {
        const auto distance = static_cast<double>(n);
        samples[n] /= sum;
        if (derivative == 1)
            samples[n] *= -distance;
        else if (derivative == 2)
            samples[n] *= distance * distance - variance;
    }
    if (derivative == 0)
        return samples;
    const double scale = derivative == 1 ? -moment(samples, 1) : moment(samples, 2) / 2.0;
    for (double &sample : samples)
        sample /= scale;
    return samples;
}

GaussianModes gaussian_modes(double sigma, int derivative, int count) {
    GaussianModes result;
    Modes &modes = result.modes;
    modes.odd = derivative == 1;
    for (int k = 0; k < count; ++k)
        modes.poles.push_back(nearest_in_f32(
            std::exp(-lambda[derivative][count - fewest_gaussian_modes][k] / sigma)));

    // The slowest mode has faded after this many sigmas; the samples end sooner.
    constexpr double reach = 24.0;
    std::vector<double> &wanted = result.approximated.response;
    wanted = sampled_gaussian(sigma, derivative);
    const std::size_t samples = wanted.size();
    wanted.resize(static_cast<std::size_t>(reach * sigma) + 2, 0.0);

    // The unknowns are the real and the imaginary part of each weight, and the extra response at 0.
    const std::size_t parts = 2 * modes.poles.size();
    const std::size_t columns = parts + (modes.odd ? 0 : 1);
    const std::size_t moments = derivative == 2 ? 2 : 1;
    const std::size_t rows = wanted.size() + moments + columns;
    std::vector<double> a(rows * columns, 0.0);
    std::vector<double> b(rows, 0.0);
    // Moments come first, and are weighted so heavily that they hold, except for the correction below.
    const double heavy = 1e4 * std::sqrt(sigma);
    const double peak = std::pow(sigma, -1.0 - derivative);
    Modes one;
    one.odd = modes.odd;
    for (std::size_t m = 0; m < moments; ++m) {
        const int power = m == 0 ? derivative : 0;
        const double scale = heavy / std::pow(sigma, power + 1.0);
        for (std::size_t k = 0; k < modes.poles.size(); ++k) {
            one.poles = {modes.poles[k]};
            one.weights = {1.0};
            a[m * columns + 2 * k] = scale * moment(one, power);
            one.weights = {Complex(0.0, 1.0)};
            a[m * columns + 2 * k + 1] = scale * moment(one, power);
        }
        if (!modes.odd && power == 0)
            a[m * columns + parts] = scale;
        b[m] = scale * moment(wanted, power) / peak;
    }
    // Each distance stands for two pixels, except that 0 stands for one.
    for (std::size_t k = 0; k < modes.poles.size(); ++k) {
        Complex power = 1.0;
        for (std::size_t n = 0; n < wanted.size(); ++n) {
            const double weight = n == 0 ? std::sqrt(0.5) : 1.0;
            double *row = &a[(moments + n) * columns];
            if (n > 0 || !modes.odd) {
                row[2 * k] = weight * power.real();
                row[2 * k + 1] = -weight * power.imag();
            }
            power *= modes.poles[k];
        }
    }
    for (std::size_t n = 0; n < wanted.size(); ++n)
        b[moments + n] = (n == 0 ? std::sqrt(0.5) : 1.0) * wanted[n] / peak;
    if (!modes.odd)
        a[moments * columns + parts] = std::sqrt(0.5);
    // Small sigmas do not determine the weights: take small ones.
    const double light = 1e-10 * std::sqrt(sigma);
    for (std::size_t c = 0; c < columns; ++c)
        a[(moments + wanted.size() + c) * columns + c] = light;
    std::vector<double> x = least_squares(std::move(a), std::move(b), columns);

    for (std::size_t k = 0; k < modes.poles.size(); ++k)
        modes.weights.push_back(peak * Complex(x[2 * k], x[2 * k + 1]));
    modes.direct = modes.odd ? 0.0 : peak * x[parts];
    if (derivative == 2)
        modes.direct -= moment(modes, 0);
    const double kept = derivative == 0   ? moment(modes, 0)
                        : derivative == 1 ? -moment(modes, 1)
                                          : moment(modes, 2) / 2.0;
    for (Complex &weight : modes.weights)
        weight /= kept;
    modes.direct /= kept;

    const std::vector<double> response = response_of(modes, wanted.size());
    for (std::size_t n = 0; n < wanted.size(); ++n)
        result.approximated.distance += (n == 0 ? 1.0 : 2.0) * std::abs(response[n] - wanted[n]);
    wanted.resize(samples);
    return result;
}

} // namespace gz
