// `gauze tune` from outside, with kernels that are wrong, crash or hang among its candidates; and the
// order in which it searches.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/command.hpp"
#include "test_files.hpp"
#include "tune_search.hpp"

namespace fs = std::filesystem;
using namespace gauze::tool;
using namespace support;

namespace {

#ifdef _WIN32
// Under Wine a crash in the system's driver ends the process without an exception of Windows.
constexpr const char *crashed = "its process ";
#else
constexpr const char *crashed = "its process was ended by signal ";
#endif

// A copy of the kernels, one of which a test spoils.
class Kernels {
public:
    Kernels() {
        const char *const kernels = std::getenv("GAUZE_KERNELS");
        REQUIRE_MESSAGE(kernels, "GAUZE_KERNELS is not set");
        fs::copy(kernels, path(), fs::copy_options::recursive);
    }
    std::string path() const { return directory_ / "cl"; }

    void replace(const std::string &file, const std::string &part, const std::string &by) const {
        std::string text = read_bytes(path() + "/" + file);
        const std::size_t at = text.find(part);
        REQUIRE(at != std::string::npos);
        write_bytes(path() + "/" + file, text.replace(at, part.size(), by));
    }

private:
    TestDirectory directory_;
};

// The line of a tuning file that has both parts, "" if none has.
std::string line_with(const std::string &text, const std::string &part, const std::string &other) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        if (contains(line, part) && contains(line, other))
            return line;
        begin = end + 1;
    }
    return "";
}

std::vector<std::string> searched(TuneSearch &search, const std::vector<double> &ratios) {
    std::vector<std::string> order;
    for (const double ratio : ratios) {
        const auto next = search.next();
        if (!next)
            break;
        order.push_back(*next);
        if (ratio > 0)
            search.measured(*next, ratio);
        else
            search.bad(*next);
    }
    return order;
}

} // namespace

TEST_CASE("tune: other kernels, and what is next to the fastest, in turn") {
    TuneSearch search({"a:X=1,Y=1", "b:Z=1", "c:Z=1", "a:X=1,Y=2", "a:X=2,Y=1", "a:X=2,Y=2",
                       "b:Z=2", "b:Z=3", "c:Z=2"});
    using Names = std::vector<std::string>;
    // b is the fastest, a comes near it, c does not. The neighbours of b are slow, or bad.
    CHECK(searched(search, {1.1, 0.8, 1.5, 2.0, -1}) ==
          Names{"a:X=1,Y=2", "b:Z=1", "b:Z=2", "c:Z=1", "b:Z=3"});
    CHECK(search.best() == "b:Z=1");
    // a:X=2,Y=1 becomes the best, and then what is next to it is tried.
    CHECK(searched(search, {0.5, 0.4, 0.7}) == Names{"a:X=2,Y=1", "a:X=2,Y=2"});
    CHECK(search.best() == "a:X=2,Y=2");
    CHECK(search.best_ratio() == 0.4);
    CHECK(search.measured_count() == 8); // all but c:Z=2
    CHECK_FALSE(search.next().has_value());
    CHECK(differing_values("a:X=1,Y=2", "a:X=2,Y=1") == 2);
    CHECK(differing_values("a:X=1", "b:X=1") == -1);
}

TEST_CASE("tune: what earlier results choose is measured first") {
    const std::vector<std::string> candidates{"a:X=1", "b:Z=1", "a:X=2", "b:Z=2"};
    CHECK(TuneSearch(candidates, "b:Z=2").next() == "b:Z=2");
    for (const char *known : {"", "a:X=1", "a:X=7"})
        CHECK(TuneSearch(candidates, known).next() == "a:X=2");
    // Then what is next to it; a is far behind.
    TuneSearch search(candidates, "b:Z=2");
    CHECK(searched(search, {0.5, 0.7}) == std::vector<std::string>{"b:Z=2", "b:Z=1"});
    CHECK(search.best() == "b:Z=2");
    CHECK_FALSE(search.next().has_value());
}

