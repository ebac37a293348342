// The cache as an engine uses it: what it finds, what it drops, and that nothing of it is an error.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "device/binary_cache.hpp"
#include "device/cache_entry.hpp"
#include "support/unit.hpp"

namespace fs = std::filesystem;
using gz::BinaryCache;
using gz::CacheMode;
using support::EnvironmentVariable;
using support::LogLines;
using support::TempDir;
using Bytes = std::vector<std::byte>;

namespace {

const std::string key = "a made-up key";

Bytes program_of(int value) {
    return Bytes(1000, static_cast<std::byte>(value));
}

BinaryCache::Options in(const std::string &directory, CacheMode mode = CacheMode::read_write) {
    BinaryCache::Options options;
    options.directory = directory;
    options.mode = mode;
    return options;
}

// Returns a cache's program for the key; nothing: none.
Bytes found(BinaryCache &cache, const std::string &wanted = key) {
    Bytes result;
    const bool hit = cache.load(wanted, [&](std::span<const std::byte> program) {
        result.assign(program.begin(), program.end());
    });
    CHECK(hit == !result.empty());
    return result;
}

// An embedder's store.
struct Shelf {
    std::map<std::string, Bytes> entries;
    int loads = 0, stores = 0;

    BinaryCache::Options options() {
        BinaryCache::Options result;
        result.load = [](const char *name, gauze_cache_receive receive, void *receiver,
                         void *user) {
            auto *self = static_cast<Shelf *>(user);
            ++self->loads;
            const auto entry = self->entries.find(name);
            if (entry != self->entries.end())
                receive(entry->second.data(), entry->second.size(), receiver);
        };
        result.store = [](const char *name, const void *entry, std::uint64_t bytes, void *user) {
            auto *self = static_cast<Shelf *>(user);
            ++self->stores;
            const auto *const first = static_cast<const std::byte *>(entry);
            self->entries[name].assign(first, first + bytes);
        };
        result.user = this;
        return result;
    }
};

} // namespace

