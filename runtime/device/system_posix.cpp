#include "device/system.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gz::system {

std::string environment(const char *name) {
    const char *const value = std::getenv(name);
    return value ? value : "";
}

std::uint32_t process_id() {
    return static_cast<std::uint32_t>(::getpid());
}

std::string file_of_code(const void *code) {
    Dl_info found{};
    return dladdr(code, &found) != 0 && found.dli_fname ? found.dli_fname : "";
}

ThreadTexts &thread_texts() noexcept {
    thread_local ThreadTexts texts;
    return texts;
}

int last_error() {
    return errno;
}

std::string text_of(int error) {
    return std::generic_category().message(error);
}

bool says_missing(int error) {
    return error == ENOENT;
}

bool says_exists(int error) {
    return error == EEXIST;
}

bool Descriptor::close() {
    return !is_open() || ::close(release()) == 0;
}

std::string user() {
    return std::to_string(::geteuid());
}

bool is_absolute(const std::string &path) {
    return path.rfind('/', 0) == 0;
}

std::string absolute(const std::string &path) {
    std::error_code error;
    const std::string result = std::filesystem::absolute(path, error).string();
    return error ? "" : without_last_separators(result);
}

std::string user_directory(UserDirectory kind) {
    const bool is_cache = kind == UserDirectory::caches;
    // The specification has relative paths ignored.
    const std::string base = environment(is_cache ? "XDG_CACHE_HOME" : "XDG_CONFIG_HOME");
    if (is_absolute(base))
        return absolute(base) + "/gauze";
    const std::string home = environment("HOME");
    return is_absolute(home) ? absolute(home) + (is_cache ? "/.cache/gauze" : "/.config/gauze")
                             : "";
}

int make_directory(const std::string &path) {
    // The XDG base directory specification asks for 0700.
    return ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
}

bool is_link(const std::string &path) {
    struct stat facts {};
    return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
}

Descriptor open_directory(const std::string &path, Links links) {
    const int follow = links == Links::followed ? 0 : O_NOFOLLOW;
    return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow));
}

Descriptor open_file(const std::string &path) {
    return Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

Descriptor open_file(const Directory &directory, const std::string &name) {
    return Descriptor(::openat(directory.descriptor.get(), name.c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

Descriptor create_file(const Directory &directory, const std::string &name) {
    return Descriptor(::openat(directory.descriptor.get(), name.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
}

std::optional<Facts> facts_of(const Descriptor &file) {
    struct stat found {};
    if (::fstat(file.get(), &found) != 0)
        return std::nullopt;
    Facts facts;
    facts.is_regular = S_ISREG(found.st_mode);
    facts.is_directory = S_ISDIR(found.st_mode);
    facts.owner = std::to_string(found.st_uid);
    facts.is_own = found.st_uid == ::geteuid();
    facts.others_may_write = (found.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    facts.bytes = static_cast<std::uint64_t>(found.st_size);
    return facts;
}

std::int64_t read(const Descriptor &file, std::span<std::byte> bytes) {
    ssize_t got = 0;
    do
        got = ::read(file.get(), bytes.data(), bytes.size());
    while (got < 0 && errno == EINTR);
    return got;
}

std::int64_t write(const Descriptor &file, std::span<const std::byte> bytes) {
    ssize_t written = 0;
    do
        written = ::write(file.get(), bytes.data(), bytes.size());
    while (written < 0 && errno == EINTR);
    return written;
}

bool flush(const Descriptor &file) {
    return ::fsync(file.get()) == 0;
}

void touch(const Descriptor &file) {
    ::futimens(file.get(), nullptr);
}

std::optional<std::vector<Listed>> files_of(const Directory &directory) {
    Descriptor copy(::openat(directory.descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR *)> stream(
        copy.is_open() ? ::fdopendir(copy.get()) : nullptr, ::closedir);
    if (!stream)
        return std::nullopt;
    copy.release(); // the stream's now
    std::vector<Listed> files;
    while (const dirent *const found = ::readdir(stream.get())) {
        struct stat facts {};
        // Another process removed a file that is gone meanwhile.
        if (::fstatat(directory.descriptor.get(), found->d_name, &facts, AT_SYMLINK_NOFOLLOW) !=
                0 ||
            !S_ISREG(facts.st_mode))
            continue;
        const auto used = std::chrono::seconds(facts.st_mtim.tv_sec) +
                          std::chrono::nanoseconds(facts.st_mtim.tv_nsec);
        files.push_back({found->d_name, static_cast<std::uint64_t>(facts.st_size), Time(used)});
    }
    return files;
}

bool remove(const Directory &directory, const std::string &name) {
    return ::unlinkat(directory.descriptor.get(), name.c_str(), 0) == 0;
}

bool rename(const Directory &directory, const std::string &from, const std::string &to) {
    const int in = directory.descriptor.get();
    return ::renameat(in, from.c_str(), in, to.c_str()) == 0;
}

Descriptor lock_file(const std::string &path) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    while (file.is_open() && ::flock(file.get(), LOCK_EX) != 0)
        if (const int error = errno; error != EINTR) {
            file.close();
            errno = error;
        }
    return file;
}

} // namespace gz::system
