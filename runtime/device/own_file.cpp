#include "device/own_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/error.hpp"
#include "device/environment.hpp"

namespace gz {

std::string system_text(int code) {
    return std::generic_category().message(code);
}

std::string absolute_path(const std::string &path) {
    std::error_code error;
    std::string result = std::filesystem::absolute(path, error).string();
    if (error)
        return "";
    while (result.size() > 1 && result.back() == '/')
        result.pop_back();
    return result;
}

std::string user_directory(const char *variable, const std::string &in_home) {
    // The specification has relative paths ignored.
    const std::string base = environment(variable);
    if (base.rfind('/', 0) == 0)
        return absolute_path(base) + "/gauze";
    const std::string home = environment("HOME");
    return home.rfind('/', 0) == 0 ? absolute_path(home) + "/" + in_home + "/gauze" : "";
}

int make_directories(const std::string &path) {
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
        return 0;
    const std::size_t parent = path.find_last_of('/');
    if (errno == ENOENT && parent != std::string::npos && parent > 0) {
        if (const int error = make_directories(path.substr(0, parent)))
            return error;
        if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
            return 0;
    }
    return errno;
}

std::vector<std::byte> read_own_file(const Descriptor &file, std::uint64_t max_bytes) {
    struct stat facts {};
    require(::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode), "it is no regular file");
    require(facts.st_uid == ::geteuid(), "it belongs to the user ", facts.st_uid, ", not to ",
            ::geteuid());
    require((facts.st_mode & (S_IWGRP | S_IWOTH)) == 0, "it may be written to by others");
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    require(size <= max_bytes, "it has ", size, " bytes");

    std::vector<std::byte> bytes(size);
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno == EINTR)
            continue;
        const int code = errno;
        require(got >= 0, "it cannot be read: ", system_text(code));
        require(got > 0, "it ends after ", done, " of ", size, " bytes");
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

TemporaryFile::TemporaryFile(const Descriptor &directory, std::string what)
    : directory_(directory), what_(std::move(what)) {
    static std::atomic<unsigned> counter{0};
    do {
        name_ = text(prefix, ::getpid(), '-', counter++);
        file_ = ::openat(directory_.get(), name_.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    } while (file_ < 0 && errno == EEXIST);
    check(file_ >= 0, "made");
}

TemporaryFile::~TemporaryFile() {
    if (file_ >= 0)
        ::close(file_);
    if (!name_.empty())
        ::unlinkat(directory_.get(), name_.c_str(), 0);
}

void TemporaryFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        check(written > 0, "written");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void TemporaryFile::commit(const std::string &name) {
    // A file whose name outlives a loss of power must not have lost its bytes.
    check(::fsync(file_) == 0, "written");
    check(::close(std::exchange(file_, -1)) == 0, "written");
    check(::renameat(directory_.get(), name_.c_str(), directory_.get(), name.c_str()) == 0,
          "renamed");
    name_.clear();
}

void TemporaryFile::check(bool holds, const char *done) const {
    const int error = errno;
    require(holds, what_, " cannot be ", done, ": ", system_text(error));
}

} // namespace gz
