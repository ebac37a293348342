// `gauze run FILTER`: filters one file into another.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gauze/gauze.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "engine.hpp"
#include "filter_command.hpp"
#include "image_file.hpp"
#include "input_error.hpp"
#include "progress.hpp"

namespace gauze::tool {
namespace {

using Extent = std::array<std::int64_t, 4>;

std::string names_of(const std::vector<Type> &types) {
    std::vector<std::string> names;
    for (const Type type : types)
        names.push_back(name_of(type));
    return joined(names, ", ");
}

// The options that every filter has, as written.
struct RunOptions {
    std::string in, out;
    std::string border;
    std::string variant;
    std::string device;
    std::optional<std::string> src_roi, dst_offset, into, out_type;
    std::string roi_edge = "isolated";
    std::optional<unsigned> time;
    bool channels_last = false;
    bool verify = false;
    bool explain = false;
    bool quiet = false;
};

void add_run_options(CLI::App &app, RunOptions &options, const FilterCommand &filter) {
    options.border = filter.border;
    app.add_option("IN", options.in, "A .png or .npy file")->required()->type_name("");
    app.add_option("OUT", options.out, "A .png or .npy file")->required()->type_name("");
    app.add_option("--border", options.border, "What lies outside: " + border_names())
        ->type_name("BORDER")
        ->capture_default_str();
    app.add_option("--device", options.device, "An index, part of a name, gpu or cpu")
        ->type_name("SEL");
    app.add_option("--variant", options.variant, "Force a kernel")->type_name("NAME");
    app.add_option("--src-roi", options.src_roi, "Box of the source to filter")
        ->type_name("x,y,w,h|x,y,z,w,h,d");
    app.add_option("--dst-offset", options.dst_offset,
                   "Where its result goes (default: the source's offset)")
        ->type_name("x,y[,z]");
    app.add_option("--roi-edge", options.roi_edge,
                   "Beyond the box: isolated (the border) or neighbours (the source's pixels)")
        ->type_name("EDGE")
        ->capture_default_str();
    app.add_option("--into", options.into, "What the result is laid over (default: zeros)")
        ->type_name("FILE");
    app.add_flag("--channels-last", options.channels_last,
                 "The last axis of a .npy file is channels");
    app.add_option("--out-type", options.out_type,
                   names_of(filter.out_types) + " (default: " + filter.out_type_text + ")")
        ->type_name("TYPE");
    app.add_flag("--verify", options.verify,
                 "Compare with the double reference; exit code 1 over the filter's bound");
    app.add_flag("--explain", options.explain, "Print the plan to stderr");
    app.add_option("--time", options.time, "Run N times more and print the medians")
        ->type_name("N")
        ->check(CLI::Range(1u, 1000000u).description(""));
    app.add_flag("--quiet", options.quiet, "Print no notes");
}

std::string extent_text(const Extent &extent) {
    std::string text;
    std::size_t axes = extent.size();
    while (axes > 2 && extent[axes - 1] == 1)
        --axes;
    for (std::size_t axis = 0; axis < axes; ++axis)
        text += (axis == 0 ? "" : "x") + std::to_string(extent[axis]);
    return text;
}

void check_type(Type type, const std::vector<Type> &types, const std::string &what,
                const std::string &done) {
    if (std::ranges::find(types, type) == types.end())
        throw InputError(what + ": " + name_of(type) + " is not a type that can be " + done + " (" +
                         names_of(types) + " are)");
}

Border border_of(const FilterCommand &command, const std::string &text) {
    const Border border = parse_border(text);
    const bool is_zero = border.mode == GAUZE_BORDER_ZERO;
    const ZeroBorder rule = command.zero_border();
    if (is_zero && rule == ZeroBorder::refused)
        throw InputError("--border: zero is for recursive filters and sums; "
                         "use constant:0 with this filter");
    if (!is_zero && rule == ZeroBorder::only)
        throw InputError("--border: " + in_quotes(text) + " is not zero, the only one of " +
                         command.name);
    return border;
}

// Origin and extent of --src-roi. Axes that it does not name are taken whole.
void set_source_box(Region &region, const std::string &text, const Extent &source) {
    const std::string option = "--src-roi";
    const std::vector<std::int64_t> numbers = parse_integers(option, text);
    if (numbers.size() % 2 != 0 || numbers.size() > 2 * source.size())
        throw InputError(option + ": " + in_quotes(text) + " is not x,y,w,h or x,y,z,w,h,d");
    const std::size_t axes = numbers.size() / 2;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::int64_t origin = numbers[axis];
        const std::int64_t extent = numbers[axes + axis];
        if (extent < 1)
            throw InputError(option + ": " + in_quotes(text) + " is empty");
        // By subtraction: the sum may overflow.
        if (origin < 0 || origin >= source[axis] || extent > source[axis] - origin)
            throw InputError(option + ": " + in_quotes(text) + " reaches outside the source of " +
                             extent_text(source));
        region.source_origin[axis] = origin;
        region.extent[axis] = extent;
    }
}

void set_target_origin(Region &region, const std::string &text) {
    const std::string option = "--dst-offset";
    const std::vector<std::int64_t> numbers = parse_integers(option, text);
    if (numbers.size() > region.target_origin.size())
        throw InputError(option + ": " + in_quotes(text) + " is not x,y or x,y,z");
    std::ranges::copy(numbers, region.target_origin.begin());
}

// Returns nothing where the options ask for the whole source and nothing else.
std::optional<Region> region_of(const RunOptions &options, const Extent &source,
                                const Extent &target) {
    const RegionEdge edge = parse_region_edge(options.roi_edge);
    if (!options.src_roi && !options.dst_offset && !options.into)
        return std::nullopt;
    Region region;
    region.edge = edge;
    region.extent = source;
    if (options.src_roi)
        set_source_box(region, *options.src_roi, source);
    region.target_origin = region.source_origin;
    if (options.dst_offset)
        set_target_origin(region, *options.dst_offset);
    for (std::size_t axis = 0; axis < target.size(); ++axis)
        if (region.target_origin[axis] < 0 || region.target_origin[axis] >= target[axis] ||
            region.extent[axis] > target[axis] - region.target_origin[axis])
            throw InputError("the result of " + extent_text(region.extent) +
                             " reaches outside the target of " + extent_text(target) +
                             "; see --dst-offset");
    return region;
}

Type out_type(const RunOptions &options, Type otherwise) {
    return options.out_type ? parse_type("--out-type", *options.out_type) : otherwise;
}

// Returns the target of the result: --into's pixels, or zeros of the source's size.
HostImage make_target(const RunOptions &options, const HostImage &source, Type otherwise,
                      ChannelAxis array_channels) {
    if (!options.into) {
        HostImage target{source.desc, {}, source.form};
        target.desc.type = out_type(options, otherwise);
        return target;
    }
    HostImage target = read_image(*options.into, array_channels);
    if (target.desc.channels != source.desc.channels)
        throw InputError("--into " + in_quotes(*options.into) + " has " +
                         std::to_string(target.desc.channels) + " channels and " +
                         in_quotes(options.in) + " has " + std::to_string(source.desc.channels));
    if (const Type type = out_type(options, target.desc.type); type != target.desc.type)
        throw InputError("--out-type " + name_of(type) + " differs from the type of --into " +
                         in_quotes(*options.into) + ", " + name_of(target.desc.type));
    return target;
}

void print_device(const DeviceInfo &device) {
    std::cerr << "device " << device.index << ": " << device.name << " (" << device.platform
              << ")\n";
}

void print_verification(const Verification &result) {
    const auto &at = result.worst_at;
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "worst error %.6g, bound %.6g", result.worst_error,
                  result.bound);
    std::cerr << "verify: " << (result.within_bound ? "" : "OVER THE BOUND: ") << numbers
              << ", at x=" << at[0] << " y=" << at[1] << " z=" << at[2] << " t=" << at[3]
              << " channel " << at[5] << ", " << result.pixels << " pixels compared\n";
}

