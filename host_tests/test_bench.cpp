// `gauze bench` from outside: its table, JSON and plot, what it refuses, and that it finds a wrong
// kernel. CTest sets GAUZE_COMMAND to the built command, GAUZE_KERNELS to the kernels' sources and
// GAUZE_LIBRARIES to the folder of the library.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "interrupt.hpp"
#include "progress.hpp"
#include "support/command.hpp"
#include "test_files.hpp"

using namespace gauze::tool;
using namespace support;
using Json = nlohmann::ordered_json;

namespace {

std::string variable(const char *name) {
    const char *const value = std::getenv(name);
    REQUIRE_MESSAGE(value, name, " is not set");
    return value;
}

Outcome bench(const Arguments &arguments, const Arguments &environment = {}) {
    Arguments all{"bench"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return gauze_command(all, environment);
}

// The rows of correlate, on a small image and once: any device can do them.
Arguments small(const Arguments &more) {
    Arguments arguments{"correlate", "--size", "96x80", "--repeat", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

std::size_t count_of(const std::string &text, const std::string &part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

Arguments lines_of(const std::string &text) {
    Arguments lines(1);
    for (const char c : text)
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    lines.pop_back();
    return lines;
}

void check_is_measurement(const Json &object) {
    CAPTURE(object.dump());
    Arguments keys;
    for (const auto &[key, value] : object.items())
        keys.push_back(key);
    REQUIRE(keys == Arguments{"filter", "params", "device", "platform", "type", "channels", "size",
                              "variant", "launches", "time_ms", "wall_ms", "copy_ms",
                              "ratio_to_copy", "mpix_per_s"});
    for (const char *key : {"filter", "device", "platform", "type", "variant"}) {
        CHECK(object[key].is_string());
        CHECK(object[key] != "");
    }
    CHECK(object["params"].is_object());
    if (object["filter"] != "sat") {
        REQUIRE(object["params"].size() >= 1);
        CHECK(object["params"].front().is_number_integer());
    }
    CHECK(object["channels"].is_number_integer());
    CHECK(object["size"].is_array());
    CHECK(object["launches"].is_number_integer());
    for (const char *key : {"time_ms", "wall_ms", "copy_ms", "ratio_to_copy", "mpix_per_s"}) {
        REQUIRE(object[key].is_number());
        CHECK(object[key].get<double>() > 0);
    }
    CHECK(object["ratio_to_copy"].get<double>() ==
          doctest::Approx(object["time_ms"].get<double>() / object["copy_ms"].get<double>()));
    double pixels = 1;
    for (const auto &extent : object["size"])
        pixels *= extent.get<double>();
    CHECK(object["mpix_per_s"].get<double>() ==
          doctest::Approx(pixels / object["time_ms"].get<double>() / 1e3));
}

// Tags that match, attributes in quotes and text without bare '<' and '&': what a reader of XML
// insists on, as far as such a plot goes.
bool is_well_formed(const std::string &xml) {
    Arguments open;
    for (std::size_t at = 0; at < xml.size(); ++at) {
        if (xml[at] == '&') {
            const std::string entity = xml.substr(at, xml.find(';', at) - at);
            if (entity != "&amp" && entity != "&lt" && entity != "&gt" && entity != "&quot")
                return false;
        }
        if (xml[at] != '<')
            continue;
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos)
            return false;
        const std::string tag = xml.substr(at + 1, end - at - 1);
        if (tag.empty() || contains(tag, "<") || count_of(tag, "\"") % 2 != 0)
            return false;
        const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag.starts_with('/')) {
            if (open.empty() || "/" + open.back() != tag)
                return false;
            open.pop_back();
        } else if (!tag.ends_with('/')) {
            open.push_back(name);
        }
        at = end;
    }
    return open.empty();
}

} // namespace

TEST_CASE("bench: JSON") {
    const TestDirectory directory;
    const std::string file = directory / "bench.json";
    const Outcome outcome = bench(small({"--type", "u8", "--json", file}));
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.err.empty());
    const Json array = Json::parse(read_bytes(file));
    REQUIRE(array.size() == 5);
    std::vector<int> sizes;
    for (const Json &object : array) {
        check_is_measurement(object);
        CHECK(object["filter"] == "correlate");
        CHECK(object["type"] == "u8");
        CHECK(object["channels"] == 1);
        CHECK(object["size"] == Json{96, 80});
        sizes.push_back(object["params"]["size"]);
    }
    CHECK(sizes == std::vector<int>{3, 5, 7, 11, 15});
    CHECK(directory.file_count() == 1);

    // On stdout it takes the table's place.
    const Outcome printed = bench(small({"--json", "-"}));
    CHECK(printed.code == 0);
    CHECK(Json::parse(printed.out).size() == 5);
}

TEST_CASE("bench: all that this version has, where no filter is named") {
    const Outcome outcome = bench({"--size", "96x80", "--repeat", "1", "--json", "-"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    std::map<std::string, std::vector<std::string>> rows;
    for (const Json &object : Json::parse(outcome.out)) {
        check_is_measurement(object);
        const std::string params = object["params"].dump();
        rows[object["filter"]].push_back(params);
        CHECK(object["size"] == (contains(params, "\"+x\"")       ? Json{7680, 1}
                                 : contains(params, "\"axes\":4") ? Json{10, 10, 10, 8}
                                 : object["filter"] == "volume"   ? Json{19, 19, 19}
                                                                  : Json{96, 80}));
    }
    using Rows = std::vector<std::string>;
    CHECK(rows["correlate"].size() == 5);
    CHECK(rows["gaussian"] ==
          Rows{R"({"sigma":1})", R"({"sigma":5})", R"({"sigma":30})", R"({"sigma":200})",
               R"({"sigma":1,"method":"recursive"})", R"({"sigma":5,"method":"recursive"})",
               R"({"sigma":30,"method":"recursive"})", R"({"sigma":200,"method":"recursive"})"});
    CHECK(rows["box"].back() == R"({"radius":50,"iterations":3})");
    CHECK(rows["dog"] == Rows{R"({"sigma":5,"sigma2":8,"method":"recursive"})",
                              R"({"sigma":5,"sigma2":8,"method":"box"})"});
    CHECK(rows["median"] == Rows{R"({"size":3})", R"({"size":5})", R"({"size":7})",
                                 R"({"size":11})", R"({"size":15})", R"({"size":25})"});
    CHECK(rows["maximum"] == Rows{R"({"size":3})", R"({"size":7})", R"({"size":15})",
                                  R"({"size":31})", R"({"size":51})", R"({"size":101})"});
    CHECK(rows["erode"] ==
          Rows{R"({"radius":1})", R"({"radius":3})", R"({"radius":7})", R"({"radius":15})"});
    CHECK(rows["derivative"] ==
          Rows{R"({"size":3,"result":"sobel"})", R"({"size":3,"result":"magnitude"})",
               R"({"size":3,"result":"orientation"})", R"({"size":3,"result":"laplace"})",
               R"({"size":3,"result":"gradient","bank":2})",
               R"({"size":3,"result":"hessian","bank":3})", R"({"sigma":2,"result":"log"})",
               R"({"sigma":2,"result":"structure","bank":3})"});
    CHECK(rows["local"] == Rows{R"({"sigma":2,"result":"unsharp"})",
                                R"({"sigma":2,"result":"deviation"})",
                                R"({"radius":7,"result":"deviation"})"});
    CHECK(rows["bilateral"] == Rows{R"({"radius":2})", R"({"radius":4})", R"({"radius":7})"});
    CHECK(rows["guided"] ==
          Rows{R"({"radius":8})", R"({"radius":30})", R"({"radius":8,"guide":"image"})"});
    CHECK(rows["nlm"] == Rows{R"({"size":21,"patch":7})"});
    CHECK(rows["bspline"] == Rows{R"({"order":3})"});
    CHECK(rows["volume"] == Rows{R"({"cube":3})", R"({"cube":5})", R"({"cube":7})",
                                 R"({"cube":3,"axes":4})", R"({"separable":5})",
                                 R"({"cube":5,"bank":8})"});
    REQUIRE(rows["recursive"].size() == 2 + 6 + 3);
    CHECK(rows["recursive"][1] == R"({"order":3,"scans":"+x -x +y -y"})");
    CHECK(rows["recursive"][7] == R"({"order":20,"scans":"+x"})");
    CHECK(rows["recursive"][10] == R"({"sections":15,"scans":"+x"})");
}

TEST_CASE("bench: other types and channels, a volume, an image smaller than the taps") {
    // The kernel that compiles fastest: what is tested is the input and the check.
    const Arguments plain{"GAUZE_VARIANT=correlate_plain"};
    const Outcome outcome = bench(small({"--type", "f16"}), plain);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.out, "96x80 f16, 1 channel;"));
    const Outcome volume = bench({"--json", "-", "correlate", "--repeat", "1", "--size", "40x30x4",
                                  "--type", "s16", "--channels", "3"},
                                 plain);
    REQUIRE(volume.code == 0);
    const Json object = Json::parse(volume.out)[0];
    check_is_measurement(object);
    CHECK(object["size"] == Json{40, 30, 4});
    CHECK(object["channels"] == 3);
    CHECK(bench({"correlate", "--repeat", "1", "--size", "2x1"}, plain).code == 0);
}

TEST_CASE("bench: the images that users have, side by side") {
    const Outcome outcome = bench({"bspline", "--sizes", "users", "--repeat", "1"});
    CAPTURE(outcome.out);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "| 1920x1080 f32, 1 channel |"));
    CHECK(contains(outcome.out, " f32, 3 channels |"));
    CHECK(contains(outcome.out, " u8, 1 channel |"));
    const Arguments lines = lines_of(outcome.out);
    REQUIRE(lines.size() == 8);
    // A line for copies and one for the filter, each with a number for every image.
    for (const std::size_t line : {4U, 5U}) {
        CHECK(std::ranges::count(lines[line], '|') == 8);
        CHECK(std::ranges::count(lines[line], '.') >= 4);
    }
    CHECK(contains(lines[5], "bspline"));
}

