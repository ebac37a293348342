// Settings from the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace gz {

// The variable's value, "" where it is not set.
inline std::string environment(const char *name) {
    const char *const value = std::getenv(name);
    return value ? value : "";
}

inline std::string or_environment(const std::string &value, const char *name) {
    return value.empty() ? environment(name) : value;
}

} // namespace gz
