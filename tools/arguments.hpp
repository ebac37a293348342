// Values of command line options: text to numbers, borders, types. Functions take the option's name
// for their messages and throw InputError.
#ifndef GAUZE_TOOLS_ARGUMENTS_HPP
#define GAUZE_TOOLS_ARGUMENTS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gauze/gauze.hpp>

namespace gauze::tool {

// "a, b, c" of "a" "b" "c" and ", ".
std::string joined(const std::vector<std::string> &parts, const std::string &separator);

// "a,b;c,d" at ';' -> "a,b" "c,d". Empty parts are kept.
std::vector<std::string_view> split(std::string_view text, char separator);

// Finite numbers, separated by commas. At least one.
std::vector<double> parse_numbers(std::string_view option, std::string_view text);
std::vector<std::int64_t> parse_integers(std::string_view option, std::string_view text);

// What --border takes: "constant:V", "clamp", ...
std::string border_names();
gauze::Border parse_border(std::string_view text);

// A type by the library's name of it: "u8", "f32", ...
gauze::Type parse_type(std::string_view option, std::string_view text);

gauze::RegionEdge parse_region_edge(std::string_view text);

} // namespace gauze::tool

#endif
