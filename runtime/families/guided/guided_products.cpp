// The images of which guided filters take means. See cl/guided/guided_products.cl.
#include "families/guided/kernels.hpp"

namespace gz {

namespace {

Work work(const GuidedProductsPass &pass, const PixelSettings &settings, const DeviceFacts &) {
    // The image, the guide, and their products.
    const std::size_t outputs = pass.guides == 3 ? 7 : pass.guides == 1 ? 4 : 2;
    Launch result =
        launch_on_pixels(pass, settings, "guided_products", pass.guides == 0 ? 1 : 2, outputs);
    for (const GuidePlaces *places : {&pass.guide, &pass.means})
        result.arguments.push_back(by_value(*places));
    result.arguments.push_back(by_value(pass.numbers));
    result.arguments.push_back(by_value(static_cast<std::int32_t>(pass.columns())));
    return result;
}

} // namespace

Kernel guided_products() {
    return kernel_of_pixels<GuidedProductsPass>("guided_products", work);
}

} // namespace gz
