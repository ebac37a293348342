// What was measured of kernels: the user's own results, in a file that processes may share, and those
// that come with the library.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/facts.hpp"
#include "device/log.hpp"
#include "device/source.hpp"

namespace gz {

// The tuning file: asked, else GAUZE_TUNING_FILE, else tuning.txt in the user's directory of
// configurations. "": none, by "off" or where nothing says where it is.
std::string tuning_file(const std::string &asked);

// One measurement: a configuration of a kernel on a class of problems on a device.
struct TuningRecord {
    std::string kernel, spec_hash;
    std::string vendor, architecture, device, driver, device_class;
    std::string problem, config;
    double time_ms = 0.0;
    double ratio = 1.0; // to the time of what the library takes without any results
    std::string bad;    // why it is never to be taken; "" where it is not

    bool is_of(const DeviceFacts &facts) const {
        return vendor == facts.vendor && device == facts.name;
    }
};

// One line without its end; and back, nothing where any of it is damaged.
std::string to_line(const TuningRecord &record);
std::optional<TuningRecord> read_record(std::string_view line);

// The records of a text, one a line; lines that start with # are left out. damaged: how many were.
struct TuningText {
    std::vector<TuningRecord> records;
    std::size_t damaged = 0;
};
// part: lines without it are not looked at.
TuningText read_records(std::string_view text, std::string_view part = "");

// The files of device/tuned/, which the library contains.
extern const EmbeddedFile embedded_tuning[];
extern const unsigned embedded_tuning_count;
std::vector<std::string_view> shipped_results();

// Whose measurement decides, best first.
enum class TuningLevel { user, device, architecture, vendor, device_class };

// Records as a device sees them. Safe to use from many threads, and processes. Nothing that is wrong
// with a file is an error to who reads: it is logged. For tests, the environment variable
// GAUZE_SHIPPED_FOR has the library's own results looked up as on a device of another architecture
// ("x86-avx512", "sm_90"), or not at all ("none").
class Tuning {
public:
    // path: of the user's file, "" for none. facts and sources live as long, and the texts of results
    // that came with the library do.
    Tuning(std::string path, const DeviceFacts &facts, const SourceTree &sources, Log log,
           std::vector<std::string_view> shipped = shipped_results());

    const std::string &path() const { return path_; }

    struct Result {
        TuningRecord record;
        TuningLevel level;
    };
    // Those that are not bad, best first.
    std::vector<Result> results(const std::string &problem) const;
    // What decided, for explain().
    std::string rule(const Result &result) const;

    // Why a configuration is not to be taken on this device; "" where nothing is known against it.
    // spec_hash: called where there is something, and it depends on that.
    std::string objection(const std::string &problem, const std::string &kernel,
                          const std::string &config,
                          const std::function<std::string()> &spec_hash) const;

    // Has a configuration refused from now on, in this engine, and the whole kernel when it was the
    // third of it: to try the others would take long. Whether it was not refused so far. why: as
    // objection() says it.
    bool demote(const std::string &kernel, const std::string &config, const std::string &why);

    // Whether the library's results know the device, or its architecture.
    bool knows_device() const;

    // The hash of a kernel, of its name, its tunables and what its .cl file expands to: a kernel that differs
    // in any of these has another hash. file: in cl/.
    std::string spec_hash(const std::string &file, const std::string &tunables) const;

    // Writes records of this device, whose fields of it are filled in, to the user's file, in place of
    // those of the same configurations. Of each problem the fastest few stay there, and all bad ones.
    // Throws Error where that cannot be.
    void add(std::vector<TuningRecord> records);

    // Where configurations come from on this device, in a line.
    std::string summary() const;

private:
    struct Known {
        std::multimap<std::string, Result> results; // by problem
        std::vector<TuningRecord> bad;
    };
    const Known &known() const;
    Known load() const;

    std::string path_;
    const DeviceFacts &facts_;
    const SourceTree &sources_;
    Log log_;
    std::vector<std::string_view> shipped_;
    mutable std::mutex mutex_;
    mutable std::optional<Known> known_;
    mutable std::map<std::string, std::string> hashes_; // by kernel
    std::map<std::string, std::string> demoted_; // why, by "kernel:config"; "kernel:" is all of it
};

} // namespace gz
