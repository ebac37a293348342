#include "png_file.hpp"

#include <bit>
#include <charconv>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <png.h>

#include "file.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

constexpr std::uint64_t default_max_pixels = std::uint64_t{1} << 28;
// Deflate expands one byte to at most 1032.
constexpr std::uint64_t max_expansion = 1100;
// A profile or a text of more than this is not worth its memory.
constexpr png_alloc_size_t max_chunk_bytes = 8 << 20;

// libpng's message when it gave up. Plain memory: it is written on the way to a longjmp.
struct ErrorText {
    char text[160] = "unknown error";
};

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
    auto *error = static_cast<ErrorText *>(png_get_error_ptr(png));
    std::strncpy(error->text, text, sizeof error->text - 1);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

// Runs libpng calls that end in a longjmp when they fail; false where they did. `step` is left
// without unwinding, so neither it nor what it calls may hold an object with a destructor.
template <class Step> [[nodiscard]] bool succeeds(png_structp png, const Step &step) {
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    step();
    return true;
}

// Handles of one reading or writing. The destructor of the libpng structs runs in C++ code only,
// never across a longjmp.
class ReadHandles {
public:
    ReadHandles()
        : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &error, on_error, on_warning)),
          info(png ? png_create_info_struct(png) : nullptr) {
        if (!info) {
            png_destroy_read_struct(&png, nullptr, nullptr);
            throw std::bad_alloc();
        }
    }
    ~ReadHandles() { png_destroy_read_struct(&png, &info, nullptr); }
    ReadHandles(const ReadHandles &) = delete;
    ReadHandles &operator=(const ReadHandles &) = delete;

    ErrorText error;
    png_structp png;
    png_infop info;
};

class WriteHandles {
public:
    WriteHandles()
        : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &error, on_error, on_warning)),
          info(png ? png_create_info_struct(png) : nullptr) {
        if (!info) {
            png_destroy_write_struct(&png, nullptr);
            throw std::bad_alloc();
        }
    }
    ~WriteHandles() { png_destroy_write_struct(&png, &info); }
    WriteHandles(const WriteHandles &) = delete;
    WriteHandles &operator=(const WriteHandles &) = delete;

    ErrorText error;
    png_structp png;
    png_infop info;
};

std::uint64_t max_pixels() {
    const char *const setting = std::getenv("GAUZE_MAX_PIXELS");
    if (!setting || *setting == '\0')
        return default_max_pixels;
    const std::string_view text(setting);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw InputError("GAUZE_MAX_PIXELS is " + in_quotes(text) + ", not a number of pixels");
    return value;
}

struct Header {
    png_uint_32 width = 0, height = 0;
    std::size_t row_bytes = 0; // of the values as compressed: before anything is expanded
};

void check_size(const InputFile &file, const Header &header) {
    const std::uint64_t pixels = std::uint64_t{header.width} * header.height;
    const std::string what = shown(file.path()) + " of " + std::to_string(header.width) + "x" +
                             std::to_string(header.height) + " pixels";
    const std::uint64_t limit = max_pixels();
    if (pixels > limit)
        throw InputError("refused " + what + ": more than " + std::to_string(limit) +
                         " (the environment variable GAUZE_MAX_PIXELS changes the limit)");
    // Each row is preceded by a byte that names its filter. Compared by division: row_bytes times
    // height may not fit 64 bits where GAUZE_MAX_PIXELS allows anything.
    if (header.row_bytes + 1 > file.size() * max_expansion / header.height)
        throw InputError("refused " + what + ": damaged, a file of " + std::to_string(file.size()) +
                         " bytes cannot hold them");
}

PngMetadata read_metadata(png_structp png, png_infop info) {
    PngMetadata metadata;
    png_fixed_point gamma = 0;
    if (png_get_gAMA_fixed(png, info, &gamma) != 0)
        metadata.gamma = gamma;
    std::array<png_fixed_point, 8> c{};
    if (png_get_cHRM_fixed(png, info, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7]) != 0)
        metadata.chromaticities = c;
    int intent = 0;
    if (png_get_sRGB(png, info, &intent) != 0)
        metadata.srgb_intent = intent;
    png_charp name = nullptr;
    png_bytep profile = nullptr;
    png_uint_32 length = 0;
    int compression = 0;
    if (png_get_iCCP(png, info, &name, &compression, &profile, &length) != 0)
        metadata.profile = PngMetadata::Profile{name, {profile, profile + length}};
    PngMetadata::Density density;
    if (png_get_pHYs(png, info, &density.x, &density.y, &density.unit) != 0)
        metadata.density = density;
    return metadata;
}

