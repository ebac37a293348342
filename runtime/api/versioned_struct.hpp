// Structs of gauze.h that grow: callers of older and newer headers than this library's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/error.hpp"

namespace gz {

template <class T> void check_pointer(const T *pointer, const std::string &name) {
    require(pointer != nullptr, name, " is null");
}

// Refuses a struct_size that no version of the struct has, and a struct of a newer version that asks for
// what this library does not know.
template <class T> void check_struct(const T *pointer, const std::string &name) {
    // A larger size was never set by any version: reading so much of the caller's memory could end the
    // process.
    constexpr std::uint32_t most = 4096;
    check_pointer(pointer, name);
    const std::uint32_t size = pointer->struct_size;
    require(size >= 2 * sizeof size && size <= most && size % alignof(T) == 0, name,
            "->struct_size is ", size, ", the size of no version of it; this library knows ",
            sizeof(T));
    const auto *const bytes = reinterpret_cast<const std::byte *>(pointer);
    for (std::size_t i = sizeof(T); i < size; ++i)
        require(bytes[i] == std::byte{0}, name, "->struct_size is ", size,
                " and this library, which is older, knows ", sizeof(T), ": what is at byte ", i,
                " is not 0, and not supported");
}

// The struct as this library knows it; fields that an older caller does not have are 0. New fields
// start behind the padding at a struct's end, which may hold anything.
template <class T> T known_part(const T *pointer, const std::string &name) {
    check_struct(pointer, name);
    T result{};
    std::memcpy(&result, pointer, std::min<std::size_t>(pointer->struct_size, sizeof result));
    return result;
}

// Writes the fields that the caller has room for.
template <class T> void write_struct(T *pointer, T value, const std::string &name) {
    check_struct(pointer, name);
    value.struct_size = pointer->struct_size;
    std::memcpy(pointer, &value, std::min<std::size_t>(value.struct_size, sizeof value));
}

// An element of the caller's array, of structs of the caller's size.
template <class T> const T *element(const T *first, std::size_t index) {
    const auto *const bytes = reinterpret_cast<const std::byte *>(first);
    return reinterpret_cast<const T *>(bytes + index * first->struct_size);
}

} // namespace gz
