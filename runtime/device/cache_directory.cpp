#include "device/cache_directory.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/cache_entry.hpp"
#include "device/environment.hpp"

namespace gz {

namespace {

// A temporary file this old was left by a process that ended while it wrote.
constexpr std::time_t stale_seconds = 3600;
constexpr std::string_view temporary_prefix = ".new-";

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

std::string system_text(int code) {
    return std::generic_category().message(code);
}

template <class... Parts> [[noreturn]] void refuse_directory(const Parts &...parts) {
    throw CacheDirectoryError(Status::invalid_argument, text("the cache directory ", parts...));
}

// The directory, as safe to use; nothing where there is none.
std::optional<Descriptor> open_directory(const std::string &path) {
    // Every file in it is reached from this descriptor: what the path names may change meanwhile.
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

// Parents too. 0700 is what the XDG base directory specification asks for.
void make_directory(const std::string &path) {
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
        return;
    const std::size_t parent = path.find_last_of('/');
    if (errno == ENOENT && parent != std::string::npos && parent > 0) {
        make_directory(path.substr(0, parent));
        if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
            return;
    }
    refuse_directory(path, " cannot be made: ", system_text(errno));
}

Descriptor open_or_make(const std::string &path) {
    if (std::optional<Descriptor> directory = open_directory(path))
        return std::move(*directory);
    make_directory(path);
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

// What is ours in the directory.
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
        const bool is_temporary = name.rfind(temporary_prefix, 0) == 0;
        struct stat facts {};
        // One that is gone meanwhile was removed by another process.
        if ((!is_temporary && !is_entry_name(name)) ||
            ::fstatat(directory.get(), found->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(facts.st_mode))
            continue;
        (is_temporary ? result.temporaries : result.entries)
            .push_back({name, static_cast<std::uint64_t>(facts.st_size), facts.st_mtim});
    }
    return result;
}

// Whether it is gone, by this process.
bool remove(const Descriptor &directory, const std::string &name) {
    return ::unlinkat(directory.get(), name.c_str(), 0) == 0;
}

// Removes what was used longest ago until the rest is at most max_bytes; not the entry `newest`.
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

// A file that no other process has, under its final name only once it is whole.
class TemporaryFile {
public:
    explicit TemporaryFile(const Descriptor &directory) : directory_(directory), file_(-1) {
        static std::atomic<unsigned> counter{0};
        do {
            name_ = text(temporary_prefix, ::getpid(), '-', counter++);
            file_ = ::openat(directory_.get(), name_.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        } while (file_ < 0 && errno == EEXIST);
        check(file_ >= 0, "made");
    }
    ~TemporaryFile() {
        if (file_ >= 0)
            ::close(file_);
        if (!name_.empty())
            remove(directory_, name_);
    }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    void write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(file_, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR)
                continue;
            check(written > 0, "written");
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
    }

    void commit(const std::string &name) {
        // A name that outlives a loss of power shall not have lost its bytes.
        check(::fsync(file_) == 0, "written");
        check(::close(std::exchange(file_, -1)) == 0, "written");
        check(::renameat(directory_.get(), name_.c_str(), directory_.get(), name.c_str()) == 0,
              "renamed");
        name_.clear();
    }

private:
    static void check(bool holds, const char *done) {
        const int error = errno;
        require(holds, "a file of the cache cannot be ", done, ": ", system_text(error));
    }

    const Descriptor &directory_;
    int file_;
    std::string name_;
};

bool is_absolute(const std::string &path) {
    return path.rfind('/', 0) == 0;
}

} // namespace

std::string cache_directory(const std::string &asked) {
    std::string path = or_environment(asked, "GAUZE_CACHE_DIR");
    if (asked.empty() && path == "off")
        return "";
    if (path.empty()) {
        // The specification has relative paths ignored.
        const std::string base = environment("XDG_CACHE_HOME");
        const std::string home = environment("HOME");
        if (is_absolute(base))
            path = base + "/gauze";
        else if (is_absolute(home))
            path = home + "/.cache/gauze";
        else
            return "";
    }
    std::error_code error;
    path = std::filesystem::absolute(path, error).string();
    if (error)
        return "";
    // With a slash at its end a symbolic link is what it points to.
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    return path;
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
    struct stat facts {};
    require(::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode), "it is no regular file");
    require(facts.st_uid == ::geteuid(), "it belongs to the user ", facts.st_uid, ", not to ",
            ::geteuid());
    require((facts.st_mode & (S_IWGRP | S_IWOTH)) == 0, "it may be written to by others");
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    require(size <= max_entry_bytes, "it has ", size, " bytes");

    std::vector<std::byte> entry(size);
    std::size_t done = 0;
    while (done < entry.size()) {
        const ssize_t got = ::read(file.get(), entry.data() + done, entry.size() - done);
        if (got < 0 && errno == EINTR)
            continue;
        const int code = errno;
        require(got >= 0, "it cannot be read: ", system_text(code));
        require(got > 0, "it ends after ", done, " of ", size, " bytes");
        done += static_cast<std::size_t>(got);
    }
    // Where this fails the entry is evicted sooner.
    if (access_ == CacheAccess::read_write)
        ::futimens(file.get(), nullptr);
    return entry;
}

bool CacheDirectory::store(const std::string &name, std::span<const std::byte> entry) const {
    if (entry.size() > max_bytes_)
        return false;
    const Descriptor directory = open_or_make(path_);
    TemporaryFile file(directory);
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
    // Another process may be writing one: then it does not store that.
    for (const File &file : files.temporaries)
        remove(*directory, file.name);
    return static_cast<std::uint64_t>(
        std::count_if(files.entries.begin(), files.entries.end(),
                      [&](const File &file) { return remove(*directory, file.name); }));
}

} // namespace gz
