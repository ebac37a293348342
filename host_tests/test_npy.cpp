// .npy files: the bytes of each format version, refusals and their reasons, and arrays as images.
#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <doctest/doctest.h>

#include "file.hpp"
#include "image_file.hpp"
#include "input_error.hpp"
#include "npy.hpp"
#include "test_files.hpp"

using namespace gauze::tool;
using gauze::Type;

namespace {

std::string bytes_of(std::size_t value, std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i)
        bytes += static_cast<char>(value >> (8 * i) & 255);
    return bytes;
}

// A file as the format's description has it, independent of the writer under test.
std::string npy_file(const std::string &dictionary, const std::string &data, int version = 1) {
    const std::string header = dictionary + "\n";
    return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
           bytes_of(header.size(), version == 1 ? 2 : 4) + header + data;
}

std::string dictionary(const std::string &descr, const std::string &shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

// Reads an array from these bytes.
NpyArray read_from(const std::string &bytes) {
    const TestDirectory directory;
    write_bytes(directory / "a.npy", bytes);
    return read_npy(directory / "a.npy");
}

HostImage read_image_from(const std::string &bytes, ChannelAxis axis) {
    const TestDirectory directory;
    write_bytes(directory / "a.npy", bytes);
    return read_image(directory / "a.npy", axis);
}

void check_refused(const std::string &bytes, const char *why) {
    CAPTURE(bytes);
    CHECK_THROWS_WITH_AS(read_from(bytes), doctest::Contains(why), InputError);
}

} // namespace

TEST_CASE("npy: every format version is read") {
    for (const int version : {1, 2, 3}) {
        CAPTURE(version);
        const NpyArray array =
            read_from(npy_file(dictionary("<u2", "(2, 3)"),
                               bytes_of(0x0605040302010100, 8) + bytes_of(0x0a090807, 4), version));
        CHECK(name_of(array.type) == "u2");
        CHECK(array.shape == std::vector<std::int64_t>{2, 3});
        CHECK(from_bytes<std::uint16_t>(array.data) ==
              std::vector<std::uint16_t>{0x0100, 0x0201, 0x0403, 0x0605, 0x0807, 0x0a09});
    }
}

TEST_CASE("npy: forms that other writers give the header") {
    const std::string data(3, 'x');
    for (const std::string header :
         {"{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }",
          "{'descr': '<u1', 'fortran_order': False, 'shape': (3,)}",
          "{'descr': '=u1', 'fortran_order': False, 'shape': (3,)}",
          "{'shape': (3,), 'fortran_order': False, 'descr': '|u1'}",
          "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (3,)}",
          "{'descr':'|u1','fortran_order':False,'shape':(3,)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (3L,), }",
          "{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }    ",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3,), }"}) {
        CAPTURE(header);
        CHECK(read_from(npy_file(header, data)).data.size() == 3);
    }
}

