// Objects that the test cases of one program share. They are released before main returns: drivers may be
// gone when static destructors run, and their threads should be when the sanitizers look for leaks.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace support {

inline std::vector<std::function<void()>> &releases() {
    static std::vector<std::function<void()>> list;
    return list;
}

// Returns the object that `make` returns at the first call with it.
template <class Make> auto &shared(Make make) {
    static auto object = std::make_unique<decltype(make())>(make());
    static const bool listed = [] {
        releases().push_back([] { object.reset(); });
        return true;
    }();
    (void)listed;
    return *object;
}

} // namespace support
