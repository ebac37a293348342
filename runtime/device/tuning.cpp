#include "device/tuning.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <span>
#include <tuple>

#include "core/error.hpp"
#include "device/environment.hpp"
#include "device/own_file.hpp"
#include "device/sha256.hpp"

namespace gz {

namespace {

constexpr std::string_view format = "gauze-tuning-1";
constexpr std::uint64_t max_file_bytes = std::uint64_t{16} << 20;
constexpr std::size_t kept_of_problem = 4;
constexpr char separator = '\t';
constexpr std::size_t check_digits = 8;
constexpr std::size_t hash_digits = 16;

std::string digest_of(std::string_view text, std::size_t digits) {
    return to_hex(sha256(std::as_bytes(std::span<const char>(text)))).substr(0, digits);
}

// Names of devices come from drivers.
std::string printable(const std::string &value) {
    std::string result = value;
    for (char &c : result)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    return result;
}

using Field = std::pair<const char *, std::string TuningRecord::*>;
constexpr std::array<Field, 10> text_fields{{{"kernel", &TuningRecord::kernel},
                                             {"spec", &TuningRecord::spec_hash},
                                             {"vendor", &TuningRecord::vendor},
                                             {"architecture", &TuningRecord::architecture},
                                             {"device", &TuningRecord::device},
                                             {"driver", &TuningRecord::driver},
                                             {"class", &TuningRecord::device_class},
                                             {"problem", &TuningRecord::problem},
                                             {"config", &TuningRecord::config},
                                             {"bad", &TuningRecord::bad}}};
using Number = std::pair<const char *, double TuningRecord::*>;
constexpr std::array<Number, 2> number_fields{
    {{"ms", &TuningRecord::time_ms}, {"ratio", &TuningRecord::ratio}}};

// The next field of a line, which becomes shorter.
std::string_view take_field(std::string_view &line) {
    const std::size_t end = std::min(line.find(separator), line.size());
    const std::string_view field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return field;
}

// The value of the next field, if it has the name.
std::optional<std::string_view> take_value(std::string_view &line, std::string_view name) {
    const std::string_view field = take_field(line);
    if (field.substr(0, name.size()) != name || field.size() <= name.size() ||
        field[name.size()] != '=')
        return std::nullopt;
    return field.substr(name.size() + 1);
}

std::string number_text(double value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                   std::chars_format::general, 5);
    return {digits.data(), end.ptr};
}

// The fields that identify a measurement: records with equal keys measure the same.
auto key_of(const TuningRecord &record) {
    return std::tie(record.vendor, record.device, record.driver, record.problem, record.kernel,
                    record.config);
}

auto problem_of(const TuningRecord &record) {
    return std::tie(record.vendor, record.device, record.driver, record.problem);
}

bool is_less(const TuningRecord &a, const TuningRecord &b) {
    if (problem_of(a) != problem_of(b))
        return problem_of(a) < problem_of(b);
    return std::tuple(!a.bad.empty(), a.ratio, key_of(a)) <
           std::tuple(!b.bad.empty(), b.ratio, key_of(b));
}

// Returns the fastest few records of each problem and all bad ones, in order.
std::vector<TuningRecord> thinned(std::vector<TuningRecord> records) {
    std::sort(records.begin(), records.end(), is_less);
    std::vector<TuningRecord> kept;
    std::size_t of_problem = 0;
    for (TuningRecord &record : records) {
        if (kept.empty() || problem_of(kept.back()) != problem_of(record))
            of_problem = 0;
        if (record.bad.empty() && ++of_problem > kept_of_problem)
            continue;
        kept.push_back(std::move(record));
    }
    return kept;
}

std::string text_of(const std::vector<TuningRecord> &records) {
    std::string result =
        "# `gauze tune` measured these records, one a line. Lines that are damaged are "
        "left out.\n";
    for (const TuningRecord &record : records)
        result += to_line(record) + "\n";
    return result;
}

// Returns the text of a file, "" where there is none.
std::string text_of_file(const std::string &path) {
    const system::Descriptor file = system::open_file(path);
    const int error = system::last_error();
    if (!file.is_open() && system::says_missing(error))
        return "";
    require(file.is_open(), "it cannot be opened: ", system::text_of(error));
    const std::vector<std::byte> bytes = read_own_file(file, max_file_bytes);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string count_of(std::size_t count, const char *what) {
    return text(count, " ", what, count == 1 ? "" : "s");
}

// Names of a device by which the library's results are looked up.
struct LookedUpAs {
    std::string vendor, name, architecture, device_class;
};

// Returns the level at which a record of the library counts on the device.
std::optional<TuningLevel> level_of(const TuningRecord &record, const LookedUpAs &device) {
    if (record.vendor == device.vendor && record.device == device.name)
        return TuningLevel::device;
    // A vendor's CPUs and GPUs have no preferences in common.
    if (record.device_class != device.device_class)
        return std::nullopt;
    if (!device.architecture.empty() && record.architecture == device.architecture)
        return TuningLevel::architecture;
    return record.vendor == device.vendor ? TuningLevel::vendor : TuningLevel::device_class;
}

// Returns some device of an architecture that has results, of the same class if there is one; `device` where there are
// none.
LookedUpAs pretended(const std::string &architecture, LookedUpAs device,
                     const std::vector<std::string_view> &shipped) {
    const std::string part = text(separator, "architecture=", architecture, separator);
    std::vector<TuningRecord> found;
    for (const std::string_view results : shipped)
        for (TuningRecord &record : read_records(results, part).records)
            found.push_back(std::move(record));
    const auto same = std::find_if(found.begin(), found.end(), [&](const TuningRecord &record) {
        return record.device_class == device.device_class;
    });
    if (!found.empty()) {
        const TuningRecord &any = same == found.end() ? found.front() : *same;
        return {any.vendor, "another " + any.device, architecture, any.device_class};
    }
    device.architecture = architecture;
    return device;
}

} // namespace

std::string tuning_file(const std::string &asked) {
    const std::string path = or_environment(asked, "GAUZE_TUNING_FILE");
    if (path == "off")
        return "";
    if (!path.empty())
        return system::absolute(path);
    const std::string directory = system::user_directory(system::UserDirectory::settings);
    return directory.empty() ? "" : directory + system::separators.back() + "tuning.txt";
}

std::string to_line(const TuningRecord &record) {
    std::string line(format);
    for (const auto &[name, member] : text_fields)
        line += text(separator, name, '=', printable(record.*member));
    for (const auto &[name, member] : number_fields)
        line += text(separator, name, '=', number_text(record.*member));
    return line + text(separator, "check=", digest_of(line, check_digits));
}

std::optional<TuningRecord> read_record(std::string_view line) {
    const std::size_t last = line.rfind(separator);
    if (last == std::string_view::npos)
        return std::nullopt;
    std::string_view checked = line.substr(0, last);
    std::string_view rest = line.substr(last + 1);
    if (take_value(rest, "check") != digest_of(checked, check_digits) ||
        take_field(checked) != format)
        return std::nullopt;
    TuningRecord record;
    for (const auto &[name, member] : text_fields) {
        const auto value = take_value(checked, name);
        if (!value)
            return std::nullopt;
        record.*member = *value;
    }
    for (const auto &[name, member] : number_fields) {
        const auto value = take_value(checked, name);
        if (!value)
            return std::nullopt;
        const auto read =
            std::from_chars(value->data(), value->data() + value->size(), record.*member);
        if (read.ec != std::errc() || read.ptr != value->data() + value->size() ||
            !std::isfinite(record.*member) || record.*member < 0.0)
            return std::nullopt;
    }
    return record;
}

TuningText read_records(std::string_view text, std::string_view part) {
    TuningText result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#' || line.find(part) == std::string_view::npos)
            continue;
        if (std::optional<TuningRecord> record = read_record(line))
            result.records.push_back(std::move(*record));
        else
            ++result.damaged;
    }
    return result;
}

