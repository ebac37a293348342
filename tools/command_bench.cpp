// `gauze bench`: times of the standard rows, each beside a plain copy and with its result checked.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gauze/gauze.hpp>

#include "arguments.hpp"
#include "bench_candidates.hpp"
#include "bench_check.hpp"
#include "bench_input.hpp"
#include "bench_measurement.hpp"
#include "bench_peers.hpp"
#include "bench_report.hpp"
#include "bench_rows.hpp"
#include "command.hpp"
#include "engine.hpp"
#include "file.hpp"
#include "filter_command.hpp"
#include "input_error.hpp"
#include "progress.hpp"
#include "svg_plot.hpp"
#include "system.hpp"

namespace gauze::tool {
namespace {

struct BenchOptions {
    std::vector<std::string> filters;
    std::optional<std::string> size;
    std::string type = "f32";
    int channels = 1;
    std::string device;
    std::optional<unsigned> repeats;
    unsigned candidates = 0; // so many of each problem are compared with its choice
    std::optional<std::string> json, plot;
    bool peers = false;
    std::optional<std::string> sizes; // "users"

    bool json_to_stdout() const { return json && *json == "-"; }
};

// A row that the library can run, ready to run.
struct PlannedRow {
    BenchRow row;
    ImageDesc source, target;
    Plan plan;
};

// The inputs of the rows.
struct Inputs {
    ImageDesc image, signal, volume, volumes;

