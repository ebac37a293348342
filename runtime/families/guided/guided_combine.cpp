// Results of guided filters by means of slopes and offsets. See cl/guided/guided_combine.cl.
#include "families/guided/kernels.hpp"

namespace gz {

namespace {

Work work(const GuidedCombinePass &pass, const PixelSettings &settings, const DeviceFacts &) {
    Launch result = launch_on_pixels(pass, settings, "guided_combine", pass.guides == 3 ? 5 : 3, 1);
    result.arguments.push_back(by_value(pass.guide));
    result.arguments.push_back(by_value(static_cast<std::int32_t>(pass.columns())));
    return result;
}

} // namespace

Kernel guided_combine() {
    return kernel_of_pixels<GuidedCombinePass>("guided_combine", work);
}

} // namespace gz
