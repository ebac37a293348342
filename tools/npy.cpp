#include "npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "file.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';
// Far above what NumPy writes for any type taken here; a header is text and is parsed whole.
constexpr std::size_t max_header_length = 65536;
// The limit of NumPy 1: no array has more axes.
constexpr std::size_t max_axes = 32;

struct Header {
    NpyType type;
    std::vector<std::int64_t> shape;
};

[[noreturn]] void refuse(const std::string &why) {
    throw InputError(why);
}

NpyType parse_type(std::string_view descr) {
    const std::string what = "type " + in_quotes(descr);
    if (descr.size() != 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos ||
        std::string_view("uif").find(descr[1]) == std::string_view::npos ||
        std::string_view("1248").find(descr[2]) == std::string_view::npos ||
        descr.substr(1) == "f1")
        refuse("values of " + what + " are not supported (integers and floats are)");
    const NpyType type{static_cast<NpyKind>(descr[1]), static_cast<std::size_t>(descr[2] - '0')};
    const char order = descr[0];
    if (type.size > 1 && order == '|')
        refuse(what + " lacks a byte order");
    if (type.size > 1 && order != '=' && order != native_order)
        refuse("values of " + what + " are " + (order == '>' ? "big-endian" : "little-endian") +
               ", which is not supported");
    return type;
}

// The header is a Python dictionary of three entries, in any order: 'descr' (a string),
// 'fortran_order' (True or False) and 'shape' (a tuple of integers).
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : rest_(text) {}

    Header parse() {
        std::optional<NpyType> type;
        std::optional<bool> fortran_order;
        std::optional<std::vector<std::int64_t>> shape;

        expect('{');
        while (!accept('}')) {
            const std::string_view key = string();
            expect(':');
            if (key == "descr" && !type)
                type = parse_type(string());
            else if (key == "fortran_order" && !fortran_order)
                fortran_order = boolean();
            else if (key == "shape" && !shape)
                shape = tuple();
            else
                refuse("its header has an unexpected entry " + in_quotes(key));
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!rest_.empty())
            malformed();
        if (!type || !fortran_order || !shape)
            refuse("its header lacks 'descr', 'fortran_order' or 'shape'");
        // The two orders differ only where there are two axes to order.
        if (*fortran_order && shape->size() > 1)
            refuse("its values are in Fortran order, which is not supported");
        return {*type, *shape};
    }

private:
    [[noreturn]] static void malformed() { refuse("its header is malformed"); }

    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }

    bool accept(char c) {
        skip_space();
        if (!rest_.starts_with(c))
            return false;
        rest_.remove_prefix(1);
        return true;
    }

    void expect(char c) {
        if (!accept(c))
            malformed();
    }

    bool accept_word(std::string_view word) {
        skip_space();
        if (!rest_.starts_with(word))
            return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    std::string_view string() {
        const char quote = accept('\'') ? '\'' : '"';
        if (quote == '"')
            expect('"');
        const std::size_t end = rest_.find(quote);
        if (end == std::string_view::npos)
            malformed();
        const std::string_view value = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return value;
    }

    bool boolean() {
        if (accept_word("True"))
            return true;
        if (!accept_word("False"))
            malformed();
        return false;
    }

    std::int64_t integer() {
        skip_space();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error == std::errc::result_out_of_range)
            refuse("its shape is too big");
        if (error != std::errc() || value < 0)
            malformed();
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        accept('L'); // Python 2 wrote long integers this way
        return value;
    }

    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> values;
        expect('(');
        while (!accept(')')) {
            if (values.size() == max_axes)
                refuse("its shape has more than " + std::to_string(max_axes) + " axes");
            values.push_back(integer());
            if (!accept(',')) {
                // "(3)" is an integer to Python, not a tuple.
                if (values.size() == 1)
                    malformed();
                expect(')');
                break;
            }
        }
        return values;
    }

    std::string_view rest_;
};

std::uint64_t byte_count(const Header &header) {
    std::uint64_t bytes = header.type.size;
    for (const std::int64_t n : header.shape) {
        const auto extent = static_cast<std::uint64_t>(n);
        if (extent != 0 && bytes > std::numeric_limits<std::int64_t>::max() / extent)
            refuse("its shape is too big");
        bytes *= extent;
    }
    return bytes;
}

std::size_t little_endian(std::span<const std::byte> bytes) {
    std::size_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
    return value;
}

