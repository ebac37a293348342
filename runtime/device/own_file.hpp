// Files of the user's own, as the library reads and writes them: it reads no file that others may have
// written, and a file appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace gz {

// An open file or directory, closed at the end.
class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0)
            ::close(value_);
    }
    Descriptor(Descriptor &&other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor &operator=(Descriptor &&) = delete;

    int get() const { return value_; }
    int release() { return std::exchange(value_, -1); }

private:
    int value_;
};

std::string system_text(int code); // text of an errno

// Returns the path made absolute, and without slashes at its end; "" where this fails. With a slash at the
// end, a symbolic link would stand for its target.
std::string absolute_path(const std::string &path);

// Returns the library's directory in one of the user's, as the XDG base directory specification defines them:
// in the directory that the variable names, else in `in_home` of the user's home. "" where neither is known.
std::string user_directory(const char *variable, const std::string &in_home);

// Makes a directory for the user alone, and its parents, unless it exists. Returns the errno of the failure,
// or 0. The specification asks for 0700.
int make_directories(const std::string &path);

// Returns all of an open file: it must be a regular file of the user's that nobody else may write to, of at
// most so many bytes. Throws Error, whose text calls it "it".
std::vector<std::byte> read_own_file(const Descriptor &file, std::uint64_t max_bytes);

// A file that no other process has, under its final name only once it is whole.
class TemporaryFile {
public:
    // Names of temporary files in the directory start with this.
    static constexpr std::string_view prefix = ".new-";

    // what: the kind of file, for messages. Functions throw Error.
    TemporaryFile(const Descriptor &directory, std::string what);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    void write(std::span<const std::byte> bytes);
    // Replaces any file of that name.
    void commit(const std::string &name);

private:
    void check(bool holds, const char *done) const;

    const Descriptor &directory_;
    std::string what_;
    int file_ = -1;
    std::string name_;
};

} // namespace gz
