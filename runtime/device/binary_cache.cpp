#include "device/binary_cache.hpp"

#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "device/cache_entry.hpp"

namespace gz {

namespace {

// The receiver that gauze_cache_receive gets.
struct Received {
    std::optional<std::vector<std::byte>> entry;
};

void receive(const void *entry, std::uint64_t bytes, void *receiver) {
    const auto *first = static_cast<const std::byte *>(entry);
    try {
        if (first && bytes <= max_entry_bytes)
            static_cast<Received *>(receiver)->entry.emplace(first, first + bytes);
    } catch (const std::exception &) {
        // Without memory the entry counts as missing. The embedder's code, which is in between, may be C.
    }
}

CacheAccess access_of(CacheMode mode) {
    return mode == CacheMode::read_write ? CacheAccess::read_write : CacheAccess::read_only;
}

} // namespace

BinaryCache::BinaryCache(const Options &options, Log log) : options_(options), log_(log) {
    if (options_.mode == CacheMode::off) {
        is_off_ = true;
    } else if (!options_.load && !options_.store) {
        const std::string path = cache_directory(options_.directory);
        if (path.empty())
            is_off_ = true;
        else
            directory_.emplace(path, access_of(options_.mode), options_.max_bytes);
    }
    log_(GAUZE_LOG_DEBUG, is_off_      ? std::string("programs are not kept")
                          : directory_ ? "programs are kept in " + directory_->path()
                                       : "programs are kept by the embedder");
}

void BinaryCache::give_up(const Error &error) {
    if (!is_off_.exchange(true))
        log_(GAUZE_LOG_WARNING, text("compiled programs are not kept: ", error.what()));
}

std::optional<std::vector<std::byte>> BinaryCache::find(const std::string &name) const {
    if (directory_)
        return directory_->load(name);
    Received received;
    if (options_.load)
        options_.load(name.c_str(), receive, &received, options_.user);
    return std::move(received.entry);
}

bool BinaryCache::load(const std::string &key,
                       const std::function<void(std::span<const std::byte>)> &use) {
    if (is_off_)
        return false;
    const bool found = read(key, use);
    ++(found ? hits_ : misses_);
    return found;
}

void BinaryCache::remember(const std::string &key, const std::string &text) {
    if (stores())
        write(key, std::as_bytes(std::span<const char>(text)));
}

std::optional<std::string> BinaryCache::recall(const std::string &key) {
    std::string text;
    const bool found = !is_off_ && read(key, [&](std::span<const std::byte> bytes) {
        text.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    });
    return found ? std::optional(text) : std::nullopt;
}

bool BinaryCache::read(const std::string &key,
                       const std::function<void(std::span<const std::byte>)> &use) {
    const std::string name = entry_name(key);
    try {
        if (const auto entry = find(name)) {
            use(read_entry(*entry, key));
            return true;
        }
    } catch (const CacheDirectoryError &error) {
        give_up(error);
    } catch (const std::exception &error) {
        log_(GAUZE_LOG_WARNING,
             text("the entry ", name, " of the cache is not used: ", error.what()));
        try {
            if (directory_)
                directory_->drop(name);
        } catch (const std::exception &why) {
            // The entry is verified again whenever it is found.
            log_(GAUZE_LOG_WARNING, why.what());
        }
    }
    return false;
}

bool BinaryCache::stores() const {
    return !is_off_ && options_.mode == CacheMode::read_write && (directory_ || options_.store);
}

void BinaryCache::store(const std::string &key, std::span<const std::byte> program) {
    if (stores() && !program.empty() && write(key, program))
        ++stores_;
}

bool BinaryCache::write(const std::string &key, std::span<const std::byte> bytes) {
    const std::string name = entry_name(key);
    try {
        const std::vector<std::byte> entry = write_entry(key, bytes);
        if (!directory_) {
            options_.store(name.c_str(), entry.data(), entry.size(), options_.user);
        } else if (!directory_->store(name, entry)) {
            log_(GAUZE_LOG_DEBUG, text("a compiled program of ", entry.size(),
                                       " bytes is not kept: it is more than the cache may have"));
            return false;
        }
        return true;
    } catch (const CacheDirectoryError &error) {
        give_up(error);
    } catch (const std::exception &error) {
        log_(GAUZE_LOG_WARNING, text("a compiled program is not kept: ", error.what()));
    }
    return false;
}

} // namespace gz