TEST_CASE("npy: what is written is what NumPy writes") {
    const TestDirectory directory;
    const std::string path = directory / "a.npy";
    const auto written = [&](NpyType type, const std::vector<std::int64_t> &shape,
                             std::size_t bytes) {
        write_npy(path, type, shape, std::vector<std::byte>(bytes, std::byte{7}));
        return read_bytes(path);
    };
    const auto expected = [](std::string header, std::size_t bytes) {
        header.resize(117, ' ');
        return npy_file(header, std::string(bytes, '\7'));
    };
    CHECK(written({NpyKind::floating, 4}, {2, 3}, 24) ==
          expected("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24));
    CHECK(written({NpyKind::unsigned_integer, 1}, {5}, 5) ==
          expected("{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }", 5));
    CHECK(written({NpyKind::signed_integer, 2}, {1, 2, 3, 4, 1}, 48) ==
          expected("{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2, 3, 4, 1), }", 48));
    CHECK(directory.file_count() == 1);
}

TEST_CASE("npy: malformed files are refused with what is wrong") {
    const std::string data(6, '\0');
    const std::string good = npy_file(dictionary("|u1", "(2, 3)"), data);
    REQUIRE(read_from(good).data.size() == 6);

    check_refused("", "too short");
    check_refused("\x93NUMPY", "too short");
    check_refused("NUMPY\x93\1\1aaaaaaaaa", "does not start");
    check_refused(npy_file("", data, 4), "format version 4.0");
    check_refused(npy_file("", data, 0), "format version 0.0");
    check_refused(good.substr(0, 40), "header is longer than the file");
    check_refused(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14),
                  "header is longer than the file");
    check_refused(std::string("\x93NUMPY\2\0\1\0", 10), "too short");
    check_refused(npy_file(std::string(70000, ' '), data, 2), "header has 70001 bytes");

    // The file must have as many values as the header says, neither fewer nor more.
    check_refused(good.substr(0, good.size() - 1), "the file has 5");
    check_refused(good + "x", "the file has 7");

    for (const std::string header :
         {"", "{", "{}x", "[]", "{'descr' '|u1'}", "{'descr': |u1}", "{'descr: '|u1'}",
          "{'descr': '|u1', 'fortran_order': Maybe, 'shape': (2, 3)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (2; 3)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (6)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (-2, -3)}",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)} more",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (,)}"}) {
        CAPTURE(header);
        check_refused(npy_file(header, data), "header is malformed");
    }
    check_refused(npy_file("{}", data), "header lacks");
    check_refused(npy_file("{'descr': '|u1', 'shape': (2, 3)}", data), "header lacks");
    check_refused(npy_file("{'descr': '|u1', 'descr': '|u1'}", data), "unexpected entry 'descr'");
    check_refused(npy_file("{'order': 'C'}", data), "unexpected entry 'order'");

    check_refused(npy_file(dictionary("|u1", "()"), "x"), "single value");
    check_refused(npy_file(dictionary("|u1", "(0, 3)"), ""), "holds no values");
    check_refused(npy_file(dictionary("|u1", "(99999999999999999999, 1)"), data), "too big");
    check_refused(npy_file(dictionary("<f8", "(4294967296, 4294967296)"), data), "too big");
    check_refused(npy_file(dictionary("|u1", "(4294967296, 4294967296, 0)"), ""), "too big");
    check_refused(npy_file(dictionary("<f8", "(1152921504606846976,)"), data), "too big");
    check_refused(npy_file(dictionary("|u1", "(30000, 30000)"), data), "900000000 bytes");
    std::string ones = "(";
    for (int i = 0; i < 40; ++i)
        ones += "1, ";
    check_refused(npy_file(dictionary("|u1", ones + ")"), "x"), "more than 32 axes");
}

TEST_CASE("npy: values of other types and orders are refused") {
    const std::string data(48, '\0');
    check_refused(npy_file(dictionary(">f4", "(2, 3)"), data), "big-endian");
    check_refused(npy_file(dictionary("|u2", "(2, 3)"), data), "lacks a byte order");
    for (const char *descr :
         {"<c8", "|b1", "<U4", "|S3", "|O", "<f1", "<f16", "<u3", "u1", "", "<f", "<m8[ns]"}) {
        CAPTURE(descr);
        check_refused(npy_file(dictionary(descr, "(2, 3)"), data), "not supported");
    }
    check_refused(
        npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}", data),
        "malformed");
    check_refused(npy_file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", data),
                  "Fortran order");
}

TEST_CASE("npy: values of each type as doubles") {
    const auto one = [](const char *descr, std::size_t bits, std::size_t size) {
        return to_doubles(read_from(npy_file(dictionary(descr, "(1,)"), bytes_of(bits, size))))
            .at(0);
    };
    CHECK(one("|u1", 0xfe, 1) == 254);
    CHECK(one("|i1", 0xfe, 1) == -2);
    CHECK(one("<u2", 0xfffe, 2) == 65534);
    CHECK(one("<i2", 0xfffe, 2) == -2);
    CHECK(one("<u4", 0xfffffffe, 4) == 4294967294.0);
    CHECK(one("<i4", 0xfffffffe, 4) == -2);
    CHECK(one("<u8", 0xffffffff00000000, 8) == 18446744069414584320.0);
    CHECK(one("<i8", 0xffffffff00000000, 8) == -4294967296.0);
    CHECK(one("<f4", 0xc0490fdb, 4) == static_cast<double>(-3.14159274F));
    CHECK(one("<f8", 0x3ff8000000000000, 8) == 1.5);
    CHECK(one("<f2", 0x3c01, 2) == 1 + 1.0 / 1024);
    CHECK(one("<f2", 0xfbff, 2) == -65504);
    CHECK(one("<f2", 0x0001, 2) == 1.0 / 16777216);
    CHECK(one("<f2", 0x8400, 2) == -1.0 / 16384);
    CHECK(one("<f2", 0xfc00, 2) == -std::numeric_limits<double>::infinity());
    CHECK(one("<f2", 0x7e00, 2) != one("<f2", 0x7e00, 2));
}

