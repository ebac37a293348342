// Files of the user's own, as the library reads and writes them: it reads no file that others may have
// written, and a file appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/system.hpp"

namespace gz {

// Returns the directory that a file lies in. path: absolute.
std::string parent_of(const std::string &path);

// Opens a directory that is the user's own: no link, and nobody else may write to it. Returns nothing where there
// is none. Throws Error, whose text calls it "it".
std::optional<system::Directory> open_own_directory(const std::string &path);

// Makes a directory for the user alone, and its parents, unless it exists. Throws Error, whose text calls it "it".
void make_directories(const std::string &path);

// Returns all of an open file: it must be a regular file of the user's that nobody else may write to, of at
// most so many bytes. Throws Error, whose text calls it "it".
std::vector<std::byte> read_own_file(const system::Descriptor &file, std::uint64_t max_bytes);

// A file that no other process has, under its final name only once it is whole.
class TemporaryFile {
public:
    // Names of temporary files in the directory start with this.
    static constexpr std::string_view prefix = ".new-";

    // what: the kind of file, for messages. Functions throw Error.
    TemporaryFile(const system::Directory &directory, std::string what);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    void write(std::span<const std::byte> bytes);
    // Replaces any file of that name.
    void commit(const std::string &name);

private:
    void check(bool holds, const char *done) const;

    const system::Directory &directory_;
    std::string what_;
    std::string name_; // "" once it has its final name
    system::Descriptor file_;
};

// Keeps other processes from writing a file as long as it lives. It locks a separate file beside the written one,
// which is replaced each time. Throws Error.
class FileLock {
public:
    explicit FileLock(const std::string &path);

private:
    system::Descriptor file_;
};

} // namespace gz
