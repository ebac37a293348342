#include "device/cache_directory.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "device/cache_entry.hpp"
#include "device/environment.hpp"
#include "device/own_file.hpp"

namespace gz {

namespace {

using system::Directory;
using system::Listed;

// A temporary file this old was left by a process that ended while it wrote.
constexpr std::chrono::hours stale_age{1};

// Returns what `use` does with the directory; its errors name the directory.
template <class Use> auto of_directory(const std::string &path, Use &&use) {
    try {
        return use();
    } catch (const Error &error) {
        throw CacheDirectoryError(
            error.status(), text("the cache directory ", path, " is not used: ", error.what()));
    }
}

// Opens the directory if it is safe to use; returns nothing where there is none.
std::optional<Directory> open_directory(const std::string &path) {
    return of_directory(path, [&] { return open_own_directory(path); });
}

Directory open_or_make(const std::string &path) {
    return of_directory(path, [&] {
        if (std::optional<Directory> directory = open_own_directory(path))
            return std::move(*directory);
        make_directories(path);
        std::optional<Directory> directory = open_own_directory(path);
        require(directory.has_value(), "it was removed as soon as it was made");
        return std::move(*directory);
    });
}

struct Listing {
    std::vector<Listed> entries, temporaries;
};

// Lists our files in the directory.
Listing list(const Directory &directory) {
    return of_directory(directory.path, [&] {
        std::optional<std::vector<Listed>> files = system::files_of(directory);
        require(files.has_value(), "it cannot be read: ", system::text_of(system::last_error()));
        Listing result;
        for (Listed &file : *files)
            if (file.name.rfind(TemporaryFile::prefix, 0) == 0)
                result.temporaries.push_back(std::move(file));
            else if (is_entry_name(file.name))
                result.entries.push_back(std::move(file));
        return result;
    });
}

// Removes the entries used longest ago until the rest is at most max_bytes; never the entry `newest`.
void evict(const Directory &directory, std::uint64_t max_bytes, const std::string &newest) {
    Listing files = list(directory);
    for (const Listed &file : files.temporaries)
        if (file.used < std::chrono::system_clock::now() - stale_age)
            system::remove(directory, file.name);
    std::uint64_t bytes = 0;
    for (const Listed &file : files.entries)
        bytes += file.bytes;
    std::sort(files.entries.begin(), files.entries.end(), [](const Listed &a, const Listed &b) {
        return std::tie(a.used, a.name) < std::tie(b.used, b.name);
    });
    for (const Listed &file : files.entries) {
        if (bytes <= max_bytes)
            break;
        if (file.name != newest) {
            system::remove(directory, file.name);
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
        return system::user_directory(system::UserDirectory::caches);
    return system::absolute(path);
}

std::optional<std::vector<std::byte>> CacheDirectory::load(const std::string &name) const {
    const std::optional<Directory> directory = open_directory(path_);
    if (!directory)
        return std::nullopt;
    const system::Descriptor file = system::open_file(*directory, name);
    const int error = system::last_error();
    if (!file.is_open() && system::says_missing(error))
        return std::nullopt;
    require(file.is_open(), "it cannot be opened: ", system::text_of(error));
    std::vector<std::byte> entry = read_own_file(file, max_entry_bytes);
    // Where this fails the entry is evicted sooner.
    if (access_ == CacheAccess::read_write)
        system::touch(file);
    return entry;
}

bool CacheDirectory::store(const std::string &name, std::span<const std::byte> entry) const {
    if (entry.size() > max_bytes_)
        return false;
    const Directory directory = open_or_make(path_);
    TemporaryFile file(directory, "a file of the cache");
    file.write(entry);
    file.commit(name);
    evict(directory, max_bytes_, name);
    return true;
}

void CacheDirectory::drop(const std::string &name) const {
    if (access_ == CacheAccess::read_only)
        return;
    if (const std::optional<Directory> directory = open_directory(path_))
        system::remove(*directory, name);
}

CacheDirectory::Contents CacheDirectory::contents() const {
    Contents result;
    if (const std::optional<Directory> directory = open_directory(path_))
        for (const Listed &file : list(*directory).entries) {
            ++result.entries;
            result.bytes += file.bytes;
        }
    return result;
}

std::uint64_t CacheDirectory::clear() const {
    const std::optional<Directory> directory = open_directory(path_);
    if (!directory)
        return 0;
    const Listing files = list(*directory);
    // Another process may be writing one: then it does not store its entry.
    for (const Listed &file : files.temporaries)
        system::remove(*directory, file.name);
    return static_cast<std::uint64_t>(
        std::count_if(files.entries.begin(), files.entries.end(),
                      [&](const Listed &file) { return system::remove(*directory, file.name); }));
}

} // namespace gz
