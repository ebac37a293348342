#include "image_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "file.hpp"
#include "input_error.hpp"
#include "npy.hpp"

namespace gauze::tool {
namespace {

constexpr int max_axes = 4;
constexpr std::int64_t max_channels = 4;

struct StoredType {
    Type pixel;
    NpyType array;
};

constexpr std::array stored_types{
    StoredType{Type::u8, {NpyKind::unsigned_integer, 1}},
    StoredType{Type::u16, {NpyKind::unsigned_integer, 2}},
    StoredType{Type::u32, {NpyKind::unsigned_integer, 4}},
    StoredType{Type::u64, {NpyKind::unsigned_integer, 8}},
    StoredType{Type::s16, {NpyKind::signed_integer, 2}},
    StoredType{Type::s32, {NpyKind::signed_integer, 4}},
    StoredType{Type::f16, {NpyKind::floating, 2}},
    StoredType{Type::f32, {NpyKind::floating, 4}},
    StoredType{Type::f64, {NpyKind::floating, 8}},
};

std::string shape_text(const std::vector<std::int64_t> &shape) {
    std::string text = "(";
    for (const std::int64_t n : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + ")";
}

HostImage from_array(const std::filesystem::path &path, NpyArray array, ChannelAxis channel_axis) {
    const std::string refused = shown(path) + " of shape " + shape_text(array.shape);
    const auto stored = std::ranges::find(stored_types, array.type, &StoredType::array);
    if (stored == stored_types.end())
        throw InputError("cannot read " + shown(path) + ": there are no pixels of type " +
                         name_of(array.type));

    HostImage image;
    image.desc.type = stored->pixel;
    image.form.channel_axis = channel_axis;
    if (channel_axis == ChannelAxis::last) {
        if (array.shape.size() < 2)
            throw InputError(refused + " has no axis of pixels besides the one of channels");
        if (array.shape.back() > max_channels)
            throw InputError(refused + " has " + std::to_string(array.shape.back()) +
                             " channels on its last axis; there can be 1 to " +
                             std::to_string(max_channels));
        image.desc.channels = static_cast<int>(array.shape.back());
        array.shape.pop_back();
    }
    if (array.shape.size() > max_axes)
        throw InputError(refused + " has more than " + std::to_string(max_axes) +
                         " axes of pixels");
    image.form.axes = static_cast<int>(array.shape.size());
    std::copy(array.shape.rbegin(), array.shape.rend(), image.desc.extent.begin());
    image.pixels = std::move(array.data);
    return image;
}

HostImage from_png(PngImage png) {
    const ChannelAxis axis = png.desc.channels > 1 ? ChannelAxis::last : ChannelAxis::none;
    return {png.desc, std::move(png.pixels), {2, axis, std::move(png.metadata)}};
}

void write_array(const std::filesystem::path &path, const HostImage &image) {
    const auto stored = std::ranges::find(stored_types, image.desc.type, &StoredType::pixel);
    std::vector<std::int64_t> shape(image.desc.extent.rend() - image.form.axes,
                                    image.desc.extent.rend());
    if (image.form.channel_axis == ChannelAxis::last)
        shape.push_back(image.desc.channels);
    write_npy(path, stored->array, shape, image.pixels);
}

} // namespace

FileFormat format_of(const std::filesystem::path &path) {
    if (has_extension(path, ".png"))
        return FileFormat::png;
    if (has_extension(path, ".npy"))
        return FileFormat::npy;
    throw InputError(shown(path) + " does not end in .png or .npy");
}

HostImage read_image(const std::filesystem::path &path, ChannelAxis array_channels) {
    switch (format_of(path)) {
    case FileFormat::png:
        return from_png(read_png(path));
    case FileFormat::npy:
        break;
    }
    return from_array(path, read_npy(path), array_channels);
}

void check_storable(const std::filesystem::path &path, const ImageDesc &desc) {
    if (format_of(path) == FileFormat::png)
        check_png_storable(path, desc);
    check_output_path(path);
}

void write_image(const std::filesystem::path &path, const HostImage &image) {
    switch (format_of(path)) {
    case FileFormat::png:
        return write_png(path, image.desc, image.pixels, image.form.png);
    case FileFormat::npy:
        return write_array(path, image);
    }
}

} // namespace gauze::tool
