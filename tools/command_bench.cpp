// `gauze bench`: times of the standard rows, each beside a plain copy and with its result checked.
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gauze/gauze.hpp>

#include "arguments.hpp"
#include "bench_check.hpp"
#include "bench_input.hpp"
#include "bench_measurement.hpp"
#include "bench_peers.hpp"
#include "bench_report.hpp"
#include "bench_rows.hpp"
#include "command.hpp"
#include "engine.hpp"
#include "file.hpp"
#include "input_error.hpp"
#include "progress.hpp"
#include "svg_plot.hpp"

namespace gauze::tool {
namespace {

struct BenchOptions {
    std::vector<std::string> filters;
    std::optional<std::string> size;
    std::string type = "f32";
    int channels = 1;
    std::string device;
    unsigned repeats = 15;
    std::optional<std::string> json, plot;
    bool peers = false;

    bool json_to_stdout() const { return json && *json == "-"; }
};

// A row that the library can do, ready to run.
struct PlannedRow {
    BenchRow row;
    Filter filter;
    Plan plan;
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

std::string text_of(const ImageDesc &image) {
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

// Why images so described do not fit the device; none where they do.
std::optional<std::string> obstacle(const ImageDesc &image, const DeviceInfo &device) {
    // Source and target, and those of the copy; a CPU also holds the host's source and result.
    const int images = device.kind == GAUZE_DEVICE_CPU ? 6 : 4;
    const auto bytes = static_cast<double>(image.bytes());
    const std::string what = text_of(image) + " is " + gigabytes(bytes) + " an image, ";
    if (bytes > static_cast<double>(device.max_allocation))
        return what + "and " + device.name + " allocates at most " +
               gigabytes(static_cast<double>(device.max_allocation)) + " at once";
    if (images * bytes > static_cast<double>(device.global_memory))
        return what + "of which " + std::to_string(images) + " are needed, and " + device.name +
               " has " + gigabytes(static_cast<double>(device.global_memory));
    return std::nullopt;
}

// What to filter: of the size asked for, or of the largest that fits, halving each side of the
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

// The rows that the library takes. It refuses before anything is measured: a filter that was named
// ends the command then, another is left out with a note.
std::vector<PlannedRow> plan_rows(const BenchOptions &options, const Engine &engine,
                                  const ImageDesc &image) {
    std::vector<PlannedRow> planned;
    std::vector<std::pair<std::string, std::string>> left_out; // rows of one filter, and why
    std::string last_filter;
    for (const BenchRow &row : rows_of(options.filters)) {
        try {
            Filter filter = filter_of(row);
            Plan plan = engine.plan(filter, image);
            planned.push_back({row, std::move(filter), std::move(plan)});
        } catch (const Error &error) {
            if (error.status() != GAUZE_ERROR_UNSUPPORTED)
                throw;
            if (!options.filters.empty())
                throw Error(error.status(), text_of(row) + ": " + error.what());
            if (row.filter == last_filter && left_out.back().second == error.what())
                left_out.back().first += ", " + std::to_string(row.value);
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
    if (row.filter == "box")
        return 40;
    return 30 + (row.filter == "correlate" ? n * n : 2 * n);
}

class Bench {
public:
    Bench(const BenchOptions &options, const Engine &engine, const ImageDesc &image)
        : repeats_(options.repeats), engine_(engine), device_(engine.device()), image_(image),
          source_pixels_(random_pixels(image)), target_pixels_(source_pixels_.size()),
          source_(engine.image(image)), target_(engine.image(image)) {
        source_.write(source_pixels_.data(), source_pixels_.size());
        report_.device = device_.name;
        report_.platform = device_.platform;
        report_.image = text_of(image);
        report_.image_bytes = static_cast<double>(source_pixels_.size());
        report_.repeats = repeats_;
        report_.checked_windows = checked_windows;
        if (options.peers && (peers_ = find_peers()).empty())
            notes_.push_back("--peers: no program for another library is installed");
    }

    void measure(const std::vector<PlannedRow> &rows) {
        double total = 0;
        for (const PlannedRow &planned : rows)
            total += work_of(planned.row);
        Progress progress(total);
        for (const PlannedRow &planned : rows) {
            progress.begin(text_of(planned.row), work_of(planned.row));
            measure(planned);
        }
    }

    const BenchReport &report() const { return report_; }
    const std::vector<std::string> &notes() const { return notes_; }
    // A line for each row whose result is wrong.
    const std::vector<std::string> &failures() const { return failures_; }

private:
    void measure(const PlannedRow &planned) {
        // A kernel that writes nothing must not find the right result there already.
        target_.write(source_pixels_.data(), source_pixels_.size());
        const Timing timing = planned.plan.measure(source_, target_, repeats_);
        target_.read(target_pixels_.data(), target_pixels_.size());

        BenchResult result;
        Measurement &own = result.own;
        own.row = planned.row;
        own.device = device_.name;
        own.platform = device_.platform;
        own.type = name_of(image_.type);
        own.channels = image_.channels;
        own.size = {image_.extent[0], image_.extent[1]};
        if (image_.extent[2] > 1)
            own.size.push_back(image_.extent[2]);
        own.variant = planned.plan.variant();
        own.launches = timing.launches;
        own.time_ms = timing.device_ms;
        own.wall_ms = timing.wall_ms;
        own.copy_ms = timing.copy_ms;
        report_.device_time_is_wall |= timing.device_time_is_wall;

        // At once: the machine is still in the state in which it ran the row.
        PeerOutcome peers = measure_peers(peers_, own, device_, repeats_);
        result.peers = std::move(peers.measurements);
        for (const std::string &refusal : peers.refusals)
            notes_.push_back(text_of(planned.row) + ": " + refusal);

        const CheckResult check = check_windows(engine_, planned.filter, planned.row, image_,
                                                source_pixels_, target_pixels_);
        if (!check.within_bound) {
            result.verdict = Verdict::wrong;
            failures_.push_back(text_of(planned.row) + ": wrong result: " + check.text);
        }
        report_.results.push_back(std::move(result));
    }

    unsigned repeats_;
    const Engine &engine_;
    DeviceInfo device_;
    ImageDesc image_;
    std::vector<std::byte> source_pixels_, target_pixels_;
    Image source_, target_;
    std::vector<std::filesystem::path> peers_;
    BenchReport report_;
    std::vector<std::string> notes_, failures_;
};

void write_text(const std::string &path, const std::string &text) {
    OutputFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

ExitCode bench(const BenchOptions &options) {
    // Whatever can be refused is refused before the device is asked for anything.
    rows_of(options.filters);
    const Type type = parse_type("--type", options.type);
    if (options.size)
        parse_size(*options.size);
    if (options.plot && !has_extension(*options.plot, ".svg"))
        throw InputError("--plot " + in_quotes(*options.plot) + " does not end in .svg");
    if (options.plot)
        check_output_path(*options.plot);
    if (options.json && !options.json_to_stdout())
        check_output_path(*options.json);

    const Engine engine = make_engine(options.device);
    const ImageDesc image = image_for(options, type, engine.device());
    Bench run(options, engine, image);
    run.measure(plan_rows(options, engine, image));

    const BenchReport &report = run.report();
    const std::string json = json_text(measurements_of(report));
    if (options.json_to_stdout())
        std::cout << json;
    else
        std::cout << table_of(report);
    if (options.json && !options.json_to_stdout())
        write_text(*options.json, json);
    if (const Plot plot = plot_of(report); options.plot && !plot.lines.empty())
        write_text(*options.plot, svg_of(plot));
    for (const std::string &note : run.notes())
        std::cerr << "note: " << note << '\n';
    for (const std::string &failure : run.failures())
        std::cerr << "gauze: " << failure << '\n';
    return run.failures().empty() ? ExitCode::success : ExitCode::over_bound;
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
                     std::to_string(checked_windows) + " windows; exit code 1 if one is wrong.");
    const auto options = std::make_shared<BenchOptions>();
    command->add_option("FILTER", options->filters, filter_names() + " (default: all)")
        ->type_name("");
    command
        ->add_option("--size", options->size,
                     "Default: 16384x16384 on a GPU, 4096x4096 on a CPU, or what fits")
        ->type_name("WxH[xD]");
    command->add_option("--type", options->type, "Pixels' type")
        ->type_name("T")
        ->capture_default_str();
    command->add_option("--channels", options->channels, "Channels, interleaved")
        ->type_name("C")
        ->check(CLI::Range(1, 4).description(""))
        ->capture_default_str();
    command->add_option("--device", options->device, "An index, part of a name, gpu or cpu")
        ->type_name("SEL");
    command->add_option("--repeat", options->repeats, "Runs to take the median of, after two more")
        ->type_name("N")
        ->check(CLI::Range(1u, 1000000u).description(""))
        ->capture_default_str();
    command
        ->add_option("--json", options->json,
                     "Write an object for each measurement; - prints them, and no table")
        ->type_name("FILE");
    command->add_option("--plot", options->plot, "Write a plot of ratio to copy over radius")
        ->type_name("FILE.svg");
    command->add_flag("--peers", options->peers,
                      "Measure other libraries as well, those that are installed");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return bench(*options); }; });
}

} // namespace gauze::tool
