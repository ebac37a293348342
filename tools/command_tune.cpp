// `gauze tune`: measures what kernels could run each class of problems on a device, and keeps the
// fastest in the user's tuning file.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <gauze/gauze.hpp>
#include <gauze/gauze_tuning.hpp>

#include "arguments.hpp"
#include "bench_input.hpp"
#include "command.hpp"
#include "engine.hpp"
#include "input_error.hpp"
#include "progress.hpp"
#include "subprocess.hpp"
#include "system.hpp"
#include "tune_cases.hpp"
#include "tune_search.hpp"
#include "tune_worker.hpp"

namespace gauze::tool {
namespace {

struct TuneOptions {
    std::vector<std::string> filters;
    std::vector<std::string> types{"f32", "u8"};
    std::vector<std::string> sizes{"large", "medium", "small"};
    std::string device, file;
    double budget = 600;
    double timeout = 60;
    bool is_worker = false;
};

// One class of problems, to be tuned on samples of it.
struct Job {
    Type type;
    std::vector<TuneSample>
        samples;       // the first is searched, and the others decide as well what is faster
    Problem problem;   // of the first
    std::string known; // the candidate that the results of before choose; "" where that is not told
};

class Clock {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The outcome of a candidate.
struct Answer {
    enum class Kind { time, ready, bad, unfit, error, stopped } kind;
    std::string why{};
    double time_ms = 0, baseline_ms = 0, ratio = 0;
};

// Workers, one after the other, as they end.
class Workers {
public:
    // device: name of the one that is tuned.
    Workers(const TuneOptions &options, std::string device)
        : options_(options), device_(std::move(device)) {
        try {
            command_ = program_file();
        } catch (const std::system_error &error) {
            throw InputError("cannot find this program to start it again: " +
                             error.code().message());
        }
    }

    Answer begin(const Job &job, const std::string &baseline) {
        case_ = std::string("case ") + gauze::name_of(job.type) + " " + baseline;
        for (const TuneSample &sample : job.samples)
            for (const auto value : {static_cast<std::int64_t>(sample.index), sample.side,
                                     static_cast<std::int64_t>(sample.number),
                                     static_cast<std::int64_t>(sample.count)})
                case_ += " " + std::to_string(value);
        return ask(case_);
    }

    // After begin(): a new worker begins the case again.
    Answer measure(const std::string &candidate, double best_ratio) {
        if (!worker_)
            if (Answer ready = ask(case_); ready.kind != Answer::Kind::ready)
                return ready.kind == Answer::Kind::stopped ? ready
                                                           : Answer{Answer::Kind::error, ready.why};
        return ask("try " + text_of(best_ratio) + " " + candidate);
    }

private:
    Answer ask(const std::string &question) {
        if (!worker_) {
            worker_ = std::make_unique<Conversation>(
                command_, std::vector<std::string>{"tune", "--worker", "--device", options_.device},
                log_level() ? Conversation::Errors::shown : Conversation::Errors::dropped);
            // A device that serves one process at a time is out of its reach, and another would be measured.
            const Answer on = ask("device");
            if (on.kind == Answer::Kind::stopped)
                return on;
            if (on.kind != Answer::Kind::ready)
                return {Answer::Kind::error, "no process to measure in: " + on.why};
            if (on.why != device_)
                throw std::runtime_error("a process that measures got the device '" + on.why +
                                         "' in place of '" + device_ +
                                         "', which may serve one process at a time");
        }
        worker_->say(question);
        std::string line;
        switch (worker_->hear(line, options_.timeout)) {
        case Conversation::Heard::line:
            return answer_of(line);
        case Conversation::Heard::end: {
            const std::string how = worker_->end();
            worker_.reset();
            return {was_interrupted() ? Answer::Kind::stopped : Answer::Kind::bad, how};
        }
        case Conversation::Heard::nothing:
            break;
        }
        worker_.reset();
        return {was_interrupted() ? Answer::Kind::stopped : Answer::Kind::bad,
                "it did not end within " + text_of(options_.timeout) + " s"};
    }