    const ImageDesc &of(const BenchRow &row) const {
        switch (row.input) {
        case BenchInput::signal:
            return signal;
        case BenchInput::volume:
            return volume;
        case BenchInput::volumes:
            return volumes;
        case BenchInput::image:
            break;
        }
        return image;
    }
};

std::string gigabytes(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GB", bytes * 1e-9);
    return text;
}

// "16384x16384", "64x64x8"
std::string size_text(const ImageDesc &image) {
    std::string text = std::to_string(image.extent[0]) + "x" + std::to_string(image.extent[1]);
    return image.extent[2] == 1 ? text : text + "x" + std::to_string(image.extent[2]);
}

std::string image_text(const ImageDesc &image) {
    return size_text(image) + " " + name_of(image.type) + ", " + std::to_string(image.channels) +
           (image.channels == 1 ? " channel" : " channels");
}

std::array<std::int64_t, 4> parse_size(const std::string &text) {
    const std::vector<std::string_view> parts = split(text, 'x');
    if (parts.size() < 2 || parts.size() > 3)
        throw InputError("--size: " + in_quotes(text) + " is not WxH or WxHxD");
    std::array<std::int64_t, 4> extent{1, 1, 1, 1};
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
        const std::vector<std::int64_t> numbers = parse_integers("--size", parts[axis]);
        if (numbers.size() != 1 || numbers.front() < 1)
            throw InputError("--size: " + in_quotes(text) + " is not WxH or WxHxD");
        extent[axis] = numbers.front();
    }
    return extent;
}

// Returns why an image of this description, and the images that it is filtered to, do not fit the device;
// nothing where they do.
std::optional<std::string> obstacle(const ImageDesc &image, const DeviceInfo &device,
                                    int targets = 1) {
    // Source and targets, and those of the copy; a CPU also holds the host's source and results.
    const int images = (device.kind == GAUZE_DEVICE_CPU ? 3 : 2) * (1 + targets);
    const auto bytes = static_cast<double>(image.bytes());
    const std::string what = image_text(image) + " is " + gigabytes(bytes) + " an image, ";
    if (bytes > static_cast<double>(device.max_allocation))
        return what + "and " + device.name + " allocates at most " +
               gigabytes(static_cast<double>(device.max_allocation)) + " at once";
    if (images * bytes > static_cast<double>(device.global_memory))
        return what + "of which " + std::to_string(images) + " are needed, and " + device.name +
               " has " + gigabytes(static_cast<double>(device.global_memory));
    return std::nullopt;
}

// Returns the image to filter: of the size asked for, or the largest that fits, halving each side of the
// default.
ImageDesc image_for(const BenchOptions &options, Type type, const DeviceInfo &device) {
    const std::int64_t side = device.kind == GAUZE_DEVICE_GPU ? 16384 : 4096;
    ImageDesc image(type, side, side, options.channels);
    if (options.size) {
        image.extent = parse_size(*options.size);
        if (const auto reason = obstacle(image, device))
            throw Error(GAUZE_ERROR_UNSUPPORTED, "--size: " + *reason);
        return image;
    }
    const auto reason = obstacle(image, device);
    while (obstacle(image, device)) {
        image.extent[0] /= 2;
        image.extent[1] /= 2;
        if (image.extent[0] < 1)
            throw Error(GAUZE_ERROR_OUT_OF_MEMORY, *reason);
    }
    if (reason)
        std::cerr << "note: " << *reason << "; taking " << size_text(image) << '\n';
    return image;
}

// Returns as many samples as --size asks for pixels, else as many as measure a device, or as fit.
ImageDesc signal_for(const BenchOptions &options, Type type, const DeviceInfo &device) {
    ImageDesc signal(type, device.kind == GAUZE_DEVICE_GPU ? 100'000'000 : 10'000'000, 1,
                     options.channels);
    if (options.size) {
        const auto extent = parse_size(*options.size);
        signal.extent[0] = extent[0] * extent[1] * extent[2];
        return signal;
    }
    while (obstacle(signal, device) && signal.extent[0] > 1)
        signal.extent[0] /= 2;
    return signal;
}

// Returns the volume asked for, or a cube of as many pixels; else one that measures a device, or that fits.
ImageDesc volume_for(const BenchOptions &options, Type type, const DeviceInfo &device) {
    constexpr int most_targets = 8; // targets of the rows
    ImageDesc volume(type, 1, 1, options.channels);
    const auto set_side = [&](std::int64_t side) { volume.extent = {side, side, side, 1}; };
    if (options.size) {
        volume.extent = parse_size(*options.size);
        if (volume.extent[2] == 1)
            set_side(std::max<std::int64_t>(static_cast<std::int64_t>(std::cbrt(static_cast<double>(
                                                volume.extent[0] * volume.extent[1]))),
                                            1));
        return volume;
    }
    set_side(device.kind == GAUZE_DEVICE_GPU ? 512 : 256);
    while (obstacle(volume, device, most_targets) && volume.extent[0] > 1)
        set_side(volume.extent[0] / 2);
    return volume;
}

// Returns as many pixels in eight volumes.
ImageDesc volumes_for(ImageDesc volume) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        volume.extent[axis] = (volume.extent[axis] + 1) / 2;
    volume.extent[3] = 8;
    return volume;
}

// Returns the rows that the library takes. It refuses before anything is measured: a named filter that it
// refuses ends the command then, any other is left out with a note.
std::vector<PlannedRow> plan_rows(const BenchOptions &options, const Engine &engine,
                                  const Inputs &inputs) {
    std::vector<PlannedRow> planned;
    std::vector<std::pair<std::string, std::string>> left_out; // rows of one filter, and why
    std::string last_filter;
    for (const BenchRow &row : rows_of(options.filters)) {
        try {
            const ImageDesc source = inputs.of(row);
            const Filter filter = filter_of(row, source.type);
            ImageDesc target = source;
            target.type = target_type(row, source.type);
            Plan plan = engine.plan(filter, source, std::vector<ImageDesc>(row.targets(), target),
                                    options_of(row, source));
            planned.push_back({row, source, target, std::move(plan)});
        } catch (const Error &error) {
            if (error.status() != GAUZE_ERROR_UNSUPPORTED)
                throw;
            if (!options.filters.empty())
                throw Error(error.status(), text_of(row) + ": " + error.what());
            if (row.filter == last_filter && left_out.back().second == error.what())
                left_out.back().first += "; " + params_text(row);
            else
                left_out.emplace_back(text_of(row), error.what());
            last_filter = row.filter;
        }
    }
    for (const auto &[rows, why] : left_out)
        std::cerr << "note: left out: " << rows << ": " << why << '\n';
    if (planned.empty())
        throw Error(GAUZE_ERROR_UNSUPPORTED, "no row can be measured on this device");
    return planned;
}