TEST_CASE("tune: what it finds is in the file, and decides") {
    const TestDirectory directory;
    const std::string file = directory / "results/tuning.txt";
    const Outcome tuned = gauze_command({"tune", "sat", "--sizes", "small", "--type", "u8",
                                         "--budget", "6", "--timeout", "600", "--file", file});
    INFO(tuned.err);
    INFO(tuned.out);
    REQUIRE(tuned.code == 0);
    CHECK(
        contains(tuned.out, "results to " + std::filesystem::path(file).make_preferred().string()));
    CHECK(contains(tuned.out, "sat u8-u32 small: sat_"));
    CHECK(contains(tuned.out, "1 of 1 problems"));
    CHECK(tuned.err.empty()); // no terminal, no progress bar
    const std::string text = read_bytes(file);
    CHECK_FALSE(line_with(text, "problem=sat u8-u32 small", "ratio=1\t").empty());
    const std::string setting = "GAUZE_TUNING_FILE=" + file;
    const Outcome devices = gauze_command({"devices"}, {setting});
    CHECK(contains(devices.out, "the user's own: 1 problem"));
    CHECK(
        contains(gauze_command({"devices", "--json"}, {setting}).out, "the user's own: 1 problem"));
}

TEST_CASE("tune: by which method Gaussians are computed") {
    const TestDirectory directory;
    const std::string file = directory / "tuning.txt";
    const Outcome tuned = gauze_command({"tune", "methods", "--sizes", "small", "--type", "f32",
                                         "--budget", "12", "--timeout", "600", "--file", file});
    INFO(tuned.err);
    INFO(tuned.out);
    REQUIRE(tuned.code == 0);
    CHECK(contains(tuned.out, " of 41 problems"));
    CHECK_FALSE(contains(tuned.out, "bad"));
    CHECK_FALSE(contains(tuned.out, "left out"));
    CHECK_FALSE(contains(tuned.out, "given up"));
    // The machine decides how many it comes to, and which of them are too slow to be timed.
    const std::string text = read_bytes(file);
    const std::string problem = "problem=gaussian taps";
    CHECK_FALSE(line_with(text, problem, "kernel=fir\t").empty());
    CHECK_FALSE(line_with(text, problem, "kernel=recursive\t").empty());
    CHECK_FALSE(line_with(text, problem, "ratio=1\t").empty());
}

TEST_CASE("tune: volumes") {
    const TestDirectory directory;
    const Outcome tuned =
        gauze_command({"tune", "volume", "--sizes", "small", "--type", "u8", "--budget", "5",
                       "--timeout", "600", "--file", directory / "tuning.txt"});
    INFO(tuned.err);
    INFO(tuned.out);
    REQUIRE(tuned.code == 0);
    // The machine decides how many it tries; the first ones are right.
    CHECK(contains(tuned.out, "volume taps<=3 u8 small: volume_strips:BAND="));
    CHECK(contains(tuned.out, " of 7 problems"));
    CHECK_FALSE(contains(tuned.out, "bad"));
    CHECK_FALSE(contains(tuned.out, "left out"));
}

TEST_CASE("tune: bilateral filters, both steps of guided ones, and non-local means") {
    struct Tuned {
        const char *filter;
        std::vector<std::string> problems; // in their order
    };
    for (const Tuned &tuned : {Tuned{"bilateral",
                                     {"bilateral pixels<=25 f32 small: bilateral_",
                                      "bilateral pixels<=81 f32 small: bilateral_",
                                      "bilateral pixels<=225 f32 small: bilateral_"}},
                               Tuned{"guided",
                                     {"guided slopes own f32 small taps<=63: guided_",
                                      "guided results own f32 small taps<=63: guided_"}},
                               Tuned{"nlm", {"nlm patch7 window<=21 f32 small: nlm_"}}}) {
        const TestDirectory directory;
        const std::string file = directory / "tuning.txt";
        const Outcome outcome =
            gauze_command({"tune", tuned.filter, "--sizes", "small", "--type", "f32", "--budget",
                           "5", "--timeout", "600", "--file", file});
        INFO(outcome.err);
        INFO(outcome.out);
        REQUIRE(outcome.code == 0);
        const std::string of_all = " of " + std::to_string(tuned.problems.size()) + " problems";
        CHECK(contains(outcome.out, of_all));
        CHECK_FALSE(contains(outcome.out, "bad"));
        CHECK_FALSE(contains(outcome.out, "left out"));
        // The first problem is always begun; how many others there is time for depends on the machine.
        for (std::size_t i = 0; i < tuned.problems.size(); ++i) {
            if (i > 0 && contains(outcome.out, std::to_string(i) + of_all))
                break;
            CHECK(contains(outcome.out, tuned.problems[i]));
        }
        const Outcome plan = gauze_command({"devices"}, {"GAUZE_TUNING_FILE=" + file});
        CHECK(contains(plan.out, "the user's own: "));
    }
}

