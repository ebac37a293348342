// Images in files, .png and .npy, told apart by the file's name. Functions throw InputError that
// names the file.
#ifndef GAUZE_TOOLS_IMAGE_FILE_HPP
#define GAUZE_TOOLS_IMAGE_FILE_HPP

#include <cstddef>
#include <filesystem>
#include <vector>

#include <gauze/gauze.hpp>

#include "png_file.hpp"

namespace gauze::tool {

enum class FileFormat { png, npy };

FileFormat format_of(const std::filesystem::path &path);

// Whether the last axis of an array counts channels.
enum class ChannelAxis { none, last };

// The facts, besides the description, that are needed to write pixels back as they were read: the shape of an
// array does not follow from the description, since (4, 6) and (1, 4, 6) are the same pixels.
struct FileForm {
    int axes = 2; // axes of an array, without the channels' axis
    ChannelAxis channel_axis = ChannelAxis::none;
    PngMetadata png;
};

// Pixels in host memory: tight, x fastest, one plane.
struct HostImage {
    gauze::ImageDesc desc;
    std::vector<std::byte> pixels;
    FileForm form;
};

// array_channels: how to read an array; a .png says itself how many channels it has.
HostImage read_image(const std::filesystem::path &path, ChannelAxis array_channels);

// Throws where `path` cannot be written or its format cannot hold such pixels, as far as can be known before
// there are any pixels.
void check_storable(const std::filesystem::path &path, const gauze::ImageDesc &desc);

void write_image(const std::filesystem::path &path, const HostImage &image);

} // namespace gauze::tool

#endif
