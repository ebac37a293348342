// Lowers Gaussians whose method is not settled yet to passes.
#pragma once

#include "families/gaussian/gaussian.hpp"
#include "plan/graph.hpp"

namespace gz {

struct Settling;
struct Settled;
Settled settle(const Gaussian &gaussian, const Settling &on);
Graph lower(const Gaussian &filter, const PlanDesc &desc);

// The largest sigma, the mean along the axes, at which taps are still taken on devices of the class and the
// architecture, "" for any.
double largest_sigma_of_taps(DeviceClass device_class, const std::string &architecture = "");

} // namespace gz
