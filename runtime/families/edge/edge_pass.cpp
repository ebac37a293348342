#include "families/edge/edge_pass.hpp"

#include "core/error.hpp"
#include "families/edge/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

std::string weights_of(bool device_weights) {
    return device_weights ? " of the device's weights " : " ";
}

} // namespace

std::string problem_of(const BilateralPass &pass) {
    const std::string shape = pass.is_flat() ? "" : "volume ";
    return "bilateral " + shape +
           up_to("pixels", static_cast<std::int64_t>(pass.space.size()), {25, 81, 225, 961}) +
           weights_of(pass.device_weights) + image_text(pass);
}

int most_radius(const NonLocalPass &pass) {
    for (const int most : {5, 10, 17})
        if (pass.radius <= most)
            return most;
    return 31;
}

std::string problem_of(const NonLocalPass &pass) {
    return text("nlm patch", pass.patch, " ",
                up_to("window", 2 * pass.radius + 1, {11, 21, 35, 63}),
                weights_of(pass.device_weights), image_text(pass));
}

const std::vector<Kernel> &kernels_of(const BilateralPass &) {
    return edge_kernels();
}

const std::vector<Kernel> &kernels_of(const NonLocalPass &) {
    return edge_kernels();
}

} // namespace gz
