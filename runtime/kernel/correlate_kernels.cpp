#include "kernel/correlate_kernels.hpp"

namespace gz {

std::vector<CorrelateSpec> correlate_kernels() {
    return {correlate_tiled(), correlate_strips(), correlate_plain()};
}

std::vector<std::string> correlate_preference(DeviceClass device_class) {
    switch (device_class) {
    // A CPU that runs a group's items one after the other wants long strips and no barriers.
    case DeviceClass::pocl_cpu:
    case DeviceClass::other_cpu:
    case DeviceClass::oclgrind:
        return {"correlate_strips", "correlate_plain", "correlate_tiled"};
    default:
        return {"correlate_tiled", "correlate_plain", "correlate_strips"};
    }
}

} // namespace gz
