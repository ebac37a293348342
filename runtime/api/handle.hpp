// The tag that tells a handle that is alive from one that was destroyed, and from one of another kind.
#pragma once

#include <cstdint>
#include <string>

#include "api/versioned_struct.hpp"
#include "core/error.hpp"

namespace gz {

enum class HandleKind : std::uint32_t {
    device_list = 0x6a2d71c1,
    engine = 0x6a2d71c2,
    image = 0x6a2d71c3,
    filter = 0x6a2d71c4,
    plan = 0x6a2d71c5,
    ssimulacra2 = 0x6a2d71c6,
    problem = 0x6a2d71c7
};

// The first member, `tag`, of each handle. It shows mistakes, as long as nobody else has a destroyed handle's
// memory; it is no guarantee.
template <HandleKind kind> class HandleTag {
public:
    HandleTag() = default;
    ~HandleTag() { value_ = 0; }
    HandleTag(const HandleTag &) = delete;
    HandleTag &operator=(const HandleTag &) = delete;
    bool is_alive() const { return value_ == static_cast<std::uint32_t>(kind); }

private:
    // Volatile, so that the compiler leaves the destructor's store in.
    volatile std::uint32_t value_ = static_cast<std::uint32_t>(kind);
};

template <class Handle> void check_handle(const Handle *handle, const std::string &name) {
    check_pointer(handle, name);
    require(handle->tag.is_alive(), name,
            " is no handle that is alive: it was destroyed, or is of another kind");
}

template <class Handle> bool is_alive(const Handle *handle) {
    return handle && handle->tag.is_alive();
}

template <class Handle> void destroy(Handle *handle) {
    if (is_alive(handle))
        delete handle;
}

} // namespace gz
