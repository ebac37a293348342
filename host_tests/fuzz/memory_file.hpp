// Bytes as a file that has a path, but is on no disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace gauze::fuzz {

// The path of the one file of the process, which now holds the bytes.
inline std::filesystem::path file_of(const std::uint8_t *data, std::size_t size) {
    static const int file = memfd_create("fuzz", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, 0) != 0 ||
        pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
        std::abort();
    return "/proc/self/fd/" + std::to_string(file);
}

} // namespace gauze::fuzz
