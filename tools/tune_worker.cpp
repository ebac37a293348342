#include "tune_worker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <gauze/gauze.hpp>
#include <gauze/gauze_tuning.hpp>

#include "arguments.hpp"
#include "bench_check.hpp"
#include "bench_input.hpp"
#include "engine.hpp"
#include "input_error.hpp"
#include "subprocess.hpp"
#include "system.hpp"
#include "tune_cases.hpp"
#include "tune_contest.hpp"
#include "tune_metric.hpp"

namespace gauze::tool {
namespace {

void answer(const std::string &line) {
    std::string one = line.substr(0, line.find('\n'));
    std::cout << Conversation::mark << one << std::endl;
}

constexpr std::int64_t aligned_pixels =
    64; // starts of rows: for any type the most that kernels ask for

using Point = std::array<std::int64_t, 4>;

// A small image inside a larger one, in rows that are aligned as those of whole images are.
struct Guarded {
    Point extent, source_origin, target_origin, region;
};
Guarded guarded(const BenchRow &row) {
    switch (row.input) {
    case BenchInput::signal: // of more than the 16 segments that a kernel wants
        return {{320 * aligned_pixels, 3, 1, 1},
                {aligned_pixels, 1, 0, 0},
                {aligned_pixels, 2, 0, 0},
                {20333, 1, 1, 1}};
    case BenchInput::volume: // of more than a chunk of slices
        return {{3 * aligned_pixels, 45, 25, 1},
                {aligned_pixels, 3, 2, 0},
                {aligned_pixels, 7, 4, 0},
                {61, 35, 19, 1}};
    default:
        break;
    }
    // Some kernels refuse boxes that are wider than the image.
    const std::int64_t wider = row.filter == "box" ? 2 * std::int64_t{row.reach} : 0;
    return {{3 * aligned_pixels + (wider + aligned_pixels - 1) / aligned_pixels * aligned_pixels,
             75 + wider, 1, 1},
            {aligned_pixels, 5, 0, 0},
            {aligned_pixels, 11, 0, 0},
            {61 + wider, 47 + wider, 1, 1}};
}

ImageDesc guarded_desc(Type type, const Guarded &shape, int channels) {
    ImageDesc desc(type, shape.extent[0], shape.extent[1], channels);
    desc.extent = shape.extent;
    desc.offset = aligned_pixels * static_cast<std::int64_t>(size_of(type));
    return desc;
}

Region guarded_region(const Guarded &shape) {
    Region region;
    region.source_origin = shape.source_origin;
    region.target_origin = shape.target_origin;
    region.extent = shape.region;
    return region;
}

// Calls visit(place in the image's bytes) for each row of a region from the origin on.
template <class Visit>
void for_each_row(const ImageDesc &desc, const Point &origin, const Point &extent, Visit &&visit) {
    for (std::int64_t z = 0; z < extent[2]; ++z)
        for (std::int64_t y = 0; y < extent[1]; ++y) {
            const std::int64_t row = (origin[2] + z) * desc.extent[1] + origin[1] + y;
            visit(static_cast<std::size_t>(desc.offset) +
                  static_cast<std::size_t>(row * desc.extent[0] + origin[0]) * pixel_bytes(desc));
        }
}

// Fills the region with random pixels; pixels that must not be read are NaN, or the largest value of an
// integer.
std::vector<std::byte> guarded_source(const ImageDesc &desc, const Region &region) {
    ImageDesc inside_desc(desc.type, region.extent[0], region.extent[1], desc.channels);
    inside_desc.extent = region.extent;
    const std::vector<std::byte> inside = random_pixels(inside_desc);
    std::vector<std::byte> bytes(desc.bytes(), std::byte{0xff}); // a NaN in every floating type
    const std::size_t row = static_cast<std::size_t>(region.extent[0]) * pixel_bytes(desc);
    const std::byte *from = inside.data();
    for_each_row(desc, region.source_origin, region.extent, [&](std::size_t at) {
        std::memcpy(bytes.data() + at, from, row);
        from += row;
    });
    return bytes;
}

// Runs the candidate on a small image between guard bands, against the reference in double.
void check_small(const Engine &engine, const TuneCase &tuned, Type type,
                 const std::string &candidate) {
    const Guarded shape = guarded(tuned.row);
    const ImageDesc source_desc = guarded_desc(type, shape, tuned.channels);
    const ImageDesc target_desc =
        guarded_desc(tuned.target(source_desc).type, shape, tuned.channels);
    const Region region = guarded_region(shape);
    const Plan plan = engine.plan(tuned.filter_of(candidate, type), source_desc, target_desc,
                                  options_of(tuned.row, source_desc)
                                      .with_region(region)
                                      .with_variant(tuned.variant_of(candidate)));

    const std::vector<std::byte> source = guarded_source(source_desc, region);
    const std::vector<std::byte> before(target_desc.bytes(), std::byte{0x5a});
    std::vector<std::byte> after = before;
    Image from = engine.image(source_desc);
    Image to = engine.image(target_desc);
    from.write(source.data(), source.size());
    to.write(before.data(), before.size());
    plan.enqueue(nullptr, from.mem(), to.mem());
    to.read(after.data(), after.size());

    const Verification found =
        plan.verify(source.data(), source.size(), after.data(), after.size());
    if (!found.within_bound)
        throw WrongResult("wrong: " + text_of(found.worst_error) + " off, bound " +
                          text_of(found.bound) + ", at x=" + std::to_string(found.worst_at[0]) +
                          " y=" + std::to_string(found.worst_at[1]) +
                          " z=" + std::to_string(found.worst_at[2]) + " of a small image");
    const std::size_t row = static_cast<std::size_t>(region.extent[0]) * pixel_bytes(target_desc);
    for_each_row(target_desc, region.target_origin, region.extent,
                 [&](std::size_t at) { std::memcpy(after.data() + at, before.data() + at, row); });
    if (after != before)
        throw WrongResult("writes outside the target");
}

// Images shared by many cases: filling large ones takes longer than filtering them.
struct Canvas {
    ImageDesc source_desc, target_desc;
    std::vector<std::byte> pixels;
    Image source, target;