TEST_CASE("tune: SSIMULACRA 2, with kernels that are wrong or do not compile") {
    const Kernels kernels;
    const std::string load = "LOAD(from + i * CHANNELS + c)";
    kernels.replace("ssimulacra2/xyb_strips.cl", load, load + " * (STRIP == 1024 ? 0.75f : 1.0f)");
    kernels.replace("ssimulacra2/ssimulacra2_tiled.cl", "#define REAL",
                    "#error not this one\n#define REAL");
    kernels.replace("ssimulacra2/ssimulacra2_strips.cl", "#define VECTORS",
                    "#if STRIP != 128\n#error nor this one\n#endif\n#define VECTORS");
    const TestDirectory directory;
    const std::string file = directory / "tuning.txt";
    const Outcome tuned =
        gauze_command({"tune", "ssimulacra2", "--sizes", "small", "--type", "u8,f32", "--budget",
                       "600", "--timeout", "600", "--file", file},
                      {"GAUZE_CL_DIR=" + kernels.path()});
    INFO(tuned.err);
    INFO(tuned.out);
    REQUIRE(tuned.code == 0);
    CHECK(contains(tuned.out, "xyb channels=3 u8 small: xyb_"));
    CHECK(contains(tuned.out, "ssimulacra2 small: ssimulacra2_strips:"));
    CHECK(contains(tuned.out, "2 of 2 problems"));
    const std::string text = read_bytes(file);
    CHECK(contains(line_with(text, "xyb_strips", "config=STRIP=1024\t"), "bad=wrong: scores "));
    CHECK(contains(line_with(text, "ssimulacra2_tiled", "config="), "did not compile"));
    CHECK_FALSE(line_with(text, "ssimulacra2_strips", "\tbad=\t").empty());
}

TEST_CASE("tune: what is wrong, crashes or hangs is bad, and never chosen") {
    const Kernels kernels;
    const std::string place = "    int y = FIRST_ROW(g) + band * BAND;\n";
    kernels.replace("sat/sat_strips.cl", place,
                    place +
                        "#if BAND == 16\n    volatile int spins = 1;\n    while (spins) {\n    }\n"
                        "#elif BAND == 256\n    *(__global volatile int *)8 = 1;\n#endif\n");
    kernels.replace("sat/sat_plain.cl", "sum += columns[x];", "sum += columns[x] + (x == 40);");
    const TestDirectory directory;
    const std::string file = directory / "tuning.txt";
    const std::string setting = "GAUZE_CL_DIR=" + kernels.path();
    const Outcome tuned = gauze_command({"tune", "sat", "--sizes", "small", "--type", "u8",
                                         "--budget", "600", "--timeout", "15", "--file", file},
                                        {setting});
    INFO(tuned.err);
    INFO(tuned.out);
    REQUIRE(tuned.code == 0);
    const std::string text = read_bytes(file);
    CHECK(
        contains(line_with(text, "sat_strips", "config=BAND=16\t"), "it did not end within 15 s"));
    CHECK(contains(line_with(text, "sat_strips", "config=BAND=256\t"), crashed));
    CHECK(contains(line_with(text, "sat_plain", "bad=wrong: "), "bound 0.5"));
    CHECK(contains(tuned.out, "sat_strips:BAND=256 is bad: "));
    // The edited source makes all of these bad.
    for (const char *kernel : {"sat_strips", "sat_plain", "sat_tiled", "sat_gather"})
        CHECK_FALSE(contains(line_with(text, kernel, "\tbad=\t"), "BAND=16\t"));
    CHECK_FALSE(line_with(text, "sat_strips", "config=BAND=64\t").empty());
}

TEST_CASE("tune: what is faster on one image of a class alone is not the faster one") {
    const Kernels kernels;
    const std::string place = "    int y = FIRST_ROW(g) + band * BAND;\n";
    // Bands of 16 rows are many times as fast on the image that is searched, and as slow on all others.
    kernels.replace("sat/sat_strips.cl", place,
                    place + "    if ((SUMMED_VALUES(g) == 512) != (BAND == 16))\n"
                            "        for (volatile int i = 0; i < 200000; ++i)\n"
                            "            ;\n");
    const TestDirectory directory;
    const std::string file = directory / "tuning.txt";
    const Outcome tuned = gauze_command({"tune", "sat", "--sizes", "small", "--type", "u8",
                                         "--budget", "600", "--timeout", "600", "--file", file},
                                        {"GAUZE_CL_DIR=" + kernels.path()});
    INFO(tuned.err);
    INFO(tuned.out);
    REQUIRE(tuned.code == 0);
    const std::string line = line_with(read_bytes(file), "sat_strips", "config=BAND=16\t");
    INFO(line);
    const std::string name = "\tratio=";
    REQUIRE(contains(line, name));
    CHECK(std::stod(line.substr(line.find(name) + name.size())) > 1);
}