std::vector<std::string_view> shipped_results() {
    std::vector<std::string_view> texts;
    for (unsigned i = 0; i < embedded_tuning_count; ++i)
        texts.push_back(embedded_tuning[i].text);
    return texts;
}

Tuning::Tuning(std::string path, const DeviceFacts &facts, const SourceTree &sources, Log log,
               std::vector<std::string_view> shipped)
    : path_(std::move(path)), facts_(facts), sources_(sources), log_(log),
      shipped_(std::move(shipped)) {}

Tuning::Known Tuning::load() const {
    Known known;
    const auto take = [&](TuningRecord &record, TuningLevel level) {
        const std::string problem = record.problem;
        if (record.bad.empty())
            known.results.emplace(problem, Result{std::move(record), level});
        // Another driver may run what this one could not.
        else if (record.is_of(facts_) && record.driver == facts_.driver)
            known.bad.push_back(std::move(record));
    };
    if (!path_.empty()) {
        try {
            TuningText own = read_records(text_of_file(path_));
            if (own.damaged > 0)
                log_(GAUZE_LOG_WARNING,
                     text("the tuning file ", path_, " has ", count_of(own.damaged, "damaged line"),
                          ", which are left out"));
            for (TuningRecord &record : own.records)
                if (record.is_of(facts_))
                    take(record, TuningLevel::user);
        } catch (const Error &error) {
            log_(GAUZE_LOG_WARNING,
                 text("the tuning file ", path_, " is not used: ", error.what()));
        }
    }
    LookedUpAs device{facts_.vendor, facts_.name, facts_.architecture,
                      name_of(facts_.device_class)};
    const std::string architecture = environment("GAUZE_SHIPPED_FOR");
    if (architecture == "none")
        return known;
    if (!architecture.empty())
        device = pretended(architecture, std::move(device), shipped_);
    // Useless records are skipped first, as checksums take longer.
    const std::string of_class = text(separator, "class=", device.device_class, separator);
    for (const std::string_view results : shipped_) {
        TuningText shipped = read_records(results, of_class);
        if (shipped.damaged > 0)
            log_(GAUZE_LOG_WARNING, text("the library's own results have ",
                                         count_of(shipped.damaged, "damaged line")));
        for (TuningRecord &record : shipped.records)
            if (const auto level = level_of(record, device))
                take(record, *level);
    }
    return known;
}

