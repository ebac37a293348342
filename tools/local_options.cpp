#include "local_options.hpp"

#include "arguments.hpp"
#include "box_options.hpp"
#include "gaussian_options.hpp"
#include "input_error.hpp"

namespace gauze::tool {

void add_mean_options(CLI::App &app, MeanOptions &options) {
    app.add_option("--sigma", options.sigma,
                   "The mean has the weights of a Gaussian of such standard deviations in pixels; "
                   "one for all axes, or one for each of the first")
        ->type_name("S[,SY[,SZ[,ST]]]");
    app.add_option("--radius", options.radius,
                   "The mean is that of a box of such radii in pixels instead")
        ->type_name("R[,RY[,RZ[,RT]]]")
        ->excludes("--sigma");
}

LocalMean make_mean(const MeanOptions &options, int axes) {
    if (options.sigma) {
        GaussianOptions gaussian;
        gaussian.sigma = *options.sigma;
        return LocalMean::of_gaussian(make_gaussian(gaussian, "--sigma", gaussian.sigma, axes));
    }
    if (!options.radius)
        throw InputError("--sigma or --radius is required");
    return LocalMean::of_box(parse_radius(*options.radius, axes));
}

void add_unsharp_options(CLI::App &app, UnsharpOptions &options) {
    add_mean_options(app, options.mean);
    app.add_option("--amount", options.amount,
                   "How much of the difference between pixel and mean is added")
        ->type_name("A")
        ->required();
    app.add_option("--threshold", options.threshold,
                   "The difference, in pixel values, up to which a pixel stays as it is")
        ->type_name("T")
        ->capture_default_str();
}

Filter make_unsharp(const UnsharpOptions &options, int axes) {
    const double threshold = parse_finite("--threshold", options.threshold);
    if (threshold < 0)
        throw InputError("--threshold: " + in_quotes(options.threshold) + " is negative");
    return unsharp(make_mean(options.mean, axes), parse_finite("--amount", options.amount),
                   threshold);
}

void add_normalization_options(CLI::App &app, NormalizationOptions &options) {
    add_mean_options(app, options.mean);
    app.add_option("--epsilon", options.epsilon,
                   "The deviation, in pixel values, below which this is divided by")
        ->type_name("E")
        ->required();
}

Filter make_normalization(const NormalizationOptions &options, int axes) {
    return local_normalization(make_mean(options.mean, axes),
                               parse_positive("--epsilon", options.epsilon));
}

} // namespace gauze::tool
