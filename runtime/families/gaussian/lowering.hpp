// Lowers Gaussians whose method is not settled yet to passes.
#pragma once

#include "families/gaussian/gaussian.hpp"
#include "plan/graph.hpp"

namespace gz {

struct Settling;
struct Settled;

// The method that measurements decide for, where there are any; else largest_sigma_of_taps() decides.
Settled settle(const Gaussian &gaussian, const Settling &on);
Graph lower(const Gaussian &filter, const PlanDesc &desc);

// The class of problems under which measurements of both methods are kept, such as "gaussian taps<=31 f32 large":
// by the taps of the mean sigma, whether they fill the separable kernels' programs (=), types and size, and kind of
// image. "" where no measurements are kept: then there are few taps or too many, or not the usual truncation or
// accuracy, or fewer than two axes.
std::string method_problem(const Gaussian &gaussian, const PlanDesc &images);

// The largest sigma, the mean along the axes, at which taps are still taken where nothing was measured, on devices
// of the class and the architecture, "" for any.
double largest_sigma_of_taps(DeviceClass device_class, const std::string &architecture = "");

} // namespace gz
