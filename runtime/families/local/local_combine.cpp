// Pixels, their means and those of their squares combined. See cl/local/local_combine.cl.
#include "families/local/kernels.hpp"
#include "plan/values.hpp"

namespace gz {

namespace {

Work work(const LocalPass &pass, const ValueSettings &settings, const DeviceFacts &) {
    Launch result = launch_on_values(pass, settings, "local/local_combine.cl", "local_combine",
                                     pass.has_squares ? 3 : 2);
    result.program.defines["LOCAL_RESULT"] = static_cast<int>(pass.result);
    result.program.defines["SQUARES"] = pass.has_squares ? 1 : 0;
    result.arguments.push_back(by_value(pass.numbers));
    return result;
}

} // namespace

Kernel local_combine() {
    return kernel_of_values<LocalPass>("local", "local_combine", work);
}

} // namespace gz
