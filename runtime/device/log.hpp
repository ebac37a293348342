// The library's messages go to the embedder.
#pragma once

#include <string>

#include <gauze/gauze.h>

namespace gz {

struct Log {
    gauze_log_callback callback = nullptr;
    void *user = nullptr;

    void operator()(gauze_log_level level, const std::string &line) const {
        if (callback)
            callback(level, line.c_str(), user);
    }
};

} // namespace gz
