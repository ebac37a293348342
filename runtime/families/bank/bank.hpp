// Several filters of one image, each with its own target.
#pragma once

#include <vector>

#include "families/description.hpp"

namespace gz {

struct Bank {
    std::vector<Filter> filters;
};

// Refuses banks and summed-area tables in a bank, and more filters than there can be.
Bank checked(Bank bank);

std::string to_text(const Bank &filter);
void check_border(const Bank &filter, const Border &border);
double error_bound(const Bank &filter, double largest);
double rounding_bound(const Bank &filter, double largest);
AxesReach reach_of(const Bank &filter);
bool rounds_once(const Bank &filter, const Rounded &images);
Results results_of(const Bank &filter);
void compute(const Bank &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

inline constexpr std::size_t max_bank = 16; // filters

} // namespace gz
