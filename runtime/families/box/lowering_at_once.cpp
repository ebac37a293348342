#include "families/box/lowering_at_once.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "families/box/box_pass.hpp"
#include "families/correlate/lowering.hpp"
#include "families/correlate/separable_stream.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

std::vector<double> means(std::int64_t radius, int times) {
    const std::int64_t size = 2 * radius + 1;
    std::vector<double> taps{1.0};
    for (int i = 0; i < times; ++i) {
        std::vector<double> next(taps.size() + static_cast<std::size_t>(size - 1), 0.0);
        for (std::size_t k = 0; k < taps.size(); ++k)
            for (std::size_t j = 0; j < static_cast<std::size_t>(size); ++j)
                next[k + j] += taps[k] / static_cast<double>(size);
        taps = std::move(next);
    }
    return taps;
}

// Whether the image that a border makes of one with symmetric means has these means too: the border need not be made anew.
bool continues_means(BorderMode mode) {
    return mode == BorderMode::reflect || mode == BorderMode::reflect101 ||
           mode == BorderMode::wrap;
}

std::int64_t longest_radius(const Box &box) {
    return std::max(box.radius[0], box.radius[1]);
}

FramedAxis split_along(std::size_t axis, const Box &box, const PlanDesc &desc) {
    const std::int64_t length = desc.region.extent[axis];
    if (continues_means(desc.border.mode))
        return {{0, 0}, {0, length}, {length, length}};
    const Valid image = valid_along(desc, axis);
    // The first iteration has the border that the taps have.
    const std::int64_t depth = (box.iterations - 1) * box.radius[axis];
    const std::int64_t begin = std::clamp<std::int64_t>(image.first + depth, 0, length);
    const std::int64_t end = std::clamp<std::int64_t>(image.end - depth, begin, length);
    return {{0, begin}, {begin, end}, {end, length}};
}

// Whether all of the region's pixels are inner ones.
bool is_all_inner(const Box &box, const PlanDesc &desc) {
    for (std::size_t axis = 0; axis < 2; ++axis)
        if (split_along(axis, box, desc).inner.length() < desc.region.extent[axis])
            return false;
    return true;
}

// Returns a plan for a part of the region's pixels.
PlanDesc part_of(const PlanDesc &desc, const std::array<Part, 2> &parts) {
    PlanDesc result = desc;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        result.region.source_origin[axis] += parts[axis].begin;
        result.region.target_origin[axis] += parts[axis].begin;
        result.region.extent[axis] = parts[axis].length();
    }
    return result;
}

// Returns the same plan with the region as the whole source where it reads no neighbours: a part of it reads the rest.
PlanDesc of_own_image(const PlanDesc &desc) {
    PlanDesc result = desc;
    if (desc.region.edge == RegionEdge::neighbours)
        return result;
    result.source.offset = desc.source.byte_of(desc.region.source_origin, 0);
    result.source.extent = desc.region.extent;
    result.region.source_origin = {0, 0, 0, 0};
    result.region.edge = RegionEdge::neighbours;
    return result;
}

// Returns the same plan of an image without the pixels further from the region than the iterations read, so that no iteration
// makes those. Results do not depend on the border that stands at such a cut.
PlanDesc cropped(const PlanDesc &desc, const Box &box) {
    PlanDesc result = desc;
    Axes origin{0, 0, 0, 0};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t reach = box.iterations * box.radius[axis];
        const std::int64_t first = desc.region.source_origin[axis];
        const std::int64_t begin = std::max<std::int64_t>(first - reach, 0);
        const std::int64_t end =
            std::min(first + desc.region.extent[axis] + reach, desc.source.extent[axis]);
        origin[axis] = begin;
        result.source.extent[axis] = end - begin;
        result.region.source_origin[axis] -= begin;
    }
    result.source.offset = desc.source.byte_of(origin, 0);
    return result;
}

Step taps_step(const Correlate &taps, const PlanDesc &desc, Subtraction subtraction,
               bool has_frames) {
    Step step(desc, [taps, subtraction, has_frames](const PlanDesc &part) -> Pass {
        CorrelatePass pass = lower_correlation(taps, part);
        pass.subtraction = subtraction;
        pass.has_frames = has_frames;
        return pass;
    });
    step.reach = reach_of(taps);
    return step;
}

