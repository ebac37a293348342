// Errors inside the library: a status for the ABI and a text that says what failed, while doing
// what, with which value.
#pragma once

#include <cstdint>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gauze/gauze.h>

namespace gz {

enum class Status : gauze_status {
    invalid_argument = GAUZE_ERROR_INVALID_ARGUMENT,
    unsupported = GAUZE_ERROR_UNSUPPORTED,
    no_device = GAUZE_ERROR_NO_DEVICE,
    build_failed = GAUZE_ERROR_BUILD_FAILED,
    out_of_memory = GAUZE_ERROR_OUT_OF_MEMORY,
    device = GAUZE_ERROR_DEVICE,
    overlap = GAUZE_ERROR_OVERLAP,
    cancelled = GAUZE_ERROR_CANCELLED,
    internal = GAUZE_ERROR_INTERNAL
};

class Error : public std::runtime_error {
public:
    Error(Status status, const std::string &text) : std::runtime_error(text), status_(status) {}
    Status status() const noexcept { return status_; }

private:
    Status status_;
};

// Returns the parts written one after the other, as by operator<<, in the classic locale: cache keys are made
// of such texts, and the global locale is the embedder's.
template <class... Parts> std::string text(const Parts &...parts) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    (out << ... << parts);
    return out.str();
}

template <class... Parts> [[noreturn]] void fail(Status status, const Parts &...parts) {
    throw Error(status, text(parts...));
}

// Refuses an argument unless the condition holds.
template <class... Parts> void require(bool holds, const Parts &...parts) {
    if (!holds)
        fail(Status::invalid_argument, parts...);
}

} // namespace gz
