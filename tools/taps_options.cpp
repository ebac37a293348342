#include "taps_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "file.hpp"
#include "input_error.hpp"
#include "npy.hpp"

namespace gauze::tool {
namespace {

Taps taps_from_file(const std::string &option, const std::string &path) {
    const NpyArray array = read_npy(path);
    Taps taps;
    if (array.shape.size() > taps.size.size())
        throw InputError(option + " " + in_quotes(path) + " has " +
                         std::to_string(array.shape.size()) + " axes; there can be 1 to " +
                         std::to_string(taps.size.size()));
    std::copy(array.shape.rbegin(), array.shape.rend(), taps.size.begin());
    taps.values = to_doubles(array);
    if (!std::ranges::all_of(taps.values, [](double value) { return std::isfinite(value); }))
        throw InputError(option + " " + in_quotes(path) + " holds a value that is not finite");
    return taps;
}

Taps taps_from_text(const std::string &option, std::string_view text) {
    Taps taps;
    std::size_t width = 0;
    const std::vector<std::string_view> rows = split(text, ';');
    for (const std::string_view row : rows) {
        const std::vector<double> values = parse_numbers(option, row);
        if (taps.values.empty())
            width = values.size();
        else if (values.size() != width)
            throw InputError(option + ": the row " + in_quotes(row) + " has " +
                             std::to_string(values.size()) + " values, the first has " +
                             std::to_string(width));
        taps.values.insert(taps.values.end(), values.begin(), values.end());
    }
    taps.size[0] = static_cast<std::int64_t>(width);
    taps.size[1] = static_cast<std::int64_t>(rows.size());
    return taps;
}

std::vector<double> parse_axis_taps(const std::string &option, std::string_view text) {
    const std::string path(text);
    if (!has_extension(path, ".npy"))
        return parse_numbers(option, text);
    const Taps taps = taps_from_file(option, path);
    if (taps.size[0] != static_cast<std::int64_t>(taps.values.size()))
        throw InputError(option + " " + in_quotes(path) +
                         " has more than one axis; these are the taps along one");
    return taps.values;
}

// Divides by the sum. option: where the values come from.
void normalize(std::vector<double> &values, const std::string &option) {
    double sum = 0;
    double magnitude = 0;
    for (const double value : values) {
        sum += value;
        magnitude += std::abs(value);
    }
    if (!std::isfinite(magnitude))
        throw InputError("--normalize: the sum of the taps is too large in " + option);
    // 0.1 + 0.2 - 0.3 is not quite zero: the remainder of such a sum means nothing.
    if (!(std::abs(sum) > std::numeric_limits<double>::epsilon() * magnitude))
        throw InputError("--normalize: the sum of the taps is zero in " + option);
    for (double &value : values)
        value /= sum;
}

void add_modifiers(CLI::App &app, TapsModifiers &modifiers, const std::string &normalize_text) {
    app.add_option("--anchor", modifiers.anchor,
                   "Tap that lies on the pixel (default: size/2, rounded down)")
        ->type_name("x,y[,z[,t]]");
    app.add_flag("--normalize", modifiers.normalize, normalize_text);
}

std::string axis_option(std::size_t axis) {
    return std::string("--taps-") + axis_names[axis];
}

// texts: along each axis; empty: the axis is not filtered. options: their names in messages, and the name of
// all of them.
SeparableTaps parse_separable(const TapsModifiers &modifiers,
                              const std::array<std::optional<std::string_view>, 4> &texts,
                              const std::array<std::string, 4> &options,
                              const std::string &all_options) {
    SeparableTaps taps;
    std::array<std::int64_t, 4> size{1, 1, 1, 1};
    for (std::size_t axis = 0; axis < texts.size(); ++axis) {
        if (!texts[axis])
            continue;
        std::vector<double> &values = taps.values[axis];
        values = parse_axis_taps(options[axis], *texts[axis]);
        if (modifiers.normalize)
            normalize(values, options[axis]);
        size[axis] = static_cast<std::int64_t>(values.size());
    }
    if (modifiers.anchor) {
        taps.has_anchor = true;
        taps.anchor = parse_anchor(*modifiers.anchor, size, all_options);
    }
    return taps;
}

} // namespace

std::array<std::int64_t, 4> parse_anchor(const std::string &text,
                                         const std::array<std::int64_t, 4> &size,
                                         const std::string &option) {
    const std::vector<std::int64_t> numbers = parse_integers("--anchor", text);
    std::array<std::int64_t, 4> anchor{};
    if (numbers.size() > anchor.size())
        throw InputError("--anchor: " + in_quotes(text) + " has more than " +
                         std::to_string(anchor.size()) + " numbers");
    for (std::size_t axis = 0; axis < anchor.size(); ++axis) {
        anchor[axis] = axis < numbers.size() ? numbers[axis] : size[axis] / 2;
        if (anchor[axis] < 0 || anchor[axis] >= size[axis])
            throw InputError("--anchor: " + std::to_string(anchor[axis]) + " on axis " +
                             axis_names[axis] + " is outside " + option + ", which has " +
                             std::to_string(size[axis]) + " there");
    }
    return anchor;
}

void add_taps_options(CLI::App &app, TapsOptions &options) {
    app.add_option("--taps", options.taps,
                   "Taps: \"1,2,1;2,4,2;1,2,1\", or a .npy file of 1 to 4 axes")
        ->type_name("LIST|FILE.npy")
        ->required();
    add_modifiers(app, options.modifiers, "Divide the taps by their sum");
    add_plane_option(app, options.planes, "LIST|FILE.npy", "other taps");
}

Taps make_taps(const TapsModifiers &modifiers, const std::string &option, std::string_view text) {
    const std::string path(text);
    Taps taps =
        has_extension(path, ".npy") ? taps_from_file(option, path) : taps_from_text(option, text);
    if (modifiers.anchor) {
        taps.has_anchor = true;
        taps.anchor = parse_anchor(*modifiers.anchor, taps.size, option);
    }
    if (modifiers.normalize)
        normalize(taps.values, option);
    return taps;
}

void add_separable_options(CLI::App &app, SeparableOptions &options) {
    for (std::size_t axis = 0; axis < options.taps.size(); ++axis)
        app.add_option(axis_option(axis), options.taps[axis],
                       std::string("Taps along ") + axis_names[axis] +
                           ": \"1,2,1\", or a .npy file of one axis (default: not filtered)")
            ->type_name("LIST|FILE.npy");
    add_modifiers(app, options.modifiers, "Divide the taps along each axis by their sum");
    add_plane_option(app, options.planes, "X;Y[;Z[;T]]",
                     "other taps along x, y, ..., as in \"1:1,2,1;-1,0,1\"; one left empty is not "
                     "filtered along");
}

SeparableTaps make_separable_taps(const SeparableOptions &options) {
    std::array<std::optional<std::string_view>, 4> texts;
    std::array<std::string, 4> names;
    std::vector<std::string> given;
    for (std::size_t axis = 0; axis < texts.size(); ++axis) {
        names[axis] = axis_option(axis);
        if (options.taps[axis]) {
            texts[axis] = *options.taps[axis];
            given.push_back(names[axis]);
        }
    }
    if (given.empty())
        throw InputError("one of " +
                         joined(std::vector<std::string>(names.begin(), names.end()), ", ") +
                         " is required");
    return parse_separable(options.modifiers, texts, names, joined(given, ", "));
}

SeparableTaps make_separable_taps(const SeparableOptions &options, const std::string &option,
                                  std::string_view text) {
    const std::vector<std::string_view> parts = split(text, ';');
    std::array<std::optional<std::string_view>, 4> texts;
    if (parts.size() > texts.size())
        throw InputError(option + ": " + in_quotes(text) + " has taps along more than " +
                         std::to_string(texts.size()) + " axes");
    bool any = false;
    for (std::size_t axis = 0; axis < parts.size(); ++axis)
        if (!parts[axis].empty()) {
            texts[axis] = parts[axis];
            any = true;
        }
    if (!any)
        throw InputError(option + ": " + in_quotes(text) + " has no taps");
    return parse_separable(options.modifiers, texts, {option, option, option, option}, option);
}

} // namespace gauze::tool