void print_timing(const Timing &timing, unsigned repeats) {
    char line[256];
    std::snprintf(line, sizeof line,
                  "median of %u runs: device %.4f ms, wall %.4f ms, copy %.4f ms, %.2f times the "
                  "copy, %d launches%s\n",
                  repeats, timing.device_ms, timing.wall_ms, timing.copy_ms,
                  timing.device_ms / timing.copy_ms, timing.launches,
                  timing.device_time_is_wall ? " (the device has no clock to trust: its time is "
                                               "wall time)"
                                             : "");
    std::cout << line;
}

// The image, and its guide where it has one.
using Sources = std::vector<HostImage>;

std::vector<HostPixels> pixels_of(const Sources &sources) {
    std::vector<HostPixels> pixels;
    for (const HostImage &source : sources)
        pixels.emplace_back(source.pixels);
    return pixels;
}

// An image that goes through the device in one piece is done soon: there is no bar.
void run_with_progress(const Plan &plan, const Sources &sources, HostImage &target,
                       const std::string &name) {
    Progress bar(1.0);
    gauze::RunOptions run_options;
    run_options.progress = [&](std::uint64_t done, std::uint64_t total) {
        if (done > 0 && done < total)
            bar.reach(name, static_cast<double>(done) / static_cast<double>(total));
        return true;
    };
    plan.run_sources(pixels_of(sources), {HostTarget(target.pixels)}, run_options);
}

