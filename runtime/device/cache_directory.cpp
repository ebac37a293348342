#include "device/cache_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <tuple>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/cache_entry.hpp"
#include "device/environment.hpp"
#include "device/own_file.hpp"

namespace gz {

namespace {

// A temporary file this old was left by a process that ended while it wrote.
constexpr std::time_t stale_seconds = 3600;

template <class... Parts> [[noreturn]] void refuse_directory(const Parts &...parts) {
    throw CacheDirectoryError(Status::invalid_argument, text("the cache directory ", parts...));
}

// Opens the directory if it is safe to use; returns nothing where there is none.
std::optional<Descriptor> open_directory(const std::string &path) {
    // Every file in it is opened relative to this descriptor: the path may name another directory meanwhile.
    Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const int error = errno;
    struct stat facts {};
    if (directory.get() < 0) {
        if (error == ENOENT)
            return std::nullopt;
        if (::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode))
            refuse_directory(path, " is a symbolic link");
        refuse_directory(path, " cannot be opened: ", system_text(error));
    }
    if (::fstat(directory.get(), &facts) != 0)
        refuse_directory(path, " cannot be examined: ", system_text(errno));
    if (facts.st_uid != ::geteuid())
        refuse_directory(path, " belongs to the user ", facts.st_uid, ", not to ", ::geteuid());
    if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        refuse_directory(path, " may be written to by others");
    return directory;
}

Descriptor open_or_make(const std::string &path) {
    if (std::optional<Descriptor> directory = open_directory(path))
        return std::move(*directory);
    if (const int error = make_directories(path))
        refuse_directory(path, " cannot be made: ", system_text(error));
    if (std::optional<Descriptor> directory = open_directory(path))
        return std::move(*directory);
    refuse_directory(path, " was removed as soon as it was made");
}

struct File {
    std::string name;
    std::uint64_t bytes;
    timespec used;

    bool operator<(const File &other) const {
        return std::tie(used.tv_sec, used.tv_nsec, name) <
               std::tie(other.used.tv_sec, other.used.tv_nsec, other.name);
    }
};

struct Listing {
    std::vector<File> entries, temporaries;
};

// Lists our files in the directory.
Listing list(const Descriptor &directory, const std::string &path) {
    Descriptor copy(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR *)> stream(
        copy.get() < 0 ? nullptr : ::fdopendir(copy.get()), ::closedir);
    if (!stream)
        refuse_directory(path, " cannot be read: ", system_text(errno));
    copy.release(); // the stream's now
    Listing result;
    while (const dirent *const found = ::readdir(stream.get())) {
        const std::string name = found->d_name;
        const bool is_temporary = name.rfind(TemporaryFile::prefix, 0) == 0;
        struct stat facts {};
        // Another process removed a file that is gone meanwhile.
        if ((!is_temporary && !is_entry_name(name)) ||
            ::fstatat(directory.get(), found->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(facts.st_mode))
            continue;
        (is_temporary ? result.temporaries : result.entries)
            .push_back({name, static_cast<std::uint64_t>(facts.st_size), facts.st_mtim});
    }
    return result;
}

// Returns whether this process removed it.
bool remove(const Descriptor &directory, const std::string &name) {
    return ::unlinkat(directory.get(), name.c_str(), 0) == 0;
}

// Removes the entries used longest ago until the rest is at most max_bytes; never the entry `newest`.
void evict(const Descriptor &directory, const std::string &path, std::uint64_t max_bytes,
           const std::string &newest) {
    Listing files = list(directory, path);
    for (const File &file : files.temporaries)
        if (file.used.tv_sec < std::time(nullptr) - stale_seconds)
            remove(directory, file.name);
    std::uint64_t bytes = 0;
    for (const File &file : files.entries)
        bytes += file.bytes;
    std::sort(files.entries.begin(), files.entries.end());
    for (const File &file : files.entries) {
        if (bytes <= max_bytes)
            break;
        if (file.name != newest) {
            remove(directory, file.name);
            bytes -= file.bytes;
        }
    }
}

} // namespace

std::string cache_directory(const std::string &asked) {
    std::string path = or_environment(asked, "GAUZE_CACHE_DIR");
    if (asked.empty() && path == "off")
        return "";
    if (path.empty())
        return user_directory("XDG_CACHE_HOME", ".cache");
    return absolute_path(path);
}

std::optional<std::vector<std::byte>> CacheDirectory::load(const std::string &name) const {
    const std::optional<Descriptor> directory = open_directory(path_);
    if (!directory)
        return std::nullopt;
    // O_NONBLOCK: opening a pipe would wait.
    const Descriptor file(
        ::openat(directory->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 && errno == ENOENT)
        return std::nullopt;
    const int error = errno;
    require(file.get() >= 0, "it cannot be opened: ", system_text(error));
    std::vector<std::byte> entry = read_own_file(file, max_entry_bytes);
    // Where this fails the entry is evicted sooner.
    if (access_ == CacheAccess::read_write)
        ::futimens(file.get(), nullptr);
    return entry;
}

bool CacheDirectory::store(const std::string &name, std::span<const std::byte> entry) const {
    if (entry.size() > max_bytes_)
        return false;
    const Descriptor directory = open_or_make(path_);
    TemporaryFile file(directory, "a file of the cache");
    file.write(entry);
    file.commit(name);
    evict(directory, path_, max_bytes_, name);
    return true;
}

void CacheDirectory::drop(const std::string &name) const {
    if (access_ == CacheAccess::read_only)
        return;
    if (const std::optional<Descriptor> directory = open_directory(path_))
        remove(*directory, name);
}

CacheDirectory::Contents CacheDirectory::contents() const {
    Contents result;
    if (const std::optional<Descriptor> directory = open_directory(path_))
        for (const File &file : list(*directory, path_).entries) {
            ++result.entries;
            result.bytes += file.bytes;
        }
    return result;
}

std::uint64_t CacheDirectory::clear() const {
    const std::optional<Descriptor> directory = open_directory(path_);
    if (!directory)
        return 0;
    const Listing files = list(*directory, path_);
    // Another process may be writing one: then it does not store its entry.
    for (const File &file : files.temporaries)
        remove(*directory, file.name);
    return static_cast<std::uint64_t>(
        std::count_if(files.entries.begin(), files.entries.end(),
                      [&](const File &file) { return remove(*directory, file.name); }));
}

} // namespace gz