    static Answer answer_of(const std::string &line) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        Answer answer{Answer::Kind::error};
        if (kind == "time") {
            answer.kind = Answer::Kind::time;
            words >> answer.time_ms >> answer.baseline_ms >> answer.ratio;
            return answer;
        }
        if (kind == "ready" || kind == "on")
            answer.kind = Answer::Kind::ready;
        else if (kind == "bad")
            answer.kind = Answer::Kind::bad;
        else if (kind == "unfit")
            answer.kind = Answer::Kind::unfit;
        std::getline(words >> std::ws, answer.why);
        return answer;
    }

    const TuneOptions &options_;
    const std::string device_;
    std::filesystem::path command_;
    std::unique_ptr<Conversation> worker_;
    std::string case_;
};

class Tuner {
public:
    Tuner(const TuneOptions &options, const std::string &device, std::vector<Job> jobs)
        : options_(options), jobs_(std::move(jobs)), workers_(options, device),
          progress_(options.budget) {}

    void run() {
        for (std::size_t i = 0; i < jobs_.size() && !is_over(); ++i) {
            // Time that a problem leaves goes to the others.
            const double left = options_.budget - clock_.seconds();
            deadline_ = clock_.seconds() + left / static_cast<double>(jobs_.size() - i);
            run(jobs_[i]);
            ++begun_;
        }
    }

    std::string summary() const {
        std::string text = std::to_string(begun_) + " of " + std::to_string(jobs_.size()) +
                           " problems, " + std::to_string(measured_) + " configurations in " +
                           clock_text(clock_.seconds());
        if (bad_ > 0)
            text += ", " + std::to_string(bad_) + " bad";
        return text;
    }

private:
    bool is_over() const { return was_interrupted() || clock_.seconds() >= options_.budget; }

    void show(const Job &job, const std::string &what) {
        const double now = clock_.seconds();
        progress_.begin(job.problem.name() + ": " + what, now - shown_);
        shown_ = now;
    }

    void keep(const Job &job, const TuningResult &result) {
        job.problem.add_results({result});
        ++(result.bad.empty() ? measured_ : bad_);
    }

    void note(const Job &job, const std::string &what) {
        progress_.clear();
        std::cout << job.problem.name() << ": " << what << std::endl;
    }

    void run(const Job &job) {
        std::vector<std::string> candidates = job.problem.candidates();
        // Where the default is bad the next kernel is what the others are compared with.
        while (!candidates.empty()) {
            show(job, candidates.front());
            const Answer ready = workers_.begin(job, candidates.front());
            if (ready.kind == Answer::Kind::ready)
                break;
            if (ready.kind == Answer::Kind::stopped)
                return;
            if (ready.kind != Answer::Kind::bad) {
                note(job, "left out: " + ready.why);
                return;
            }
            keep(job, {candidates.front(), 0, 1, ready.why});
            note(job, candidates.front() + " is bad: " + ready.why);
            candidates.erase(candidates.begin());
            if (is_over())
                return;
        }
        if (candidates.empty()) {
            note(job, "nothing can run it");
            return;
        }
        search(job, TuneSearch(candidates, job.known));
    }

    // The default runs beside each candidate: its own ratio is 1. The first candidate is tried even when its time is over,
    // as a problem that is begun has cost its time already.
    void search(const Job &job, TuneSearch search) {
        const std::string baseline = search.best();
        bool baseline_is_kept = false;
        const auto tried = [&] { return std::to_string(search.measured_count()) + " tried"; };
        while (!was_interrupted() &&
               (clock_.seconds() < deadline_ || search.measured_count() == 1)) {
            const std::optional<std::string> candidate = search.next();
            if (!candidate)
                break;
            show(job,
                 tried() + ", best " + text_of(rounded(search.best_ratio())) + "  " + *candidate);
            const Answer answer = workers_.measure(*candidate, search.best_ratio());
            if (answer.kind == Answer::Kind::stopped)
                break;
            if (answer.kind == Answer::Kind::error) {
                note(job, "given up: " + answer.why);
                return;
            }
            if (answer.kind != Answer::Kind::time) {
                search.bad(*candidate);
                if (answer.kind == Answer::Kind::bad) {
                    keep(job, {*candidate, 0, 1, answer.why});
                    note(job, *candidate + " is bad: " + answer.why);
                }
                continue;
            }
            if (!std::exchange(baseline_is_kept, true))
                keep(job, {baseline, answer.baseline_ms, 1.0, ""});
            keep(job, {*candidate, answer.time_ms, answer.ratio, ""});
            search.measured(*candidate, answer.ratio);
        }
        note(job, search.best() +
                      (search.best() == baseline ? ", the default"
                                                 : ", " + text_of(rounded(search.best_ratio())) +
                                                       " of the time of " + baseline) +
                      "; " + tried());
    }

