// The cache's directory: where it is, who may own it, which entries are kept and which are removed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <thread>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "device/cache_directory.hpp"
#include "device/cache_entry.hpp"
#include "support/unit.hpp"

namespace fs = std::filesystem;
using gz::CacheAccess;
using gz::CacheDirectory;
using gz::Status;
using support::age;
using support::check_refused;
using support::EnvironmentVariable;
using support::is_for_owner_alone;
using support::TempDir;
using Bytes = std::vector<std::byte>;

namespace {

constexpr std::uint64_t no_limit = std::uint64_t{1} << 40;

CacheDirectory writable(const std::string &path, std::uint64_t max_bytes = no_limit) {
    return {path, CacheAccess::read_write, max_bytes};
}

std::string name_of(int number) {
    return gz::entry_name(std::to_string(number));
}

Bytes bytes_of(std::size_t count, int value = 1) {
    return Bytes(count, static_cast<std::byte>(value));
}

} // namespace

TEST_SUITE("cache directory") {
#ifdef _WIN32
    TEST_CASE("where it is") {
        const EnvironmentVariable own("GAUZE_CACHE_DIR", nullptr);
        {
            const EnvironmentVariable local("LOCALAPPDATA", "C:\\made\\up");
            CHECK(gz::cache_directory("") == "C:\\made\\up\\gauze\\cache");
            CHECK(gz::cache_directory("D:\\asked\\") == "D:\\asked");
            CHECK(gz::cache_directory("D:/asked//") == "D:\\asked");
            const EnvironmentVariable named("GAUZE_CACHE_DIR", "D:\\named");
            CHECK(gz::cache_directory("") == "D:\\named");
            const EnvironmentVariable off("GAUZE_CACHE_DIR", "off");
            CHECK(gz::cache_directory("") == "");
        }
        for (const char *nothing : {"relative", "", static_cast<const char *>(nullptr)}) {
            const EnvironmentVariable local("LOCALAPPDATA", nothing);
            CHECK(gz::cache_directory("") == "");
        }
    }
#else
    TEST_CASE("where it is") {
        const EnvironmentVariable own("GAUZE_CACHE_DIR", nullptr);
        const EnvironmentVariable home("HOME", "/made/up");
        {
            const EnvironmentVariable xdg("XDG_CACHE_HOME", "/caches");
            CHECK(gz::cache_directory("") == "/caches/gauze");
            CHECK(gz::cache_directory("/asked") == "/asked");
            CHECK(gz::cache_directory("/asked//") == "/asked");
            CHECK(gz::cache_directory("here") == (fs::current_path() / "here").string());
            const EnvironmentVariable named("GAUZE_CACHE_DIR", "/named");
            CHECK(gz::cache_directory("") == "/named");
            CHECK(gz::cache_directory("/asked") == "/asked");
            const EnvironmentVariable off("GAUZE_CACHE_DIR", "off");
            CHECK(gz::cache_directory("") == "");
            CHECK(gz::cache_directory("/asked") == "/asked");
        }
        for (const char *ignored :
             {"relative", "", "./caches", static_cast<const char *>(nullptr)}) {
            const EnvironmentVariable xdg("XDG_CACHE_HOME", ignored);
            CHECK(gz::cache_directory("") == "/made/up/.cache/gauze");
        }
        const EnvironmentVariable xdg("XDG_CACHE_HOME", nullptr);
        for (const char *nothing : {"relative", "", static_cast<const char *>(nullptr)}) {
            const EnvironmentVariable homeless("HOME", nothing);
            CHECK(gz::cache_directory("") == "");
        }
    }
#endif

    TEST_CASE("an entry is a file of the user's alone, in a directory that is made for it") {
        const TempDir place;
        const std::string path = place.path() + "/new/caches/gauze";
        const CacheDirectory directory = writable(path);
        CHECK(!directory.load(name_of(1)));
        CHECK(directory.contents().entries == 0);
        CHECK(directory.clear() == 0);
        directory.drop(name_of(1));
        CHECK(!fs::exists(place.path() + "/new"));

        CHECK(directory.store(name_of(1), bytes_of(100)));
        CHECK(directory.load(name_of(1)) == bytes_of(100));
        CHECK(!directory.load(name_of(2)));
        CHECK(is_for_owner_alone(path));
        CHECK(is_for_owner_alone(place.path() + "/new"));
        CHECK(is_for_owner_alone(path + "/" + name_of(1)));
        CHECK(std::distance(fs::directory_iterator(path), fs::directory_iterator()) == 1);

        CHECK(directory.store(name_of(1), bytes_of(50, 2)));
        CHECK(directory.load(name_of(1)) == bytes_of(50, 2));
        CHECK(directory.store(name_of(2), bytes_of(7)));
        CHECK(directory.contents().entries == 2);
        CHECK(directory.contents().bytes == 57);
        directory.drop(name_of(1));
        CHECK(!directory.load(name_of(1)));
        CHECK(directory.contents().entries == 1);

        // It may be removed meanwhile.
        fs::remove_all(path);
        CHECK(!directory.load(name_of(2)));
        CHECK(directory.store(name_of(2), bytes_of(7)));
        CHECK(directory.load(name_of(2)) == bytes_of(7));
    }

    TEST_CASE("read-only: nothing is written") {
        const TempDir place;
        const std::string file = place.path() + "/" + name_of(1);
        writable(place.path()).store(name_of(1), bytes_of(10));
        age(file, 1000);
        const auto before = fs::last_write_time(file);
        const CacheDirectory directory(place.path(), CacheAccess::read_only, no_limit);
        CHECK(directory.load(name_of(1)) == bytes_of(10));
        directory.drop(name_of(1));
        CHECK(fs::last_write_time(file) == before);
        // The other access notes the use.
        CHECK(writable(place.path()).load(name_of(1)) == bytes_of(10));
        CHECK(fs::last_write_time(file) > before);
    }

    TEST_CASE("what was used longest ago goes first") {
        const TempDir place;
        const CacheDirectory directory = writable(place.path(), 1000);
        for (int i = 0; i < 4; ++i) {
            CHECK(directory.store(name_of(i), bytes_of(250)));
            age(place.path() + "/" + name_of(i), 100 - i);
        }
        CHECK(directory.contents().bytes == 1000);
        CHECK(directory.load(name_of(0))); // now the one used last
        CHECK(directory.store(name_of(4), bytes_of(500)));
        CHECK(directory.contents().bytes == 1000);
        for (int i = 0; i < 5; ++i)
            CHECK(directory.load(name_of(i)).has_value() == (i == 0 || i >= 3));
        // The limit of all entries, and more.
        CHECK(directory.store(name_of(5), bytes_of(1000)));
        CHECK(directory.contents().entries == 1);
        CHECK(!directory.store(name_of(6), bytes_of(1001)));
        CHECK(directory.load(name_of(5)) == bytes_of(1000));
        CHECK(place.file_count() == 1);
    }

    TEST_CASE("other files are left alone") {
        const TempDir place;
        place.write("notes", "mine");
        place.write(name_of(1) + ".txt", "mine too");
        fs::create_directory(place.path() + "/" + name_of(2));
        place.write(".new-1-left", "by a process that ended long ago");
        place.write(".new-1-recent", "by one that is at work");
        age(place.path() + "/.new-1-left", 100000);
        const CacheDirectory directory = writable(place.path(), 100);
        CHECK(directory.contents().entries == 0);
        CHECK(directory.store(name_of(3), bytes_of(60)));
        CHECK(directory.store(name_of(4), bytes_of(60)));
        CHECK(directory.contents().entries == 1);
        CHECK(!fs::exists(place.path() + "/.new-1-left"));
        CHECK(fs::exists(place.path() + "/.new-1-recent"));
        CHECK(directory.clear() == 1);
        CHECK(fs::exists(place.path() + "/notes"));
        CHECK(fs::exists(place.path() + "/" + name_of(1) + ".txt"));
        CHECK(fs::exists(place.path() + "/" + name_of(2)));
        CHECK(place.file_count() == 3);
    }

    TEST_CASE("directories that are refused") {
        const TempDir place;
        const std::string path = place.path() + "/cache";
        const auto refused = [&](const std::string &at, const std::string &why) {
            const CacheDirectory directory = writable(at);
            check_refused(Status::invalid_argument, {at, why}, [&] { directory.load(name_of(1)); });
            check_refused(Status::invalid_argument, {at, why},
                          [&] { directory.store(name_of(1), bytes_of(1)); });
            check_refused(Status::invalid_argument, {at, why}, [&] { directory.drop(name_of(1)); });
            check_refused(Status::invalid_argument, {at, why}, [&] { directory.contents(); });
            check_refused(Status::invalid_argument, {at, why}, [&] { directory.clear(); });
            CHECK_THROWS_AS(directory.contents(), gz::CacheDirectoryError);
        };
        REQUIRE(writable(path).store(name_of(1), bytes_of(1)));
        support::let_others_write(path);
        refused(path, "may be written to by others");
#ifndef _WIN32
        for (const mode_t mode : std::initializer_list<mode_t>{0720, 0702, 01777}) {
            REQUIRE(chmod(path.c_str(), mode) == 0);
            refused(path, "may be written to by others");
        }
#endif
        support::let_others_read(path);
        CHECK(writable(path).load(name_of(1)) == bytes_of(1));

        place.write("file", "");
        refused(place.path() + "/file", "cannot be opened");
#ifndef _WIN32 // where links and other users take rights that few have
        fs::create_directory_symlink(path, place.path() + "/link");
        refused(place.path() + "/link", "is a symbolic link");
        CHECK(gz::cache_directory(place.path() + "/link/") == place.path() + "/link");
        // Above it links are the user's own affair.
        fs::create_directory_symlink(place.path(), place.path() + "/up");
        CHECK(writable(place.path() + "/up/cache").load(name_of(1)) == bytes_of(1));

        if (geteuid() == 0) {
            REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
            refused(path, "belongs to the user 12345, not to 0");
        } else {
            refused("/usr", "belongs to the user");
            REQUIRE(chmod(path.c_str(), 0500) == 0);
            check_refused(Status::invalid_argument, {"cannot be made"},
                          [&] { writable(path).store(name_of(2), bytes_of(1)); });
            CHECK(writable(path).load(name_of(1)) == bytes_of(1));
            check_refused(Status::invalid_argument, {"cannot be made"},
                          [&] { writable(path + "/below").store(name_of(2), bytes_of(1)); });
            REQUIRE(chmod(path.c_str(), 0700) == 0);
        }
#endif
    }

    TEST_CASE("entries that are not the user's own files") {
        const TempDir place;
        const CacheDirectory directory = writable(place.path());
        const std::string file = place.path() + "/" + name_of(1);
        const auto refused = [&](const std::string &why) {
            check_refused(Status::invalid_argument, {why}, [&] { directory.load(name_of(1)); });
        };
#ifndef _WIN32
        place.write("elsewhere", "not in the cache");
        fs::create_symlink(place.path() + "/elsewhere", file);
        refused("cannot be opened");
        directory.drop(name_of(1));
        CHECK(!fs::is_symlink(file));
        CHECK(fs::exists(place.path() + "/elsewhere"));

        REQUIRE(mkfifo(file.c_str(), 0600) == 0);
        refused("no regular file");
        directory.drop(name_of(1));
        CHECK(!directory.load(name_of(1)));
        fs::remove(place.path() + "/elsewhere");
#endif

        fs::create_directory(file);
        refused("no regular file");
        check_refused(Status::invalid_argument, {"cannot be renamed"},
                      [&] { directory.store(name_of(1), bytes_of(1)); });
        CHECK(place.file_count() == 1); // without the temporary file
        fs::remove(file);

        REQUIRE(directory.store(name_of(1), bytes_of(1)));
        support::let_others_write(file);
        refused("may be written to by others");
#ifndef _WIN32
        REQUIRE(chmod(file.c_str(), 0620) == 0);
        refused("may be written to by others");
        if (geteuid() == 0) {
            support::let_nobody_else(file);
            REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
            refused("belongs to the user 12345");
        }
#endif
    }

    TEST_CASE("many that write and evict in one directory never read half an entry") {
        const TempDir place;
        constexpr int threads = 4, names = 8;
        std::vector<std::thread> workers;
        std::vector<int> torn(threads, 0), found(threads, 0);
        for (int t = 0; t < threads; ++t)
            workers.emplace_back([&, t] {
                // A quarter does not fit.
                const CacheDirectory directory = writable(place.path(), names * 5000 * 3 / 4);
                for (int i = 0; i < 100; ++i) {
                    const int number = (i * 7 + t) % names;
                    const auto entry = directory.load(name_of(number));
                    found[static_cast<std::size_t>(t)] += entry.has_value();
                    if (entry && *entry != bytes_of(5000, number))
                        ++torn[static_cast<std::size_t>(t)];
                    if (!entry || i % 3 == 0)
                        directory.store(name_of(number), bytes_of(5000, number));
                    if (i % 50 == 49)
                        directory.drop(name_of(number));
                }
            });
        for (std::thread &worker : workers)
            worker.join();
        CHECK(torn == std::vector<int>(threads, 0));
        CHECK(std::all_of(found.begin(), found.end(), [](int count) { return count > 0; }));
        writable(place.path(), names * 5000 * 3 / 4).store(name_of(0), bytes_of(5000, 0));
        CHECK(writable(place.path()).contents().bytes <= names * 5000 * 3 / 4);
        CHECK(place.file_count() == writable(place.path()).contents().entries);
    }
}