TEST_SUITE("binary cache") {
    TEST_CASE("what one stores, another finds") {
        const TempDir place;
        LogLines lines;
        BinaryCache one(in(place.path()), lines.log());
        CHECK(one.stores());
        CHECK(found(one).empty());
        one.store(key, program_of(1));
        CHECK(found(one) == program_of(1));
        BinaryCache other(in(place.path()), lines.log());
        CHECK(found(other) == program_of(1));
        CHECK(found(other, key + "s").empty());
        CHECK(one.hit_count() == 1);
        CHECK(one.miss_count() == 1);
        CHECK(one.store_count() == 1);
        CHECK(other.hit_count() == 1);
        CHECK(other.miss_count() == 1);
        CHECK(other.store_count() == 0);
        CHECK(!lines.has(GAUZE_LOG_WARNING, ""));
        CHECK(lines.has(GAUZE_LOG_DEBUG, place.path()));
    }

    TEST_CASE("a program that the driver refuses is dropped") {
        const TempDir place;
        LogLines lines;
        BinaryCache cache(in(place.path()), lines.log());
        cache.store(key, program_of(1));
        CHECK(!cache.load(key, [](std::span<const std::byte>) {
            throw std::runtime_error("the driver does not like it");
        }));
        CHECK(lines.count(GAUZE_LOG_WARNING, "the driver does not like it") == 1);
        CHECK(fs::is_empty(place.path()));
        CHECK(cache.hit_count() == 0);
        CHECK(cache.miss_count() == 1);
        cache.store(key, program_of(2));
        CHECK(found(cache) == program_of(2));
    }

    TEST_CASE("damaged and foreign entries do not reach the driver, and go") {
        const TempDir place;
        const std::string name = gz::entry_name(key);
        const Bytes good = gz::write_entry(key, program_of(1));
        Bytes flipped = good;
        flipped[100] ^= std::byte{4};
        const auto text_of = [](const Bytes &bytes) {
            return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        };
        for (const std::string &content :
             {text_of(flipped), text_of(good).substr(0, 500), std::string(), text_of(good) + "x",
              text_of(gz::write_entry("another key", program_of(1)))}) {
            for (const CacheMode mode : {CacheMode::read_only, CacheMode::read_write}) {
                place.write(name, content);
                LogLines lines;
                BinaryCache cache(in(place.path(), mode), lines.log());
                CHECK(found(cache).empty());
                CHECK(lines.count(GAUZE_LOG_WARNING, name) == 1);
                CHECK(fs::exists(place.path() + "/" + name) == (mode == CacheMode::read_only));
                cache.store(key, program_of(3));
                CHECK(found(cache) == (mode == CacheMode::read_only ? Bytes() : program_of(3)));
                fs::remove(place.path() + "/" + name);
            }
        }
    }

    TEST_CASE("a directory that cannot be used is one warning, and then none is used") {
        const TempDir place;
        place.write("file", "");
        fs::create_directory(place.path() + "/open");
        support::let_others_write(place.path() + "/open");
        for (const std::string name : {"file", "file/below", "open"}) {
            CAPTURE(name);
            LogLines lines;
            const std::string path = fs::path(place.path() + "/" + name).make_preferred().string();
            BinaryCache cache(in(path), lines.log());
            CHECK(found(cache).empty());
            cache.store(key, program_of(1));
            CHECK(found(cache).empty());
            cache.store(key, program_of(1));
            CHECK(lines.count(GAUZE_LOG_WARNING, path) == 1);
            CHECK(lines.count(GAUZE_LOG_WARNING, "") == 1);
            CHECK(!cache.stores());
            CHECK(cache.store_count() == 0);
        }
        CHECK(fs::is_empty(place.path() + "/open"));
    }

    TEST_CASE("modes and limits") {
        const TempDir place;
        LogLines lines;
        BinaryCache off(in(place.path(), CacheMode::off), lines.log());
        off.store(key, program_of(1));
        CHECK(!off.stores());
        CHECK(found(off).empty());
        CHECK(off.miss_count() == 0);
        BinaryCache reading(in(place.path(), CacheMode::read_only), lines.log());
        reading.store(key, program_of(1));
        CHECK(!reading.stores());
        CHECK(fs::is_empty(place.path()));
        BinaryCache::Options small = in(place.path());
        small.max_bytes = 999;
        BinaryCache narrow(small, lines.log());
        narrow.store(key, program_of(1));
        CHECK(fs::is_empty(place.path()));
        CHECK(narrow.store_count() == 0);
        CHECK(lines.has(GAUZE_LOG_DEBUG, "more than the cache may have"));
        BinaryCache writing(in(place.path()), lines.log());
        writing.store(key, {}); // no driver's program
        CHECK(fs::is_empty(place.path()));
        writing.store(key, program_of(1));
        CHECK(found(reading) == program_of(1));
        CHECK(!lines.has(GAUZE_LOG_WARNING, ""));

        const EnvironmentVariable variable("GAUZE_CACHE_DIR", "off");
        BinaryCache nowhere(in(""), lines.log());
        CHECK(!nowhere.stores());
        CHECK(lines.has(GAUZE_LOG_DEBUG, "are not kept"));
    }

    TEST_CASE("the embedder's callbacks, in place of any directory") {
        const TempDir place;
        const EnvironmentVariable variable("GAUZE_CACHE_DIR", place.path().c_str());
        Shelf shelf;
        LogLines lines;
        {
            BinaryCache cache(shelf.options(), lines.log());
            CHECK(found(cache).empty());
            cache.store(key, program_of(1));
            CHECK(found(cache) == program_of(1));
        }
        CHECK(shelf.loads == 2);
        CHECK(shelf.stores == 1);
        REQUIRE(shelf.entries.count(gz::entry_name(key)) == 1);
        Bytes &entry = shelf.entries.at(gz::entry_name(key));
        CHECK(entry == gz::write_entry(key, program_of(1)));

        // Programs from the callbacks are checked in the same way.
        entry[entry.size() / 2] ^= std::byte{1};
        BinaryCache cache(shelf.options(), lines.log());
        CHECK(found(cache).empty());
        CHECK(lines.count(GAUZE_LOG_WARNING, "checksum") == 1);
        cache.store(key, program_of(2));
        CHECK(found(cache) == program_of(2));

        // The cache only reads, or has one of the callbacks.
        BinaryCache::Options reading = shelf.options();
        reading.mode = CacheMode::read_only;
        CHECK(!BinaryCache(reading, lines.log()).stores());
        BinaryCache::Options half = shelf.options();
        half.store = nullptr;
        BinaryCache only_load(half, lines.log());
        CHECK(!only_load.stores());
        CHECK(found(only_load) == program_of(2));
        half = shelf.options();
        half.load = nullptr;
        BinaryCache only_store(half, lines.log());
        CHECK(only_store.stores());
        CHECK(found(only_store).empty());
        CHECK(fs::is_empty(place.path()));
    }

    TEST_CASE("a callback that hands over nothing, or no memory") {
        LogLines lines;
        BinaryCache::Options options;
        options.load = [](const char *, gauze_cache_receive receive, void *receiver, void *) {
            receive(nullptr, 100, receiver);
            receive("", ~std::uint64_t{0}, receiver);
        };
        BinaryCache cache(options, lines.log());
        CHECK(found(cache).empty());
    }
}