#ifdef __linux__ // where the command finds programs for peers beside itself, and a peer may interrupt it
TEST_CASE("bench: interrupted, it reports the rows measured before") {
    const TestDirectory directory;
    const std::string command = directory / "gauze", peer = directory / "gauze_bench_opencv";
    std::filesystem::copy_file(variable("GAUZE_COMMAND"), command);
    write_bytes(peer, "#!/bin/sh\nkill -INT $PPID\n");
    std::filesystem::permissions(peer, std::filesystem::perms::owner_all);
    Arguments arguments = small({"--peers", "--json", "-"});
    arguments.insert(arguments.begin(), "bench");
    const char *const others = std::getenv("LD_LIBRARY_PATH");
    const std::string path =
        variable("GAUZE_LIBRARIES") + (others ? ":" + std::string(others) : "");
    const Outcome outcome = run_program(command, arguments, {{"LD_LIBRARY_PATH=" + path}, ""});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 130);
    CHECK(contains(outcome.err, "note: interrupted: these are the rows measured before\n"));
    const Json rows = Json::parse(outcome.out);
    REQUIRE(rows.size() == 1);
    check_is_measurement(rows[0]);
}
#endif

TEST_CASE("bench: what was chosen is compared with other candidates") {
    // Rows of one problem, and of several.
    for (const Arguments &filters : {Arguments{"correlate"}, Arguments{"dog", "sat"}}) {
        Arguments arguments = filters;
        arguments.insert(arguments.end(),
                         {"--size", "96x80", "--repeat", "1", "--candidates", "2"});
        const Outcome outcome = bench(arguments);
        CAPTURE(outcome.out);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        Arguments notes = lines_of(outcome.err);
        REQUIRE(!notes.empty());
        const std::string image = "note: 96x80 f32, 1 channel: ", summary = notes.back();
        notes.pop_back();
        REQUIRE(summary.starts_with(image));
        const int compared = std::atoi(summary.c_str() + image.size());
        CHECK(compared >= 1);
        CHECK(summary == image + std::to_string(compared) +
                             " candidates were compared with what was chosen, 0 were left out; " +
                             std::to_string(notes.size()) + " are faster");
        for (const std::string &note : notes) {
            CHECK(note.starts_with(image));
            CHECK(contains(note, " takes 0."));
            CHECK(contains(note, " of the time of "));
        }
    }
}

