#include "families/difference/difference.hpp"

#include "families/filter.hpp"

namespace gz {

namespace {

// Returns the bound for one result less another, whose magnitudes are up to `largest`.
double difference_bound(double first, double second, double largest) {
    constexpr double u = 0x1p-24; // unit roundoff of f32
    return (first + second) * (1.0 + 2.0 * u) + 2.0 * u * largest;
}

} // namespace

const Filter &Difference::first() const {
    return filters.at(0);
}

const Filter &Difference::second() const {
    return filters.at(1);
}

Difference dog(double sigma, double other_sigma, GaussianMethod method) {
    const auto gaussian = [&](double s) {
        Gaussian result;
        result.sigma = {s, s, 0, 0};
        result.method = method;
        return Filter::gaussian(result);
    };
    return {{gaussian(sigma), gaussian(other_sigma)}};
}

std::string to_text(const Difference &filter) {
    return "difference of " + to_text(filter.first()) + " and " + to_text(filter.second());
}

void check_border(const Difference &filter, const Border &border) {
    for (const Filter &one : filter.filters)
        one.check_border(border);
}

double error_bound(const Difference &filter, double largest) {
    return difference_bound(filter.first().error_bound(largest),
                            filter.second().error_bound(largest), largest);
}

double rounding_bound(const Difference &filter, double largest) {
    return difference_bound(filter.first().rounding_bound(largest),
                            filter.second().rounding_bound(largest), largest);
}

AxesReach reach_of(const Difference &filter) {
    return cover(filter.first().reach(), filter.second().reach());
}

bool rounds_once(const Difference &, const Rounded &) {
    return false;
}

Results results_of(const Difference &) {
    return Results::pixels;
}

// Rows of both filters come in the same order.
void compute(const Difference &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink) {
    const auto width = static_cast<std::size_t>(job.region.extent[0] * job.source.channels);
    std::vector<double> first;
    const Axes &extent = job.region.extent;
    first.reserve(width *
                  static_cast<std::size_t>(extent[1] * extent[2] * extent[3] * job.source.planes));
    filter.first().compute(job, modes, [&](const RowPlace &, const double *values) {
        first.insert(first.end(), values, values + width);
    });
    double *row = first.data();
    filter.second().compute(job, modes, [&](const RowPlace &at, const double *values) {
        for (std::size_t i = 0; i < width; ++i)
            row[i] -= values[i];
        sink(at, row);
        row += width;
    });
}

} // namespace gz
