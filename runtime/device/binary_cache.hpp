// Compiled programs beyond the life of an engine: in a directory, or where the embedder keeps them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "device/cache_directory.hpp"
#include "device/log.hpp"

namespace gz {

enum class CacheMode : gauze_cache_mode {
    read_write = GAUZE_CACHE_READ_WRITE,
    read_only = GAUZE_CACHE_READ_ONLY,
    off = GAUZE_CACHE_OFF
};

inline constexpr std::uint64_t default_cache_bytes = std::uint64_t{64} << 20;

// Safe to use from many threads. Nothing that goes wrong is an error to the caller: it is logged, and
// the program is compiled. Keys are ProgramKey::text().
class BinaryCache {
public:
    struct Options {
        CacheMode mode = CacheMode::read_write;
        std::string directory;                         // as cache_directory() takes it
        std::uint64_t max_bytes = default_cache_bytes; // limit of the directory
        // The embedder's callbacks; where either is given, no directory is used.
        gauze_cache_load load = nullptr;
        gauze_cache_store store = nullptr;
        void *user = nullptr;
    };
    BinaryCache(const Options &options, Log log);

    // Returns whether a program was found that `use` took. An exception from `use` means that the driver
    // refuses the program: then the entry is dropped.
    bool load(const std::string &key, const std::function<void(std::span<const std::byte>)> &use);

    // Keep a text under a key that no program has, in an entry of its own that is not counted, and return it,
    // or nothing where there is none. A damaged entry counts as missing.
    void remember(const std::string &key, const std::string &text);
    std::optional<std::string> recall(const std::string &key);

    // Whether store() would do anything: drivers may take long to hand out a program.
    bool stores() const;
    void store(const std::string &key, std::span<const std::byte> program);

    std::uint64_t hit_count() const { return hits_; }
    std::uint64_t miss_count() const { return misses_; }
    std::uint64_t store_count() const { return stores_; }

private:
    bool read(const std::string &key, const std::function<void(std::span<const std::byte>)> &use);
    bool write(const std::string &key, std::span<const std::byte> bytes);
    std::optional<std::vector<std::byte>> find(const std::string &name) const;
    void give_up(const Error &error);

    Options options_;
    Log log_;
    std::optional<CacheDirectory> directory_;
    std::atomic<bool> is_off_{false};
    std::atomic<std::uint64_t> hits_{0}, misses_{0}, stores_{0};
};

} // namespace gz