TEST_CASE("interrupts: a second one ends the process after two seconds") {
    using namespace std::chrono_literals;
    Interrupt interrupt;
    const Interrupt::Clock::time_point first = Interrupt::Clock::now();
    CHECK(!interrupt.is_noted());
    CHECK(!interrupt.note(first));
    CHECK(interrupt.is_noted());
    CHECK(!interrupt.note(first + 10ms)); // of the same request
    CHECK(!interrupt.note(first + 1999ms));
    CHECK(interrupt.note(first + 2s));
    CHECK(interrupt.is_noted());
}

TEST_CASE("bench: the table is Markdown, with aligned columns") {
    const Outcome outcome = bench(small({}));
    REQUIRE(outcome.code == 0);
    const Arguments lines = lines_of(outcome.out);
    REQUIRE(lines.size() == 2 + 2 + 5 + 3);
    CHECK(contains(lines[0], "96x80 f32, 1 channel; copy "));
    CHECK(contains(lines[0], " GB/s; medians of 1"));
    CHECK(lines[1].empty());
    for (std::size_t i = 2; i < 9; ++i) {
        CAPTURE(lines[i]);
        CHECK(lines[i].starts_with("|"));
        CHECK(lines[i].ends_with("|"));
        CHECK(lines[i].size() == lines[2].size());
        CHECK(count_of(lines[i], "|") == count_of(lines[2], "|"));
    }
    CHECK(lines[3].find_first_not_of("|:-") == std::string::npos);
    CHECK(lines[4].starts_with("| correlate | size 3  |"));
}

