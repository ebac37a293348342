// Variables of the environment.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace support {

// value: nullptr removes it.
inline void set_environment(const char *name, const char *value) {
#ifdef _WIN32
    _putenv_s(name, value ? value : "");
#else
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
#endif
}

// Sets a variable of the environment, and restores it at the end. nullptr: not set.
class EnvironmentVariable {
public:
    EnvironmentVariable(const char *name, const char *value) : name_(name) {
        if (const char *const before = std::getenv(name))
            before_ = before;
        set_environment(name_, value);
    }
    ~EnvironmentVariable() { set_environment(name_, before_ ? before_->c_str() : nullptr); }
    EnvironmentVariable(const EnvironmentVariable &) = delete;
    EnvironmentVariable &operator=(const EnvironmentVariable &) = delete;

private:
    const char *name_;
    std::optional<std::string> before_;
};

} // namespace support
