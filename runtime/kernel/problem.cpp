#include "kernel/problem.hpp"

#include <algorithm>
#include <initializer_list>

#include "core/error.hpp"

namespace gz {

namespace {

// A large image keeps any device busy for long, a small one leaves units of a large device idle.
std::string size_class(std::int64_t values) {
    constexpr std::int64_t small = std::int64_t{1} << 20;
    constexpr std::int64_t medium = std::int64_t{1} << 24;
    return values < small ? "small" : values < medium ? "medium" : "large";
}

// "f32", or "u8-f32" where the target has another type.
std::string types_text(PixelType src, PixelType dst) {
    return src == dst ? name_of(src) : text(name_of(src), '-', name_of(dst));
}

std::string image_text(const ImagePass &pass) {
    const Geometry &g = pass.geometry;
    return types_text(pass.src_type, pass.dst_type) + " " +
           size_class(std::int64_t{g.width} * g.height * pass.batch());
}

// "taps<=5", or "taps>63" of more than any of the limits.
std::string up_to(const char *what, std::int64_t number, std::initializer_list<int> limits) {
    for (const int limit : limits)
        if (number <= limit)
            return text(what, "<=", limit);
    return text(what, ">", *(limits.end() - 1));
}

std::int64_t longer_side(const Geometry &geometry) {
    return std::max(geometry.taps_x, geometry.taps_y);
}

std::size_t sections_of(const LineStage &stage) {
    return stage.causal.size() + stage.anticausal.size();
}

// Samples after which states do not matter: it decides what tiles cost.
std::string memory_text(bool is_short) {
    return is_short ? "forgets<=512" : "forgets>512";
}

constexpr std::int64_t short_memory = 512;

// "", or a word for states that not every kernel keeps in f32.
const char *precision_text(const std::vector<const LineStage *> &stages) {
    Precision precision = Precision::single;
    for (const LineStage *stage : stages)
        precision = std::max(precision, stage->precision);
    return precision == Precision::single     ? ""
           : precision == Precision::anchored ? "anchored "
                                              : "twice ";
}

std::int64_t values_of(const Pyramid &pyramid) {
    return pyramid.scales.empty() ? 0
                                  : pyramid.scales.front().width * pyramid.scales.front().height;
}

} // namespace

std::string problem_of(const CorrelatePass &pass) {
    const char *const kind = pass.varied()      ? "varied "
                             : pass.separable() ? "separable "
                                                : "correlate ";
    return kind + up_to("taps", longer_side(pass.geometry), {3, 5, 7, 11, 15, 31, 63}) + " " +
           image_text(pass);
}

std::string problem_of(const VolumePass &pass) {
    // Filters of a bank share registers, and taps along t take what those of a cube cannot.
    const char *const kind = pass.separable           ? "separable volume "
                             : pass.filters > 1       ? "volume-bank "
                             : pass.volume.taps_t > 1 ? "volume-4d "
                                                      : "volume ";
    return kind + up_to("taps", longest_side(pass), {3, 5, 7, 15}) + " " + image_text(pass);
}

std::string problem_of(const BoxPass &pass) {
    // Beside longer boxes a band of rows is low, and what was measured of others says little of them.
    constexpr int most_moderate_taps = 2047;
    const std::int64_t taps = longer_side(pass.geometry);
    const std::string length = outgrows_image(pass)        ? "taps>image"
                               : taps > most_moderate_taps ? text("taps>", most_moderate_taps)
                                                           : up_to("taps", taps, {7, 15, 63, 255});
    return (pass.difference == BoxDifference::none ? "box " : "box difference ") + length + " " +
           image_text(pass);
}

std::string problem_of(const DifferencePass &pass) {
    return "difference " + image_text(pass);
}

std::string problem_of(const RecursivePass &pass) {
    if (pass.tile > 0)
        return "";
    constexpr std::int64_t few = 128;
    const Lines &lines = pass.lines;
    std::size_t sections = 0;
    for (const LineStage &stage : pass.stages)
        sections = std::max(sections, sections_of(stage));
    return text(pass.second ? "two " : "", precision_text(pass.all_stages()),
                pass.along_rows ? "recursive-rows " : "recursive-columns ",
                up_to("sections", static_cast<std::int64_t>(sections), {1, 2, 4, 8}), ' ',
                memory_text(forgets_within(pass, short_memory)), ' ',
                up_to("lines", lines.lines * pass.batch(), {few}), ' ',
                types_text(pass.src_type, pass.dst_type), ' ',
                size_class(std::int64_t{lines.length} * lines.lines * pass.batch()));
}

std::string problem_of(const RecursivePlanePass &pass) {
    std::size_t sections = 0;
    bool is_short = true;
    for (const LineStage &stage : pass.axes) {
        sections = std::max(sections, sections_of(stage));
        is_short = is_short && memory_of(stage.causal, short_memory) &&
                   memory_of(stage.anticausal, short_memory);
    }
    return text(precision_text({&pass.axes[0], &pass.axes[1]}), "recursive-plane ",
                up_to("sections", static_cast<std::int64_t>(sections), {1, 2, 4, 8}), ' ',
                memory_text(is_short), ' ', image_text(pass));
}

std::string problem_of(const SatPass &pass) {
    return "sat " + image_text(pass);
}

std::string problem_of(const XybPass &pass) {
    return text("xyb channels=", pass.channels, ' ', name_of(pass.type), ' ',
                size_class(values_of(pass.pyramid)));
}

std::string problem_of(const Ssimulacra2Pass &pass) {
    return text(pass.makes_map() ? "ssimulacra2-map " : "ssimulacra2 ",
                size_class(values_of(pass.pyramid)));
}

} // namespace gz