TEST_CASE("bench: the plot") {
    const TestDirectory directory;
    const std::string file = directory / "bench.svg";
    const Outcome outcome = bench(small({"--plot", file}));
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const std::string svg = read_bytes(file);
    CHECK(is_well_formed(svg));
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(contains(svg, "prefers-color-scheme: dark"));
    CHECK(count_of(svg, "<polyline ") == 1); // correlate
    CHECK(count_of(svg, "<circle ") == 5);
    CHECK(count_of(svg, "class=\"rule\"") == 1); // the copy
    CHECK(contains(svg, ">correlate</text>"));
    CHECK(contains(svg, ">radius, pixels"));
    CHECK(contains(svg, ">time / time of a plain copy</text>"));
    CHECK(!contains(svg, "nan"));
    CHECK(!contains(svg, "inf"));
}

TEST_CASE("bench: erosions by disks") {
    const TestDirectory directory;
    const std::string file = directory / "bench.svg";
    const Outcome outcome = bench({"erode", "--size", "96x80", "--repeat", "1", "--plot", file});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "| erode  | radius 1 "));
    const std::string svg = read_bytes(file);
    CHECK(count_of(svg, "<polyline ") == 1);
    CHECK(count_of(svg, "<circle ") == 4);
    CHECK(contains(svg, ">erode</text>"));
}

TEST_CASE("bench: rows without a radius are in the table, not in the plot") {
    const TestDirectory directory;
    const std::string file = directory / "bench.svg";
    const Outcome outcome =
        bench({"bspline", "recursive", "--size", "96x80", "--repeat", "1", "--plot", file});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "| bspline   | order 3 "));
    CHECK(contains(outcome.out, "| recursive | sections 15, scans +x "));
    CHECK(contains(outcome.out, "filter a signal: 7680x1 f32, 1 channel"));
    CHECK(!std::filesystem::exists(file));
}

