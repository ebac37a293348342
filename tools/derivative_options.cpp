#include "derivative_options.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

constexpr std::string_view space_axes = "xyz";

constexpr std::array<std::pair<const char *, DerivativeMethod>, 4> methods{
    {{"central", DerivativeMethod::central},
     {"sobel", DerivativeMethod::sobel},
     {"prewitt", DerivativeMethod::prewitt},
     {"scharr", DerivativeMethod::scharr}}};

std::string method_names() {
    std::vector<std::string> names;
    for (const auto &[name, method] : methods)
        names.emplace_back(name);
    return joined(names, ", ");
}

DerivativeMethod parse_derivative_method(const std::string &text) {
    for (const auto &[name, method] : methods)
        if (text == name)
            return method;
    throw InputError("--operator: " + in_quotes(text) + " is not one of " + method_names());
}

// Returns the number of the axis that an option names, one of the image's `axes`.
int axis_of(const std::string &option, const std::string &name, int axes) {
    const std::size_t axis = name.size() == 1 ? space_axes.find(name) : std::string::npos;
    if (axis >= space_axes.size())
        throw InputError(option + ": " + in_quotes(name) + " is not one of x, y, z");
    if (static_cast<int>(axis) >= axes)
        throw InputError(option + ": the image has no axis " + in_quotes(name) +
                         ", only the first " + std::to_string(axes));
    return static_cast<int>(axis);
}

bool is_zero(const std::string &sigma) {
    for (const double number : parse_numbers("--sigma", sigma))
        if (number != 0.0)
            return false;
    return true;
}

} // namespace

void add_axis_options(CLI::App &app, AxisOptions &options) {
    app.add_option("--axis", options.axis, "The axis along which pixels are subtracted: x, y or z")
        ->type_name("AXIS")
        ->required();
}

int parse_axis(const AxisOptions &options, int axes) {
    return axis_of("--axis", options.axis, axes);
}

void add_gradient_options(CLI::App &app, GradientOptions &options) {
    app.add_option("--sigma", options.sigma,
                   "Derivatives of Gaussians of such standard deviations in pixels; one for all "
                   "axes, or one for each of the first; 0, or none: differences of pixels")
        ->type_name("S[,SY[,SZ[,ST]]]");
    app.add_option("--truncate", options.truncate,
                   "With --sigma: the taps' radius is int(T sigma + 0.5) (default: 4)")
        ->type_name("T");
    app.add_option("--operator", options.method,
                   "Differences of pixels: " + method_names() + " (default: central)")
        ->type_name("NAME");
}

Derivatives make_derivatives(const GradientOptions &options, int axes) {
    if (!options.sigma || is_zero(*options.sigma)) {
        if (options.truncate)
            throw InputError("--truncate is for a --sigma above 0");
        return {options.method ? parse_derivative_method(*options.method)
                               : DerivativeMethod::central,
                axes};
    }
    if (options.method)
        throw InputError("--operator is for differences of pixels, without --sigma");
    GaussianOptions gaussian;
    gaussian.sigma = *options.sigma;
    gaussian.truncate = options.truncate;
    return make_gaussian(gaussian, "--sigma", gaussian.sigma, axes);
}

void add_eigenvalue_options(CLI::App &app, EigenvalueOptions &options) {
    app.add_option("--number", options.number,
                   "Which eigenvalue: 0, the largest, to one less than the axes")
        ->type_name("N")
        ->required();
    add_gradient_options(app, options.gradient);
}

Filter make_eigenvalue(const EigenvalueOptions &options, int axes) {
    return hessian_eigenvalue(make_derivatives(options.gradient, axes), options.number);
}

void add_structure_options(CLI::App &app, StructureOptions &options) {
    app.add_option("--entry", options.entry,
                   "The axes of the two derivatives: xx, xy, yy, xz, yz or zz")
        ->type_name("AXES")
        ->required();
    app.add_option("--smoothing", options.smoothing,
                   "Standard deviations of the Gaussian that smooths their products; one for all "
                   "axes, or one for each of the first")
        ->type_name("S[,SY[,SZ[,ST]]]")
        ->required();
    add_gradient_options(app, options.gradient);
}

Filter make_structure(const StructureOptions &options, int axes) {
    if (options.entry.size() != 2)
        throw InputError("--entry: " + in_quotes(options.entry) + " is not two axes, such as xy");
    std::array<int, 2> entry{};
    for (std::size_t i = 0; i < entry.size(); ++i)
        entry[i] = axis_of("--entry", options.entry.substr(i, 1), axes);
    GaussianOptions gaussian;
    gaussian.sigma = options.smoothing;
    return structure(make_derivatives(options.gradient, axes), entry[0], entry[1],
                     make_gaussian(gaussian, "--smoothing", gaussian.sigma, axes));
}

} // namespace gauze::tool