// Places among the arguments of a launch of box_frames.
constexpr std::size_t place_of_geometry = 2, place_of_frames = 3, place_of_taps_x = 4,
                      place_of_taps_y = 5, place_of_sums = 6;

const std::vector<std::byte> &value_at(const Launch &launch, std::size_t place) {
    return std::get<ByValue>(launch.arguments.at(place)).bytes;
}

template <class T> T value_of(const Launch &launch, std::size_t place) {
    const std::vector<std::byte> &bytes = value_at(launch, place);
    T value;
    require(bytes.size() == sizeof value, "an argument has another size than the kernel's");
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

// Returns a launch that makes what one of separable_stream does, but for the pixels of the frames, and what one of box_frames does;
// nothing where the first is of another kernel, or its program is not for both.
std::optional<Launch> stream_with_frames(const Launch &stream, const Launch &frames) {
    using Place = StreamArguments;
    const auto define = [](const Launch &launch, const char *name) {
        const auto found = launch.program.defines.find(name);
        return found == launch.program.defines.end() ? 0 : found->second;
    };
    // Integers that are read as denormal floats would be other values to the frames' taps.
    if (stream.program.entry != "separable_stream" || define(stream, "READS_DENORMALS") != 0 ||
        define(stream, "DIFFERENCE") != define(frames, "DIFFERENCE") ||
        value_at(stream, Place::geometry) != value_at(frames, place_of_geometry))
        return std::nullopt;
    const auto which = value_of<BoxFrames>(frames, place_of_frames);
    const auto band = value_of<std::int32_t>(stream, Place::band);
    const auto columns = static_cast<std::int64_t>(stream.range.global[0] / stream.range.local[0]);
    const std::int64_t bands =
        ceil_div(std::int64_t{which.end_y} - which.begin_y, std::int64_t{band});
    Launch result = stream;
    result.program.defines["FRAMES"] = 1;
    result.range.global[1] =
        static_cast<std::size_t>(bands + ceil_div(std::int64_t{which.tiles}, columns));
    auto &entered = std::get<LocalMemory>(result.arguments.at(Place::entered));
    entered.bytes =
        std::max(entered.bytes, std::get<LocalMemory>(frames.arguments.at(place_of_sums)).bytes);
    result.arguments.insert(result.arguments.begin() +
                                static_cast<std::ptrdiff_t>(Place::places + 1),
                            {frames.arguments[place_of_frames], by_value(narrow(bands)),
                             frames.arguments[place_of_taps_x], frames.arguments[place_of_taps_y]});
    constexpr std::size_t least_local_memory = 32768; // of any GPU
    return local_memory_of(result) <= std::max(least_local_memory, local_memory_of(stream))
               ? std::optional(std::move(result))
               : std::nullopt;
}

// Makes the frames' pixels once more, in one launch.
Step frames_step(const Box &box, const PlanDesc &desc, Subtraction subtraction) {
    Step step(desc, [box, subtraction](const PlanDesc &part) -> Pass {
        BoxFramesPass pass{};
        TapsExtent taps;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            pass.radius[axis] = static_cast<int>(box.radius[axis]);
            pass.axes[axis] = split_along(axis, box, part);
        }
        taps.anchor_x = box.iterations * box.radius[0];
        taps.anchor_y = box.iterations * box.radius[1];
        taps.size_x = 2 * taps.anchor_x + 1;
        taps.size_y = 2 * taps.anchor_y + 1;
        static_cast<ImagePass &>(pass) = lower_images(part, taps);
        pass.iterations = box.iterations;
        pass.subtraction = subtraction;
        return pass;
    });
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t reach = box.iterations * box.radius[axis];
        step.reach[axis] = {reach, reach};
    }
    step.join = stream_with_frames;
    step.combines = true; // a kernel that is forced makes all pixels, and this what is left
    return step;
}

// An iteration after the other.
Graph lower_frame(const Box &box, const PlanDesc &desc, Subtraction subtraction) {
    const std::vector<std::vector<std::size_t>> axes(static_cast<std::size_t>(box.iterations),
                                                     {0, 1});
    const Correlate taps = taps_of(box, 1);
    return lower_along(axes, cropped(desc, box), [&](std::size_t i, const PlanDesc &step) -> Link {
        return taps_step(taps, step, i + 1 == axes.size() ? subtraction : Subtraction::none, false);
    });
}

