#include "box_options.hpp"

#include <cstdint>
#include <vector>

#include "arguments.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

constexpr std::int64_t max_iterations = 16;

} // namespace

std::array<std::int64_t, 4> parse_radius(const std::string &text, int axes) {
    const std::vector<std::int64_t> numbers = parse_integers("--radius", text);
    for (const std::int64_t radius : numbers)
        if (radius < 0)
            throw InputError("--radius: " + std::to_string(radius) + " is negative");
    return along_axes("--radius", text, numbers, axes);
}

void add_box_options(CLI::App &app, BoxOptions &options) {
    app.add_option("--radius", options.radius,
                   "The mean of the pixels at most so far away; one for all axes, or one for each "
                   "of the first")
        ->type_name("R[,RY[,RZ[,RT]]]")
        ->required();
    app.add_option("--iterations", options.iterations,
                   "Filter so many times, with the border anew each time: 1 to " +
                       std::to_string(max_iterations))
        ->type_name("N")
        ->capture_default_str();
}

Filter make_box(const BoxOptions &options, int axes) {
    return box(parse_radius(options.radius, axes),
               parse_iterations(options.iterations, max_iterations));
}

} // namespace gauze::tool
