// Files for the tests of the command.
#ifndef GAUZE_TOOLS_TEST_FILES_HPP
#define GAUZE_TOOLS_TEST_FILES_HPP

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauze::tool {

// A new directory, removed with all that is in it.
class TestDirectory {
public:
    TestDirectory() {
        std::random_device random;
        do
            path_ =
                std::filesystem::temp_directory_path() / ("gauze-test-" + std::to_string(random()));
        while (!std::filesystem::create_directory(path_));
    }
    ~TestDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TestDirectory(const TestDirectory &) = delete;
    TestDirectory &operator=(const TestDirectory &) = delete;

    std::string operator/(const std::string &name) const { return (path_ / name).string(); }

    // Returns the files in it, also those of an unfinished output.
    std::size_t file_count() const {
        using Iterator = std::filesystem::directory_iterator;
        return static_cast<std::size_t>(std::distance(Iterator(path_), Iterator()));
    }

private:
    std::filesystem::path path_;
};

inline void write_bytes(const std::string &path, const std::string &bytes) {
    std::ofstream file(path, std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw std::runtime_error("cannot write " + path);
}

inline std::string read_bytes(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T> std::vector<std::byte> to_bytes(const std::vector<T> &values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T> std::vector<T> from_bytes(const std::vector<std::byte> &bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

// Returns values of at most 16 bits that look random and are the same on every run.
template <class T> std::vector<T> numbered(std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(i * 2654435761U >> 7 & 0xffff);
    return values;
}

} // namespace gauze::tool

#endif
