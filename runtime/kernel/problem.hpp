// Classes of problems that want the same configuration, as results are kept for them: few enough to
// be measured, one for each of a few sizes, so that no new image size asks for a search.
#pragma once

#include <string>

#include "kernel/box_pass.hpp"
#include "kernel/correlate_pass.hpp"
#include "kernel/recursive_pass.hpp"
#include "kernel/sat_pass.hpp"
#include "kernel/ssimulacra2_pass.hpp"
#include "kernel/volume_pass.hpp"

namespace gz {

// "separable taps<=5 f32 large": what is computed, how far it reaches, the types, the size. ""
// where the caller has a say in the configuration.
std::string problem_of(const CorrelatePass &pass);
std::string problem_of(const VolumePass &pass);
std::string problem_of(const BoxPass &pass);
std::string problem_of(const DifferencePass &pass);
std::string problem_of(const RecursivePass &pass);
std::string problem_of(const RecursivePlanePass &pass);
std::string problem_of(const SatPass &pass);
std::string problem_of(const XybPass &pass);
std::string problem_of(const Ssimulacra2Pass &pass);

} // namespace gz
