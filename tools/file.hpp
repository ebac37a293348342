// Files of the command: inputs of a known size, and outputs that appear whole or not at all.
// Everything here throws InputError with the file's name in its text.
#ifndef GAUZE_TOOLS_FILE_HPP
#define GAUZE_TOOLS_FILE_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gauze::tool {

// Returns the path in quotes, as messages show it.
std::string shown(const std::filesystem::path &path);

// extension: as ".png", in lower case; the path's may be in either.
bool has_extension(const std::filesystem::path &path, std::string_view extension);

struct CloseFile {
    void operator()(std::FILE *file) const noexcept { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

// A regular file open for reading. The size is known before a byte is read, so that what a header
// claims can be held against it.
class InputFile {
public:
    explicit InputFile(std::filesystem::path path);

    const std::filesystem::path &path() const { return path_; }
    std::uint64_t size() const { return size_; }
    std::FILE *handle() const { return handle_.get(); }

    // Fills all of `bytes` from the file's current position.
    void read(std::span<std::byte> bytes);

private:
    std::filesystem::path path_;
    std::uint64_t size_ = 0;
    FileHandle handle_;
};

// A file under construction: a temporary file in the target's directory, renamed onto the target by
// commit() and removed by the destructor where commit() was not reached or threw. SIGHUP, SIGINT and
// SIGTERM, where nobody else catches or ignores them, remove it before they end the process.
class OutputFile {
public:
    explicit OutputFile(const std::filesystem::path &path);
    ~OutputFile();
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    // False once anything could not be written; commit() then throws. Throws nothing itself, since
    // it is called from inside C libraries.
    bool write(std::span<const std::byte> bytes) noexcept;
    void commit();

private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    std::atomic<bool> *passing_ = nullptr; // whether a signal is to remove the temporary file
    FileHandle handle_;
    bool failed_ = false;
};

// Throws where an output file cannot be made at `path`, as far as can be seen without making it.
void check_output_path(const std::filesystem::path &path);

} // namespace gauze::tool

#endif