NpyArray read_from(InputFile &file) {
    std::array<std::byte, 12> preamble{};
    const std::span<std::byte> start(preamble);
    if (file.size() < 10)
        refuse("it is too short");
    file.read(start.first(8));
    if (std::memcmp(preamble.data(), magic.data(), magic.size()) != 0)
        refuse("it does not start as a .npy file does");
    const int major = std::to_integer<int>(preamble[6]);
    const int minor = std::to_integer<int>(preamble[7]);
    if (major < 1 || major > 3 || minor != 0)
        refuse("format version " + std::to_string(major) + "." + std::to_string(minor) +
               " is not supported (1.0, 2.0 and 3.0 are)");

    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::uint64_t prefix = 8 + length_bytes;
    if (file.size() < prefix)
        refuse("it is too short");
    file.read(start.subspan(8, length_bytes));
    const std::size_t length = little_endian(start.subspan(8, length_bytes));
    if (length > file.size() - prefix)
        refuse("its header is longer than the file");
    if (length > max_header_length)
        refuse("its header has " + std::to_string(length) + " bytes, more than the " +
               std::to_string(max_header_length) + " that are read");

    std::string text(length, '\0');
    file.read(std::as_writable_bytes(std::span<char>(text)));
    Header header = HeaderParser(text).parse();
    const std::uint64_t bytes = byte_count(header);
    if (header.shape.empty())
        refuse("it holds a single value, without an axis");
    if (bytes == 0)
        refuse("it holds no values");
    if (bytes != file.size() - prefix - length)
        refuse("its header asks for " + std::to_string(bytes) +
               " bytes of values and the file has " +
               std::to_string(file.size() - prefix - length));

    NpyArray array{header.type, std::move(header.shape), {}};
    array.data.resize(bytes);
    file.read(array.data);
    return array;
}

// IEEE 754 binary16: 1 sign bit, 5 exponent bits of bias 15, 10 fraction bits.
double half_to_double(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double magnitude = exponent == 31
                                 ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                  : std::numeric_limits<double>::infinity())
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(fraction + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class Stored, class Convert>
std::vector<double> converted(std::span<const std::byte> data, Convert convert) {
    std::vector<double> values(data.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, data.data() + i * sizeof stored, sizeof stored);
        values[i] = convert(stored);
    }
    return values;
}

template <class Stored> std::vector<double> converted(std::span<const std::byte> data) {
    return converted<Stored>(data, [](Stored value) { return static_cast<double>(value); });
}

} // namespace

std::string name_of(NpyType type) {
    return static_cast<char>(type.kind) + std::to_string(type.size);
}

NpyArray read_npy(const std::filesystem::path &path) {
    InputFile file(path);
    try {
        return read_from(file);
    } catch (const InputError &error) {
        throw InputError("cannot read " + shown(path) + " as .npy: " + error.what());
    }
}

void write_npy(const std::filesystem::path &path, NpyType type,
               const std::vector<std::int64_t> &shape, std::span<const std::byte> data) {
    std::string header = "{'descr': '";
    header += type.size == 1 ? '|' : native_order;
    header += name_of(type) + "', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i)
        header += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    // A tuple of one is written with a comma.
    header += shape.size() == 1 ? ",), }" : "), }";
    // Padded with spaces and a newline, so that the values start at a multiple of 64 bytes.
    constexpr std::size_t prefix = 10;
    constexpr std::size_t alignment = 64;
    const std::size_t unpadded = prefix + header.size() + 1;
    header.append((alignment - unpadded % alignment) % alignment, ' ');
    header += '\n';

    std::string preamble(magic);
    preamble += '\1';
    preamble += '\0';
    preamble += static_cast<char>(header.size() & 255);
    preamble += static_cast<char>(header.size() >> 8 & 255);

    OutputFile file(path);
    file.write(std::as_bytes(std::span<const char>(preamble)));
    file.write(std::as_bytes(std::span<const char>(header)));
    file.write(data);
    file.commit();
}

std::vector<double> to_doubles(const NpyArray &array) {
    const std::span<const std::byte> data(array.data);
    switch (array.type.kind) {
    case NpyKind::unsigned_integer:
        return array.type.size == 1   ? converted<std::uint8_t>(data)
               : array.type.size == 2 ? converted<std::uint16_t>(data)
               : array.type.size == 4 ? converted<std::uint32_t>(data)
                                      : converted<std::uint64_t>(data);
    case NpyKind::signed_integer:
        return array.type.size == 1   ? converted<std::int8_t>(data)
               : array.type.size == 2 ? converted<std::int16_t>(data)
               : array.type.size == 4 ? converted<std::int32_t>(data)
                                      : converted<std::int64_t>(data);
    case NpyKind::floating:
        break;
    }
    return array.type.size == 2   ? converted<std::uint16_t>(data, half_to_double)
           : array.type.size == 4 ? converted<float>(data)
                                  : converted<double>(data);
}

} // namespace gauze::tool
