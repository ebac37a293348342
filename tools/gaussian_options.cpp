#include "gaussian_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
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

constexpr std::array<std::pair<const char *, GaussianMethod>, 4> methods{
    {{"auto", GaussianMethod::automatic},
     {"fir", GaussianMethod::fir},
     {"recursive", GaussianMethod::recursive},
     {"box", GaussianMethod::box}}};

std::string method_names() {
    std::vector<std::string> names;
    for (const auto &[name, method] : methods)
        names.emplace_back(name);
    return joined(names, ", ");
}

void add_method_option(CLI::App &app, std::string &method) {
    app.add_option("--method", method,
                   method_names() +
                       ": sampled taps (fir), sums of exponentials whose cost does not "
                       "depend on sigma (recursive), the faster of the two (auto), or three "
                       "boxes, which are coarse")
        ->type_name("METHOD")
        ->capture_default_str();
}

} // namespace

GaussianMethod parse_method(const std::string &text) {
    for (const auto &[name, method] : methods)
        if (text == name)
            return method;
    throw InputError("--method: " + in_quotes(text) + " is not one of " + method_names());
}

void add_smoothing_options(CLI::App &app, GaussianOptions &options) {
    app.add_option("--sigma", options.sigma,
                   "Standard deviations in pixels; one for all axes, or one for each of the first")
        ->type_name("S[,SY[,SZ[,ST]]]")
        ->required();
    add_method_option(app, options.method);
    app.add_option("--truncate", options.truncate,
                   "fir: the taps' radius is int(T sigma + 0.5) (default: 4)")
        ->type_name("T");
    app.add_option(
           "--accuracy", options.accuracy,
           "recursive, auto: worst error for pixels from 0 to 1; of derivatives in units of "
           "sigma^-order (default: 1e-3)")
        ->type_name("E");
}

void add_gaussian_options(CLI::App &app, GaussianOptions &options) {
    add_smoothing_options(app, options);
    app.add_option("--derivative", options.derivative,
                   "Order of the derivative, 0 to 2; one for all axes that have a sigma, or one "
                   "for each of the first (default: 0)")
        ->type_name("D[,DY[,DZ[,DT]]]");
    add_plane_option(app, options.planes, "S[,SY[,SZ[,ST]]]", "another sigma");
}

Gaussian make_gaussian(const GaussianOptions &options, const std::string &option,
                       std::string_view sigma, int axes) {
    Gaussian gaussian;
    gaussian.sigma = parse_sigma(option, sigma, axes);
    if (options.derivative)
        gaussian.derivative = parse_derivative(*options.derivative, gaussian.sigma, axes);
    if (options.truncate)
        gaussian.truncate = parse_positive("--truncate", *options.truncate);
    gaussian.method = parse_method(options.method);
    if (options.accuracy) {
        gaussian.accuracy = parse_positive("--accuracy", *options.accuracy);
        if (gaussian.method != GaussianMethod::recursive &&
            gaussian.method != GaussianMethod::automatic)
            throw InputError("--accuracy: " + in_quotes(*options.accuracy) +
                             " is for --method recursive and auto");
    }
    return gaussian;
}

void add_dog_options(CLI::App &app, DogOptions &options) {
    app.add_option("--sigma", options.sigma,
                   "Standard deviations in pixels: the Gaussian of S1 less that of S2")
        ->type_name("S1,S2")
        ->required();
    add_method_option(app, options.method);
}

Filter make_dog(const DogOptions &options) {
    const std::vector<double> sigma = parse_numbers("--sigma", options.sigma);
    if (sigma.size() != 2)
        throw InputError("--sigma: " + in_quotes(options.sigma) + " is not two numbers");
    for (const double s : sigma)
        if (!(s > 0))
            throw InputError("--sigma: " + text_of(s) + " is not positive");
    return dog(sigma[0], sigma[1], parse_method(options.method));
}

} // namespace gauze::tool
