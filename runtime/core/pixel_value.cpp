#include "core/pixel_value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/error.hpp"
#include "core/half.hpp"

namespace gz {

namespace {

template <class T> T read_as(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T> void write_as(T value, std::byte *at) {
    std::memcpy(at, &value, sizeof value);
}

} // namespace

double load_pixel(PixelType type, const std::byte *at) {
    switch (type) {
    case PixelType::u8:
        return read_as<std::uint8_t>(at);
    case PixelType::u16:
        return read_as<std::uint16_t>(at);
    case PixelType::s16:
        return read_as<std::int16_t>(at);
    case PixelType::f16:
        return half_to_double(read_as<std::uint16_t>(at));
    case PixelType::f32:
        return static_cast<double>(read_as<float>(at));
    case PixelType::f64:
        return read_as<double>(at);
    case PixelType::u32:
        return read_as<std::uint32_t>(at);
    case PixelType::s32:
        return read_as<std::int32_t>(at);
    case PixelType::u64:
        return static_cast<double>(read_as<std::uint64_t>(at));
    }
    fail(Status::internal, "no pixel type has the number ", static_cast<gauze_type>(type));
}

void store_pixel(PixelType type, float value, std::byte *at, Store store) {
    const PixelTypeFacts &facts = facts_of(type);
    double stored = static_cast<double>(value);
    if (facts.is_integer)
        stored = std::isnan(stored) ? 0.0
                                    : std::clamp(store == Store::truncate ? std::trunc(stored)
                                                                          : std::nearbyint(stored),
                                                 facts.lowest, facts.highest);
    switch (type) {
    case PixelType::u8:
        return write_as(static_cast<std::uint8_t>(stored), at);
    case PixelType::u16:
        return write_as(static_cast<std::uint16_t>(stored), at);
    case PixelType::s16:
        return write_as(static_cast<std::int16_t>(stored), at);
    case PixelType::f16:
        return write_as(half_from_float(value), at);
    case PixelType::f32:
        return write_as(value, at);
    case PixelType::f64:
        return write_as(static_cast<double>(value), at);
    case PixelType::u32:
        return write_as(static_cast<std::uint32_t>(stored), at);
    case PixelType::s32:
        return write_as(static_cast<std::int32_t>(stored), at);
    case PixelType::u64:
        return write_as(static_cast<std::uint64_t>(stored), at);
    }
    fail(Status::internal, "no pixel type has the number ", static_cast<gauze_type>(type));
}

} // namespace gz
