#include "plan/plan_desc.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/error.hpp"

namespace gz {

namespace {

void check_type(PixelType type, const char *what) {
    switch (type) {
    case PixelType::u8:
    case PixelType::u16:
    case PixelType::s16:
    case PixelType::f16:
    case PixelType::f32:
        return;
    default:
        fail(Status::unsupported, "the ", what, " has pixel type ", name_of(type),
             "; u8, u16, s16, f16 and f32 are supported");
    }
}

// Sums of integers are exact, modulo 2^32 unless 64 bits are asked for.
void check_sum_type(PixelType source, PixelType target) {
    const auto check = [&](std::initializer_list<PixelType> types, const char *names) {
        if (std::find(types.begin(), types.end(), target) == types.end())
            fail(Status::unsupported, "the target has pixel type ", name_of(target), "; sums of ",
                 name_of(source), " can be ", names);
    };
    if (source == PixelType::s16)
        check({PixelType::s32, PixelType::f32}, "s32 and f32");
    else if (facts_of(source).is_integer)
        check({PixelType::u32, PixelType::u64, PixelType::f32}, "u32, u64 and f32");
    else
        check({PixelType::f32}, "f32");
}

} // namespace

PlanDesc complete(PlanDesc desc, Results results) {
    for (std::size_t i = 1; i < desc.target_count(); ++i)
        desc.more_targets[i - 1] = complete(desc.for_target(i), results).target;
    check_type(desc.source.type, "source");
    for (const ImageDesc &guide : desc.more_sources)
        check_type(guide.type, "guide");
    if (results == Results::sums)
        check_sum_type(desc.source.type, desc.target.type);
    else
        check_type(desc.target.type, "target");
    desc.source = complete(desc.source, "source");
    for (ImageDesc &guide : desc.more_sources) {
        guide = complete(guide, "guide");
        require(guide.extent == desc.source.extent, "the guide is ", to_text(guide.extent),
                " and the source ", to_text(desc.source.extent), "; they must be of one size");
        require(guide.planes == desc.source.planes, "the guide has ", guide.planes,
                " planes and the source ", desc.source.planes);
    }
    desc.target = complete(desc.target, "target");
    require(desc.source.channels == desc.target.channels, "the source has ", desc.source.channels,
            " channels and the target ", desc.target.channels);
    require(desc.source.planes == desc.target.planes, "the source has ", desc.source.planes,
            " planes and the target ", desc.target.planes);
    require(std::abs(desc.border.value) <= facts_of(PixelType::f32).highest,
            "the border's constant is ", desc.border.value, "; it must be finite in f32");
    desc.border.value = static_cast<double>(static_cast<float>(desc.border.value));
    desc.region = complete(desc.region, desc.source, desc.target);
    return desc;
}

ImageDesc own_image(const ImageDesc &like, const Axes &extent) {
    constexpr std::int64_t transaction = 128;
    constexpr std::int64_t much = std::int64_t{4} << 20;
    constexpr std::int64_t vector_width = 4; // values that kernels read at once, if aligned
    const ImageDesc aligned = packed(like, extent, transaction);
    const std::int64_t row = extent[0] * aligned.pixel_bytes();
    const bool is_mostly_padding = aligned.pitch[1] >= 2 * row;
    if (!is_mostly_padding || aligned.bytes() < much)
        return aligned;
    return packed(like, extent, vector_width * static_cast<std::int64_t>(size_of(like.type)));
}

ImageDesc between_image(const PlanDesc &desc, const ImageDesc &like, const Axes &extent) {
    constexpr std::int64_t spare = 256;
    const ImageDesc own = own_image(like, extent);
    const std::int64_t row = own.pitch[1];
    return desc.spreads_rows && lie_pages_apart(row) && extent[1] > 1
               ? packed(like, extent, row + spare)
               : own;
}

PlanDesc staged(const PlanDesc &desc) {
    PlanDesc result = desc;
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    result.source = own_image(desc.source, isolated ? desc.region.extent : desc.source.extent);
    for (ImageDesc &guide : result.more_sources)
        guide = own_image(guide, result.source.extent);
    result.target = own_image(desc.target, desc.region.extent);
    for (ImageDesc &target : result.more_targets)
        target = own_image(target, desc.region.extent);
    result.region.target_origin = {0, 0, 0, 0};
    if (isolated)
        result.region.source_origin = {0, 0, 0, 0};
    return result;
}

} // namespace gz