    static double rounded(double ratio) { return std::round(ratio * 1000) / 1000; }

    const TuneOptions &options_;
    std::vector<Job> jobs_;
    Workers workers_;
    Progress progress_;
    Clock clock_;
    double deadline_ = 0, shown_ = 0;
    std::size_t begun_ = 0, measured_ = 0, bad_ = 0;
};

// The problems of the plan or of the metric that a case is, and the candidates that results choose for them: as many, or
// none.
struct CaseProblems {
    std::vector<Problem> problems;
    std::vector<std::string> known{};
};

CaseProblems problems_of(const TuneCase &tuned, const Engine &engine, const ImageDesc &source) {
    if (tuned.is_metric())
        return {problems(engine.ssimulacra2(source, source))};
    const Plan plan = engine.plan(tuned.make(source.type), source, tuned.target(source),
                                  options_of(tuned.row, source));
    if (tuned.compares_methods())
        return {{method_problem(plan)}};
    CaseProblems result{problems(plan), parts_of_variant(plan.variant())};
    if (result.known.size() != result.problems.size())
        result.known.clear();
    return result;
}

// Collects the jobs of all classes that the filters wanted have, with the samples that all filters have of these.
class Jobs {
public:
    Jobs(const TuneOptions &options, const Engine &engine) : options_(options), engine_(engine) {}

    // Adds what a case has on images of a type and of a class of sizes.
    void add(std::size_t index, Type type, TuneSize size) {
        const TuneCase &tuned = tune_cases()[index];
        const bool is_wanted =
            options_.filters.empty() ||
            std::ranges::find(options_.filters, tuned.filter) != options_.filters.end();
        if (!tuned.takes(type) || (tuned.is_metric() && !is_wanted))
            return;
        bool begins = is_wanted; // the first image is the one that is searched
        for (const std::int64_t side : tuned.sides(type, size, engine_.device())) {
            const CaseProblems found = problems_of(tuned, engine_, tuned.source(type, side));
            for (std::size_t i = 0; i < found.problems.size(); ++i)
                add({index, side, i, found.problems.size()}, type, found.problems[i],
                    found.known.empty() ? "" : found.known[i], begins);
            begins = false;
        }
    }

    std::vector<Job> take() { return std::move(jobs_); }

private:
    // begins: whether the sample may be the first one of a class.
    void add(const TuneSample &sample, Type type, const Problem &problem, const std::string &known,
             bool begins) {
        const auto place = places_.find(problem.name());
        if (place != places_.end()) {
            std::vector<TuneSample> &samples = jobs_[place->second].samples;
            const TuneSample &last = samples.back();
            const bool is_there = last.index == sample.index && last.side == sample.side;
            // Passes beside the problem's own take time too, which would hide what is faster.
            if (!is_there && sample.count <= samples.front().count)
                samples.push_back(sample);
        } else if (begins) {
            places_.emplace(problem.name(), jobs_.size());
            jobs_.push_back({type, {sample}, problem, known});
        }
    }

