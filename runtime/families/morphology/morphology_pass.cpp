#include "families/morphology/morphology_pass.hpp"

#include "core/error.hpp"
#include "families/morphology/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

std::string problem_of(const WeightedPass &pass) {
    const std::string shape = pass.volume.taps_z > 1 ? "volume " : "";
    return "morphology " + shape +
           up_to("weights", static_cast<std::int64_t>(pass.weights.size()), {9, 25, 81, 225, 625}) +
           " " + image_text(pass);
}

std::string problem_of(const OpeningPass &pass) {
    return "opening " + up_to("size", longer_side(pass.geometry), {3, 5, 7}) + " " +
           image_text(pass);
}

std::string problem_of(const CombinePass &pass) {
    return text("morphology of ", pass.images(), " images ", image_text(pass));
}

const std::vector<Kernel> &kernels_of(const WeightedPass &) {
    return morphology_kernels();
}

const std::vector<Kernel> &kernels_of(const OpeningPass &) {
    return morphology_kernels();
}

const std::vector<Kernel> &kernels_of(const CombinePass &) {
    return morphology_kernels();
}

} // namespace gz
