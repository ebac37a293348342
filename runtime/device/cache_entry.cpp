#include "device/cache_entry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/error.hpp"
#include "device/sha256.hpp"

namespace gz {

namespace {

// An entry is the magic, the format's version, the number of bytes of key and program, these two,
// and the SHA-256 of all before it. Numbers are little-endian.
constexpr std::string_view magic = "gauzebin";
constexpr std::uint64_t format_version = 1;
constexpr std::size_t number_bytes = 8;
constexpr std::size_t header_bytes = 8 + 3 * number_bytes;
constexpr std::size_t digest_bytes = sizeof(Digest);

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span<const char>(text));
}

void append(std::vector<std::byte> &to, std::span<const std::byte> bytes) {
    const std::size_t size = to.size();
    to.resize(size + bytes.size());
    std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(size));
}

void append_number(std::vector<std::byte> &to, std::uint64_t number) {
    for (std::size_t i = 0; i < number_bytes; ++i)
        to.push_back(static_cast<std::byte>(number >> 8 * i));
}

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t place) {
    std::uint64_t number = 0;
    for (std::size_t i = number_bytes; i-- > 0;)
        number = number << 8 | std::to_integer<std::uint64_t>(bytes[place + i]);
    return number;
}

bool is_same(std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

} // namespace

std::string ProgramKey::text() const {
    std::string result = gz::text("gauze ", GAUZE_VERSION_MAJOR, '.', GAUZE_VERSION_MINOR, '.',
                                  GAUZE_VERSION_PATCH, ", format ", format_version, '\n');
    // Lengths are included, so that no value can be taken for the next field.
    const auto add = [&](const char *name, const std::string &value) {
        result += gz::text(name, ' ', value.size(), ": ", value, '\n');
    };
    add("platform", platform);
    add("platform version", platform_version);
    add("device", device);
    add("device version", device_version);
    add("driver", driver);
    add("driver settings", driver_settings);
    add("options", options);
    add("entry", entry);
    add("source", source);
    return result;
}

std::string entry_name(std::string_view key) {
    return to_hex(sha256(bytes_of(key)));
}

bool is_entry_name(std::string_view name) {
    return name.size() == 2 * digest_bytes &&
           name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<std::byte> write_entry(std::string_view key, std::span<const std::byte> program) {
    std::vector<std::byte> entry;
    entry.reserve(header_bytes + key.size() + program.size() + digest_bytes);
    append(entry, bytes_of(magic));
    append_number(entry, format_version);
    append_number(entry, key.size());
    append_number(entry, program.size());
    append(entry, bytes_of(key));
    append(entry, program);
    append(entry, sha256(entry));
    return entry;
}

std::span<const std::byte> read_entry(std::span<const std::byte> entry, std::string_view key) {
    require(entry.size() >= header_bytes + digest_bytes, "it has ", entry.size(),
            " bytes, fewer than any entry");
    require(is_same(entry.first(magic.size()), bytes_of(magic)), "it does not start as entries do");
    const std::uint64_t version = number_at(entry, magic.size());
    require(version == format_version, "its format is ", version, ", not ", format_version);
    const std::uint64_t key_bytes = number_at(entry, magic.size() + number_bytes);
    const std::uint64_t program_bytes = number_at(entry, magic.size() + 2 * number_bytes);
    // Checked in this order, no sum can overflow.
    const std::uint64_t room = entry.size() - header_bytes - digest_bytes;
    require(key_bytes <= room && program_bytes == room - key_bytes, "its key of ", key_bytes,
            " bytes and its program of ", program_bytes, " do not fill its ", entry.size(),
            " bytes");
    require(program_bytes > 0, "it holds no program");
    const std::span<const std::byte> content = entry.first(entry.size() - digest_bytes);
    require(is_same(entry.last(digest_bytes), sha256(content)), "its checksum is another one");
    require(is_same(entry.subspan(header_bytes, key_bytes), bytes_of(key)),
            "it is of another program, device, driver or version");
    return content.last(program_bytes);
}

} // namespace gz
