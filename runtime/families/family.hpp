// The interface of the families, all that plans know of filters: what to compute, the method that a device is to
// compute it by, and the passes that do.
#pragma once

#include <string>
#include <vector>

#include "device/facts.hpp"
#include "families/filter.hpp"
#include "families/reference.hpp"
#include "families/sat/sat.hpp"
#include "plan/graph.hpp"

namespace gz {

// What a method is settled for. forced: the kernel that the filter has to run on, "" for any.
struct Settling {
    DeviceClass device_class;
    std::string forced;
};

// The filter with the methods of its Gaussians settled, and why: a line for each that was automatic.
struct Settled {
    Filter filter;
    std::string reasons{};
};
Settled settle(const Filter &filter, const Settling &on);

// The passes of a filter whose methods are settled, for these images.
Graph lower(const Filter &filter, const PlanDesc &desc);

// The same graph without chains of one step for all axes: what a filter is a part of goes step by step.
Graph by_steps(Graph graph);

// What explain() adds about the passes that a plan chose, on lines of their own; "" for nothing. trips: text of
// how often they go through memory.
std::string plan_text(const Filter &filter, const Border &border, std::size_t passes,
                      const std::string &trips);

// Every kernel of every family.
std::vector<Kernel> all_kernels();

} // namespace gz
