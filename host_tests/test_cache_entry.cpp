// Entries of the cache: what is written is read, and nothing else is.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "device/cache_entry.hpp"
#include "support/unit.hpp"

using gz::ProgramKey;
using gz::read_entry;
using gz::Status;
using gz::write_entry;
using support::check_refused;
using support::draw;
using Bytes = std::vector<std::byte>;

namespace {

ProgramKey made_up_key() {
    ProgramKey key;
    key.platform = "made-up platform";
    key.platform_version = "OpenCL 1.2 made-up 7";
    key.device = "made-up device";
    key.device_version = "OpenCL 1.2";
    key.driver = "7.1";
    key.options = "-D A=1 -D B=2";
    key.entry = "blur";
    key.source = "__kernel void blur() {}\n";
    return key;
}

Bytes made_up_program(std::size_t bytes, unsigned seed = 1) {
    std::minstd_rand random(seed);
    Bytes program(bytes);
    for (std::byte &b : program)
        b = static_cast<std::byte>(random() >> 8);
    return program;
}

bool is_same(std::span<const std::byte> a, const Bytes &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Reading a changed entry gives a refusal and its words, or the entry as it was.
struct Reading {
    bool refused = false;
    bool same = false;
};
Reading read_changed(const Bytes &entry, const std::string &key, const Bytes &program) {
    try {
        return {false, is_same(read_entry(entry, key), program)};
    } catch (const gz::Error &) {
        return {true, false};
    }
}

} // namespace

TEST_SUITE("cache entries") {
    TEST_CASE("an entry gives back the program") {
        const std::string key = made_up_key().text();
        for (const std::size_t bytes : {1U, 2U, 63U, 64U, 65U, 100000U}) {
            const Bytes program = made_up_program(bytes);
            const Bytes entry = write_entry(key, program);
            CHECK(is_same(read_entry(entry, key), program));
            CHECK(entry.size() == 32 + key.size() + bytes + 32);
        }
    }

    TEST_CASE("each part of a key makes another key, however the parts are cut") {
        std::set<std::string> texts{made_up_key().text()};
        for (const auto field :
             {&ProgramKey::platform, &ProgramKey::platform_version, &ProgramKey::device,
              &ProgramKey::device_version, &ProgramKey::driver, &ProgramKey::driver_settings,
              &ProgramKey::options, &ProgramKey::entry, &ProgramKey::source}) {
            ProgramKey key = made_up_key();
            key.*field += " ";
            texts.insert(key.text());
        }
        CHECK(texts.size() == 10);
        ProgramKey one = made_up_key(), other = made_up_key();
        one.device = "a\ndevice version 1: b";
        one.device_version = "";
        other.device = "a";
        other.device_version = "b";
        CHECK(one.text() != other.text());
        CHECK(one.text().find("gauze 0.1.0, format 1\n") == 0);
    }

    TEST_CASE("names") {
        const std::string name = gz::entry_name(made_up_key().text());
        CHECK(name.size() == 64);
        CHECK(gz::is_entry_name(name));
        CHECK(name == gz::entry_name(made_up_key().text()));
        CHECK(name != gz::entry_name(made_up_key().text() + " "));
        CHECK(!gz::is_entry_name(name.substr(1)));
        CHECK(!gz::is_entry_name(name + "0"));
        CHECK(!gz::is_entry_name(std::string(64, 'A')));
        CHECK(!gz::is_entry_name("../" + name.substr(3)));
    }

    TEST_CASE("what is refused says why") {
        const std::string key = made_up_key().text();
        const Bytes program = made_up_program(500);
        const Bytes good = write_entry(key, program);
        const auto refused = [&](const char *why, const auto &change) {
            Bytes entry = good;
            change(entry);
            check_refused(Status::invalid_argument, {why}, [&] { read_entry(entry, key); });
        };
        refused("it has 0 bytes", [](Bytes &entry) { entry.clear(); });
        refused("it has 63 bytes", [](Bytes &entry) { entry.resize(63); });
        refused("does not start", [](Bytes &entry) { entry[0] ^= std::byte{1}; });
        refused("its format is 2, not 1", [](Bytes &entry) { entry[8] = std::byte{2}; });
        refused("do not fill", [](Bytes &entry) { entry.pop_back(); });
        refused("do not fill", [](Bytes &entry) { entry.push_back(std::byte{0}); });
        refused("do not fill", [](Bytes &entry) { entry[16] ^= std::byte{1}; });
        refused("checksum", [](Bytes &entry) { entry.back() ^= std::byte{1}; });
        refused("checksum", [](Bytes &entry) { entry[32] ^= std::byte{128}; });
        refused("checksum", [](Bytes &entry) { entry[entry.size() - 33] ^= std::byte{16}; });
        // Lengths whose sum is right only modulo 2^64.
        refused("do not fill", [&](Bytes &entry) {
            const std::uint64_t shifted = key.size() + (std::uint64_t{1} << 63);
            for (std::size_t i = 0; i < 8; ++i) {
                entry[16 + i] = static_cast<std::byte>(shifted >> 8 * i);
                entry[24 + i] = static_cast<std::byte>((500 + (std::uint64_t{1} << 63)) >> 8 * i);
            }
        });
        check_refused(Status::invalid_argument, {"of another program"},
                      [&] { read_entry(good, key + " "); });
        check_refused(Status::invalid_argument, {"holds no program"},
                      [&] { read_entry(write_entry(key, {}), key); });
        // The same bytes, cut elsewhere.
        check_refused(Status::invalid_argument, {"of another program"}, [&] {
            const std::string shorter = key.substr(0, key.size() - 1);
            read_entry(write_entry(shorter, program), key);
        });
    }

    TEST_CASE("a thousand changed entries: refused, or the very program") {
        const std::string key = made_up_key().text();
        ProgramKey other_key = made_up_key();
        other_key.driver = "7.2";
        const Bytes program = made_up_program(3000);
        const Bytes good = write_entry(key, program);
        const Bytes other = write_entry(other_key.text(), made_up_program(3000, 2));
        std::minstd_rand random(20);
        const auto draw_place = [&] {
            return static_cast<std::size_t>(
                draw(random, 0, static_cast<std::int64_t>(good.size()) - 1));
        };
        int refused = 0, same = 0, unchanged = 0;
        for (int i = 0; i < 1000; ++i) {
            Bytes entry = good;
            const std::size_t place = draw_place();
            const auto at = [&](std::size_t n) {
                return entry.begin() + static_cast<std::ptrdiff_t>(n);
            };
            switch (i % 6) {
            case 0: // a few bits anywhere
            case 1: // and in the header
                for (std::int64_t flips = draw(random, 1, 4); flips > 0; --flips)
                    entry[i % 6 == 0 ? draw_place() : draw_place() % 32] ^=
                        static_cast<std::byte>(1 << draw(random, 0, 7));
                break;
            case 2: // a truncation
                entry.resize(place);
                break;
            case 3: // more, somewhere
                entry.insert(at(place), static_cast<std::size_t>(draw(random, 1, 100)),
                             static_cast<std::byte>(draw(random, 0, 255)));
                break;
            case 4: // somebody else's up to some byte; in the end whole
                std::copy_n(other.begin(), i > 900 ? other.size() : place, entry.begin());
                break;
            default: // a stretch of zeros, which may be what was there
                std::fill(at(place), at(std::min(entry.size(), place + 5)), std::byte{0});
                break;
            }
            unchanged += entry == good;
            const Reading reading = read_changed(entry, key, program);
            refused += reading.refused;
            same += reading.same;
        }
        MESSAGE(refused, " refused, ", same, " read as they were, ", unchanged, " not changed");
        CHECK(refused + same == 1000);
        CHECK(same == unchanged);
        CHECK(refused >= 950);
    }
}
