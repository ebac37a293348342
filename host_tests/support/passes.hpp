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

// How many values each tunable has, after the counts of other parameters; and the configuration of these values,
// from a row of a selection's `first` on.
inline void append_counts(std::vector<int> &counts, const std::vector<gz::Tunable> &tunables) {
    for (const gz::Tunable &tunable : tunables)
        counts.push_back(static_cast<int>(tunable.values.size()));
}
inline gz::Config config_of(const std::vector<gz::Tunable> &tunables, const std::vector<int> &row,
                            std::size_t first) {
    gz::Config config;
    for (std::size_t i = 0; i < tunables.size(); ++i)
        config[tunables[i].name] = tunables[i].values[static_cast<std::size_t>(row[first + i])];
    return config;
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
