#include "families/guided/guided_pass.hpp"

#include "families/guided/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

const char *name_of_guide(int guides) {
    return guides == 0 ? "own" : guides == 1 ? "gray" : "color";
}

std::string text_of(const char *what, const GuidedImages &pass) {
    return std::string("guided ") + what + " " + name_of_guide(pass.guides) + " " +
           image_text(pass);
}

} // namespace

std::string problem_of(const GuidedProductsPass &pass) {
    return text_of("products", pass);
}
std::string problem_of(const GuidedSolvePass &pass) {
    return text_of("solve", pass);
}
std::string problem_of(const GuidedCombinePass &pass) {
    return text_of("combine", pass);
}
std::string problem_of(const GuidedPass &pass) {
    return text_of(pass.stage == GuidedStage::slopes ? "slopes" : "results", pass) + " " +
           up_to("taps", longer_side(pass.geometry), {15, 63, 255});
}

const std::vector<Kernel> &kernels_of(const GuidedProductsPass &) {
    return guided_kernels();
}
const std::vector<Kernel> &kernels_of(const GuidedSolvePass &) {
    return guided_kernels();
}
const std::vector<Kernel> &kernels_of(const GuidedCombinePass &) {
    return guided_kernels();
}
const std::vector<Kernel> &kernels_of(const GuidedPass &) {
    return guided_kernels();
}

Defines guided_defines(const GuidedImages &pass) {
    Defines defines = type_defines(pass);
    defines["SRC_TYPE"] = static_cast<int>(pass.image_type);
    defines["GUIDE_TYPE"] = static_cast<int>(pass.guide_type);
    defines["GUIDES"] = pass.guides;
    return defines;
}

std::vector<Argument> images_of_stage(const GuidedPass &pass) {
    const bool makes_slopes = pass.stage == GuidedStage::slopes;
    std::vector<Argument> arguments;
    const std::size_t inputs = !makes_slopes ? 3 : pass.guides > 0 ? 2 : 1;
    for (std::size_t i = 0; i < inputs; ++i)
        arguments.push_back(SourceBuffer{i});
    for (std::size_t i = 0; i < (makes_slopes ? std::size_t{2} : std::size_t{1}); ++i)
        arguments.push_back(TargetBuffer{i});
    arguments.push_back(by_value(pass.geometry));
    arguments.push_back(by_value(pass.guide));
    arguments.push_back(by_value(pass.numbers));
    return arguments;
}

Launch launch_on_pixels(const GuidedImages &pass, const PixelSettings &settings,
                        const std::string &name, std::size_t inputs, std::size_t outputs) {
    Launch result;
    result.program = {"guided/" + name + ".cl", name, guided_defines(pass)};
    result.program.defines["GROUP"] = settings.group;
    result.range = batched_range(pass, ceil_div(pass.columns(), settings.group),
                                 pass.geometry.height, settings.group, 1);
    for (std::size_t i = 0; i < inputs; ++i)
        result.arguments.push_back(SourceBuffer{i});
    for (std::size_t i = 0; i < outputs; ++i)
        result.arguments.push_back(TargetBuffer{i});
    result.arguments.push_back(by_value(pass.geometry));
    return result;
}

} // namespace gz
