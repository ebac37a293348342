#include "core/types.hpp"

#include <limits>

#include "core/error.hpp"

namespace gz {

namespace {

constexpr double f32_max = std::numeric_limits<float>::max();
constexpr double f64_max = std::numeric_limits<double>::max();

constexpr PixelTypeFacts table[] = {
    {PixelType::u8, "u8", 1, true, 0, 255, 0},
    {PixelType::u16, "u16", 2, true, 0, 65535, 0},
    {PixelType::s16, "s16", 2, true, -32768, 32767, 0},
    {PixelType::f16, "f16", 2, false, -65504, 65504, 0x1p-11},
    {PixelType::f32, "f32", 4, false, -f32_max, f32_max, 0x1p-24},
    {PixelType::f64, "f64", 8, false, -f64_max, f64_max, 0x1p-53},
    {PixelType::u32, "u32", 4, true, 0, 4294967295.0, 0},
    {PixelType::s32, "s32", 4, true, -2147483648.0, 2147483647.0, 0},
    // The upper limit is the largest double that u64 can hold.
    {PixelType::u64, "u64", 8, true, 0, 18446744073709549568.0, 0},
};

std::string join(const Axes &axes, const char *separator, std::int64_t neutral) {
    const bool flat = axes[2] == neutral && axes[3] == neutral;
    std::string result = std::to_string(axes[0]);
    for (std::size_t i = 1; i < (flat ? 2U : 4U); ++i)
        result += separator + std::to_string(axes[i]);
    return result;
}

} // namespace

const PixelTypeFacts *find_type(gauze_type type) {
    for (const PixelTypeFacts &facts : table)
        if (static_cast<gauze_type>(facts.type) == type)
            return &facts;
    return nullptr;
}

const PixelTypeFacts &facts_of(PixelType type) {
    const PixelTypeFacts *facts = find_type(static_cast<gauze_type>(type));
    if (!facts)
        fail(Status::internal, "no pixel type has the number ", static_cast<gauze_type>(type));
    return *facts;
}

std::string to_text(const Axes &axes) {
    return join(axes, "x", 1);
}

std::string to_place(const Axes &axes) {
    return text("(", join(axes, ", ", 0), ")");
}

} // namespace gz