TEST_CASE(
    "tune: a kernel for pixels of several components alone has cases that it can be measured in") {
    Conversation worker(std::getenv("GAUZE_COMMAND"), {"tune", "--worker", "--device", ""},
                        Conversation::Errors::dropped);
    std::string answer;
    for (int index = 0; answer != "ready"; ++index) {
        INFO(answer);
        worker.say("case f32 correlate_planar " + std::to_string(index) + " 512 0 1");
        REQUIRE(worker.hear(answer, 60) == Conversation::Heard::line);
    }
}

#ifndef _WIN32 // which has no such signals
TEST_CASE("tune: interrupted, it keeps what it has") {
    const TestDirectory directory;
    const std::string file = directory / "tuning.txt";
    const char *const command = std::getenv("GAUZE_COMMAND");
    REQUIRE(command);
    const Outcome tuned = run_program(
        "/usr/bin/timeout", {"--foreground", "--preserve-status", "-s", "INT", "5", command, "tune",
                             "sat", "box", "--sizes", "small", "--budget", "600", "--file", file});
    CHECK(tuned.code == 130);
    CHECK(contains(tuned.out, "interrupted after "));
    if (fs::exists(file)) // a slow machine may have measured nothing yet
        for (const std::string &line : {read_bytes(file)})
            CHECK(line.ends_with('\n'));
}
#endif

TEST_CASE("tune: processes that share a file and a cache") {
    const TestDirectory directory;
    const std::string file = directory / "tuning.txt";
    const std::string cache = directory / "cache";
    const std::vector<std::string> filters{"sat", "box", "separable"};
    std::vector<std::future<Outcome>> tuned;
    for (const std::string &filter : filters)
        tuned.push_back(std::async(std::launch::async, [&, filter] {
            return gauze_command({"tune", filter, "--type", "u8", "--sizes", "small", "--budget",
                                  "5", "--file", file},
                                 {"GAUZE_CACHE_DIR=" + cache});
        }));
    for (std::future<Outcome> &each : tuned)
        CHECK(each.get().code == 0);
    const Outcome devices = gauze_command({"devices"}, {"GAUZE_TUNING_FILE=" + file});
    CHECK(contains(devices.out, "the user's own: "));
    CHECK_FALSE(contains(devices.err, "damaged"));
    CHECK_FALSE(line_with(read_bytes(file), "sat u8-u32 small", "kernel=sat_").empty());
    const Outcome cached = gauze_command({"cache", "info"}, {"GAUZE_CACHE_DIR=" + cache});
    CHECK(cached.code == 0);
}

TEST_CASE("tune: bad usage") {
    const auto refused = [](const Arguments &arguments, const std::string &part,
                            const Arguments &environment = {}) {
        const Outcome outcome = gauze_command(arguments, environment);
        INFO(outcome.err);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.err, part));
        CHECK(line_count(outcome.err) == 1);
    };
    refused({"tune", "paint"}, "nothing is tuned for 'paint', only for separable, correlate");
    refused({"tune", "--sizes", "huge"}, "'huge' is not one of large, medium, small");
    refused({"tune", "--type", "u3"}, "u3");
    for (const char *seconds : {"-1", "0", "nan", "inf", "-inf", "1e7"}) {
        refused({"tune", "--budget", seconds}, "--budget: ");
        refused({"tune", "--timeout", seconds}, "--timeout: ");
    }
    // A list is one argument: what follows it is a filter.
    refused({"tune", "--sizes", "small", "paint"}, "nothing is tuned for 'paint'");
    refused({"tune", "--sizes", "small,medium", "paint"}, "nothing is tuned for 'paint'");
    refused({"tune", "--type", "u8", "paint"}, "nothing is tuned for 'paint'");
    refused({"tune", "--type", "u8,f32", "box", "paint"}, "nothing is tuned for 'paint'");
    refused({"tune", "--sizes", "small,huge", "box"}, "'huge' is not one of large, medium, small");
    refused({"tune", "sat"}, "no tuning file", {"GAUZE_TUNING_FILE=off"});
}
