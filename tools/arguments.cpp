#include "arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "input_error.hpp"

namespace gauze::tool {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

template <class Number>
Number parse_number(std::string_view option, std::string_view text, const char *what) {
    std::string_view digits = trimmed(text);
    if (digits.starts_with('+') && !digits.starts_with("+-"))
        digits.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range)
        throw InputError(std::string(option) + ": " + in_quotes(text) + " is out of range");
    if (error != std::errc() || end != digits.data() + digits.size())
        throw InputError(std::string(option) + ": " + in_quotes(text) + " is not " + what);
    return value;
}

std::array<std::pair<std::string_view, Border>, 5> borders_without_value() {
    return {{{"clamp", Border::clamp()},
             {"reflect", Border::reflect()},
             {"reflect101", Border::reflect101()},
             {"wrap", Border::wrap()},
             {"zero", Border::zero()}}};
}

} // namespace

std::string joined(const std::vector<std::string> &parts, const std::string &separator) {
    std::string text;
    for (const std::string &part : parts)
        text += (text.empty() ? "" : separator) + part;
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> parts_of_variant(const std::string &variant) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(variant, ';'))
        parts.emplace_back(part.substr(std::min(part.find_first_not_of(' '), part.size())));
    return parts;
}

std::string variant_of_part(const std::string &part, std::size_t number, std::size_t count) {
    return std::string(number, ';') + part + std::string(count - 1 - number, ';');
}

std::string text_of(double value) {
    std::array<char, 32> text; // the longest is 24 characters
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end};
}

double parse_finite(std::string_view option, std::string_view text) {
    const auto value = parse_number<double>(option, text, "a number");
    if (!std::isfinite(value))
        throw InputError(std::string(option) + ": " + in_quotes(text) + " is not a finite number");
    return value;
}

double parse_positive(std::string_view option, std::string_view text) {
    const double value = parse_finite(option, text);
    if (!(value > 0))
        throw InputError(std::string(option) + ": " + text_of(value) + " is not positive");
    return value;
}

std::int64_t parse_integer(std::string_view option, std::string_view text) {
    return parse_number<std::int64_t>(option, text, "a whole number");
}

std::uint32_t parse_iterations(std::string_view text, std::int64_t most) {
    const std::int64_t iterations = parse_integer("--iterations", text);
    if (iterations < 1 || iterations > most)
        throw InputError("--iterations: " + std::to_string(iterations) + " is not from 1 to " +
                         std::to_string(most));
    return static_cast<std::uint32_t>(iterations);
}

std::vector<double> parse_numbers(std::string_view option, std::string_view text) {
    std::vector<double> values;
    for (const std::string_view part : split(text, ','))
        values.push_back(parse_finite(option, part));
    return values;
}

std::vector<std::int64_t> parse_integers(std::string_view option, std::string_view text) {
    std::vector<std::int64_t> values;
    for (const std::string_view part : split(text, ','))
        values.push_back(parse_integer(option, part));
    return values;
}

std::string border_names() {
    std::string names = "constant:V";
    for (const auto &[name, border] : borders_without_value())
        names += ", " + std::string(name);
    return names;
}

Border parse_border(std::string_view text) {
    constexpr std::string_view constant = "constant:";
    if (text.starts_with(constant))
        return Border::constant(parse_finite("--border", text.substr(constant.size())));
    for (const auto &[name, border] : borders_without_value())
        if (text == name)
            return border;
    if (text == "constant")
        throw InputError("--border: constant needs a value, as in constant:0");
    throw InputError("--border: " + in_quotes(text) + " is not one of " + border_names());
}

Type parse_type(std::string_view option, std::string_view text) {
    std::vector<std::string> names;
    for (const Type type : {Type::u8, Type::u16, Type::u32, Type::u64, Type::s16, Type::s32,
                            Type::f16, Type::f32, Type::f64}) {
        if (text == name_of(type))
            return type;
        names.push_back(name_of(type));
    }
    throw InputError(std::string(option) + ": " + in_quotes(text) + " is not one of " +
                     joined(names, ", "));
}

RegionEdge parse_region_edge(std::string_view text) {
    if (text == "isolated")
        return RegionEdge::isolated;
    if (text == "neighbours")
        return RegionEdge::neighbours;
    throw InputError("--roi-edge: " + in_quotes(text) + " is not one of isolated, neighbours");
}

} // namespace gauze::tool
