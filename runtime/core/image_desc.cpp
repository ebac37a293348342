#include "core/image_desc.hpp"

#include "core/error.hpp"

namespace gz {

namespace {

constexpr const char *pitch_name[] = {"pixel", "row", "slice", "volume"};

std::int64_t checked_product(std::int64_t a, std::int64_t b, const std::string &what) {
    std::int64_t result = 0;
    require(!__builtin_mul_overflow(a, b, &result), what, " is too large for 64 bits");
    return result;
}

std::int64_t checked_sum(std::int64_t a, std::int64_t b, const std::string &what) {
    std::int64_t result = 0;
    require(!__builtin_add_overflow(a, b, &result), what, " is too large for 64 bits");
    return result;
}

} // namespace

std::int64_t ImageDesc::byte_of(const Axes &at, std::int64_t plane) const {
    std::int64_t byte = offset + plane * plane_pitch;
    for (std::size_t i = 0; i < 4; ++i)
        byte += at[i] * pitch[i];
    return byte;
}

std::int64_t ImageDesc::bytes() const {
    return byte_of({extent[0] - 1, extent[1] - 1, extent[2] - 1, extent[3] - 1}, planes - 1) +
           pixel_bytes();
}

std::int64_t ImageDesc::payload_bytes() const {
    return extent[0] * extent[1] * extent[2] * extent[3] * planes * pixel_bytes();
}

ImageDesc complete(ImageDesc desc, const std::string &what) {
    const auto size = static_cast<std::int64_t>(size_of(desc.type));
    if (desc.channels == 0)
        desc.channels = 1;
    require(desc.channels >= 1 && desc.channels <= 4, what, " has ", desc.channels,
            " channels; 1 to 4 are possible");
    if (desc.planes == 0)
        desc.planes = 1;
    require(desc.planes >= 1, what, " has ", desc.planes, " planes");
    require(desc.offset >= 0 && desc.offset % size == 0, what, " starts at byte ", desc.offset,
            "; that must be a multiple of ", size, ", the size of ", name_of(desc.type));

    // Each pitch must hold all the bytes that it steps over; the running total is the step of the next pitch.
    std::int64_t inner = desc.pixel_bytes();
    for (std::size_t i = 0; i < 4; ++i) {
        if (desc.extent[i] == 0 && i > 1)
            desc.extent[i] = 1;
        require(desc.extent[i] >= 1, what, " has an extent of ", desc.extent[i], " pixels along ",
                axis_name[i]);
        if (desc.pitch[i] == 0)
            desc.pitch[i] =
                i == 0 ? inner : checked_product(desc.extent[i - 1], desc.pitch[i - 1], what);
        require(desc.pitch[i] >= inner && desc.pitch[i] % size == 0, what, " has a ", pitch_name[i],
                " pitch of ", desc.pitch[i], " bytes; it must be at least ", inner,
                " and a multiple of ", size);
        inner = checked_sum(checked_product(desc.extent[i] - 1, desc.pitch[i], what), inner, what);
    }
    require(desc.pitch[0] == desc.pixel_bytes(), what, " has a pixel pitch of ", desc.pitch[0],
            " bytes; only interleaved channels without gaps, ", desc.pixel_bytes(),
            " bytes, are supported");
    require(desc.extent[0] * desc.channels <= max_row_values, what, " has rows of ",
            desc.extent[0] * desc.channels, " values; ", max_row_values, " are possible");
    require(desc.extent[1] <= max_row_values, what, " has ", desc.extent[1], " rows; ",
            max_row_values, " are possible");
    if (desc.plane_pitch == 0)
        desc.plane_pitch = checked_product(desc.extent[3], desc.pitch[3], what);
    require(desc.plane_pitch >= inner && desc.plane_pitch % size == 0, what,
            " has a plane pitch of ", desc.plane_pitch, " bytes; it must be at least ", inner,
            " and a multiple of ", size);
    inner = checked_sum(checked_product(desc.planes - 1, desc.plane_pitch, what), inner, what);
    checked_sum(inner, desc.offset, what);
    return desc;
}

ImageDesc packed(const ImageDesc &desc, const Axes &extent, std::int64_t row_alignment) {
    ImageDesc result;
    result.type = desc.type;
    result.channels = desc.channels;
    result.extent = extent;
    result.planes = desc.planes;
    const std::int64_t row = extent[0] * desc.pixel_bytes();
    const std::int64_t padded = (row + row_alignment - 1) / row_alignment * row_alignment;
    result.pitch = {desc.pixel_bytes(), padded, checked_product(padded, extent[1], "image"), 0};
    result.pitch[3] = checked_product(result.pitch[2], extent[2], "image");
    result.plane_pitch = checked_product(result.pitch[3], extent[3], "image");
    return complete(result, "image");
}

std::string to_text(const ImageDesc &desc) {
    std::string result = text(name_of(desc.type), ' ', to_text(desc.extent));
    if (desc.channels > 1)
        result += text(" x", desc.channels, " channels");
    if (desc.planes > 1)
        result += text(" x", desc.planes, " planes");
    return result;
}

Region complete(Region region, const ImageDesc &source, const ImageDesc &target) {
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int64_t begin = region.source_origin[i];
        require(begin >= 0 && begin < source.extent[i], "region starts at ", axis_name[i], " = ",
                begin, "; the source has ", source.extent[i], " pixels along ", axis_name[i]);
        if (region.extent[i] == 0)
            region.extent[i] = source.extent[i] - begin;
        const std::int64_t extent = region.extent[i];
        require(extent >= 1 && extent <= source.extent[i] - begin, "region has ", extent,
                " pixels along ", axis_name[i], " from ", begin, "; the source has ",
                source.extent[i]);
        const std::int64_t to = region.target_origin[i];
        require(to >= 0 && to < target.extent[i] && extent <= target.extent[i] - to, "region of ",
                extent, " pixels goes to ", axis_name[i], " = ", to, " of the target, which has ",
                target.extent[i], " pixels along ", axis_name[i]);
    }
    return region;
}

} // namespace gz