    Canvas(const Engine &engine, const ImageDesc &from, const ImageDesc &to)
        : source_desc(from), target_desc(to), pixels(random_pixels(from)),
          source(engine.image(from)), target(engine.image(to)) {
        source.write(pixels.data(), pixels.size());
    }
    bool serves(const ImageDesc &from, const ImageDesc &to) const {
        return source_desc.type == from.type && source_desc.extent == from.extent &&
               source_desc.channels == from.channels && target_desc.type == to.type;
    }
};

// The images that cases were run on last.
class Canvases {
public:
    explicit Canvases(const Engine &engine) : engine_(engine) {}

    std::shared_ptr<Canvas> canvas(const ImageDesc &source, const ImageDesc &target) {
        const auto found = std::find_if(canvases_.begin(), canvases_.end(), [&](const auto &kept) {
            return kept->serves(source, target);
        });
        if (found != canvases_.end()) {
            std::rotate(canvases_.begin(), found, found + 1);
            return canvases_.front();
        }
        constexpr std::size_t most = 3; // the images of a class
        if (canvases_.size() == most)
            canvases_.pop_back();
        canvases_.insert(canvases_.begin(), std::make_shared<Canvas>(engine_, source, target));
        return canvases_.front();
    }

private:
    const Engine &engine_;
    std::vector<std::shared_ptr<Canvas>> canvases_; // the one used last comes first
};

// A filter's case on one image.
class FilterContest : public Contest {
public:
    FilterContest(const Engine &engine, const TuneCase &tuned, const std::string &baseline,
                  std::shared_ptr<Canvas> canvas)
        : engine_(engine), case_(tuned), canvas_(std::move(canvas)), baseline_(plan(baseline)) {
        check_small(engine_, case_, canvas_->source_desc.type, baseline);
        baseline_seconds_ = estimated_seconds(baseline);
    }