// For the estimate of the time left only: reading and writing a pixel costs as much as some tens of
// taps.
double work_of(const BenchRow &row) {
    const double n = row.taps();
    if (row.filter == "nlm")
        return 4 * n * n;
    if (!row.is_plain())
        return 150;
    if (row.filter == "box" || row.filter == "maximum")
        return 40;
    const bool is_by_axis = row.filter == "separable" || row.filter == "gaussian";
    return 30 + (is_by_axis ? 2 * n : n * n);
}

// With 15 runs non-local means would take nearly half of the time of all rows on a CPU.
unsigned default_repeats(const BenchRow &row) {
    return row.filter == "nlm" ? 5 : 15;
}

class Bench {
public:
    Bench(const BenchOptions &options, const Engine &engine, const Inputs &inputs)
        : asked_repeats_(options.repeats), candidates_(options.candidates), engine_(engine),
          device_(engine.device()) {
        report_.device = device_.name;
        report_.platform = device_.platform;
        report_.image = image_text(inputs.image);
        report_.signal = image_text(inputs.signal);
        report_.volume = image_text(inputs.volume);
        report_.checked_windows = checked_windows;
        if (options.peers && (peers_ = find_peers()).empty())
            notes_.push_back("--peers: no program for another library is installed");
    }

    void measure(const std::vector<PlannedRow> &rows) {
        // A GPU leaves the host free to compile for the rows to come. On a CPU that would slow what is measured.
        std::jthread compiler;
        if (device_.kind == GAUZE_DEVICE_GPU)
            compiler = std::jthread([&rows](const std::stop_token &stop) { prepare(rows, stop); });
        double total = 0;
        for (const PlannedRow &planned : rows)
            total += work_of(planned.row);
        Progress progress(total);
        for (const PlannedRow &planned : rows) {
            if (was_interrupted())
                break;
            progress.begin(text_of(planned.row), work_of(planned.row));
            try {
                measure(planned);
            } catch (const Error &error) {
                // A compiler that the driver starts may be interrupted too.
                if (!was_interrupted())
                    throw;
                notes_.push_back(text_of(planned.row) + ": " + error.what());
            }
        }
        canvas_.reset(); // the next bench needs the memory
        if (candidates_ > 0)
            notes_.push_back(report_.image + ": " + std::to_string(compared_) +
                             " candidates were compared with what was chosen, " +
                             std::to_string(left_out_) + " were left out; " +
                             std::to_string(faster_) + " are faster");
    }

    const BenchReport &report() const { return report_; }
    const std::vector<std::string> &notes() const { return notes_; }
    // A line for each row whose result is wrong.
    const std::vector<std::string> &failures() const { return failures_; }

private:
    // The sources and targets of one row at a time.
    struct Canvas {
        ImageDesc source_desc, target_desc;
        std::vector<std::vector<std::byte>> source_pixels, target_pixels;
        std::vector<Image> sources, targets;

        Canvas(const Engine &engine, const PlannedRow &row)
            : source_desc(row.source), target_desc(row.target) {
            for (std::size_t i = 0; i < row.row.sources(); ++i) {
                source_pixels.push_back(i == 0 ? random_pixels(row.source)
                                               : random_guide(row.source));
                sources.push_back(engine.image(row.source));
                sources[i].write(source_pixels[i].data(), source_pixels[i].size());
            }
            for (std::size_t i = 0; i < row.row.targets(); ++i) {
                target_pixels.emplace_back(row.target.bytes());
                targets.push_back(engine.image(row.target));
            }
        }
        bool serves(const PlannedRow &row) const {
            return source_desc.extent == row.source.extent && target_desc.type == row.target.type &&
                   sources.size() == row.row.sources() && targets.size() == row.row.targets();
        }
    };

