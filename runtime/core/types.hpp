// The words that every layer shares: pixel types and four-axis vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gauze/gauze.h>

namespace gz {

enum class PixelType : gauze_type {
    u8 = GAUZE_U8,
    u16 = GAUZE_U16,
    s16 = GAUZE_S16,
    f16 = GAUZE_F16,
    f32 = GAUZE_F32,
    f64 = GAUZE_F64,
    u32 = GAUZE_U32,
    s32 = GAUZE_S32,
    u64 = GAUZE_U64
};

// One row for each pixel type: the only place that lists them.
struct PixelTypeFacts {
    PixelType type;
    const char *name;
    std::size_t bytes;
    bool is_integer;
    double lowest, highest; // range of the values
    double unit_roundoff;   // of a stored value: relative for floats, 0 for integers
};

// Returns the facts of a type; nullptr where the number names none.
const PixelTypeFacts *find_type(gauze_type type);
const PixelTypeFacts &facts_of(PixelType type);

inline std::size_t size_of(PixelType type) {
    return facts_of(type).bytes;
}
inline const char *name_of(PixelType type) {
    return facts_of(type).name;
}

// How results become integers; both saturate.
enum class Store : gauze_store {
    saturate = GAUZE_STORE_SATURATE, // rounds half to even
    truncate = GAUZE_STORE_TRUNCATE  // cuts off the fraction
};

// A value along x, y, z and t.
using Axes = std::array<std::int64_t, 4>;
inline constexpr const char *axis_name[] = {"x", "y", "z", "t"};

std::string to_text(const Axes &axes);  // "3x5", or "3x5x1x7" where z or t is not 1
std::string to_place(const Axes &axes); // "(3, 5)", or "(3, 5, 0, 7)" where z or t is not 0

} // namespace gz