TEST_CASE("bench: bad usage is one line and exit code 2, before anything is measured") {
    const TestDirectory directory;
    std::filesystem::create_directory(directory / "directory");
    struct Case {
        Arguments arguments;
        std::string message;
    };
    for (const Case &c :
         {Case{{"paint"}, "no rows of 'paint', only of separable, correlate"},
          Case{{"--size", "100"}, "--size: '100' is not WxH or WxHxD"},
          Case{{"--size", "1x2x3x4"}, "is not WxH or WxHxD"},
          Case{{"--size", "0x5"}, "--size: '0x5'"}, Case{{"--size", "axb"}, "is not a whole"},
          Case{{"--size", "9000000000000000000x9"}, "too large"},
          Case{{"--type", "u7"}, "--type: 'u7' is not one of"},
          Case{{"--type", "f64", "--size", "8x8"}, "--type: f64 is not a type that can be"},
          Case{{"--channels", "5"}, "--channels"}, Case{{"--repeat", "0"}, "--repeat"},
          Case{{"--plot", directory / "plot.png"}, "does not end in .svg"},
          Case{{"--plot", directory / "nowhere/plot.svg"}, "cannot write"},
          Case{{"--json", directory / "nowhere/bench.json"}, "cannot write"},
          Case{{"--json", directory / "directory"}, "not a regular file"},
          Case{{"--sizes", "all"}, "--sizes"},
          Case{{"--sizes", "users", "--type", "u8"}, "--sizes excludes --type"},
          Case{{"--sizes", "users", "--size", "8x8"}, "--size"},
          Case{{"--verbose"}, "--verbose"}}) {
        CAPTURE(c.message);
        const Outcome outcome = bench(c.arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 2);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.starts_with("gauze: "));
        CHECK(count_of(outcome.err, "\n") == 1);
        CHECK(contains(outcome.err, c.message));
        CHECK(directory.file_count() == 1);
    }
}

TEST_CASE("bench: what the device cannot do is one line and exit code 3") {
    for (const Arguments &arguments :
         {Arguments{"--size", "2000000x2000000"}, Arguments{"--device", "no such device"}}) {
        const Outcome outcome = bench(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 3);
        CHECK(outcome.out.empty());
        CHECK(count_of(outcome.err, "\n") == 1);
    }
    CHECK(contains(bench({"--size", "2000000x2000000"}).err, "GB"));

    // The kernel is for separable taps.
    const Outcome refused = bench(small({}), {"GAUZE_VARIANT=separable_fused"});
    CAPTURE(refused.err);
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "gauze: correlate size 3: "));
}

