// Entries as files of a directory that is the user's own, which processes may share: an entry appears
// whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace gz {

// Returns the directory of entries: asked, else GAUZE_CACHE_DIR, else gauze in the user's directory of
// caches, as the XDG base directory specification defines it. "": no directory, by GAUZE_CACHE_DIR=off or
// where none of these names one.
std::string cache_directory(const std::string &asked);

// An engine's access to entries.
enum class CacheAccess { read_write, read_only };

// Thrown for a directory that cannot be trusted or used at all; other errors concern one entry.
class CacheDirectoryError : public Error {
public:
    using Error::Error;
};

// Safe to use from many threads and processes. Keeps nothing open: the directory may be removed and
// made again at any time. Functions throw Error.
class CacheDirectory {
public:
    CacheDirectory(std::string path, CacheAccess access, std::uint64_t max_bytes)
        : path_(std::move(path)), access_(access), max_bytes_(max_bytes) {}

    const std::string &path() const { return path_; }

    // Returns nothing where there is no such entry. Notes that the entry was used, if it may write.
    std::optional<std::vector<std::byte>> load(const std::string &name) const;
    // Replaces any entry of that name. Makes the directory, and removes the entries used longest ago where
    // there would be more than max_bytes. Returns false where the entry alone is more.
    bool store(const std::string &name, std::span<const std::byte> entry) const;
    // Removes an entry, if it may write.
    void drop(const std::string &name) const;

    struct Contents {
        std::uint64_t entries = 0, bytes = 0;
    };
    Contents contents() const;
    // Removes all entries, and returns how many there were.
    std::uint64_t clear() const;

private:
    std::string path_;
    CacheAccess access_;
    std::uint64_t max_bytes_;
};

} // namespace gz
