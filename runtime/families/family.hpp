// The interface of the families, the only part of filters that plans know: what to compute, the method by
// which a device computes it, and the passes.
#pragma once

#include <string>
#include <vector>

#include "device/facts.hpp"
#include "families/filter.hpp"
#include "families/reference.hpp"
#include "families/sat/sat.hpp"
#include "plan/graph.hpp"

namespace gz {

// The conditions under which methods are settled. forced: the kernel that the filter has to run on, "" for
// any. architecture: as in DeviceFacts.
struct Settling {
    DeviceClass device_class;
    std::string forced;
    std::string architecture{};
};

// A filter whose Gaussians have their methods settled, and the reasons: a line for each that was automatic.
struct Settled {
    Filter filter;
    std::string reasons{};
};
Settled settle(const Filter &filter, const Settling &on);

// Returns the passes of a filter whose methods are settled, for these images.
Graph lower(const Filter &filter, const PlanDesc &desc);

// Returns what explain() adds about the passes that a plan chose, on separate lines; "" for nothing. trips:
// text of how often the passes go through memory.
std::string plan_text(const Filter &filter, const Border &border, std::size_t passes,
                      const std::string &trips);

// Every kernel of every family.
std::vector<Kernel> all_kernels();

} // namespace gz