TEST_CASE("npy: arrays as images, and back in the same bytes") {
    struct Case {
        std::string descr, shape;
        ChannelAxis axis;
        Type type;
        int channels;
        std::array<std::int64_t, 4> extent;
    };
    const ChannelAxis none = ChannelAxis::none;
    const ChannelAxis last = ChannelAxis::last;
    for (const Case &c : {Case{"|u1", "(12,)", none, Type::u8, 1, {12, 1, 1, 1}},
                          Case{"<u2", "(3, 4)", none, Type::u16, 1, {4, 3, 1, 1}},
                          Case{"<u4", "(1, 3, 4)", none, Type::u32, 1, {4, 3, 1, 1}},
                          Case{"<u8", "(4, 3)", none, Type::u64, 1, {3, 4, 1, 1}},
                          Case{"<i2", "(2, 3, 2, 1)", none, Type::s16, 1, {1, 2, 3, 2}},
                          Case{"<i4", "(6, 2)", last, Type::s32, 2, {6, 1, 1, 1}},
                          Case{"<f2", "(4, 1, 3)", last, Type::f16, 3, {1, 4, 1, 1}},
                          Case{"<f4", "(1, 3, 1, 4)", last, Type::f32, 4, {1, 3, 1, 1}},
                          Case{"<f8", "(2, 3, 1, 2, 1)", last, Type::f64, 1, {2, 1, 3, 2}}}) {
        CAPTURE(c.descr);
        CAPTURE(c.shape);
        std::string data(12 * gauze::size_of(c.type), '\0');
        for (std::size_t i = 0; i < data.size(); ++i)
            data[i] = static_cast<char>(i);
        std::string header = dictionary(c.descr, c.shape);
        header.resize(117, ' ');
        const std::string bytes = npy_file(header, data);
        const HostImage image = read_image_from(bytes, c.axis);
        CHECK(image.desc.type == c.type);
        CHECK(image.desc.channels == c.channels);
        CHECK(image.desc.extent == c.extent);

        const TestDirectory directory;
        write_image(directory / "b.npy", image);
        CHECK(read_bytes(directory / "b.npy") == bytes);
        CHECK(directory.file_count() == 1);
    }
}

TEST_CASE("npy: arrays that are no images are refused") {
    const auto refused = [](const char *descr, const char *shape, std::size_t bytes,
                            ChannelAxis axis, const char *why) {
        CAPTURE(shape);
        CHECK_THROWS_WITH_AS(
            read_image_from(npy_file(dictionary(descr, shape), std::string(bytes, '\0')), axis),
            doctest::Contains(why), InputError);
    };
    refused("|i1", "(2, 3)", 6, ChannelAxis::none, "no pixels of type i1");
    refused("<i8", "(2, 3)", 48, ChannelAxis::none, "no pixels of type i8");
    refused("|u1", "(1, 1, 1, 2, 3)", 6, ChannelAxis::none, "more than 4 axes");
    refused("|u1", "(1, 1, 1, 1, 2, 3)", 6, ChannelAxis::last, "more than 4 axes");
    refused("|u1", "(3,)", 3, ChannelAxis::last, "no axis of pixels");
    refused("|u1", "(2, 5)", 10, ChannelAxis::last, "5 channels");
}

TEST_CASE("npy: files that are not there, or not files") {
    const TestDirectory directory;
    CHECK_THROWS_WITH_AS(read_npy(directory / "none.npy"), doctest::Contains("No such file"),
                         InputError);
    CHECK_THROWS_WITH_AS(read_npy(directory / ""), doctest::Contains("not a regular file"),
                         InputError);
    CHECK_THROWS_WITH_AS(read_image(directory / "a.tiff", ChannelAxis::none),
                         doctest::Contains("does not end in .png or .npy"), InputError);
}

