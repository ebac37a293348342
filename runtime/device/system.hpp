// What the library asks of the operating system, in one form for all: system_posix.cpp and system_windows.cpp.
// Paths and other texts are UTF-8. Errors are numbers of the system's: errno, or what GetLastError returns.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gz::system {

// The variable of the environment, "" where it is not set.
std::string environment(const char *name);

std::uint32_t process_id();

// Returns the file of the library or program that has the code in it, "" where that is not known.
std::string file_of_code(const void *code);

// Texts of the calling thread's own, which end with it.
struct ThreadTexts {
    std::string last_error; // what gauze_last_error returns
    std::string directory;  // what gauze_cache_query returned
};
ThreadTexts &thread_texts() noexcept;

int last_error();
std::string text_of(int error);
bool says_missing(int error); // there is no such file
bool says_exists(int error);  // there is one already

// An open file or directory, closed at the end.
class Descriptor {
public:
#ifdef _WIN32
    using Value = void *; // a HANDLE
    static Value none() {
        return reinterpret_cast<Value>(std::intptr_t{-1});
    }
#else
    using Value = int;
    static Value none() {
        return -1;
    }
#endif
    Descriptor() : value_(none()) {}
    explicit Descriptor(Value value) : value_(value) {}
    ~Descriptor() {
        close();
    }
    Descriptor(Descriptor &&other) noexcept : value_(other.release()) {}
    Descriptor &operator=(Descriptor &&) = delete;

    Value get() const {
        return value_;
    }
    bool is_open() const {
        return value_ != none();
    }
    Value release() {
        return std::exchange(value_, none());
    }
    bool close(); // returns whether all went well

private:
    Value value_;
};

// A directory that is open. Its files are reached through it, since its path may name another one meanwhile;
// where the system has no such calls, it lets nobody rename or remove the directory as long as it is open.
struct Directory {
    Descriptor descriptor;
    std::string path;
};

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

// A file or directory.
struct Facts {
    bool is_regular = false, is_directory = false, is_link = false;
    std::string owner;             // as the system names users: a number, or a security identifier
    bool is_own = false;           // belongs to the user of this process
    bool others_may_write = false; // users that could not do so anyway, as an administrator can
    std::uint64_t bytes = 0;
};

struct Listed {
    std::string name;
    std::uint64_t bytes = 0;
    Time used;
};

std::string user(); // of this process, as Facts::owner has it

// What may stand between the names of a path; the last is what the system writes itself.
#ifdef _WIN32
constexpr std::string_view separators = "/\\";
#else
constexpr std::string_view separators = "/";
#endif
bool is_absolute(const std::string &path);
// Returns the path made absolute, and without separators at its end; "" where this fails. With one at the end, a
// symbolic link would stand for its target.
std::string absolute(const std::string &path);

inline std::string without_last_separators(std::string path) {
    while (path.size() > 1 && separators.find(path.back()) != std::string_view::npos)
        path.pop_back();
    return path;
}

enum class UserDirectory { caches, settings };
// Returns the library's directory among the user's: as the XDG base directory specification defines them, or in
// the user's local data. "" where the environment does not say where these are.
std::string user_directory(UserDirectory kind);

// Makes a directory for the user alone. Returns 0, or the error.
int make_directory(const std::string &path);

bool is_link(const std::string &path);
enum class Links { followed, refused };
// Where it is not open: see last_error().
Descriptor open_directory(const std::string &path, Links links);
// For reading. Never waits, as for a pipe.
Descriptor open_file(const std::string &path);
// For reading, and to be touched. Opens no link, and never waits.
Descriptor open_file(const Directory &directory, const std::string &name);
// For writing: a new file of the user's alone.
Descriptor create_file(const Directory &directory, const std::string &name);

std::optional<Facts> facts_of(const Descriptor &file);
// Return the number of bytes that were read or written: 0 at the end, negative for an error.
std::int64_t read(const Descriptor &file, std::span<std::byte> bytes);
std::int64_t write(const Descriptor &file, std::span<const std::byte> bytes);
bool flush(const Descriptor &file); // until it outlives a loss of power
void touch(const Descriptor &file); // notes that it was used now

// Regular files; nothing where it cannot be read.
std::optional<std::vector<Listed>> files_of(const Directory &directory);
bool remove(const Directory &directory, const std::string &name);
// Replaces a file of the name `to`.
bool rename(const Directory &directory, const std::string &from, const std::string &to);

// Opens or makes the file, which is no link, and waits until no other process has it locked; closing it unlocks it.
Descriptor lock_file(const std::string &path);

} // namespace gz::system
