// Settings from the environment.
#pragma once

#include <string>

#include "device/system.hpp"

namespace gz {

using system::environment;

inline std::string or_environment(const std::string &value, const char *name) {
    return value.empty() ? environment(name) : value;
}

} // namespace gz