// Makes the frames' pixels once more: by a kernel of their own, or frame by frame, an iteration after the other.
Graph lower_frames(const Box &box, const PlanDesc &desc, Subtraction subtraction) {
    const PlanDesc whole = of_own_image(desc);
    const FramedAxis x = split_along(0, box, whole);
    const FramedAxis y = split_along(1, box, whole);
    const Part all_x{0, whole.region.extent[0]};
    Graph in_turn;
    for (const std::array<Part, 2> &frame :
         {std::array{all_x, y.before}, std::array{all_x, y.after}, std::array{x.before, y.inner},
          std::array{x.after, y.inner}})
        if (frame[0].length() > 0 && frame[1].length() > 0)
            append(in_turn, lower_frame(box, part_of(whole, frame), subtraction), target_image());
    Chain by_taps{"", std::move(in_turn.links)};
    // Kernels of taps are made of vectors there, and several times as fast.
    by_taps.suits = [](const DeviceFacts &facts) { return habit_of(facts) == GroupHabit::strips; };
    Step step = frames_step(box, desc, subtraction);
    std::string problem = step.pass.problem();
    in_turn.links = {Link({std::move(by_taps), {"", {std::move(step)}}}, std::move(problem))};
    return in_turn;
}

} // namespace

Correlate taps_of(const Box &box, int times) {
    AxisTaps taps;
    for (std::size_t axis = 0; axis < 2; ++axis)
        taps.values[axis] = means(box.radius[axis], times);
    return separable(taps);
}

std::optional<Graph> lower_at_once(const Box &box, const PlanDesc &desc, Subtraction subtraction) {
    constexpr std::int64_t longest = 31; // of taps that kernels keep in registers
    const bool is_integer =
        facts_of(desc.source.type).is_integer && facts_of(desc.target.type).is_integer;
    if (box.iterations < 2 || box.is_volume() || box.iterations * longest_radius(box) > longest)
        return std::nullopt;
    // A mean that is an integer must not become the one below it.
    if (is_integer && desc.store == Store::truncate)
        return std::nullopt;
    // The frames' pixels are made with the others, so that rows start where those of the region do, and then once more.
    const bool has_frames = !is_all_inner(box, desc);
    Graph graph;
    append(graph, {{}, {taps_step(taps_of(box, box.iterations), desc, subtraction, has_frames)}},
           target_image());
    if (has_frames)
        append(graph, lower_frames(box, desc, subtraction), target_image());
    return graph;
}

bool subtracts(const Pass &pass) {
    const auto *const taps = pass.get_if<CorrelatePass>();
    const auto *const frames = pass.get_if<BoxFramesPass>();
    return (taps && taps->subtraction != Subtraction::none) ||
           (frames && frames->subtraction != Subtraction::none);
}

bool is_faster_at_once(const Box &box, const PlanDesc &desc, const DeviceFacts &facts) {
    const bool is_cpu = habit_of(facts) == GroupHabit::strips;
    const std::int64_t reach = box.iterations * longest_radius(box);
    // Measured on PoCL with AVX2 and AVX-512, and on an H200 and an H100: 0.4 to 0.95 of the time up to there.
    const std::int64_t most_of_all = is_cpu ? 15 : 24;
    const std::int64_t most_of_one = is_cpu ? 5 : 8;
    if (reach > most_of_all || longest_radius(box) > most_of_one)
        return false;
    if (is_all_inner(box, desc))
        return true;
    // Frames take longer beside the other pixels in small images: up to 12 launches on CPUs; on GPUs at most one, but taps of
    // all iterations for each of their pixels.
    constexpr std::int64_t moderate_reach = 15;
    const bool has_one_launch =
        !facts_of(desc.source.type).is_integer && streams_at_once(box, desc, facts);
    const bool is_quick = reach <= moderate_reach || has_one_launch;
    const int least_bits = is_cpu ? 19 : is_quick ? 0 : 23;
    return desc.pixels() >= std::int64_t{1} << least_bits;
}

bool streams_at_once(const Box &box, const PlanDesc &desc, const DeviceFacts &facts) {
    CorrelatePass pass = lower_correlation(taps_of(box, box.iterations), desc);
    pass.has_frames = !is_all_inner(box, desc);
    return streams_best(pass, facts);
}

} // namespace gz