// Must not hold anything with a destructor: see succeeds().
void set_metadata(png_structp png, png_infop info, const PngMetadata &metadata) {
    // A profile that libpng dislikes is left out with a warning; the pixels matter more.
    png_set_benign_errors(png, 1);
    if (metadata.gamma)
        png_set_gAMA_fixed(png, info, *metadata.gamma);
    if (metadata.chromaticities) {
        const auto &c = *metadata.chromaticities;
        png_set_cHRM_fixed(png, info, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    }
    if (metadata.srgb_intent)
        png_set_sRGB(png, info, *metadata.srgb_intent);
    if (metadata.profile)
        png_set_iCCP(png, info, metadata.profile->name.c_str(), PNG_COMPRESSION_TYPE_BASE,
                     metadata.profile->data.data(),
                     static_cast<png_uint_32>(metadata.profile->data.size()));
    if (metadata.density)
        png_set_pHYs(png, info, metadata.density->x, metadata.density->y, metadata.density->unit);
}

int colour_type(int channels) {
    constexpr std::array types{PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGB_ALPHA};
    return types.at(static_cast<std::size_t>(channels - 1));
}

// A PNG file has its 16-bit values in network order.
void set_host_order(png_structp png, int depth) {
    if (depth == 16 && std::endian::native == std::endian::little)
        png_set_swap(png);
}

void write_bytes(png_structp png, png_bytep data, png_size_t length) {
    auto *file = static_cast<OutputFile *>(png_get_io_ptr(png));
    if (!file->write({reinterpret_cast<const std::byte *>(data), length}))
        png_error(png, "the device may be full");
}

void flush_bytes(png_structp) {}

} // namespace

PngImage read_png(const std::filesystem::path &path) {
    InputFile file(path);
    const auto damaged = [&](const char *why) {
        return InputError("cannot read " + shown(path) + " as PNG: " + why);
    };
    constexpr std::size_t signature_length = 8;
    std::array<std::byte, signature_length> signature{};
    if (file.size() < signature_length)
        throw damaged("it is too short");
    file.read(signature);
    if (png_sig_cmp(reinterpret_cast<png_const_bytep>(signature.data()), 0, signature_length) != 0)
        throw damaged("it does not start as a PNG file does");

    const ReadHandles handles;
    const png_structp png = handles.png;
    const png_infop info = handles.info;
    const char *const error = handles.error.text;

    Header header;
    if (!succeeds(png, [&] {
            png_init_io(png, file.handle());
            png_set_sig_bytes(png, signature_length);
            // libpng's own limits on sides are neither ours nor needed: see check_size().
            png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
            png_set_chunk_malloc_max(png, max_chunk_bytes);
            png_read_info(png, info);
            header = {png_get_image_width(png, info), png_get_image_height(png, info),
                      png_get_rowbytes(png, info)};
        }))
        throw damaged(error);
    check_size(file, header);

    int passes = 1;
    int channels = 0;
    int depth = 0;
    std::size_t row_bytes = 0;
    if (!succeeds(png, [&] {
            png_set_expand(png);
            set_host_order(png, png_get_bit_depth(png, info));
            passes = png_set_interlace_handling(png);
            png_read_update_info(png, info);
            channels = png_get_channels(png, info);
            depth = png_get_bit_depth(png, info);
            row_bytes = png_get_rowbytes(png, info);
        }))
        throw damaged(error);

    PngImage image{{depth == 16 ? Type::u16 : Type::u8, header.width, header.height, channels},
                   std::vector<std::byte>(row_bytes * header.height),
                   read_metadata(png, info)};
    auto *const pixels = reinterpret_cast<png_bytep>(image.pixels.data());
    if (!succeeds(png, [&] {
            for (int pass = 0; pass < passes; ++pass)
                for (std::size_t y = 0; y < header.height; ++y)
                    png_read_row(png, pixels + y * row_bytes, nullptr);
            png_read_end(png, nullptr);
        }))
        throw damaged(error);
    return image;
}

void check_png_storable(const std::filesystem::path &path, const ImageDesc &desc) {
    const std::string refused = "cannot write " + shown(path) + ": a PNG file ";
    if (desc.type != Type::u8 && desc.type != Type::u16)
        throw InputError(refused + "holds u8 or u16, not " + name_of(desc.type));
    if (desc.extent[2] != 1 || desc.extent[3] != 1)
        throw InputError(refused + "holds one image of two axes, not a volume");
    if (desc.extent[0] > PNG_UINT_31_MAX || desc.extent[1] > PNG_UINT_31_MAX)
        throw InputError(refused + "has sides of at most 2147483647 pixels");
}

void write_png(const std::filesystem::path &path, const ImageDesc &desc,
               std::span<const std::byte> pixels, const PngMetadata &metadata) {
    check_png_storable(path, desc);
    OutputFile file(path);
    const WriteHandles handles;
    const png_structp png = handles.png;
    const png_infop info = handles.info;

    const auto height = static_cast<std::size_t>(desc.extent[1]);
    const std::size_t row_bytes = pixels.size() / height;
    const int depth = desc.type == Type::u16 ? 16 : 8;
    const int colour = colour_type(desc.channels);
    if (!succeeds(png, [&] {
            png_set_write_fn(png, &file, write_bytes, flush_bytes);
            png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
            png_set_IHDR(png, info, static_cast<png_uint_32>(desc.extent[0]),
                         static_cast<png_uint_32>(desc.extent[1]), depth, colour,
                         PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
            set_metadata(png, info, metadata);
            png_write_info(png, info);
            set_host_order(png, depth);
            for (std::size_t y = 0; y < height; ++y)
                png_write_row(png,
                              reinterpret_cast<png_const_bytep>(pixels.data() + y * row_bytes));
            png_write_end(png, info);
        }))
        throw InputError("cannot write " + shown(path) + ": " + handles.error.text);
    file.commit();
}

} // namespace gauze::tool
