// Images of derivatives combined. See cl/derivative/derivative_combine.cl.
#include "families/derivative/kernels.hpp"
#include "plan/values.hpp"

namespace gz {

namespace {

Work work(const CombinationPass &pass, const ValueSettings &settings, const DeviceFacts &) {
    Launch result = launch_on_values(pass, settings, "derivative/derivative_combine.cl",
                                     "derivative_combine", pass.images);
    result.program.defines["IMAGES"] = pass.images;
    result.program.defines["RESULT"] = static_cast<int>(pass.result);
    result.program.defines["NUMBER"] = pass.number;
    return result;
}

} // namespace

Kernel derivative_combine() {
    return kernel_of_values<CombinationPass>("derivative", "derivative_combine", work);
}

} // namespace gz
