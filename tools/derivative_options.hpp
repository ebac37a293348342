// Derivatives as the options of a filter give them.
#ifndef GAUZE_TOOLS_DERIVATIVE_OPTIONS_HPP
#define GAUZE_TOOLS_DERIVATIVE_OPTIONS_HPP

#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

#include "gaussian_options.hpp"

namespace gauze::tool {

// The axis of a derivative, as written.
struct AxisOptions {
    std::string axis;
};

void add_axis_options(CLI::App &app, AxisOptions &options);

// Returns the number of the axis, one of the image's `axes`. Throws InputError.
int parse_axis(const AxisOptions &options, int axes);

// How the derivatives of a gradient are estimated, as written.
struct GradientOptions {
    std::optional<std::string> method; // of three pixels; none: central
    std::optional<std::string> sigma;  // none, or 0: no Gaussian
    std::optional<std::string> truncate;
};

void add_gradient_options(CLI::App &app, GradientOptions &options);

// Which eigenvalue of the Hessian, of which derivatives.
struct EigenvalueOptions {
    GradientOptions gradient;
    int number = 0;
};

void add_eigenvalue_options(CLI::App &app, EigenvalueOptions &options);

// Throws InputError.
gauze::Filter make_eigenvalue(const EigenvalueOptions &options, int axes);

// An entry of the structure tensor, as written.
struct StructureOptions {
    GradientOptions gradient;
    std::string entry;
    std::string smoothing;
};

void add_structure_options(CLI::App &app, StructureOptions &options);

// Throws InputError.
gauze::Filter make_structure(const StructureOptions &options, int axes);

// Throws InputError.
gauze::Derivatives make_derivatives(const GradientOptions &options, int axes);

} // namespace gauze::tool

#endif