    const TuneOptions &options_;
    const Engine &engine_;
    std::vector<Job> jobs_;
    std::map<std::string, std::size_t> places_{}; // of names of problems
};

// Returns a job for each class of problems. The sizes come one after the other, the most likely first.
std::vector<Job> jobs_of(const TuneOptions &options, const Engine &engine) {
    Jobs jobs(options, engine);
    for (const std::string &size : options.sizes)
        for (const std::string &type : options.types)
            for (std::size_t i = 0; i < tune_cases().size(); ++i)
                jobs.add(i, parse_type("--type", type), parse_tune_size(size));
    return jobs.take();
}

void check_filters(const std::vector<std::string> &filters) {
    const std::vector<std::string> known = tuned_filters();
    for (const std::string &filter : filters)
        if (std::ranges::find(known, filter) == known.end())
            throw InputError("tune: nothing is tuned for " + in_quotes(filter) + ", only for " +
                             joined(known, ", "));
}

void check_seconds(const std::string &option, double seconds, double least) {
    constexpr double most = 1e6;
    if (!(seconds >= least && seconds <= most)) // nor NaN
        throw InputError(option + ": " + text_of(seconds) + " is not from " + text_of(least) +
                         " to " + text_of(most) + " seconds");
}

ExitCode tune(const TuneOptions &options) {
    // Forced variants and self-tests would interfere with the measurements.
    unset_environment("GAUZE_VARIANT");
    set_environment("GAUZE_SELF_TEST", "off");
    if (options.is_worker)
        return run_tune_worker(options.device);
    check_filters(options.filters);
    check_seconds("--budget", options.budget, 1e-3);
    check_seconds("--timeout", options.timeout, 0.1);
    for (const std::string &type : options.types)
        parse_type("--type", type);
    for (const std::string &size : options.sizes)
        parse_tune_size(size);
    if (!options.file.empty())
        set_environment("GAUZE_TUNING_FILE", options.file);

    const Engine engine = make_engine(options.device);
    const std::string file = tuning_file(engine);
    if (file.empty())
        throw InputError("there is no tuning file to keep results in: name one with --file");
    const DeviceInfo device = engine.device();
    Tuner tuner(options, device.name, jobs_of(options, engine));
    std::cout << "tuning " << device.name << " (" << device.platform << "), results to " << file
              << std::endl;
    catch_interrupts();
    tuner.run();
    std::cout << (was_interrupted() ? "interrupted after " : "") << tuner.summary() << std::endl;
    return was_interrupted() ? ExitCode::interrupted : ExitCode::success;
}

} // namespace

void add_tune_command(CLI::App &app, Invocation &invocation) {
    CLI::App *const command = app.add_subcommand(
        "tune",
        "Measure which kernel, in which configuration, is the fastest for each class of problems, "
        "and "
        "keep that for later plans. Candidates are compared with the double reference, and timed "
        "in "
        "turn with the default. What is measured is kept at once: interrupt it at any time.");
    const auto options = std::make_shared<TuneOptions>();
    command
        ->add_option("FILTER", options->filters, joined(tuned_filters(), ", ") + " (default: all)")
        ->type_name("");
    command->add_option("--device", options->device, "An index, part of a name, gpu or cpu")
        ->type_name("SEL");
    command
        ->add_option("--budget", options->budget,
                     "Time to take, which the problems share; a search may end sooner")
        ->type_name("SECONDS")
        ->capture_default_str();
    command->add_option("--type", options->types, "Pixels' types")
        ->type_name("T,...")
        ->delimiter(',')
        ->allow_extra_args(false) // one argument: what follows may be FILTER
        ->capture_default_str();
    command->add_option("--sizes", options->sizes, "Classes of sizes")
        ->type_name("SIZE,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    command
        ->add_option("--file", options->file,
                     "Keep results there. Default: GAUZE_TUNING_FILE, else the user's own file")
        ->type_name("FILE");
    command->add_option("--timeout", options->timeout, "What takes longer than this counts as hung")
        ->type_name("SECONDS")
        ->capture_default_str();
    command->add_flag("--worker", options->is_worker)->group(""); // the program of its workers
    command->callback(
        [options, &invocation] { invocation.run = [options] { return tune(*options); }; });
}

} // namespace gauze::tool
