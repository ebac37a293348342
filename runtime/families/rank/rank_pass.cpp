#include "families/rank/rank_pass.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/half.hpp"
#include "families/rank/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

// Whether the border's constant, if it has one, is a pixel of the source's type.
bool has_own_border(const ImagePass &pass) {
    const Geometry &g = pass.geometry;
    const PixelTypeFacts &src = facts_of(pass.src_type);
    if (g.border_mode != BORDER_CONSTANT)
        return true;
    const double constant = static_cast<double>(g.border_value);
    if (src.is_integer)
        return constant == std::nearbyint(constant) && constant >= src.lowest &&
               constant <= src.highest;
    return half_to_double(half_from_float(g.border_value)) == constant;
}

} // namespace

KeyKind key_kind(const ImagePass &pass) {
    if (pass.src_type == PixelType::f32 || !has_own_border(pass))
        return KeyKind::floats;
    return pass.src_type == PixelType::f16 ? KeyKind::halves : KeyKind::integers;
}

std::size_t key_bytes(const ImagePass &pass) {
    return key_kind(pass) == KeyKind::floats ? sizeof(float) : size_of(pass.src_type);
}

int keys_of_word(const ImagePass &pass) {
    return key_kind(pass) == KeyKind::floats ? 1 : 2;
}

bool reads_words(const ImagePass &pass) {
    return key_kind(pass) != KeyKind::floats || pass.src_type == PixelType::f32;
}

Defines rank_defines(const ImagePass &pass) {
    Defines defines = type_defines(pass);
    defines["KEY_KIND"] = static_cast<int>(key_kind(pass));
    return defines;
}

Launch launch_on_window(const WindowPass &pass, int group) {
    Launch result;
    result.range =
        batched_range(pass, ceil_div(pass.geometry.width, group), pass.geometry.height, group, 1);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(pass.geometry),
                        by_value(pass.volume),
                        ConstantData{bytes_of(pass.window.data(), pass.window.size()), true},
                        by_value(static_cast<std::int32_t>(pass.window.size()))};
    return result;
}

std::string volume_refusal(const WindowPass &pass) {
    return pass.is_flat() ? "" : "it filters slices, and the window has pixels of others";
}

std::string problem_of(const RankPass &pass) {
    const std::string shape = !pass.is_flat() ? "volume " : pass.is_box ? "" : "footprint ";
    return "rank " + shape + up_to("pixels", pass.count, {9, 25, 49, 81, 121, 225, 625}) + " " +
           image_text(pass);
}

std::string problem_of(const ExtremePass &pass) {
    return "extreme " + up_to("size", longer_side(pass.geometry), {3, 7, 15, 31, 63, 127}) + " " +
           image_text(pass);
}

const std::vector<Kernel> &kernels_of(const RankPass &) {
    return rank_kernels();
}

const std::vector<Kernel> &kernels_of(const ExtremePass &) {
    return rank_kernels();
}

} // namespace gz