const Tuning::Known &Tuning::known() const {
    if (!known_)
        known_ = load();
    return *known_;
}

std::vector<Tuning::Result> Tuning::results(const std::string &problem) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [begin, end] = known().results.equal_range(problem);
    std::vector<Result> found;
    for (auto i = begin; i != end; ++i)
        found.push_back(i->second);
    // Among results of several devices the order means nothing, but it must be fixed.
    std::sort(found.begin(), found.end(), [&](const Result &a, const Result &b) {
        return std::tuple(a.level, a.record.driver != facts_.driver, a.record.ratio,
                          key_of(a.record)) < std::tuple(b.level, b.record.driver != facts_.driver,
                                                         b.record.ratio, key_of(b.record));
    });
    return found;
}

std::string Tuning::rule(const Result &result) const {
    const TuningRecord &record = result.record;
    const auto from = [&]() -> std::string {
        switch (result.level) {
        case TuningLevel::user:
            return "tuned on this device, by " + path_;
        case TuningLevel::device:
            return "shipped result for " + record.device;
        case TuningLevel::architecture:
            return text("shipped result for architecture ", record.architecture, ", of ",
                        record.device);
        case TuningLevel::vendor:
            return text("shipped result for vendor ", record.vendor, ", of ", record.device);
        case TuningLevel::device_class:
            return text("shipped result for class ", record.device_class, ", of ", record.device);
        }
        return "";
    };
    const bool other_driver = record.is_of(facts_) && record.driver != facts_.driver;
    return text(from(), other_driver ? " with driver " + record.driver : "", " (",
                number_text(record.ratio), " of the default's time on ", record.problem, ")");
}

std::string Tuning::objection(const std::string &problem, const std::string &kernel,
                              const std::string &config,
                              const std::function<std::string()> &spec_hash) const {
    std::vector<TuningRecord> against;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const std::string &known_as : {kernel + ":" + config, kernel + ":"})
            if (const auto demoted = demoted_.find(known_as); demoted != demoted_.end())
                return demoted->second;
        for (const TuningRecord &record : known().bad)
            if (record.problem == problem && record.kernel == kernel && record.config == config)
                against.push_back(record);
    }
    for (const TuningRecord &record : against)
        if (record.spec_hash == spec_hash())
            return "found bad on this device: " + record.bad;
    return "";
}

bool Tuning::demote(const std::string &kernel, const std::string &config, const std::string &why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    constexpr std::ptrdiff_t most = 3;
    const std::string all = kernel + ":";
    if (!demoted_.emplace(all + config, why).second)
        return false;
    if (std::count_if(demoted_.begin(), demoted_.end(), [&](const auto &demoted) {
            return demoted.first.rfind(all, 0) == 0;
        }) == most)
        demoted_.emplace(all, text("three configurations are as bad; the last ", why));
    return true;
}

