// Values of command line options: text to numbers, borders, types. Functions take the option's name
// for their messages and throw InputError.
#ifndef GAUZE_TOOLS_ARGUMENTS_HPP
#define GAUZE_TOOLS_ARGUMENTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gauze/gauze.hpp>

#include "input_error.hpp"

namespace gauze::tool {

inline constexpr std::string_view axis_names = "xyzt";

// Joins "a" "b" "c" with ", " to "a, b, c".
std::string joined(const std::vector<std::string> &parts, const std::string &separator);

// Splits "a,b;c,d" at ';' into "a,b" "c,d". Empty parts are kept.
std::vector<std::string_view> split(std::string_view text, char separator);

// Splits "correlate_tiled:GROUP_X=16; copy" into its passes' parts, "correlate_tiled:GROUP_X=16" "copy".
std::vector<std::string> parts_of_variant(const std::string &variant);
// Returns the variant of `count` parts whose part `number` is this one. The library chooses the others.
std::string variant_of_part(const std::string &part, std::size_t number, std::size_t count);

// Returns "1.5" for 1.5: the shortest text that reads back as the same number.
std::string text_of(double value);

double parse_finite(std::string_view option, std::string_view text);
double parse_positive(std::string_view option, std::string_view text);
std::int64_t parse_integer(std::string_view option, std::string_view text);

// Parses the value of --iterations, from 1 to `most`.
std::uint32_t parse_iterations(std::string_view text, std::int64_t most);

// Parses finite numbers, separated by commas, at least one.
std::vector<double> parse_numbers(std::string_view option, std::string_view text);
std::vector<std::int64_t> parse_integers(std::string_view option, std::string_view text);

// Returns an option's numbers along x, y, z, t: one number is for all `axes` of the image, several are for
// the first axes, and an axis without a number gets 0. text: the numbers as written.
template <class Number>
std::array<Number, 4> along_axes(std::string_view option, std::string_view text,
                                 const std::vector<Number> &numbers, int axes) {
    const auto count = static_cast<std::size_t>(axes);
    if (numbers.size() > count)
        throw InputError(std::string(option) + ": " + in_quotes(text) + " has " +
                         std::to_string(numbers.size()) + " numbers, and the image's axes are " +
                         std::to_string(count));
    std::array<Number, 4> result{};
    for (std::size_t axis = 0; axis < count; ++axis)
        if (numbers.size() == 1)
            result[axis] = numbers[0];
        else if (axis < numbers.size())
            result[axis] = numbers[axis];
    return result;
}

// Returns the values that --border takes: "constant:V", "clamp", ...
std::string border_names();
gauze::Border parse_border(std::string_view text);

// Returns the type with the library's name: "u8", "f32", ...
gauze::Type parse_type(std::string_view option, std::string_view text);

gauze::RegionEdge parse_region_edge(std::string_view text);

} // namespace gauze::tool

#endif