    static void prepare(const std::vector<PlannedRow> &rows, const std::stop_token &stop) {
        for (const PlannedRow &planned : rows) {
            if (stop.stop_requested())
                return;
            try {
                planned.plan.prepare();
            } catch (const Error &) {
                return; // measuring the row meets the same error, and reports it
            }
        }
    }

    void measure(const PlannedRow &planned) {
        if (!canvas_ || !canvas_->serves(planned)) {
            canvas_.reset();
            canvas_ = std::make_unique<Canvas>(engine_, planned);
        }
        Canvas &canvas = *canvas_;
        // A kernel that writes nothing must not find the right result there already.
        std::vector<Image *> targets;
        for (std::size_t i = 0; i < canvas.targets.size(); ++i) {
            std::vector<std::byte> &pixels = canvas.target_pixels[i];
            std::fill(pixels.begin(), pixels.end(), std::byte{0x5a});
            canvas.targets[i].write(pixels.data(), pixels.size());
            targets.push_back(&canvas.targets[i]);
        }
        const unsigned repeats = asked_repeats_.value_or(default_repeats(planned.row));
        std::vector<const Image *> sources;
        for (const Image &source : canvas.sources)
            sources.push_back(&source);
        const Timing timing = planned.plan.measure_sources(sources, targets, repeats);
        for (std::size_t i = 0; i < canvas.targets.size(); ++i)
            canvas.targets[i].read(canvas.target_pixels[i].data(), canvas.target_pixels[i].size());

        BenchResult result;
        result.repeats = repeats;
        Measurement &own = result.own;
        own.row = planned.row;
        own.device = device_.name;
        own.platform = device_.platform;
        own.type = name_of(planned.source.type);
        own.channels = planned.source.channels;
        own.size = {planned.source.extent[0], planned.source.extent[1]};
        if (planned.source.extent[2] > 1 || planned.source.extent[3] > 1)
            own.size.push_back(planned.source.extent[2]);
        if (planned.source.extent[3] > 1)
            own.size.push_back(planned.source.extent[3]);
        result.bytes = static_cast<double>(sources.size() * planned.source.bytes() +
                                           targets.size() * planned.target.bytes());
        own.variant = planned.plan.variant();
        own.launches = timing.launches;
        own.time_ms = timing.device_ms;
        own.wall_ms = timing.wall_ms;
        own.copy_ms = timing.copy_ms;
        report_.device_time_is_wall |= timing.device_time_is_wall;

        // At once: the machine is still in the state in which it ran the row.
        PeerOutcome peers = measure_peers(peers_, own, device_, repeats);
        result.peers = std::move(peers.measurements);
        for (const std::string &refusal : peers.refusals)
            notes_.push_back(text_of(planned.row) + ": " + refusal);

        const CheckResult check =
            check_windows(engine_, planned.plan.filter(), planned.row, planned.source,
                          canvas.source_pixels, planned.target.type, canvas.target_pixels);
        if (!check.within_bound) {
            result.verdict = Verdict::wrong;
            failures_.push_back(text_of(planned.row) + ": wrong result: " + check.text);
        }
        report_.results.push_back(std::move(result));
        if (candidates_ > 0 && sources.size() == 1 && targets.size() == 1)
            compare_candidates_of(planned, canvas);
    }

    void compare_candidates_of(const PlannedRow &planned, Canvas &canvas) {
        const std::string row = image_text(planned.source) + ": " + text_of(planned.row) + ": ";
        CandidatesOutcome outcome;
        try {
            outcome = compare_candidates(engine_,
                                         {planned.row, planned.plan, planned.source, planned.target,
                                          canvas.sources.front(), canvas.targets.front(),
                                          canvas.source_pixels},
                                         candidates_);
        } catch (const Error &error) {
            notes_.push_back(row + "not compared with candidates: " + error.what());
            return;
        }
        compared_ += outcome.compared;
        left_out_ += outcome.left_out;
        for (const std::string &error : outcome.errors)
            notes_.push_back(row + error);
        for (const FasterCandidate &faster : outcome.faster) {
            if (!faster.wrong.empty()) {
                failures_.push_back(row + faster.candidate + ": wrong result: " + faster.wrong);
                continue;
            }
            ++faster_;
            char ratio[32];
            std::snprintf(ratio, sizeof ratio, "%.2f", faster.ratio);
            notes_.push_back(row + faster.candidate + " takes " + ratio + " of the time of " +
                             faster.choice);
        }
    }

