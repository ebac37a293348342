// `gauze ssimulacra2`: how far images are from their references.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "engine.hpp"
#include "file.hpp"
#include "input_error.hpp"
#include "png_file.hpp"
#include "progress.hpp"

namespace gauze::tool {
namespace {

struct ScoreOptions {
    std::vector<std::string> files; // reference, distorted, reference, ...
    std::string device;
    std::optional<std::string> map;
    std::optional<unsigned> time;
    bool json = false;
    bool explain = false;
};

struct Pair {
    std::string reference, distorted;
};

std::vector<Pair> pairs_of(const std::vector<std::string> &files) {
    if (files.empty())
        throw InputError("files come in pairs, REF DIST; there are none");
    if (files.size() % 2 != 0)
        throw InputError("files come in pairs, REF DIST; " + in_quotes(files.back()) +
                         " is left over");
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < files.size(); i += 2)
        pairs.push_back({files[i], files[i + 1]});
    for (const std::string &file : files)
        if (!has_extension(file, ".png"))
            throw InputError(shown(file) + " is not a .png file");
    return pairs;
}

std::string width_by_height(const ImageDesc &desc) {
    return std::to_string(desc.extent[0]) + "x" + std::to_string(desc.extent[1]);
}

void check_pair(const Pair &pair, const ImageDesc &reference, const ImageDesc &distorted) {
    if (reference.extent != distorted.extent)
        throw InputError(shown(pair.reference) + " is " + width_by_height(reference) + " and " +
                         shown(pair.distorted) + " is " + width_by_height(distorted) +
                         "; a pair must be of one size");
    if (std::min(reference.extent[0], reference.extent[1]) < 8)
        throw InputError(shown(pair.reference) + " is " + width_by_height(reference) +
                         "; images of at least 8x8 pixels can be scored");
}

// Scores pairs, one after the other. The metric is kept for the next pair, if the images are of the same size
// and kind, and the reference, if it is the same file.
class Scorer {
public:
    explicit Scorer(const ScoreOptions &options) : options_(options) {}

    double score(const Pair &pair) {
        load(pair);
        return metric_->score(distorted_.pixels);
    }
    Ssimulacra2::ErrorMap error_map(const Pair &pair) {
        load(pair);
        return metric_->error_map(distorted_.pixels);
    }
    const ImageDesc &desc() const { return distorted_.desc; }

    // Scores the last pair again and again, in memory of the device.
    void print_times(unsigned repeats) {
        Image reference = engine_->image(reference_.desc);
        Image distorted = engine_->image(distorted_.desc);
        reference.write(reference_.pixels.data(), reference_.pixels.size());
        distorted.write(distorted_.pixels.data(), distorted_.pixels.size());
        const std::vector<const Image *> references(repeats, &reference);
        const std::vector<const Image *> many(repeats, &distorted);
        const auto milliseconds = [](auto &&run) {
            using Clock = std::chrono::steady_clock;
            const Clock::time_point begin = Clock::now();
            run();
            return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        };
        std::vector<double> single;
        for (unsigned i = 0; i < repeats + 2; ++i) { // two warm up
            const double time = milliseconds([&] { metric_->score(distorted); });
            if (i >= 2)
                single.push_back(time);
        }
        std::nth_element(single.begin(), single.begin() + repeats / 2, single.end());
        const double queued = milliseconds([&] { metric_->image_scores(many); });
        const double pairs = milliseconds([&] { metric_->image_scores(references, many); });
        std::fprintf(stderr,
                     "median of %u runs: %.4f ms a score; %u in a row: %.1f scores/s of one "
                     "reference, %.1f pairs/s\n",
                     repeats, single[repeats / 2], repeats, 1e3 * repeats / queued,
                     1e3 * repeats / pairs);
    }

private:
    static bool same_kind(const ImageDesc &a, const ImageDesc &b) {
        return a.type == b.type && a.channels == b.channels && a.extent == b.extent;
    }

    void load(const Pair &pair) {
        const bool same_reference = metric_ && pair.reference == reference_name_;
        PngImage reference = same_reference ? std::move(reference_) : read_png(pair.reference);
        PngImage distorted = read_png(pair.distorted);
        check_pair(pair, reference.desc, distorted.desc);
        if (!engine_)
            engine_ = make_engine(options_.device);
        const bool same_metric = metric_ && same_kind(reference.desc, reference_.desc) &&
                                 same_kind(distorted.desc, distorted_.desc);
        if (!same_metric) {
            metric_ = engine_->ssimulacra2(reference.desc, distorted.desc);
            if (options_.explain)
                std::cerr << metric_->explain();
        }
        if (!same_metric || !same_reference)
            metric_->set_reference(reference.pixels);
        reference_ = std::move(reference);
        reference_name_ = pair.reference;
        distorted_ = std::move(distorted);
    }

