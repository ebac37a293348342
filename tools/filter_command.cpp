#include "filter_command.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include "arguments.hpp"
#include "box_options.hpp"
#include "derivative_options.hpp"
#include "edge_options.hpp"
#include "gaussian_options.hpp"
#include "local_options.hpp"
#include "morphology_options.hpp"
#include "plane_options.hpp"
#include "recursive_options.hpp"
#include "taps_options.hpp"
#include "window_options.hpp"

namespace gauze::tool {
namespace {

FilterCommand taps_filter(std::string name, std::string summary, Filter (*make)(const Taps &)) {
    const auto options = std::make_shared<TapsOptions>();
    return {std::move(name), std::move(summary),
            [options](CLI::App &app) { add_taps_options(app, *options); },
            [options, make](const ImageForm &image) {
                const auto filter_of = [&](const std::string &option, std::string_view text) {
                    return make(make_taps(options->modifiers, option, text));
                };
                return with_planes(filter_of("--taps", options->taps), options->planes,
                                   image.channels, filter_of);
            }};
}

FilterCommand separable_filter() {
    const auto options = std::make_shared<SeparableOptions>();
    return {"separable", "Correlate with taps along each axis",
            [options](CLI::App &app) { add_separable_options(app, *options); },
            [options](const ImageForm &image) {
                const auto filter_of = [&](const std::string &option, std::string_view text) {
                    return separable(make_separable_taps(*options, option, text));
                };
                return with_planes(separable(make_separable_taps(*options)), options->planes,
                                   image.channels, filter_of);
            }};
}

ZeroBorder zero_border_of(const std::string &method) {
    return parse_method(method) == GaussianMethod::recursive ? ZeroBorder::taken
                                                             : ZeroBorder::refused;
}

FilterCommand gaussian_filter() {
    const auto options = std::make_shared<GaussianOptions>();
    FilterCommand command{
        "gaussian", "Smooth with a Gaussian, or take its derivatives",
        [options](CLI::App &app) { add_gaussian_options(app, *options); },
        [options](const ImageForm &image) {
            const auto filter_of = [&](const std::string &option, std::string_view sigma) {
                return gaussian(make_gaussian(*options, option, sigma, image.axes));
            };
            return with_planes(filter_of("--sigma", options->sigma), options->planes,
                               image.channels, filter_of);
        }};
    command.zero_border = [options] { return zero_border_of(options->method); };
    return command;
}

FilterCommand box_filter() {
    const auto options = std::make_shared<BoxOptions>();
    return {"box", "The mean of the pixels around each",
            [options](CLI::App &app) { add_box_options(app, *options); },
            [options](const ImageForm &image) { return make_box(*options, image.axes); }};
}

FilterCommand window_filter(std::string name, std::string summary, Filter (*make)(const Window &)) {
    const auto options = std::make_shared<WindowOptions>();
    return {std::move(name), std::move(summary),
            [options](CLI::App &app) { add_window_options(app, *options); },
            [options, make](const ImageForm &image) {
                return make(make_window(*options, image.axes));
            }};
}

// A filter of a window that takes a number. make(window, option, its text).
FilterCommand numbered_filter(
    std::string name, std::string summary, const std::string &option, const std::string &help,
    const std::function<Filter(const Window &, const std::string &, const std::string &)> &make) {
    struct Options {
        WindowOptions window;
        std::string number;
    };
    const auto options = std::make_shared<Options>();
    return {std::move(name), std::move(summary),
            [=](CLI::App &app) {
                add_window_options(app, options->window);
                app.add_option(option, options->number, help)->required();
            },
            [=](const ImageForm &image) {
                return make(make_window(options->window, image.axes), option, options->number);
            }};
}

FilterCommand percentile_filter() {
    return numbered_filter(
        "percentile", "A percentile of the pixels around each", "--percentile",
        "Percent of the pixels that are below: 0 to 100",
        [](const Window &window, const std::string &option, const std::string &text) {
            return percentile(window, parse_finite(option, text));
        });
}

FilterCommand rank_filter() {
    return numbered_filter(
        "rank", "The pixel of a rank among those around each", "--rank",
        "From 0, the least, or negative, from -1, the largest",
        [](const Window &window, const std::string &option, const std::string &text) {
            return rank(window, parse_integer(option, text));
        });
}

FilterCommand morphology_filter(std::string name, std::string summary,
                                Filter (*make)(const Structure &, std::uint32_t)) {
    const auto options = std::make_shared<MorphologyOptions>();
    return {std::move(name), std::move(summary),
            [options](CLI::App &app) { add_morphology_options(app, *options); },
            [options, make](const ImageForm &image) {
                return make_morphology(*options, image.axes, make);
            }};
}

FilterCommand bilateral_filter() {
    const auto options = std::make_shared<BilateralOptions>();
    return {"bilateral", "The mean of the pixels around each that are like it",
            [options](CLI::App &app) { add_bilateral_options(app, *options); },
            [options](const ImageForm &image) { return make_bilateral(*options, image.axes); }};
}

FilterCommand guided_filter() {
    const auto options = std::make_shared<GuidedOptions>();
    FilterCommand command{
        "guided", "The image smoothed where a guide is flat, by linear functions of the guide",
        [options](CLI::App &app) { add_guided_options(app, *options); },
        [options](const ImageForm &image) { return make_guided(*options, image.channels); }};
    command.guide_file = [options] { return options->has_file() ? *options->guide : ""; };
    return command;
}

FilterCommand nlm_filter() {
    const auto options = std::make_shared<NlmOptions>();
    return {"nlm", "The mean of the pixels around each whose surroundings are like its own",
            [options](CLI::App &app) { add_nlm_options(app, *options); },
            [options](const ImageForm &) { return make_nlm(*options); }};
}

void write_f32(FilterCommand &command) {
    command.out_type = [](Type) { return Type::f32; };
    command.out_type_text = "f32";
}

FilterCommand recursive_filter() {
    const auto options = std::make_shared<ScanOptions>();
    FilterCommand command{"recursive", "Run recursive scans along the axes",
                          [options](CLI::App &app) { add_scan_options(app, *options); },
                          [options](const ImageForm &) { return make_recursive(*options); }};
    command.border = "zero";
    command.zero_border = [] { return ZeroBorder::taken; };
    write_f32(command);
    return command;
}

Type sum_type(Type in) {
    switch (in) {
    case Type::u8:
    case Type::u16:
        return Type::u32;
    case Type::s16:
        return Type::s32;
    default:
        return Type::f32;
    }
}

FilterCommand sat_filter() {
    FilterCommand command{"sat", "Sum all pixels above and to the left: a summed-area table",
                          [](CLI::App &) {}, [](const ImageForm &) { return sat(); }};
    command.border = "zero";
    command.zero_border = [] { return ZeroBorder::only; };
    command.out_types = {Type::u32, Type::s32, Type::u64, Type::f32};
    command.out_type = sum_type;
    command.out_type_text = "u32 for u8 and u16, s32 for s16, f32 for f16 and f32";
    return command;
}

FilterCommand bspline_filter() {
    const auto options = std::make_shared<BsplineOptions>();
    FilterCommand command{"bspline", "Find the B-spline that goes through the pixels",
                          [options](CLI::App &app) { add_bspline_options(app, *options); },
                          [options](const ImageForm &) { return make_bspline(*options); }};
    command.border = "reflect101";
    command.zero_border = [] { return ZeroBorder::taken; };
    write_f32(command);
    return command;
}

FilterCommand dog_filter() {
    const auto options = std::make_shared<DogOptions>();
    FilterCommand command{"dog", "Take the difference of two Gaussians",
                          [options](CLI::App &app) { add_dog_options(app, *options); },
                          [options](const ImageForm &) { return make_dog(*options); }};
    command.zero_border = [options] { return zero_border_of(options->method); };
    write_f32(command);
    return command;
}

FilterCommand derivative_filter(std::string name, std::string summary, Filter (*make)(int, int)) {
    const auto options = std::make_shared<AxisOptions>();
    FilterCommand command{std::move(name), std::move(summary),
                          [options](CLI::App &app) { add_axis_options(app, *options); },
                          [options, make](const ImageForm &image) {
                              return make(parse_axis(*options, image.axes), image.axes);
                          }};
    write_f32(command);
    return command;
}

FilterCommand laplace_filter() {
    FilterCommand command{"laplace", "Sum the second differences along the axes", [](CLI::App &) {},
                          [](const ImageForm &image) { return laplace(image.axes); }};
    write_f32(command);
    return command;
}

FilterCommand log_filter() {
    const auto options = std::make_shared<GaussianOptions>();
    FilterCommand command{"log", "Take the Laplacian of a Gaussian",
                          [options](CLI::App &app) { add_smoothing_options(app, *options); },
                          [options](const ImageForm &image) {
                              return laplacian(
                                  make_gaussian(*options, "--sigma", options->sigma, image.axes));
                          }};
    command.zero_border = [options] { return zero_border_of(options->method); };
    write_f32(command);
    return command;
}

FilterCommand gradient_filter(std::string name, std::string summary,
                              Filter (*make)(const Derivatives &)) {
    const auto options = std::make_shared<GradientOptions>();
    FilterCommand command{std::move(name), std::move(summary),
                          [options](CLI::App &app) { add_gradient_options(app, *options); },
                          [options, make](const ImageForm &image) {
                              return make(make_derivatives(*options, image.axes));
                          }};
    write_f32(command);
    return command;
}

FilterCommand eigenvalue_filter() {
    const auto options = std::make_shared<EigenvalueOptions>();
    FilterCommand command{
        "hessian-eigenvalue", "An eigenvalue of the matrix of second derivatives",
        [options](CLI::App &app) { add_eigenvalue_options(app, *options); },
        [options](const ImageForm &image) { return make_eigenvalue(*options, image.axes); }};
    write_f32(command);
    return command;
}

FilterCommand structure_filter() {
    const auto options = std::make_shared<StructureOptions>();
    FilterCommand command{
        "structure", "The product of two derivatives, smoothed by a Gaussian",
        [options](CLI::App &app) { add_structure_options(app, *options); },
        [options](const ImageForm &image) { return make_structure(*options, image.axes); }};
    write_f32(command);
    return command;
}

FilterCommand unsharp_filter() {
    const auto options = std::make_shared<UnsharpOptions>();
    return {"unsharp", "Add to each pixel how far it is from the mean around it",
            [options](CLI::App &app) { add_unsharp_options(app, *options); },
            [options](const ImageForm &image) { return make_unsharp(*options, image.axes); }};
}

FilterCommand mean_filter(std::string name, std::string summary,
                          Filter (*make)(const LocalMean &)) {
    const auto options = std::make_shared<MeanOptions>();
    FilterCommand command{
        std::move(name), std::move(summary),
        [options](CLI::App &app) { add_mean_options(app, *options); },
        [options, make](const ImageForm &image) { return make(make_mean(*options, image.axes)); }};
    write_f32(command);
    return command;
}

FilterCommand normalization_filter() {
    const auto options = std::make_shared<NormalizationOptions>();
    FilterCommand command{
        "local-normalize", "The pixel less the mean around it, over the deviation there",
        [options](CLI::App &app) { add_normalization_options(app, *options); },
        [options](const ImageForm &image) { return make_normalization(*options, image.axes); }};
    write_f32(command);
    return command;
}

} // namespace

std::vector<Type> pixel_types() {
    return {Type::u8, Type::u16, Type::s16, Type::f16, Type::f32};
}

std::vector<FilterCommand> filter_commands() {
    return {
        taps_filter("correlate", "Correlate with taps", correlate),
        taps_filter("convolve", "Convolve with taps: correlate with them mirrored", convolve),
        separable_filter(),
        gaussian_filter(),
        box_filter(),
        window_filter("median", "The middle one of the pixels around each", median),
        window_filter("minimum", "The least of the pixels around each", minimum),
        window_filter("maximum", "The largest of the pixels around each", maximum),
        percentile_filter(),
        rank_filter(),
        morphology_filter("erode", "The least of the pixels around each, less weights", erode),
        morphology_filter("dilate", "The largest of the pixels around each, plus weights", dilate),
        morphology_filter("open", "Erode and then dilate", open),
        morphology_filter("close", "Dilate and then erode", close),
        morphology_filter("tophat", "The image less its opening", top_hat),
        morphology_filter("blackhat", "The image's closing less the image", black_hat),
        morphology_filter("morphgradient", "The dilation less the erosion", morphological_gradient),
        morphology_filter("morphlaplace", "The dilation and the erosion less the image twice",
                          morphological_laplace),
        bilateral_filter(),
        guided_filter(),
        nlm_filter(),
        recursive_filter(),
        sat_filter(),
        bspline_filter(),
        dog_filter(),
        derivative_filter("sobel", "Subtract the pixels on each side, smoothed by 1, 2, 1", sobel),
        derivative_filter("prewitt", "The same, smoothed by 1, 1, 1", prewitt),
        derivative_filter("scharr", "The same, smoothed by 3, 10, 3 over 16", scharr),
        laplace_filter(),
        log_filter(),
        gradient_filter("gradient-magnitude", "How steep the image is", gradient_magnitude),
        gradient_filter("gradient-orientation",
                        "Where the image rises: -pi to pi, 0 to the right, pi/2 downwards",
                        gradient_orientation),
        eigenvalue_filter(),
        structure_filter(),
        unsharp_filter(),
        mean_filter("highpass", "The pixel less the mean around it", high_pass),
        mean_filter("local-variance", "The variance of the pixels around each", local_variance),
        mean_filter("local-deviation", "The root of their variance", local_deviation),
        normalization_filter(),
    };
}

} // namespace gauze::tool
