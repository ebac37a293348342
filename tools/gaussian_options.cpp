#include "gaussian_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arguments.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

std::array<double, 4> parse_sigma(const std::string &option, std::string_view text, int axes) {
    const std::vector<double> numbers = parse_numbers(option, text);
    for (const double sigma : numbers)
        if (!(sigma > 0))
            throw InputError(option + ": " + text_of(sigma) + " is not positive");
    return along_axes(option, text, numbers, axes);
}

// One number is for the axes that are filtered, which may be fewer than the image's.
std::array<int, 4> parse_derivative(const std::string &text, const std::array<double, 4> &sigma,
                                    int axes) {
    const std::string option = "--derivative";
    const std::vector<std::int64_t> numbers = parse_integers(option, text);
    for (const std::int64_t order : numbers)
        if (order < 0 || order > 2)
            throw InputError(option + ": " + std::to_string(order) + " is not 0, 1 or 2");
    const std::array<std::int64_t, 4> orders = along_axes(option, text, numbers, axes);
    std::array<int, 4> derivative{};
    for (std::size_t axis = 0; axis < sigma.size(); ++axis)
        if (sigma[axis] > 0)
            derivative[axis] = static_cast<int>(orders[axis]);
        else if (orders[axis] > 0 && numbers.size() > 1)
            throw InputError(option + ": " + in_quotes(text) + " is for axis " + "xyzt"[axis] +
                             ", which has no sigma");
    return derivative;
}

double parse_truncate(const std::string &text) {
    const double truncate = parse_finite("--truncate", text);
    if (!(truncate > 0))
        throw InputError("--truncate: " + text_of(truncate) + " is not positive");
    return truncate;
}

GaussianMethod parse_method(const std::string &text) {
    if (text == "auto")
        return GaussianMethod::automatic;
    if (text == "fir")
        return GaussianMethod::fir;
    if (text == "recursive" || text == "box")
        throw InputError("--method: " + in_quotes(text) +
                         " is not in this version; use auto or fir");
    throw InputError("--method: " + in_quotes(text) + " is not one of auto, fir");
}

} // namespace

void add_gaussian_options(CLI::App &app, GaussianOptions &options) {
    app.add_option("--sigma", options.sigma,
                   "Standard deviations in pixels; one for all axes, or one for each of the first")
        ->type_name("S[,SY[,SZ[,ST]]]")
        ->required();
    app.add_option("--derivative", options.derivative,
                   "Order of the derivative, 0 to 2; one for all axes that have a sigma, or one "
                   "for each of the first (default: 0)")
        ->type_name("D[,DY[,DZ[,DT]]]");
    app.add_option("--method", options.method,
                   "auto or fir; recursive and box are not in this version")
        ->type_name("METHOD")
        ->capture_default_str();
    app.add_option("--truncate", options.truncate,
                   "fir: the taps' radius is int(T sigma + 0.5) (default: 4)")
        ->type_name("T");
    app.add_option("--accuracy", options.accuracy,
                   "Worst error of the recursive method: not in this version")
        ->type_name("E");
    add_plane_option(app, options.planes, "S[,SY[,SZ[,ST]]]", "another sigma");
}

Gaussian make_gaussian(const GaussianOptions &options, const std::string &option,
                       std::string_view sigma, int axes) {
    Gaussian gaussian;
    gaussian.sigma = parse_sigma(option, sigma, axes);
    if (options.derivative)
        gaussian.derivative = parse_derivative(*options.derivative, gaussian.sigma, axes);
    if (options.truncate)
        gaussian.truncate = parse_truncate(*options.truncate);
    gaussian.method = parse_method(options.method);
    if (options.accuracy)
        throw InputError("--accuracy: " + in_quotes(*options.accuracy) +
                         " is for the recursive method, which is not in this version");
    return gaussian;
}

} // namespace gauze::tool