Timing measure(const Engine &engine, const Plan &plan, const Sources &sources,
               const HostImage &target, unsigned repeats) {
    std::vector<Image> device_sources;
    std::vector<const Image *> measured;
    for (const HostImage &source : sources) {
        device_sources.push_back(engine.image(source.desc));
        device_sources.back().write(source.pixels.data(), source.pixels.size());
    }
    for (const Image &source : device_sources)
        measured.push_back(&source);
    Image device_target = engine.image(target.desc);
    device_target.write(target.pixels.data(), target.pixels.size());
    return plan.measure_sources(measured, {&device_target}, repeats);
}

void check_guide(const HostImage &guide, const HostImage &source, const std::string &file) {
    const std::string what = "--guide " + in_quotes(file);
    check_type(guide.desc.type, pixel_types(), what, "a guide");
    if (guide.desc.extent != source.desc.extent)
        throw InputError(what + " is " + extent_text(guide.desc.extent) + " and the image " +
                         extent_text(source.desc.extent));
    if (guide.desc.channels != 1 && guide.desc.channels != 3)
        throw InputError(what + " has " + std::to_string(guide.desc.channels) +
                         " channels; a guide has 1 or 3");
}

// No device has been asked yet: what the library refuses here is what the user wrote, unless it is
// a filter that makes sense and that no device can run.
Filter make_filter(const FilterCommand &command, const HostImage &source) {
    try {
        return command.make({source.form.axes, source.desc.channels});
    } catch (const Error &error) {
        if (error.status() == GAUZE_ERROR_UNSUPPORTED)
            throw;
        throw InputError(error.what());
    }
}

ExitCode run_filter(const FilterCommand &command, const RunOptions &options) {
    // Whatever can be refused is refused before the device is asked for anything.
    const ChannelAxis array_channels =
        options.channels_last ? ChannelAxis::last : ChannelAxis::none;
    PlanOptions plan_options;
    plan_options.with_border(border_of(command, options.border)).with_variant(options.variant);
    Sources sources{read_image(options.in, array_channels)};
    if (const std::string guide = command.guide_file(); !guide.empty()) {
        sources.push_back(read_image(guide, array_channels));
        check_guide(sources[1], sources[0], guide);
        plan_options.with_guide(sources[1].desc);
    }
    const HostImage &source = sources[0];
    const Filter filter = make_filter(command, source);
    check_type(source.desc.type, pixel_types(), in_quotes(options.in), "filtered");
    HostImage target =
        make_target(options, source, command.out_type(source.desc.type), array_channels);
    check_type(target.desc.type, command.out_types,
               options.into ? "--into " + in_quotes(*options.into) : "--out-type", "written");
    plan_options.region = region_of(options, source.desc.extent, target.desc.extent);
    check_storable(options.out, target.desc);
    if (!options.into)
        target.pixels.resize(target.desc.bytes());

    const Engine engine = make_engine(options.device);
    const Plan plan = engine.plan(filter, source.desc, target.desc, plan_options);
    if (options.explain)
        std::cerr << plan.explain();
    run_with_progress(plan, sources, target, options.in);

    std::optional<Verification> verification;
    if (options.verify)
        verification = plan.verify_sources(pixels_of(sources), {HostPixels(target.pixels)});
    std::optional<Timing> timing;
    if (options.time)
        timing = measure(engine, plan, sources, target, *options.time);
    write_image(options.out, target);

    // Only now: a run that is refused on the way prints what was wrong and nothing else.
    const bool over_bound = verification && !verification->within_bound;
    if (!options.quiet)
        print_device(engine.device());
    if (verification && (over_bound || !options.quiet))
        print_verification(*verification);
    if (timing)
        print_timing(*timing, *options.time);
    return over_bound ? ExitCode::over_bound : ExitCode::success;
}

void add_filter(CLI::App &run, const FilterCommand &filter, Invocation &invocation) {
    CLI::App *const command = run.add_subcommand(filter.name, filter.summary);
    const auto options = std::make_shared<RunOptions>();
    add_run_options(*command, *options, filter);
    filter.add_options(*command);
    command->callback([filter, options, &invocation] {
        invocation.run = [filter, options] { return run_filter(filter, *options); };
        if (options->explain)
            invocation.detail = ErrorDetail::all;
    });
}

} // namespace

void add_run_command(CLI::App &app, Invocation &invocation) {
    CLI::App *const run = app.add_subcommand("run", "Filter a file");
    run->require_subcommand(1);
    for (const FilterCommand &filter : filter_commands())
        add_filter(*run, filter, invocation);
}

} // namespace gauze::tool