    std::optional<unsigned> asked_repeats_;
    unsigned candidates_;
    std::size_t compared_ = 0, left_out_ = 0, faster_ = 0; // candidates
    const Engine &engine_;
    DeviceInfo device_;
    std::unique_ptr<Canvas> canvas_;
    std::vector<std::filesystem::path> peers_;
    BenchReport report_;
    std::vector<std::string> notes_, failures_;
};

void write_text(const std::string &path, const std::string &text) {
    OutputFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

Type type_of(const BenchOptions &options) {
    const Type type = parse_type("--type", options.type);
    const std::vector<Type> types = pixel_types();
    if (std::ranges::find(types, type) == types.end())
        throw InputError("--type: " + name_of(type) + " is not a type that can be filtered");
    return type;
}

// Returns the options for each image that is measured: one, or those that users have, as far as they fit the device.
std::vector<BenchOptions> images_of(const BenchOptions &options, const DeviceInfo &device) {
    if (!options.sizes)
        return {options};
    struct Image {
        const char *size; // "": the default
        const char *type;
        int channels;
    };
    const bool is_gpu = device.kind == GAUZE_DEVICE_GPU;
    const Image images[] = {{"", "f32", 1},
                            {is_gpu ? "4096x4096" : "2048x2048", "f32", 1},
                            {"1920x1080", "f32", 1},
                            {is_gpu ? "8192x8192" : "2048x2048", "f32", 3},
                            {"", "u8", 1}};
    std::vector<BenchOptions> result;
    for (const Image &image : images) {
        BenchOptions own = options;
        own.type = image.type;
        own.channels = image.channels;
        if (own.filters.empty())
            own.filters = {"separable", "correlate", "gaussian", "box", "sat", "bspline"};
        if (*image.size != '\0') {
            own.size = image.size;
            ImageDesc desc(type_of(own), 1, 1, own.channels);
            desc.extent = parse_size(*own.size);
            if (const auto reason = obstacle(desc, device)) {
                std::cerr << "note: left out: " << *reason << '\n';
                continue;
            }
        }
        result.push_back(std::move(own));
    }
    return result;
}

// Measures all rows with one image.
Bench measured(const BenchOptions &options, const Engine &engine) {
    const Type type = type_of(options);
    const DeviceInfo device = engine.device();
    const ImageDesc volume = volume_for(options, type, device);
    const Inputs inputs{image_for(options, type, device), signal_for(options, type, device), volume,
                        volumes_for(volume)};
    Bench run(options, engine, inputs);
    run.measure(plan_rows(options, engine, inputs));
    return run;
}

ExitCode bench(const BenchOptions &options) {
    // Whatever can be refused is refused before the device is asked for anything.
    rows_of(options.filters);
    type_of(options);
    if (options.size)
        parse_size(*options.size);
    if (options.plot && !has_extension(*options.plot, ".svg"))
        throw InputError("--plot " + in_quotes(*options.plot) + " does not end in .svg");
    if (options.plot)
        check_output_path(*options.plot);
    if (options.json && !options.json_to_stdout())
        check_output_path(*options.json);

    const Engine engine = make_engine(options.device);
    catch_interrupts();
    std::vector<Bench> runs;
    for (const BenchOptions &image : images_of(options, engine.device())) {
        if (was_interrupted())
            break;
        try {
            Bench run = measured(image, engine);
            if (!run.report().results.empty())
                runs.push_back(std::move(run));
        } catch (const Error &) {
            if (!was_interrupted())
                throw;
        }
    }
    const bool interrupted = was_interrupted();
    if (interrupted)
        std::cerr << (runs.empty() ? "note: interrupted before a row was measured\n"
                                   : "note: interrupted: these are the rows measured before\n");
    if (runs.empty())
        return ExitCode::interrupted;

    std::vector<BenchReport> reports;
    std::vector<Measurement> measurements;
    bool is_right = true;
    for (const Bench &run : runs) {
        reports.push_back(run.report());
        std::ranges::copy(measurements_of(run.report()), std::back_inserter(measurements));
        is_right = is_right && run.failures().empty();
    }
    const std::string json = json_text(measurements);
    if (options.json_to_stdout())
        std::cout << json;
    else
        std::cout << (options.sizes ? table_of_sizes(reports) : table_of(reports.front()));
    if (options.json && !options.json_to_stdout())
        write_text(*options.json, json);
    if (const Plot plot = plot_of(reports.front()); options.plot && !plot.lines.empty())
        write_text(*options.plot, svg_of(plot));
    for (const Bench &run : runs) {
        for (const std::string &note : run.notes())
            std::cerr << "note: " << note << '\n';
        for (const std::string &failure : run.failures())
            std::cerr << "gauze: " << failure << '\n';
    }
    if (!is_right)
        return ExitCode::over_bound;
    return interrupted ? ExitCode::interrupted : ExitCode::success;
}

std::string filter_names() {
    std::vector<std::string> names;
    for (const BenchFamily &family : bench_families())
        names.push_back(family.filter);
    return joined(names, ", ");
}

} // namespace

