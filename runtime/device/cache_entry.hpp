// A compiled program as bytes that are kept between processes. Drivers do not check what they are
// given: some end the process over a damaged program, others run it. So an entry says all that its
// program depends on, and everything is checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gz {

// All that a compiled program depends on.
struct ProgramKey {
    std::string platform, platform_version;
    std::string device, device_version, driver;
    std::string driver_settings; // settings of the environment that change the compiled program
    std::string options, entry, source;

    // Returns these fields, the library's version and the format's, in one text. Different keys have
    // different texts.
    std::string text() const;
};

// Returns the name of a key's entry: 64 hexadecimal digits.
std::string entry_name(std::string_view key);
bool is_entry_name(std::string_view name);

// Far above any program; readers of an entry allocate no more.
inline constexpr std::uint64_t max_entry_bytes = std::uint64_t{1} << 30;

// key: ProgramKey::text().
std::vector<std::byte> write_entry(std::string_view key, std::span<const std::byte> program);

// Returns the program in an entry, part of its bytes. Throws Error, whose text says what is wrong, unless
// every byte is as write_entry wrote it for this key.
std::span<const std::byte> read_entry(std::span<const std::byte> entry, std::string_view key);

} // namespace gz
