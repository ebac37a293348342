// The passes of all families, and their kernels as a device of a class ranks them.
#pragma once

#include <vector>

#include "core/pixel_value.hpp"
#include "families/box/kernels.hpp"
#include "families/box/lowering.hpp"
#include "families/correlate/kernels.hpp"
#include "families/correlate/lowering.hpp"
#include "families/correlate/volume_pass.hpp"
#include "families/difference/kernels.hpp"
#include "families/family.hpp"
#include "families/recursive/kernels.hpp"
#include "families/recursive/lowering.hpp"
#include "families/sat/kernels.hpp"
#include "families/sat/lowering.hpp"
#include "plan/choice.hpp"
#include "plan/lowering.hpp"
#include "plan/pipeline.hpp"

namespace support {

// Returns the kernels, best rank first.
inline std::vector<gz::Kernel> kernels_of(const gz::Pass &pass, const gz::DeviceFacts &facts) {
    std::vector<gz::Kernel> kernels;
    for (const gz::RankedKernel &ranked : gz::kernels_for(pass, facts))
        kernels.push_back(*ranked.kernel);
    return kernels;
}
inline std::vector<gz::Kernel> kernels_of(const gz::Pass &pass, gz::DeviceClass device_class) {
    gz::DeviceFacts facts;
    facts.device_class = device_class;
    facts.compute_units = 16;
    return kernels_of(pass, facts);
}

// The pass of a filter with taps along x and y.
inline gz::CorrelatePass lower_taps(const gz::Filter &filter, const gz::PlanDesc &desc) {
    return gz::lower_correlation(filter.get<gz::Correlate>(), desc);
}

// Returns the steps of the graph where chains of steps come before single ones.
inline std::vector<gz::Step> steps_of(const std::vector<gz::Link> &links) {
    std::vector<gz::Step> steps;
    for (const gz::Link &link : links) {
        if (link.step) {
            steps.push_back(*link.step);
            continue;
        }
        for (gz::Step &step : steps_of(link.alternatives.back().links))
            steps.push_back(std::move(step));
    }
    return steps;
}

} // namespace support
