#include "families/derivative/derivative_pass.hpp"

#include "families/derivative/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

std::string problem_of(const StencilPass &pass) {
    return text("stencils ", pass.stencils.size(), " to ", pass.targets(), " ", image_text(pass));
}

const std::vector<Kernel> &kernels_of(const StencilPass &) {
    return derivative_kernels();
}

Defines stencil_defines(const StencilPass &pass) {
    Defines defines = type_defines(pass);
    int shapes = 0; // two bits for each: of the first stencil the lowest
    for (std::size_t i = 0; i < pass.stencils.size(); ++i) {
        const Stencil &stencil = pass.stencils[i];
        shapes |= ((stencil.is_wide ? 1 : 0) | (stencil.is_high ? 2 : 0)) << (2 * i);
    }
    defines["STENCILS"] = static_cast<int>(pass.stencils.size());
    defines["SHAPES"] = shapes;
    defines["STORED"] = static_cast<int>(pass.stored);
    defines["SUM"] = pass.has_sum ? 1 : 0;
    defines["MAGNITUDE"] = pass.has_magnitude ? 1 : 0;
    defines["ORIENTATION"] = pass.has_orientation ? 1 : 0;
    return defines;
}

std::vector<Argument> stencil_arguments(const StencilPass &pass) {
    std::vector<Argument> arguments{SourceBuffer()};
    for (std::size_t i = 0; i < pass.targets(); ++i)
        arguments.push_back(TargetBuffer{i});
    arguments.push_back(by_value(pass.geometry));
    std::vector<float> taps;
    for (const Stencil &stencil : pass.stencils) {
        taps.insert(taps.end(), stencil.x.begin(), stencil.x.end());
        taps.insert(taps.end(), stencil.y.begin(), stencil.y.end());
    }
    arguments.push_back(ConstantData{bytes_of(taps.data(), taps.size())});
    return arguments;
}

std::string problem_of(const CombinationPass &pass) {
    return text("combination of ", pass.images, " ", image_text(pass));
}

const std::vector<Kernel> &kernels_of(const CombinationPass &) {
    return derivative_kernels();
}

} // namespace gz
