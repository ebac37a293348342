// Results of measurements: their lines, the user's file, and whose result decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "core/error.hpp"
#include "device/tuning.hpp"
#include "support/unit.hpp"

namespace fs = std::filesystem;
using gz::DeviceClass;
using gz::DeviceFacts;
using gz::Tuning;
using gz::TuningLevel;
using gz::TuningRecord;
using support::EnvironmentVariable;
using support::LogLines;
using support::make_facts;
using support::TempDir;

namespace {

TuningRecord record(const std::string &problem, const std::string &config, double ratio) {
    TuningRecord result;
    result.kernel = "correlate_strips";
    result.spec_hash = "0123456789abcdef";
    result.problem = problem;
    result.config = config;
    result.time_ms = 12.5;
    result.ratio = ratio;
    return result;
}

// Returns the record as one of the device.
TuningRecord of_device(TuningRecord result, const DeviceFacts &facts) {
    result.vendor = facts.vendor;
    result.architecture = facts.architecture;
    result.device = facts.name;
    result.driver = facts.driver;
    result.device_class = gz::name_of(facts.device_class);
    return result;
}

DeviceFacts some_facts() {
    DeviceFacts facts = make_facts(DeviceClass::nvidia_gpu);
    facts.architecture = "sm_90";
    facts.driver = "580";
    return facts;
}

bool operator==(const TuningRecord &a, const TuningRecord &b) {
    return gz::to_line(a) == gz::to_line(b);
}

std::string text_of(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> configs_of(const Tuning &tuning, const std::string &problem) {
    std::vector<std::string> configs;
    for (const Tuning::Result &result : tuning.results(problem))
        configs.push_back(result.record.config);
    return configs;
}

using Configs = std::vector<std::string>;

const gz::SourceTree &sources() {
    static const gz::SourceTree tree("");
    return tree;
}

} // namespace

TEST_SUITE("tuning") {
#ifdef _WIN32
    TEST_CASE("where the file is") {
        const EnvironmentVariable own("GAUZE_TUNING_FILE", nullptr);
        const EnvironmentVariable local("LOCALAPPDATA", R"(C:\made\up)");
        CHECK(gz::tuning_file("") == R"(C:\made\up\gauze\tuning.txt)");
        CHECK(gz::tuning_file("D:/else/where") == R"(D:\else\where)");
        CHECK(gz::tuning_file("off").empty());
        CHECK(gz::tuning_file("here") == (fs::current_path() / "here").string());
        const EnvironmentVariable named("GAUZE_TUNING_FILE", R"(D:\named)");
        CHECK(gz::tuning_file("") == R"(D:\named)");
        const EnvironmentVariable nowhere("LOCALAPPDATA", nullptr);
        const EnvironmentVariable off("GAUZE_TUNING_FILE", "off");
        CHECK(gz::tuning_file("").empty());
    }
#else
    TEST_CASE("where the file is") {
        const EnvironmentVariable own("GAUZE_TUNING_FILE", nullptr);
        const EnvironmentVariable config("XDG_CONFIG_HOME", "/config/");
        const EnvironmentVariable home("HOME", "/home/somebody");
        CHECK(gz::tuning_file("") == "/config/gauze/tuning.txt");
        CHECK(gz::tuning_file("/else/where") == "/else/where");
        CHECK(gz::tuning_file("off").empty());
        CHECK(gz::tuning_file("here") == fs::current_path().string() + "/here");
        {
            const EnvironmentVariable named("GAUZE_TUNING_FILE", "/named");
            CHECK(gz::tuning_file("") == "/named");
            CHECK(gz::tuning_file("/asked") == "/asked");
        }
        {
            const EnvironmentVariable off("GAUZE_TUNING_FILE", "off");
            CHECK(gz::tuning_file("").empty());
        }
        const EnvironmentVariable relative("XDG_CONFIG_HOME", "config");
        CHECK(gz::tuning_file("") == "/home/somebody/.config/gauze/tuning.txt");
        const EnvironmentVariable homeless("HOME", nullptr);
        CHECK(gz::tuning_file("").empty());
    }
#endif

    TEST_CASE("a device is known by its architecture, and a CPU by its driver's release too") {
        const EnvironmentVariable own("GAUZE_SHIPPED_FOR", nullptr);
        LogLines log;
        const auto knows_with = [&](const DeviceFacts &facts, const DeviceFacts &measured) {
            const TuningRecord one = record("separable taps<=5 f32 large", "BAND=16", 0.875);
            const std::string line = gz::to_line(of_device(one, measured)) + "\n";
            return Tuning("", facts, sources(), log.log(), {line}).knows_device();
        };
        DeviceFacts measured = make_facts(DeviceClass::pocl_cpu);
        measured.architecture = "x86-avx2";
        measured.driver = "3.1+debian";
        const auto knows = [&](DeviceClass device_class, const char *architecture,
                               const char *driver) {
            DeviceFacts facts = make_facts(device_class);
            facts.name = "another";
            facts.architecture = architecture;
            facts.driver = driver;
            return knows_with(facts, measured);
        };
        CHECK(knows(DeviceClass::pocl_cpu, "x86-avx2", "3.1+debian"));
        CHECK(knows(DeviceClass::pocl_cpu, "x86-avx2", "3.1"));
        CHECK_FALSE(knows(DeviceClass::pocl_cpu, "x86-avx2", "3.10"));
        CHECK_FALSE(knows(DeviceClass::pocl_cpu, "x86-avx2", "6.0+debian"));
        CHECK_FALSE(knows(DeviceClass::pocl_cpu, "x86-avx512", "3.1+debian"));
        CHECK_FALSE(knows(DeviceClass::intel_cpu, "x86-avx2", "3.1+debian"));
        // A GPU's drivers have one compiler, more or less.
        DeviceFacts newer = some_facts();
        newer.driver = "590";
        CHECK(knows_with(newer, some_facts()));
    }

    TEST_CASE("a record is one line, and reads back") {
        TuningRecord one =
            of_device(record("separable taps<=5 f32 large", "BAND=16", 0.875), some_facts());
        const std::string line = gz::to_line(one);
        CHECK(line.find('\n') == std::string::npos);
        for (const char *part : {"made-up device", "sm_90", "580", "separable taps<=5 f32 large",
                                 "BAND=16", "ms=12.5", "ratio=0.875", "0123456789abcdef"})
            CHECK(line.find(part) != std::string::npos);
        REQUIRE(gz::read_record(line).has_value());
        CHECK(*gz::read_record(line) == one);

        one.bad = "its process was ended by signal 11";
        one.device = "a device\twith\nodd characters=";
        const auto odd = gz::read_record(gz::to_line(one));
        REQUIRE(odd.has_value());
        CHECK(odd->bad == one.bad);
        CHECK(odd->device == "a device with odd characters=");
    }

    TEST_CASE("no line with a changed, a missing or another byte is a record") {
        const std::string line = gz::to_line(of_device(record("sat f32", "A=1", 1), some_facts()));
        for (std::size_t i = 0; i < line.size(); ++i) {
            CAPTURE(i);
            for (const int bit : {0, 3, 6}) {
                std::string changed = line;
                changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
                REQUIRE_FALSE(gz::read_record(changed).has_value());
            }
            REQUIRE_FALSE(gz::read_record(line.substr(0, i)).has_value());
            REQUIRE_FALSE(gz::read_record(line + line[i]).has_value());
        }
        for (const char *no_line : {"", "\t", "check=", "gauze-tuning-1\tcheck=00000000", "\t\t\t"})
            CHECK_FALSE(gz::read_record(no_line).has_value());
    }

    TEST_CASE("damaged lines are left out with a warning, and the others count") {
        const TempDir directory;
        const DeviceFacts facts = some_facts();
        const std::string first = gz::to_line(of_device(record("p", "A=1", 0.5), facts));
        const std::string second = gz::to_line(of_device(record("p", "A=2", 0.25), facts));
        std::string damaged = first;
        damaged[30] = '#';
        directory.write("tuning.txt", "# a comment\n" + first + "\n\n" + damaged + "\nnonsense\n" +
                                          std::string("\0\xff", 2) + "\n" + second);
        support::let_nobody_else(directory.path() + "/tuning.txt");
        LogLines log;
        const Tuning tuning(directory.path() + "/tuning.txt", facts, sources(), log.log(), {});
        CHECK(configs_of(tuning, "p") == Configs{"A=2", "A=1"});
        CHECK(log.has(GAUZE_LOG_WARNING, "3 damaged lines"));
        CHECK(configs_of(tuning, "q").empty());
    }

    TEST_CASE("a file that is not there, or not to be trusted, is as if it were empty") {
        const TempDir directory;
        const DeviceFacts facts = some_facts();
        const std::string path = directory.path() + "/tuning.txt";
        LogLines log;
        CHECK(configs_of(Tuning(path, facts, sources(), log.log(), {}), "p").empty());
        CHECK_FALSE(log.has(GAUZE_LOG_WARNING, ""));
        directory.write("tuning.txt", gz::to_line(of_device(record("p", "A=1", 0.5), facts)));
        support::let_others_write(path);
        CHECK(configs_of(Tuning(path, facts, sources(), log.log(), {}), "p").empty());
        CHECK(log.has(GAUZE_LOG_WARNING, "may be written to by others"));
        support::let_nobody_else(path);
        CHECK(configs_of(Tuning(path, facts, sources(), log.log(), {}), "p") == Configs{"A=1"});
        CHECK(configs_of(Tuning(directory.path(), facts, sources(), log.log(), {}), "p").empty());
        CHECK(log.has(GAUZE_LOG_WARNING, "no regular file"));
        CHECK(configs_of(Tuning("", facts, sources(), log.log(), {}), "p").empty());
    }

    TEST_CASE("results that are added are there for others, the fastest few first") {
        const TempDir directory;
        const std::string path = directory.path() + "/new/directories/tuning.txt";
        const DeviceFacts facts = some_facts();
        Tuning tuning(path, facts, sources(), {}, {});
        CHECK(configs_of(tuning, "p").empty());
        for (int i = 0; i < 9; ++i)
            tuning.add({record("p", "A=" + std::to_string(i), 1.0 - 0.05 * i)});
        TuningRecord wrong = record("p", "A=100", 0.01);
        wrong.bad = "wrong";
        tuning.add({wrong, record("q", "A=1", 1)});
        CHECK(configs_of(tuning, "p") == Configs{"A=8", "A=7", "A=6", "A=5"});
        // Replaces the record of the same configuration.
        tuning.add({record("p", "A=8", 0.99)});
        const Tuning other(path, facts, sources(), {}, {});
        CHECK(configs_of(other, "p") == Configs{"A=7", "A=6", "A=5", "A=8"});
        CHECK(configs_of(other, "q") == Configs{"A=1"});
        CHECK(other.results("p")[0].level == TuningLevel::user);
        const auto hash = [] { return std::string("0123456789abcdef"); };
        CHECK(other.objection("p", "correlate_strips", "A=100", hash) ==
              "found bad on this device: wrong");
        CHECK(other.objection("p", "correlate_strips", "A=100", [] { return "another"; }).empty());
        CHECK(other.objection("q", "correlate_strips", "A=100", hash).empty());
        CHECK(other.objection("p", "correlate_strips", "A=1", hash).empty());

        CHECK(support::is_for_owner_alone(path));
        // No temporary file is left, only the lock.
        CHECK(std::distance(fs::directory_iterator(directory.path() + "/new/directories"),
                            fs::directory_iterator()) == 2);
        // Another device, another driver.
        DeviceFacts second = facts;
        second.name = "another device";
        CHECK(configs_of(Tuning(path, second, sources(), {}, {}), "p").empty());
        second = facts;
        second.driver = "590";
        Tuning updated(path, second, sources(), {}, {});
        CHECK(configs_of(updated, "p").size() == 4);
        CHECK(updated.rule(updated.results("p")[0]).find("with driver 580") != std::string::npos);
        CHECK(updated.objection("p", "correlate_strips", "A=100", hash).empty());
        // Results of this driver come first, however fast the other's were.
        updated.add({record("p", "A=50", 1.0)});
        CHECK(configs_of(updated, "p").front() == "A=50");
    }

    TEST_CASE("what cannot be written is an error that says so") {
        const DeviceFacts facts = some_facts();
        Tuning none("", facts, sources(), {}, {});
        support::check_refused(gz::Status::unsupported, {"there is no tuning file"},
                               [&] { none.add({record("p", "A=1", 1)}); });
        const TempDir directory;
        directory.write("file", "");
        Tuning nowhere(directory.path() + "/file/tuning.txt", facts, sources(), {}, {});
        support::check_refused(gz::Status::invalid_argument, {directory.path() + "/file"},
                               [&] { nowhere.add({record("p", "A=1", 1)}); });
        // A file that is not ours to replace stays as it is.
        directory.write("tuning.txt", "precious");
        const std::string path = directory.path() + "/tuning.txt";
        support::let_others_write(path);
        Tuning foreign(path, facts, sources(), {}, {});
        support::check_refused(gz::Status::invalid_argument, {path, "written to by others"},
                               [&] { foreign.add({record("p", "A=1", 1)}); });
        CHECK(text_of(path) == "precious");
    }

    TEST_CASE("processes and threads that write at once lose nothing") {
        const TempDir directory;
        const std::string path = directory.path() + "/tuning.txt";
        const DeviceFacts facts = some_facts();
        constexpr int writers = 4;
        constexpr int each = 12;
        const auto write = [&](int writer) {
            for (int i = 0; i < each; ++i)
                Tuning(path, facts, sources(), {}, {})
                    .add({record(gz::text("problem ", writer, ' ', i), "A=1", 0.5)});
        };
#ifndef _WIN32 // which has no fork: processes share a file in the tests of the command
        std::vector<pid_t> children;
        for (int i = 0; i < writers; ++i) {
            const pid_t child = fork();
            REQUIRE(child >= 0);
            if (child == 0) {
                write(i);
                _exit(0);
            }
            children.push_back(child);
        }
#endif
        std::vector<std::thread> threads;
        for (int i = 0; i < writers; ++i)
            threads.emplace_back(write, writers + i);
        for (std::thread &thread : threads)
            thread.join();
        int first = writers;
#ifndef _WIN32
        first = 0;
        for (const pid_t child : children) {
            int status = -1;
            REQUIRE(waitpid(child, &status, 0) == child);
            CHECK(status == 0);
        }
#endif
        const Tuning tuning(path, facts, sources(), {}, {});
        for (int writer = first; writer < 2 * writers; ++writer)
            for (int i = 0; i < each; ++i)
                REQUIRE(configs_of(tuning, gz::text("problem ", writer, ' ', i)).size() == 1);
        CHECK(gz::read_records(text_of(path)).damaged == 0);
    }

    TEST_CASE(
        "the user's results come first, then those of devices that are ever less like this one") {
        const TempDir directory;
        const DeviceFacts facts = some_facts();
        const auto shipped = [&](const std::string &config, const char *name, const char *vendor,
                                 const char *architecture, DeviceClass device_class) {
            DeviceFacts other = facts;
            other.name = name;
            other.vendor = vendor;
            other.architecture = architecture;
            other.device_class = device_class;
            return gz::to_line(of_device(record("p", config, 0.1), other)) + "\n";
        };
        const std::string vendor = facts.vendor;
        const std::string of_class =
            shipped("A=5", "x", "someone", "sm_1", DeviceClass::nvidia_gpu);
        const std::string of_vendor =
            shipped("A=4", "x", vendor.c_str(), "sm_2", DeviceClass::nvidia_gpu);
        const std::string of_architecture =
            shipped("A=3", "x", "someone", "sm_90", DeviceClass::nvidia_gpu);
        const std::string same = gz::to_line(of_device(record("p", "A=2", 0.9), facts)) + "\n";
        // Results of the vendor's other kinds of devices say nothing.
        const std::string foreign =
            shipped("A=6", "x", vendor.c_str(), "sm_90", DeviceClass::pocl_cpu);
        const std::string path = directory.path() + "/tuning.txt";
        const std::string first = foreign + of_class + of_vendor;
        const std::string second = of_architecture + same;
        Tuning tuning(path, facts, sources(), {}, {first, second});
        tuning.add({record("p", "A=1", 0.95)});
        const auto results = tuning.results("p");
        REQUIRE(results.size() == 5);
        const TuningLevel levels[] = {TuningLevel::user, TuningLevel::device,
                                      TuningLevel::architecture, TuningLevel::vendor,
                                      TuningLevel::device_class};
        const std::string rules[] = {
            "tuned on this device, by " + path, "shipped result for made-up device",
            "shipped result for architecture sm_90", "shipped result for vendor made-up vendor",
            "shipped result for class nvidia"};
        for (std::size_t i = 0; i < results.size(); ++i) {
            CHECK(results[i].record.config == "A=" + std::to_string(i + 1));
            CHECK(results[i].level == levels[i]);
            CHECK(tuning.rule(results[i]).find(rules[i]) == 0);
        }
        CHECK(tuning.rule(results[0]).find("0.95 of the default's time on p") != std::string::npos);
        const std::string summary = tuning.summary();
        for (const char *part :
             {"the user's own: 1 problem;", "shipped for the device: 1 problem;",
              "shipped for class nvidia: 1 problem;", "default of class nvidia: "})
            CHECK(summary.find(part) != std::string::npos);
        CHECK(summary.find('\n') == std::string::npos);
    }

    TEST_CASE("tests look shipped results up as on another device") {
        const auto line_of = [](const std::string &config, const char *architecture,
                                DeviceClass device_class) {
            DeviceFacts of = some_facts();
            of.name = std::string("a ") + architecture;
            of.vendor = std::string("maker of ") + architecture;
            of.architecture = architecture;
            of.device_class = device_class;
            return gz::to_line(of_device(record("p", config, 1), of)) + "\n";
        };
        const std::string lines = line_of("A=1", "x86-avx2", DeviceClass::pocl_cpu) +
                                  line_of("A=2", "x86-avx512", DeviceClass::pocl_cpu) +
                                  line_of("A=3", "sm_90", DeviceClass::nvidia_gpu);
        DeviceFacts facts = make_facts(DeviceClass::pocl_cpu);
        facts.architecture = "x86-avx2";
        const auto configs_as = [&](const char *architecture) {
            const EnvironmentVariable as("GAUZE_SHIPPED_FOR", architecture);
            return configs_of(Tuning("", facts, sources(), {}, {lines}), "p");
        };
        CHECK(configs_as(nullptr) == Configs{"A=1", "A=2"});
        CHECK(configs_as("x86-avx2") == Configs{"A=1", "A=2"});
        CHECK(configs_as("x86-avx512") == Configs{"A=2", "A=1"});
        CHECK(configs_as("sm_90") == Configs{"A=3"});
        CHECK(configs_as("x86-avx9").size() == 2); // of the class
        CHECK(configs_as("none").empty());
        const EnvironmentVariable as("GAUZE_SHIPPED_FOR", "x86-avx512");
        const Tuning tuning("", facts, sources(), {}, {lines});
        CHECK(tuning.results("p")[0].level == TuningLevel::architecture);
    }

    TEST_CASE("the hash of a kernel is that of its name, its tunables and its source") {
        const DeviceFacts facts = some_facts();
        const auto hash = [&](const gz::SourceTree &tree, const std::string &file,
                              const std::string &tunables) {
            return Tuning("", facts, tree, {}, {}).spec_hash(file, tunables);
        };
        const TempDir directory;
        directory.write("a.cl", "kernel void a() {}\n#include \"lib/b.clh\"\n");
        directory.write("lib/b.clh", "// b\n");
        directory.write("c.cl", "kernel void a() {}\n#include \"lib/b.clh\"\n");
        const gz::SourceTree tree(directory.path());
        const std::string one = hash(tree, "a.cl", "X=1|2");
        CHECK(one.size() == 16);
        CHECK(hash(tree, "a.cl", "X=1|2") == one);
        CHECK(hash(tree, "a.cl", "X=1|2|3") != one);
        CHECK(hash(tree, "c.cl", "X=1|2") != one);
        // The folder does not count.
        directory.write("family/a.cl", "kernel void a() {}\n#include \"lib/b.clh\"\n");
        CHECK(hash(tree, "family/a.cl", "X=1|2") == one);
        directory.write("lib/b.clh", "// B\n");
        CHECK(hash(tree, "a.cl", "X=1|2") != one);
        CHECK(hash(tree, "none.cl", "") == "unknown");
    }

    TEST_CASE("what comes with the library is whole") {
        for (const std::string_view text : gz::shipped_results()) {
            const gz::TuningText read = gz::read_records(text);
            CHECK(read.damaged == 0);
            CHECK_FALSE(read.records.empty());
        }
    }
}
