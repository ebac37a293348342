// The result of one filter less that of another: differences of Gaussians, and of any other filters.
#pragma once

#include <vector>

#include "families/description.hpp"
#include "families/gaussian/gaussian.hpp"

namespace gz {

struct Difference {
    std::vector<Filter> filters; // two: the first less the second

    const Filter &first() const;
    const Filter &second() const;
};

// The Gaussian of the first sigma less that of the second, along x and y.
Difference dog(double sigma, double other_sigma, GaussianMethod method);

std::string to_text(const Difference &filter);
void check_border(const Difference &filter, const Border &border);
double error_bound(const Difference &filter, double largest);
double rounding_bound(const Difference &filter, double largest);
AxesReach reach_of(const Difference &filter);
bool rounds_once(const Difference &filter, const Rounded &images);
Results results_of(const Difference &filter);
void compute(const Difference &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

} // namespace gz
