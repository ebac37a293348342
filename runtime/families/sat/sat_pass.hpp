// A summed-area table of each slice and channel: the plan lowers that filter to it.
#pragma once

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// Sums start at the first pixel that may be read: see cl/lib/sat.clh.
struct SatPass : ImagePass {
    std::int64_t first_value() const { return std::int64_t{geometry.valid_left} * channels; }
    std::int64_t summed_values() const { return geometry.width - first_value(); } // in a row
    std::int64_t summed_rows() const { return geometry.height - geometry.valid_top; }
    std::size_t sum_bytes() const { return size_of(dst_type); }
};

std::string problem_of(const SatPass &pass);
const std::vector<Kernel> &kernels_of(const SatPass &pass);

} // namespace gz
