// Which method an automatic Gaussian takes on a device.
#pragma once

#include <string>

#include "device/facts.hpp"
#include "filter/filter.hpp"

namespace gz {

// The filter with the methods of its Gaussians settled, and why: a line for each that was automatic.
struct Settled {
    Filter filter;
    std::string reasons;
};

// The largest sigma, the mean along the axes, at which taps are still taken on devices of the class.
double largest_sigma_of_taps(DeviceClass device_class);

// Passes of a difference where both of its filters are run at once.
inline constexpr std::size_t passes_of_both = 2;

// forced: the kernel that the filter has to run on, "" for any.
Settled settle(const Filter &filter, DeviceClass device_class, const std::string &forced);

} // namespace gz