void add_bench_command(CLI::App &app, Invocation &invocation) {
    CLI::App *const command = app.add_subcommand(
        "bench", "Time the standard rows of filters beside a plain copy. Each result is compared "
                 "with the double reference in " +
                     std::to_string(checked_windows) +
                     " windows; exit code 1 if one is wrong. "
                     "Interrupted, it ends after its row, reports the rows so far and exits with "
                     "code 130 if none is wrong.");
    const auto options = std::make_shared<BenchOptions>();
    command->add_option("FILTER", options->filters, filter_names() + " (default: all)")
        ->type_name("");
    command
        ->add_option("--size", options->size,
                     "Default: 16384x16384 on a GPU, 4096x4096 on a CPU, or what fits")
        ->type_name("WxH[xD]");
    command
        ->add_option("--sizes", options->sizes,
                     "users: a table of the images that users have: large and small, of several "
                     "channels, of bytes")
        ->type_name("users")
        ->check(CLI::IsMember({"users"}).description(""))
        ->excludes("--size");
    command->add_option("--type", options->type, "Pixels' type")
        ->type_name("T")
        ->capture_default_str();
    command->add_option("--channels", options->channels, "Channels, interleaved")
        ->type_name("C")
        ->check(CLI::Range(1, 4).description(""))
        ->capture_default_str();
    command->add_option("--device", options->device, "An index, part of a name, gpu or cpu")
        ->type_name("SEL");
    command
        ->add_option("--repeat", options->repeats,
                     "Runs to take the median of, after two more. Default: 15, 5 of nlm")
        ->type_name("N")
        ->check(CLI::Range(1u, 1000000u).description(""));
    command
        ->add_option("--json", options->json,
                     "Write an object for each measurement; - prints them, and no table")
        ->type_name("FILE");
    command->add_option("--plot", options->plot, "Write a plot of ratio to copy over radius")
        ->type_name("FILE.svg");
    command->add_flag("--peers", options->peers,
                      "Measure other libraries as well, those that are installed");
    command
        ->add_option("--candidates", options->candidates,
                     "Compare what rows of one source and target chose with so many other "
                     "candidates, the default of each kernel first, and say which are faster")
        ->type_name("N")
        ->check(CLI::Range(1u, 10000u).description(""));
    for (const char *other : {"--type", "--channels", "--plot", "--peers"})
        command->get_option("--sizes")->excludes(command->get_option(other));
    command->callback(
        [options, &invocation] { invocation.run = [options] { return bench(*options); }; });
}

} // namespace gauze::tool