    Comparison compare(const std::string &candidate, double best_ratio) override {
        check_small(engine_, case_, canvas_->source_desc.type, candidate);
        check_speed(estimated_seconds(candidate), baseline_seconds_);
        const Plan tried = plan(candidate);
        const Comparison found = compare_as_often(
            [&](unsigned repeats) {
                return tried.compare(baseline_, canvas_->source, canvas_->target, repeats);
            },
            best_ratio);
        if (found.ratio < best_ratio)
            check_whole(tried, candidate);
        return found;
    }

private:
    double estimated_seconds(const std::string &candidate) const {
        const ImageDesc from = case_.part(canvas_->source_desc.type);
        const ImageDesc to = case_.part(canvas_->target_desc.type);
        return tool::estimated_seconds(engine_, plan(candidate, from, to), from, to,
                                       canvas_->pixels);
    }

    Plan plan(const std::string &candidate, const ImageDesc &from, const ImageDesc &to) const {
        return engine_.plan(case_.filter_of(candidate, canvas_->source_desc.type), from, to,
                            options_of(case_.row, from).with_variant(case_.variant_of(candidate)));
    }
    Plan plan(const std::string &candidate) const {
        return plan(candidate, canvas_->source_desc, canvas_->target_desc);
    }

    std::vector<std::byte> result_of(const Plan &tried) const {
        return tool::result_of(tried, canvas_->source, canvas_->target,
                               canvas_->target_desc.bytes());
    }

    void check_whole(const Plan &tried, const std::string &candidate) const {
        // The reference for a table's last pixels sums all of them.
        constexpr std::int64_t most_reach = 1 << 20;
        if (case_.row.reach > most_reach) {
            check_against_baseline(tried);
            return;
        }
        const std::vector<std::vector<std::byte>> results{result_of(tried)};
        const CheckResult checked = check_windows(
            engine_, case_.filter_of(candidate, canvas_->source_desc.type), case_.row,
            canvas_->source_desc, {&canvas_->pixels, 1}, canvas_->target_desc.type, results);
        if (!checked.within_bound)
            throw WrongResult("wrong: " + checked.text);
    }

    void check_against_baseline(const Plan &tried) const {
        const std::vector<std::byte> result = result_of(tried);
        const std::vector<std::byte> expected = result_of(baseline_);
        if (canvas_->target_desc.type != Type::f32) {
            if (result != expected)
                throw WrongResult("wrong: another table than the default's");
            return;
        }
        constexpr float tolerance = 1e-4F;
        for (std::size_t at = 0; at < result.size(); at += sizeof(float)) {
            float got = 0;
            float wanted = 0;
            std::memcpy(&got, result.data() + at, sizeof got);
            std::memcpy(&wanted, expected.data() + at, sizeof wanted);
            if (!(std::abs(got - wanted) <= tolerance * (std::abs(wanted) + 1)))
                throw WrongResult("wrong: another table than the default's");
        }
    }

    const Engine &engine_;
    const TuneCase &case_;
    const std::shared_ptr<Canvas> canvas_;
    Plan baseline_;
    double baseline_seconds_ = 0;
};

// A class of problems: a candidate has to be the faster one in all of its samples.
class ClassContest : public Contest {
public:
    // samples: not empty. baseline: of the first one.
    ClassContest(const Engine &engine, Canvases &canvases, Type type,
                 std::vector<TuneSample> samples, const std::string &baseline)
        : engine_(engine), canvases_(canvases), type_(type), samples_(std::move(samples)),
          first_(entry(samples_.front(), baseline)) {}

    // Compares a candidate in the first sample, and in the others where it is faster there. The times are of the first one, the
    // ratio is the largest of all.
    Comparison compare(const std::string &candidate, double best_ratio) override {
        Comparison found = first_.contest->compare(first_.sample.variant(candidate), best_ratio);
        if (found.ratio < best_ratio && !others_)
            others_ = others();
        for (std::size_t i = 0; found.ratio < best_ratio && i < others_->size(); ++i)
            found.ratio = std::max(found.ratio, ratio_in((*others_)[i], candidate, best_ratio));
        return found;
    }

private:
    struct Entry {
        TuneSample sample;
        std::unique_ptr<FilterContest> contest;
    };