TEST_CASE("output files appear whole or not at all") {
    const TestDirectory directory;
    const std::string path = directory / "a.npy";
    const NpyType type{NpyKind::unsigned_integer, 1};
    const std::vector<std::byte> data(3);

    CHECK_THROWS_WITH_AS(write_npy(directory / "none/a.npy", type, {3}, data),
                         doctest::Contains("cannot write"), InputError);
    CHECK_THROWS_WITH_AS(write_npy(directory / "", type, {3}, data),
                         doctest::Contains("not a regular file"), InputError);
    CHECK(directory.file_count() == 0);

    {
        OutputFile file(path);
        CHECK(file.write(data));
        CHECK(directory.file_count() == 1);
    }
    CHECK(directory.file_count() == 0);

    write_bytes(path, "before");
    {
        OutputFile file(path);
        file.write(data);
    }
    CHECK(read_bytes(path) == "before");
    CHECK(directory.file_count() == 1);

    // A symbolic link stays one, and permissions stay.
#ifndef _WIN32
    std::filesystem::create_symlink(path, directory / "link.npy");
    std::filesystem::permissions(path, std::filesystem::perms(0640));
    write_npy(directory / "link.npy", type, {3}, data);
    CHECK(std::filesystem::is_symlink(directory / "link.npy"));
    CHECK(read_npy(path).shape == std::vector<std::int64_t>{3});
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0640));
    std::filesystem::remove(directory / "link.npy");
#endif

    check_output_path(directory / "new.npy");
    CHECK(directory.file_count() == 1);
}

#ifndef _WIN32 // where links take rights that few have, and there are neither such signals nor fork
TEST_CASE("an output that is a symbolic link to nothing makes what it names") {
    const TestDirectory directory;
    const NpyType type{NpyKind::unsigned_integer, 1};
    const std::vector<std::byte> data(3);
    namespace fs = std::filesystem;
    fs::create_directory(directory / "there");
    fs::create_symlink("there/second.npy", directory / "first.npy"); // from the link's directory
    fs::create_symlink(directory / "there/a.npy", directory / "there/second.npy");
    write_npy(directory / "first.npy", type, {3}, data);
    CHECK(fs::is_symlink(directory / "first.npy"));
    CHECK(fs::is_symlink(directory / "there/second.npy"));
    CHECK(fs::is_regular_file(fs::symlink_status(directory / "there/a.npy")));
    CHECK(read_npy(directory / "there/a.npy").shape == std::vector<std::int64_t>{3});

    fs::create_symlink("none/a.npy", directory / "lost.npy");
    CHECK_THROWS_WITH_AS(write_npy(directory / "lost.npy", type, {3}, data),
                         doctest::Contains("cannot write"), InputError);
    fs::create_symlink("round.npy", directory / "round.npy");
    CHECK_THROWS_WITH_AS(write_npy(directory / "round.npy", type, {3}, data),
                         doctest::Contains("symbolic links"), InputError);
    CHECK(directory.file_count() == 4);
}

TEST_CASE("signals that end the process remove an unfinished output") {
    for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
        const TestDirectory directory;
        const std::string path = directory / "a.npy";
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            std::signal(signal, SIG_DFL);
            OutputFile done(directory / "done.npy");
            done.commit();
            OutputFile file(path);
            file.write(std::vector<std::byte>(100));
            if (directory.file_count() != 2)
                _exit(1);
            std::raise(signal);
            _exit(2);
        }
        int state = 0;
        REQUIRE(waitpid(child, &state, 0) == child);
        REQUIRE(WIFSIGNALED(state));
        CHECK(WTERMSIG(state) == signal);
        CHECK(directory.file_count() == 1);
        CHECK(std::filesystem::exists(directory / "done.npy"));
    }
    // An ignored signal, as by nohup, stays ignored.
    const TestDirectory directory;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGHUP, SIG_IGN);
        OutputFile file(directory / "a.npy");
        std::raise(SIGHUP);
        file.commit();
        _exit(0);
    }
    int state = 1;
    REQUIRE(waitpid(child, &state, 0) == child);
    CHECK(state == 0);
    CHECK(directory.file_count() == 1);
}
#endif
