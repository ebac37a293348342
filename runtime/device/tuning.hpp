// Measurements of kernels: the user's own results, in a file that processes may share, and the results that
// come with the library.
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

// Returns the tuning file: asked, else GAUZE_TUNING_FILE, else tuning.txt in the user's directory of
// configurations. "": no file, by "off" or where none of these names one.
std::string tuning_file(const std::string &asked);

// One measurement: a configuration of a kernel on a class of problems on a device.
struct TuningRecord {
    std::string kernel, spec_hash;
    std::string vendor, architecture, device, driver, device_class;
    std::string problem, config;
    double time_ms = 0.0;
    double ratio = 1.0; // ratio to the time of the library's choice without any results
    std::string bad;    // why it must never be taken; "" where it may

    bool is_of(const DeviceFacts &facts) const {
        return vendor == facts.vendor && device == facts.name;
    }
};

// Return a record as one line without its end, and the record of a line, or nothing where any of it is
// damaged.
std::string to_line(const TuningRecord &record);
std::optional<TuningRecord> read_record(std::string_view line);

// Returns the records of a text, one a line; lines that start with # are left out. damaged: receives how many
// were damaged.
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

// The level of the measurement that decides, best first.
enum class TuningLevel { user, device, architecture, vendor, device_class };

// Records as a device sees them. Safe to use from many threads, and processes. Errors in a file do not reach
// readers: they are logged. For tests, the environment variable GAUZE_SHIPPED_FOR has the library's own
// results looked up as on a device of another architecture ("x86-avx512", "sm_90"), or not at all ("none").
class Tuning {
public:
    // path: the user's file, "" for none. facts, sources and the texts of results that came with the library
    // must outlive this.
    Tuning(std::string path, const DeviceFacts &facts, const SourceTree &sources, Log log,
           std::vector<std::string_view> shipped = shipped_results());

    const std::string &path() const { return path_; }

    struct Result {
        TuningRecord record;
        TuningLevel level;
    };
    // Returns the results that are not bad, best first.
    std::vector<Result> results(const std::string &problem) const;
    // Returns the rule that decided, for explain().
    std::string rule(const Result &result) const;

    // Returns why a configuration must not be taken on this device; "" where nothing is known against it.
    // spec_hash: called where there is an objection that depends on it.
    std::string objection(const std::string &problem, const std::string &kernel,
                          const std::string &config,
                          const std::function<std::string()> &spec_hash) const;

    // Refuses a configuration from now on, in this engine, and the whole kernel with its third refused
    // configuration: trying the others would take long. Returns whether it was not refused so far. why: as
    // objection() returns it.
    bool demote(const std::string &kernel, const std::string &config, const std::string &why);

    // Whether the library's results know the device, or its architecture, and, where it is a CPU, the release of the
    // driver: another one has another compiler.
    bool knows_device() const;

    // Returns the hash of a kernel's name, its tunables and its expanded .cl file: a kernel that differs in
    // any of these has another hash. file: in cl/.
    std::string spec_hash(const std::string &file, const std::string &tunables) const;

    // Writes records of this device to the user's file and fills in their fields for it; they replace records
    // of the same configurations. The fastest few of each problem stay there, and all bad ones. Throws Error
    // where the file cannot be written.
    void add(std::vector<TuningRecord> records);

    // Says in one line where configurations come from on this device.
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