    Entry entry(const TuneSample &sample, const std::string &baseline) {
        const TuneCase &tuned = tune_cases().at(sample.index);
        const ImageDesc source = tuned.source(type_, sample.side);
        return {sample,
                std::make_unique<FilterContest>(engine_, tuned, sample.variant(baseline),
                                                canvases_.canvas(source, tuned.target(source)))};
    }

    // Returns the other samples but those whose own default is wrong or does not run: nothing can be compared there.
    std::vector<Entry> others() {
        std::vector<Entry> result;
        for (std::size_t i = 1; i < samples_.size(); ++i)
            try {
                result.push_back(entry(samples_[i], default_of(samples_[i])));
            } catch (const std::exception &error) {
                if (log_level())
                    std::cerr << "gauze: an image of " << samples_[i].side
                              << " is left out: " << error.what() << '\n';
            }
        return result;
    }

    // Returns 0 where plans do not take the candidate: they take their default there.
    static double ratio_in(const Entry &entry, const std::string &candidate, double best_ratio) {
        try {
            return entry.contest->compare(entry.sample.variant(candidate), best_ratio).ratio;
        } catch (const Error &error) {
            if (!is_refusal(error))
                throw;
            return 0;
        }
    }

    // Returns the candidate that a plan of the sample takes without results.
    std::string default_of(const TuneSample &sample) const {
        const TuneCase &tuned = tune_cases().at(sample.index);
        const ImageDesc source = tuned.source(type_, sample.side);
        const Plan plan = engine_.plan(tuned.make(type_), source, tuned.target(source),
                                       options_of(tuned.row, source));
        const Problem problem =
            tuned.compares_methods() ? method_problem(plan) : problems(plan).at(sample.number);
        return problem.candidates().front();
    }

    const Engine &engine_;
    Canvases &canvases_;
    const Type type_;
    const std::vector<TuneSample> samples_;
    Entry first_;
    std::optional<std::vector<Entry>> others_{}; // nothing where none was needed yet
};

// Answers one line. unsupported: the answer where the library refuses.
template <class Body> void answered(const char *unsupported, Body &&body) {
    try {
        answer(body());
    } catch (const WrongResult &error) {
        answer(std::string("bad ") + error.what());
    } catch (const TooSlow &error) {
        answer(std::string("unfit ") + error.what());
    } catch (const Error &error) {
        answer(std::string(is_refusal(error) ? unsupported : "bad") + " " + error.what());
    }
}

} // namespace

ExitCode run_tune_worker(const std::string &device) {
    end_with_parent();
    const Engine engine = make_engine(device);
    Canvases canvases(engine);
    std::unique_ptr<Contest> contest;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "device") {
            answer("on " + engine.device().name);
        } else if (what == "case") {
            std::string type_name, baseline;
            words >> type_name >> baseline;
            std::vector<TuneSample> samples;
            for (TuneSample sample;
                 words >> sample.index >> sample.side >> sample.number >> sample.count;)
                samples.push_back(sample);
            answered("error", [&] {
                contest.reset();
                const Type type = parse_type("type", type_name);
                const TuneSample &first = samples.at(0);
                const TuneCase &tuned = tune_cases().at(first.index);
                if (tuned.is_metric())
                    contest = make_metric_contest(engine, tuned.source(type, first.side), baseline);
                else
                    contest =
                        std::make_unique<ClassContest>(engine, canvases, type, samples, baseline);
                return "ready";
            });
        } else {
            double best = 0;
            std::string candidate;
            words >> best >> candidate;
            answered("unfit", [&] {
                if (!contest)
                    throw InputError("no case has begun");
                const Comparison found = contest->compare(candidate, best);
                return "time " + text_of(found.time_ms) + " " + text_of(found.baseline_ms) + " " +
                       text_of(found.ratio);
            });
        }
    }
    return ExitCode::success;
}

} // namespace gauze::tool
