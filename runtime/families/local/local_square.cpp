// The squares of pixels. See cl/local/local_square.cl.
#include "families/local/kernels.hpp"
#include "plan/values.hpp"

namespace gz {

namespace {

Work work(const SquarePass &pass, const ValueSettings &settings, const DeviceFacts &) {
    return launch_on_values(pass, settings, "local/local_square.cl", "local_square", 1);
}

} // namespace

Kernel local_square() {
    return kernel_of_values<SquarePass>("local", "local_square", work);
}

} // namespace gz