    const ScoreOptions &options_;
    std::optional<Engine> engine_;
    std::optional<Ssimulacra2> metric_;
    std::string reference_name_;
    PngImage reference_, distorted_;
};

// Colours of a fire, from black by red and orange to a pale yellow. heat: 0 to 1.
std::array<std::uint8_t, 3> colour_of(double heat) {
    constexpr std::array<std::array<double, 3>, 5> colours{
        {{0, 0, 0}, {87, 16, 110}, {198, 53, 66}, {250, 160, 20}, {255, 255, 190}}};
    const double place = std::clamp(heat, 0.0, 1.0) * (colours.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), colours.size() - 2);
    std::array<std::uint8_t, 3> result{};
    for (std::size_t c = 0; c < 3; ++c) {
        const double from = colours[below][c];
        const double to = colours[below + 1][c];
        const double part = place - static_cast<double>(below);
        result[c] = static_cast<std::uint8_t>(std::lround(from + part * (to - from)));
    }
    return result;
}

// A pixel's colour shows the score of an image whose error is everywhere as large as there: black 100, white
// 0 and less.
void write_heat_map(const std::string &path, const ImageDesc &image,
                    const std::vector<float> &errors) {
    const ImageDesc desc = Image::u8(image.extent[0], image.extent[1], 3);
    std::vector<std::byte> pixels;
    pixels.reserve(3 * errors.size());
    for (const float error : errors)
        for (const std::uint8_t value :
             colour_of(1.0 - ssimulacra2_score(static_cast<double>(error)) / 100.0))
            pixels.push_back(std::byte{value});
    write_png(path, desc, pixels, {});
}

std::string score_text(double score) {
    char text[64];
    std::snprintf(text, sizeof text, "%.8f", score);
    return text;
}

ExitCode score_files(const ScoreOptions &options) {
    const std::vector<Pair> pairs = pairs_of(options.files);
    if (options.map) {
        if (pairs.size() > 1)
            throw InputError("--map is for one pair, and there are " +
                             std::to_string(pairs.size()));
        if (!has_extension(*options.map, ".png"))
            throw InputError("--map " + in_quotes(*options.map) + " does not end in .png");
        check_output_path(*options.map);
    }

    Scorer scorer(options);
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    Progress progress(static_cast<double>(pairs.size()));
    for (const Pair &pair : pairs) {
        if (pairs.size() > 1)
            progress.begin(pair.distorted, 1.0);
        double score = 0.0;
        if (options.map) {
            const Ssimulacra2::ErrorMap map = scorer.error_map(pair);
            write_heat_map(*options.map, scorer.desc(), map.values);
            score = map.score;
        } else {
            score = scorer.score(pair);
        }
        if (options.json) {
            array.push_back({{"ref", pair.reference}, {"dist", pair.distorted}, {"score", score}});
        } else {
            progress.clear();
            std::cout << score_text(score) << std::endl; // each score at once
        }
    }
    progress.clear();
    if (options.time)
        scorer.print_times(*options.time);
    if (options.json)
        // A file's name need not be UTF-8.
        std::cout << array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                  << '\n';
    return ExitCode::success;
}

} // namespace

void add_ssimulacra2_command(CLI::App &app, Invocation &invocation) {
    CLI::App *const command = app.add_subcommand(
        "ssimulacra2", "Score images by SSIMULACRA 2: 100 for what equals its reference, about 90 "
                       "for differences that cannot be seen, below 0 for the worst");
    const auto options = std::make_shared<ScoreOptions>();
    command->add_option("PAIRS", options->files, "Pairs of .png files, 8 or 16 bit")
        ->option_text("REF DIST [REF DIST ...]");
    command->add_option("--device", options->device, "An index, part of a name, gpu or cpu")
        ->type_name("SEL");
    command->add_flag("--json", options->json, "Print an array of JSON objects");
    command->add_option("--map", options->map, "Write where the images differ, from black to white")
        ->type_name("OUT.png");
    command
        ->add_option("--time", options->time,
                     "Score the last pair N times more from the device's memory and print times")
        ->type_name("N")
        ->check(CLI::Range(1u, 1000000u).description(""));
    command->add_flag("--explain", options->explain, "Print the kernels in use to stderr");
    command->callback([options, &invocation] {
        invocation.run = [options] { return score_files(*options); };
        if (options->explain)
            invocation.detail = ErrorDetail::all;
    });
}

} // namespace gauze::tool
