// NumPy's .npy files, format versions 1.0 to 3.0: C order and the host's byte order. The format:
// numpy.lib.format. Functions throw InputError that names the file.
#ifndef GAUZE_TOOLS_NPY_HPP
#define GAUZE_TOOLS_NPY_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gauze::tool {

enum class NpyKind : char { unsigned_integer = 'u', signed_integer = 'i', floating = 'f' };

struct NpyType {
    NpyKind kind = NpyKind::unsigned_integer;
    std::size_t size = 1; // bytes of one value: 1, 2, 4, 8; floating: 2, 4, 8

    bool operator==(const NpyType &) const = default;
};

// "u1", "f4", ...
std::string name_of(NpyType type);

struct NpyArray {
    NpyType type;
    std::vector<std::int64_t> shape; // slowest axis first; no axis is 0
    std::vector<std::byte> data;
};

// Refuses arrays with no values, arrays with no axes, and files with more or fewer bytes than their
// header says.
NpyArray read_npy(const std::filesystem::path &path);

// data: as many bytes as type and shape need.
void write_npy(const std::filesystem::path &path, NpyType type,
               const std::vector<std::int64_t> &shape, std::span<const std::byte> data);

// Returns the values as doubles. 64-bit integers are rounded to the nearest double.
std::vector<double> to_doubles(const NpyArray &array);

} // namespace gauze::tool

#endif