TEST_CASE("bench: a wrong kernel posts no time") {
    const TestDirectory directory;
    std::filesystem::copy(variable("GAUZE_KERNELS"), directory / "cl",
                          std::filesystem::copy_options::recursive);
    const std::string file = directory / "cl/correlate/correlate_plain.cl";
    std::string source = read_bytes(file);
    const std::string store = "RESULT_OF(sum,";
    REQUIRE(contains(source, store));
    // The last row of pixels only.
    source.replace(source.find(store), store.size(),
                   "RESULT_OF(y == g.height - 1 ? sum + 1.0f : sum,");
    write_bytes(file, source);

    const std::string json = directory / "bench.json";
    const Outcome outcome =
        bench({"correlate", "--size", "700x300", "--repeat", "1", "--json", json, "--plot",
               directory / "bench.svg"},
              {"GAUZE_VARIANT=correlate_plain", "GAUZE_CL_DIR=" + directory / "cl"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(contains(outcome.err, "gauze: correlate size 3: wrong result: worst error 1"));
    CHECK(contains(outcome.err, "y=299"));
    CHECK(count_of(outcome.err, "\n") == 5);
    CHECK(count_of(outcome.out, "wrong") == 5);
    CHECK(Json::parse(read_bytes(json)).empty());
}

TEST_CASE("bench: a guided filter's own guide is measured, and checked") {
    const TestDirectory directory;
    std::filesystem::copy(variable("GAUZE_KERNELS"), directory / "cl",
                          std::filesystem::copy_options::recursive);
    const Arguments arguments{"guided", "--size", "96x80", "--repeat", "1", "--json", "-"};
    const Outcome right = bench(arguments);
    CAPTURE(right.err);
    REQUIRE(right.code == 0);
    const Json rows = Json::parse(right.out);
    REQUIRE(rows.size() == 3);
    CHECK(rows[2]["params"] == Json{{"radius", 8}, {"guide", "image"}});

    const Outcome pairs = bench({"--channels", "2", "--size", "24x20", "--repeat", "1"});
    CAPTURE(pairs.err);
    CHECK(pairs.code == 0);
    CHECK(contains(pairs.err, "guided radius 8, guide image: guides have 1 or 3 channels"));

    // Kernels that misread an image of its own, and nothing else.
    const std::string file = directory / "cl/lib/guided.clh";
    std::string source = read_bytes(file);
    for (const std::string load : {"(*(p))\n", "vload16(0, p)\n"}) {
        const std::size_t at = source.find(load, source.find("#elif GUIDE_TYPE == PIXEL_F32"));
        REQUIRE(at != std::string::npos);
        source.replace(at, load.size() - 1,
                       "(" + load.substr(0, load.size() - 1) + " * (GUIDES ? 0.5f : 1.0f))");
    }
    write_bytes(file, source);
    const Outcome wrong = bench(arguments, {"GAUZE_CL_DIR=" + directory / "cl"});
    CAPTURE(wrong.err);
    CHECK(wrong.code == 1);
    CHECK(wrong.err.starts_with("gauze: guided radius 8, guide image: wrong result: worst error "));
    CHECK(count_of(wrong.err, "\n") == 1);
    CHECK(Json::parse(wrong.out).size() == 2);
}

TEST_CASE("bench: non-local means run less often where nobody says how often") {
    const Outcome outcome = bench({"bilateral", "nlm", "--size", "40x30"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "; medians of 5 to 15\n"));
    CHECK(contains(bench({"nlm", "--size", "40x30"}).out, "; medians of 5\n"));
    CHECK(contains(bench({"nlm", "--size", "40x30", "--repeat", "2"}).out, "; medians of 2\n"));
}

TEST_CASE("bench: other libraries, where they are installed") {
    const Outcome outcome = bench(small({"--peers", "--json", "-"}));
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json array = Json::parse(outcome.out);
    const std::filesystem::path command = variable("GAUZE_COMMAND");
    if (!std::filesystem::exists(command.parent_path() / "gauze_bench_opencv")) {
        CHECK(contains(outcome.err, "note: --peers: "));
        CHECK(array.size() == 5);
        return;
    }
    if (!outcome.err.empty()) { // a device that OpenCV does not take
        CHECK(contains(outcome.err, "note: correlate size 3: gauze_bench_opencv: "));
        return;
    }
    REQUIRE(array.size() == 10);
    for (std::size_t i = 0; i < array.size(); i += 2) {
        const Json &own = array[i];
        const Json &peer = array[i + 1];
        check_is_measurement(peer);
        CHECK(peer["filter"] == own["filter"]);
        CHECK(peer["params"] == own["params"]);
        CHECK(peer["size"] == own["size"]);
        CHECK(peer["copy_ms"].get<double>() == doctest::Approx(own["copy_ms"].get<double>()));
        CHECK(peer["platform"].get<std::string>().starts_with("OpenCV "));
        CHECK(peer["variant"].get<std::string>().starts_with("cv::filter2D"));
        CHECK(peer["launches"] == 0);
    }
    const Outcome edges = bench({"bilateral", "--type", "u8", "--size", "96x80", "--repeat", "1",
                                 "--peers", "--json", "-"});
    CAPTURE(edges.err);
    REQUIRE(edges.code == 0);
    const Json pairs = Json::parse(edges.out);
    REQUIRE(pairs.size() == 6);
    for (std::size_t i = 1; i < pairs.size(); i += 2) {
        CHECK(pairs[i]["params"] == pairs[i - 1]["params"]);
        CHECK(pairs[i]["variant"].get<std::string>().starts_with("cv::bilateralFilter"));
    }
}

TEST_CASE("progress: the line") {
    CHECK(progress_line("row", 0, 0, 80) == "[........................]   0%  row");
    CHECK(progress_line("row", 0.5, 90, 80) == "[############............]  50%, 1:30 left  row");
    CHECK(progress_line("row", 1, 90, 80) == "[########################] 100%, 0:00 left  row");
    CHECK(progress_line("row", 0.5, 90, 10) == "[#########");
    CHECK(clock_text(3723) == "1:02:03");
}
