// The interface of the families, the only part of filters that plans know: what to compute, the method by
// which a device computes it, and the passes.
#pragma once

#include <string>
#include <vector>

#include "device/facts.hpp"
#include "device/tuning.hpp"
#include "families/filter.hpp"
#include "families/reference.hpp"
#include "families/sat/sat.hpp"
#include "plan/graph.hpp"

namespace gz {

// The conditions under which methods are settled. forced: the kernel that the filter has to run on, "" for
// any. architecture: as in DeviceFacts. tuning: nullptr where nothing was measured. images: complete; nullptr
// where they are not known.
struct Settling {
    DeviceClass device_class;
    std::string forced;
    std::string architecture{};
    const Tuning *tuning = nullptr;
    const PlanDesc *images = nullptr;
};

// A filter whose Gaussians have their methods settled, and the reasons: a line for each that was automatic.
// problem, methods: the class of problems under which measurements of the methods of a single automatic Gaussian
// are kept, and their names, first the one that is taken where nothing was measured; empty where none are kept.
struct Settled {
    Filter filter;
    std::string reasons{};
    std::string problem{};
    std::vector<std::string> methods{};
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