bool Tuning::knows_device() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto release = [](const std::string &driver) {
        return driver.substr(0, driver.find_first_not_of("0123456789."));
    };
    const auto is_of_device = [](const auto &result) {
        const TuningLevel level = result.second.level;
        return level == TuningLevel::device || level == TuningLevel::architecture;
    };
    const auto is_of_driver = [&](const auto &result) {
        const TuningRecord &record = result.second.record;
        return !facts_.is_cpu() || record.device_class != name_of(facts_.device_class) ||
               release(record.driver) == release(facts_.driver);
    };
    const auto &results = known().results;
    return std::any_of(results.begin(), results.end(), is_of_device) &&
           std::any_of(results.begin(), results.end(), is_of_driver);
}

std::string Tuning::spec_hash(const std::string &file, const std::string &tunables) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string &hash = hashes_[file];
    if (hash.empty()) {
        try {
            // The folder that a kernel's file lies in does not count.
            const std::string name = file.substr(file.find_last_of('/') + 1);
            const std::string kernel = name.substr(0, name.find_last_of('.'));
            std::string source = sources_.expand(file);
            const std::string place = "\"" + file + "\"";
            const std::string same = "\"" + name + "\"";
            for (std::size_t at = 0; (at = source.find(place, at)) != std::string::npos;
                 at += same.size())
                source.replace(at, place.size(), same);
            hash = digest_of(kernel + "\n" + tunables + "\n" + source, hash_digits);
        } catch (const Error &error) {
            // The caller that compiles it will get the error.
            log_(GAUZE_LOG_DEBUG, error.what());
            hash = "unknown";
        }
    }
    return hash;
}

void Tuning::add(std::vector<TuningRecord> records) {
    if (path_.empty())
        fail(Status::unsupported, "there is no tuning file: GAUZE_TUNING_FILE or HOME names one");
    const std::lock_guard<std::mutex> guard(mutex_);
    const std::string directory = parent_of(path_);
    try {
        make_directories(directory);
    } catch (const Error &error) {
        fail(error.status(), "the tuning file's directory ", directory,
             " is not there: ", error.what());
    }
    const FileLock lock(path_);

    std::vector<TuningRecord> all;
    std::set<std::string> replaced;
    const auto name_of_key = [](const TuningRecord &record) {
        return text(record.problem, separator, record.kernel, separator, record.config);
    };
    for (TuningRecord &record : records) {
        record.vendor = printable(facts_.vendor);
        record.architecture = facts_.architecture;
        record.device = printable(facts_.name);
        record.driver = printable(facts_.driver);
        record.device_class = name_of(facts_.device_class);
        replaced.insert(name_of_key(record));
        all.push_back(std::move(record));
    }
    try {
        for (TuningRecord &record : read_records(text_of_file(path_)).records)
            if (!record.is_of(facts_) || record.driver != facts_.driver ||
                replaced.count(name_of_key(record)) == 0)
                all.push_back(std::move(record));
    } catch (const Error &error) {
        fail(error.status(), "the tuning file ", path_, " is not used: ", error.what());
    }

    const system::Directory in{system::open_directory(directory, system::Links::followed),
                               directory};
    const int error = system::last_error();
    require(in.descriptor.is_open(), directory, " cannot be opened: ", system::text_of(error));
    TemporaryFile file(in, "the tuning file");
    file.write(std::as_bytes(std::span<const char>(text_of(thinned(std::move(all))))));
    file.commit(path_.substr(path_.find_last_of(system::separators) + 1));
    known_.reset();
}

std::string Tuning::summary() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    constexpr std::size_t levels = 5;
    std::array<std::set<std::string>, levels> problems;
    for (const auto &[problem, result] : known().results)
        problems[static_cast<std::size_t>(result.level)].insert(problem);
    const std::array<std::string, levels> names{
        "the user's own", "shipped for the device",
        "shipped for architecture " + facts_.architecture, "shipped for vendor " + facts_.vendor,
        text("shipped for class ", name_of(facts_.device_class))};
    std::string line;
    for (std::size_t i = 0; i < levels; ++i)
        if (!problems[i].empty())
            line += text(names[i], ": ", count_of(problems[i].size(), "problem"), "; ");
    if (!known().bad.empty())
        line += text(count_of(known().bad.size(), "bad configuration"), "; ");
    return line + text("default of class ", name_of(facts_.device_class), ": ",
                       facts_.reason_of_defaults());
}

} // namespace gz
