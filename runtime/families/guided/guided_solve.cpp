// Slopes and offsets of linear functions by means. See cl/guided/guided_solve.cl.
#include "families/guided/kernels.hpp"

namespace gz {

namespace {

Work work(const GuidedSolvePass &pass, const PixelSettings &settings, const DeviceFacts &) {
    // Means of all, and the image and the guide.
    const std::size_t inputs = pass.guides == 3 ? 9 : pass.guides == 1 ? 6 : 3;
    Launch result =
        launch_on_pixels(pass, settings, "guided_solve", inputs, pass.guides == 3 ? 4 : 2);
    for (const GuidePlaces *places : {&pass.means, &pass.image, &pass.guide})
        result.arguments.push_back(by_value(*places));
    result.arguments.push_back(by_value(pass.numbers));
    result.arguments.push_back(by_value(static_cast<std::int32_t>(pass.columns())));
    return result;
}

} // namespace

Kernel guided_solve() {
    return kernel_of_pixels<GuidedSolvePass>("guided_solve", work);
}

} // namespace gz
