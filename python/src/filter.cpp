// gauze.Filter: a constructor for each filter of gauze.hpp.
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "objects.hpp"

namespace gzpy {

namespace {

Filter made(gauze::Filter filter, const std::string &text) {
    return {std::move(filter), text, 1, {}, {}};
}

// A bank of filters.
Filter made_bank(const std::vector<gauze::Filter> &filters, const std::string &text) {
    return {gauze::bank(filters), text, filters.size(), {}, {}};
}

// How filters are made again from what their constructors were called with: other processes do.
using Remake = std::function<Filter(const nb::tuple &)>;
std::map<std::string, Remake> &remakes() {
    static std::map<std::string, Remake> all;
    return all;
}

// The argument as it is now, whatever the caller does to it later.
template <class T> T frozen(const T &argument) {
    if constexpr (std::is_same_v<T, nb::object>) {
        if (argument.is_none() || nb::isinstance<nb::str>(argument) ||
            PyNumber_Check(argument.ptr()) != 0)
            if (!nb::hasattr(argument, "__array__"))
                return argument;
        if (PyIter_Check(argument.ptr()) != 0)
            return nb::tuple(argument);
        return nb::module_::import_("copy").attr("deepcopy")(argument);
    } else {
        return argument;
    }
}

template <class Make, class... Args, std::size_t... I>
Filter remade(const Make &make, const nb::tuple &arguments, std::index_sequence<I...>,
              Filter (Make::*)(Args...) const) {
    return make(nb::cast<std::decay_t<Args>>(arguments[I])...);
}

template <class Make, class... Args>
auto recorded_as(const std::string &name, Make make, Filter (Make::*call)(Args...) const) {
    remakes()[name] = [=](const nb::tuple &arguments) {
        Filter result = remade(make, arguments, std::index_sequence_for<Args...>(), call);
        result.recipe = nb::make_tuple(name, arguments);
        return result;
    };
    return [=](Args... arguments) {
        const auto apply = [&](const std::decay_t<Args> &...kept) {
            Filter result = make(kept...);
            result.recipe = nb::make_tuple(name, nb::make_tuple(kept...));
            return result;
        };
        return apply(frozen<std::decay_t<Args>>(arguments)...);
    };
}

// The constructor, so that its filters know how they were made.
template <class Make> auto recorded(const std::string &name, Make make) {
    return recorded_as(name, make, &Make::operator());
}

nb::object double_array(nb::handle given) {
    return numpy().attr("ascontiguousarray")(given, "float64");
}

// The anchor of an array whose last axes are those of the library, in the library's order.
void set_anchor(nb::handle given, bool &has_anchor, std::array<std::int64_t, 4> &anchor) {
    has_anchor = !given.is_none();
    if (has_anchor)
        anchor = integers(given, "anchor", 1, 0);
}

gauze::Taps taps_of(nb::handle given, nb::handle anchor) {
    const nb::object array = double_array(given);
    const HostArray host(array, HostArray::Access::read, "taps");
    if (host.shape().size() > 4)
        refuse("the taps have " + std::to_string(host.shape().size()) +
               " axes; there are 4 at most");
    gauze::Taps taps;
    const auto *values = static_cast<const double *>(host.data());
    taps.values.assign(values, values + count_of(host.shape()));
    for (std::size_t i = 0; i < host.shape().size(); ++i)
        taps.size[i] = host.shape()[host.shape().size() - 1 - i];
    set_anchor(anchor, taps.has_anchor, taps.anchor);
    return taps;
}

gauze::GaussianMethod method_of(const std::string &name) {
    static const struct {
        const char *name;
        gauze::GaussianMethod method;
    } methods[] = {{"auto", gauze::GaussianMethod::automatic},
                   {"fir", gauze::GaussianMethod::fir},
                   {"recursive", gauze::GaussianMethod::recursive},
                   {"box", gauze::GaussianMethod::box}};
    for (const auto &each : methods)
        if (name == each.name)
            return each.method;
    refuse("method is '" + name + "'; there are auto, fir, recursive and box");
}

gauze::Window window_of(nb::handle size, nb::handle footprint, nb::handle anchor) {
    if (size.is_none() == footprint.is_none())
        refuse("either size or footprint must be given");
    gauze::Window window;
    if (!size.is_none()) {
        window.size = integers(size, "size", 2, 1);
    } else {
        const nb::object places =
            numpy().attr("ascontiguousarray")(footprint, "bool").attr("view")("uint8");
        const HostArray host(places, HostArray::Access::read, "footprint");
        if (host.shape().empty() || host.shape().size() > 3)
            refuse("the footprint has " + std::to_string(host.shape().size()) +
                   " axes; it has 1 to 3");
        const auto *values = static_cast<const std::uint8_t *>(host.data());
        window.footprint.assign(values, values + count_of(host.shape()));
        for (std::size_t i = 0; i < host.shape().size(); ++i)
            window.size[i] = host.shape()[host.shape().size() - 1 - i];
    }
    set_anchor(anchor, window.has_anchor, window.anchor);
    return window;
}

gauze::Structure structure_of(nb::handle size, nb::handle footprint, nb::handle weights,
                              nb::handle anchor) {
    if (weights.is_none())
        return window_of(size, footprint, anchor);
    const nb::object array = numpy().attr("ascontiguousarray")(weights, "float32");
    const HostArray host(array, HostArray::Access::read, "weights");
    if (!size.is_none())
        refuse("size is given together with weights, whose shape is the window's");
    if (host.shape().empty() || host.shape().size() > 3)
        refuse("the weights have " + std::to_string(host.shape().size()) +
               " axes; they have 1 to 3");
    gauze::Window window;
    if (footprint.is_none()) {
        for (std::size_t i = 0; i < host.shape().size(); ++i)
            window.size[i] = host.shape()[host.shape().size() - 1 - i];
        set_anchor(anchor, window.has_anchor, window.anchor);
    } else {
        window = window_of(size, footprint, anchor);
        std::array<std::int64_t, 4> sides{1, 1, 1, 1};
        for (std::size_t i = 0; i < host.shape().size(); ++i)
            sides[i] = host.shape()[host.shape().size() - 1 - i];
        if (sides != window.size)
            refuse("the weights have the shape " + to_text(host.shape()) +
                   ", which is not that of the footprint");
    }
    const auto *values = static_cast<const float *>(host.data());
    return {window, std::vector<float>(values, values + count_of(host.shape()))};
}

int axis_of(nb::handle given) {
    if (nb::isinstance<nb::str>(given)) {
        const std::string name = nb::cast<std::string>(given);
        const std::size_t place = std::string("xyzt").find(name);
        if (name.size() == 1 && place != std::string::npos)
            return static_cast<int>(place);
    } else {
        const int place = nb::cast<int>(given);
        if (place >= -4 && place <= -1)
            return -1 - place;
    }
    refuse("an axis is " + nb::cast<std::string>(nb::repr(given)) +
           "; it is 'x', 'y' or 'z', or -1 to -3, counted from the array's last axis");
}

gauze::Direction direction_of(int direction) {
    if (direction != 1 && direction != -1)
        refuse("a scan's direction is " + std::to_string(direction) + "; it is 1 or -1");
    return direction == 1 ? gauze::Direction::forward : gauze::Direction::backward;
}

nb::list list_of(const std::vector<double> &values) {
    nb::list result;
    for (const double value : values)
        result.append(value);
    return result;
}

gauze::Gaussian gaussian_of(nb::handle sigma, double truncate, const std::string &method,
                            double accuracy) {
    gauze::Gaussian gaussian;
    gaussian.sigma = numbers(sigma, "sigma", 2, 0.0);
    gaussian.truncate = truncate;
    gaussian.method = method_of(method);
    gaussian.accuracy = accuracy;
    return gaussian;
}

// By three pixels along `dimensions` axes; by a Gaussian where there is a sigma.
gauze::Derivatives derivatives_of(const std::string &by, int dimensions, nb::handle sigma,
                                  double truncate, const std::string &method, double accuracy) {
    static const struct {
        const char *name;
        gauze::DerivativeMethod method;
    } methods[] = {{"central", gauze::DerivativeMethod::central},
                   {"sobel", gauze::DerivativeMethod::sobel},
                   {"prewitt", gauze::DerivativeMethod::prewitt},
                   {"scharr", gauze::DerivativeMethod::scharr}};
    if (!sigma.is_none())
        return gaussian_of(sigma, truncate, method, accuracy);
    for (const auto &each : methods)
        if (by == each.name)
            return {each.method, dimensions};
    refuse("by is '" + by + "'; there are central, sobel, prewitt and scharr");
}

// The axes that have derivatives, in the order of the array's.
std::vector<int> axes_of(const gauze::Derivatives &by) {
    std::vector<int> result;
    for (int i = by.count(); i-- > 0;)
        result.push_back(by.axis(i));
    return result;
}

// Makes a filter for each entry of a symmetric matrix on and above its diagonal, row by row.
template <class Make> std::vector<gauze::Filter> pairs_of(const std::vector<int> &axes, Make make) {
    std::vector<gauze::Filter> result;
    for (std::size_t i = 0; i < axes.size(); ++i)
        for (std::size_t j = i; j < axes.size(); ++j)
            result.push_back(make(axes[i], axes[j]));
    return result;
}

gauze::Guide guide_of(const std::string &name) {
    if (name == "channels")
        return gauze::Guide::channels;
    if (name == "color")
        return gauze::Guide::color;
    if (name == "image")
        return gauze::Guide::image;
    refuse("guide is '" + name + "'; there are channels, color and image");
}

gauze::LocalMean mean_of(nb::handle sigma, nb::handle radius, std::uint32_t iterations,
                         double truncate, const std::string &method, double accuracy) {
    if (sigma.is_none() == radius.is_none())
        refuse("either sigma or radius must be given");
    if (!sigma.is_none())
        return gauze::LocalMean::of_gaussian(gaussian_of(sigma, truncate, method, accuracy));
    return gauze::LocalMean::of_box(integers(radius, "radius", 2, 0), iterations);
}

using Morphology = gauze::Filter (*)(const gauze::Structure &, std::uint32_t);

constexpr const char *window_parameters = R"(
    Parameters
    ----------
    size : int or sequence of int, optional
        Pixels of the box along the array's last axes, the last of which is x; a number
        is for x and y. 1 to 1048575 along each axis for minima, maxima and flat morphology;
        3969 pixels at most for others.
    footprint : array_like of bool, optional
        The places of a box that count, 1 to 3 axes; up to 63x63, or 15 an axis in 3-D.
        Either `size` or `footprint` must be given.
    anchor : sequence of int, optional
        The place of the box that lies on the pixel, counted from 0; by default size // 2.
)";

constexpr const char *derivative_parameters = R"(    dimensions : int, optional
        By three pixels: how many of the array's last axes are smoothed along, 1 to 4.
    sigma : float or sequence of float, optional
        The Gaussian whose derivatives are taken, in place of three pixels: see gaussian().
    truncate, method, accuracy : optional
        As of gaussian(); 'box' has no derivatives.

    Returns
    -------
    Filter
    )";
constexpr const char *mean_parameters = R"(    sigma : float or sequence of float, optional
        The mean is a Gaussian's: see gaussian().
    radius : int or sequence of int, optional
        It is a box's: see box(). Either `sigma` or `radius` must be given.
    iterations : int, optional
        Of the box.
    truncate, method, accuracy : optional
        As of gaussian().

    Returns
    -------
    Filter
    )";

constexpr const char *structure_parameters =
    R"(    smoothing : float or sequence of float
        The Gaussian that smooths the products: see gaussian().
    by : {'central', 'sobel', 'prewitt', 'scharr'}, optional
        How the derivatives are estimated.
)";
constexpr const char *weight_accuracy = R"(    accuracy : float, optional
        0: weights have the same bits on every device. 1e-6 or more: the device may compute them by its
        own exp2, which is faster, with an error of weights up to this.

    Returns
    -------
    Filter
    )";

constexpr const char *derivative_arguments =
    "dimensions: int = 2, sigma: float | collections.abc.Sequence[float] | None = None, truncate: "
    "float = 4.0, method: str = 'auto', accuracy: float = 0.0) -> Filter";
constexpr const char *mean_arguments =
    "sigma: float | collections.abc.Sequence[float] | None = None, radius: int | "
    "collections.abc.Sequence[int] | None = None, iterations: int = 1, truncate: float = 4.0, "
    "method: str = 'auto', accuracy: float = 0.0) -> Filter";

void add_derivatives(nb::class_<Filter> &filter) {
    const auto add_three = [&](const char *name, gauze::Filter (*make)(int, int),
                               const std::string &weights) {
        filter.def_static(
            name,
            recorded(name,
                     [make, name](nb::object axis, int dimensions) {
                         return made(make(axis_of(axis), dimensions),
                                     std::string("gauze.Filter.") + name);
                     }),
            nb::arg("axis") = -1, nb::arg("dimensions") = 2,
            nb::sig(("def " + std::string(name) +
                     "(axis: str | int = -1, dimensions: int = 2) -> Filter")
                        .c_str()),
            ("The difference of the pixels on both sides, smoothed along other axes by " + weights +
             R"(.

    Parameters
    ----------
    axis : {'x', 'y', 'z', 't'} or int, optional
        -1 is x, the array's last axis, -2 is y, ...
    dimensions : int, optional
        How many of the array's last axes count, 1 to 4.

    Returns
    -------
    Filter
    )")
                .c_str());
    };
    add_three("sobel", gauze::sobel, "1, 2, 1");
    add_three("prewitt", gauze::prewitt, "1, 1, 1");
    add_three("scharr", gauze::scharr, "3/16, 10/16, 3/16");

    filter.def_static(
        "derivative",
        recorded("derivative",
                 [](nb::object axis, const std::string &by, int dimensions, nb::object sigma,
                    double truncate, const std::string &method, double accuracy) {
                     return made(gauze::derivative(derivatives_of(by, dimensions, sigma, truncate,
                                                                  method, accuracy),
                                                   axis_of(axis)),
                                 "gauze.Filter.derivative");
                 }),
        nb::arg("axis") = -1, nb::arg("by") = "central", nb::arg("dimensions") = 2,
        nb::arg("sigma") = nb::none(), nb::arg("truncate") = 4.0, nb::arg("method") = "auto",
        nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def derivative(axis: str | int = -1, by: str = 'central', ") +
                 derivative_arguments)
                    .c_str()),
        (std::string(R"(The derivative along an axis.

    Parameters
    ----------
    axis : {'x', 'y', 'z', 't'} or int, optional
        -1 is x, the array's last axis, -2 is y, ...
    by : {'central', 'sobel', 'prewitt', 'scharr'}, optional
        'central': half the difference of the pixels on both sides, unsmoothed.
)") + derivative_parameters)
            .c_str());
    filter.def_static(
        "second_derivative",
        recorded("second_derivative",
                 [](nb::object axis, nb::object other_axis, int dimensions, nb::object sigma,
                    double truncate, const std::string &method, double accuracy) {
                     return made(
                         gauze::second_derivative(derivatives_of("central", dimensions, sigma,
                                                                 truncate, method, accuracy),
                                                  axis_of(axis), axis_of(other_axis)),
                         "gauze.Filter.second_derivative");
                 }),
        nb::arg("axis"), nb::arg("other_axis"), nb::arg("dimensions") = 2,
        nb::arg("sigma") = nb::none(), nb::arg("truncate") = 4.0, nb::arg("method") = "auto",
        nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def second_derivative(axis: str | int, other_axis: str | int, ") +
                 derivative_arguments)
                    .c_str()),
        (std::string(R"(The derivative along two axes, or twice along one: an entry of the Hessian.

    Parameters
    ----------
    axis, other_axis : {'x', 'y', 'z', 't'} or int
        -1 is x, the array's last axis, -2 is y, ...
)") + derivative_parameters)
            .c_str());

    using Of = gauze::Filter (*)(const gauze::Derivatives &);
    const auto add_combined = [&](const char *name, Of make, const std::string &what) {
        filter.def_static(
            name,
            recorded(name,
                     [make, name](const std::string &by, int dimensions, nb::object sigma,
                                  double truncate, const std::string &method, double accuracy) {
                         return made(make(derivatives_of(by, dimensions, sigma, truncate, method,
                                                         accuracy)),
                                     std::string("gauze.Filter.") + name);
                     }),
            nb::arg("by") = "central", nb::arg("dimensions") = 2, nb::arg("sigma") = nb::none(),
            nb::arg("truncate") = 4.0, nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
            nb::sig((std::string("def ") + name + "(by: str = 'central', " + derivative_arguments)
                        .c_str()),
            (what + R"(

    Parameters
    ----------
    by : {'central', 'sobel', 'prewitt', 'scharr'}, optional
        How first derivatives are estimated.
)" + derivative_parameters)
                .c_str());
    };
    add_combined("laplace", gauze::laplacian,
                 "The sum of the second derivatives along each axis; central, or of a Gaussian.");
    add_combined("gradient_magnitude", gauze::gradient_magnitude,
                 "The root of the sum of squares of the first derivatives.");
    add_combined("gradient_orientation", gauze::gradient_orientation,
                 "atan2(derivative along y, along x): -pi to pi. Of a Gaussian by 'fir' alone.");

    filter.def_static(
        "gradient",
        recorded("gradient",
                 [](const std::string &by, int dimensions, nb::object sigma, double truncate,
                    const std::string &method, double accuracy) {
                     const gauze::Derivatives of =
                         derivatives_of(by, dimensions, sigma, truncate, method, accuracy);
                     std::vector<gauze::Filter> filters;
                     for (const int axis : axes_of(of))
                         filters.push_back(gauze::derivative(of, axis));
                     return made_bank(filters, "gauze.Filter.gradient");
                 }),
        nb::arg("by") = "central", nb::arg("dimensions") = 2, nb::arg("sigma") = nb::none(),
        nb::arg("truncate") = 4.0, nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def gradient(by: str = 'central', ") + derivative_arguments).c_str()),
        (std::string(
             R"(The first derivatives, a bank: a plan of it returns a list, along y and then x.

    Parameters
    ----------
    by : {'central', 'sobel', 'prewitt', 'scharr'}, optional
        How they are estimated.
)") + derivative_parameters)
            .c_str());
    filter.def_static(
        "hessian",
        recorded("hessian",
                 [](int dimensions, nb::object sigma, double truncate, const std::string &method,
                    double accuracy) {
                     const gauze::Derivatives of =
                         derivatives_of("central", dimensions, sigma, truncate, method, accuracy);
                     return made_bank(pairs_of(axes_of(of),
                                               [&](int axis, int other) {
                                                   return gauze::second_derivative(of, axis, other);
                                               }),
                                      "gauze.Filter.hessian");
                 }),
        nb::arg("dimensions") = 2, nb::arg("sigma") = nb::none(), nb::arg("truncate") = 4.0,
        nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def hessian(") + derivative_arguments).c_str()),
        (std::string(R"(The second derivatives, a bank: a plan of it returns a list, yy, yx and xx.

    Of three axes zz, zy, zx, yy, yx, xx. By central differences, or of a Gaussian.

    Parameters
    ----------
)") + derivative_parameters)
            .c_str());
    filter.def_static(
        "hessian_eigenvalue",
        recorded("hessian_eigenvalue",
                 [](int number, int dimensions, nb::object sigma, double truncate,
                    const std::string &method, double accuracy) {
                     return made(
                         gauze::hessian_eigenvalue(derivatives_of("central", dimensions, sigma,
                                                                  truncate, method, accuracy),
                                                   number),
                         "gauze.Filter.hessian_eigenvalue");
                 }),
        nb::arg("number") = 0, nb::arg("dimensions") = 2, nb::arg("sigma") = nb::none(),
        nb::arg("truncate") = 4.0, nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def hessian_eigenvalue(number: int = 0, ") + derivative_arguments)
                    .c_str()),
        (std::string(R"(An eigenvalue of the matrix of second derivatives of 2 or 3 axes.

    By central differences, or of a Gaussian.

    Parameters
    ----------
    number : int, optional
        0 is the largest; less than the number of axes.
)") + derivative_parameters)
            .c_str());
    filter.def_static(
        "hessian_eigenvalues",
        recorded("hessian_eigenvalues",
                 [](int dimensions, nb::object sigma, double truncate, const std::string &method,
                    double accuracy) {
                     const gauze::Derivatives of =
                         derivatives_of("central", dimensions, sigma, truncate, method, accuracy);
                     std::vector<gauze::Filter> filters;
                     for (int i = 0; i < of.count(); ++i)
                         filters.push_back(gauze::hessian_eigenvalue(of, i));
                     return made_bank(filters, "gauze.Filter.hessian_eigenvalues");
                 }),
        nb::arg("dimensions") = 2, nb::arg("sigma") = nb::none(), nb::arg("truncate") = 4.0,
        nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def hessian_eigenvalues(") + derivative_arguments).c_str()),
        (std::string(
             R"(All eigenvalues of the Hessian, a bank: a plan of it returns a list, the largest first.

    Parameters
    ----------
)") + derivative_parameters)
            .c_str());
    filter.def_static(
        "structure",
        recorded("structure",
                 [](nb::object axis, nb::object other_axis, nb::object smoothing,
                    const std::string &by, int dimensions, nb::object sigma, double truncate,
                    const std::string &method, double accuracy) {
                     return made(
                         gauze::structure(
                             derivatives_of(by, dimensions, sigma, truncate, method, accuracy),
                             axis_of(axis), axis_of(other_axis),
                             gaussian_of(smoothing, truncate, method, accuracy)),
                         "gauze.Filter.structure");
                 }),
        nb::arg("axis"), nb::arg("other_axis"), nb::arg("smoothing"), nb::arg("by") = "central",
        nb::arg("dimensions") = 2, nb::arg("sigma") = nb::none(), nb::arg("truncate") = 4.0,
        nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def structure(axis: str | int, other_axis: str | int, smoothing: "
                             "float | collections.abc.Sequence[float], by: str = 'central', ") +
                 derivative_arguments)
                    .c_str()),
        (std::string(
             R"(The product of the derivatives along two axes, smoothed: an entry of the structure tensor.

    Parameters
    ----------
    axis, other_axis : {'x', 'y', 'z', 't'} or int
        -1 is x, the array's last axis, -2 is y, ...
)") + structure_parameters +
         derivative_parameters)
            .c_str());
    filter.def_static(
        "structure_tensor",
        recorded("structure_tensor",
                 [](nb::object smoothing, const std::string &by, int dimensions, nb::object sigma,
                    double truncate, const std::string &method, double accuracy) {
                     const gauze::Derivatives of =
                         derivatives_of(by, dimensions, sigma, truncate, method, accuracy);
                     const gauze::Gaussian mean =
                         gaussian_of(smoothing, truncate, method, accuracy);
                     return made_bank(pairs_of(axes_of(of),
                                               [&](int axis, int other) {
                                                   return gauze::structure(of, axis, other, mean);
                                               }),
                                      "gauze.Filter.structure_tensor");
                 }),
        nb::arg("smoothing"), nb::arg("by") = "central", nb::arg("dimensions") = 2,
        nb::arg("sigma") = nb::none(), nb::arg("truncate") = 4.0, nb::arg("method") = "auto",
        nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def structure_tensor(smoothing: float | "
                             "collections.abc.Sequence[float], by: str = 'central', ") +
                 derivative_arguments)
                    .c_str()),
        (std::string(R"(The structure tensor, a bank: a plan of it returns a list, yy, yx and xx.

    Of three axes zz, zy, zx, yy, yx, xx.

    Parameters
    ----------
)") + structure_parameters +
         derivative_parameters)
            .c_str());
}

void add_local_filters(nb::class_<Filter> &filter) {
    using Of = gauze::Filter (*)(const gauze::LocalMean &);
    const auto add = [&](const char *name, Of make, const std::string &what) {
        filter.def_static(
            name,
            recorded(name,
                     [make, name](nb::object sigma, nb::object radius, std::uint32_t iterations,
                                  double truncate, const std::string &method, double accuracy) {
                         return made(
                             make(mean_of(sigma, radius, iterations, truncate, method, accuracy)),
                             std::string("gauze.Filter.") + name);
                     }),
            nb::arg("sigma") = nb::none(), nb::arg("radius") = nb::none(),
            nb::arg("iterations") = 1, nb::arg("truncate") = 4.0, nb::arg("method") = "auto",
            nb::arg("accuracy") = 0.0,
            nb::sig((std::string("def ") + name + "(" + mean_arguments).c_str()),
            (what + "\n\n    Parameters\n    ----------\n" + mean_parameters).c_str());
    };
    add("high_pass", gauze::high_pass, "The pixel less the mean around it.");
    add("local_variance", gauze::local_variance,
        "The mean of the squares less the square of the mean.");
    add("local_deviation", gauze::local_deviation, "The root of the variance around each pixel.");

    filter.def_static(
        "local_normalization",
        recorded("local_normalization",
                 [](double epsilon, nb::object sigma, nb::object radius, std::uint32_t iterations,
                    double truncate, const std::string &method, double accuracy) {
                     return made(gauze::local_normalization(
                                     mean_of(sigma, radius, iterations, truncate, method, accuracy),
                                     epsilon),
                                 "gauze.Filter.local_normalization");
                 }),
        nb::arg("epsilon"), nb::arg("sigma") = nb::none(), nb::arg("radius") = nb::none(),
        nb::arg("iterations") = 1, nb::arg("truncate") = 4.0, nb::arg("method") = "auto",
        nb::arg("accuracy") = 0.0,
        nb::sig((std::string("def local_normalization(epsilon: float, ") + mean_arguments).c_str()),
        (std::string(R"(The pixel less the mean around it, over the deviation.

    Parameters
    ----------
    epsilon : float
        The least that is divided by, 1e-30 to 1e30, in pixel values.
)") + mean_parameters)
            .c_str());
    filter.def_static(
        "unsharp",
        recorded("unsharp",
                 [](double amount, nb::object sigma, nb::object radius, double threshold,
                    std::uint32_t iterations, double truncate, const std::string &method,
                    double accuracy) {
                     return made(gauze::unsharp(
                                     mean_of(sigma, radius, iterations, truncate, method, accuracy),
                                     amount, threshold),
                                 "gauze.Filter.unsharp");
                 }),
        nb::arg("amount"), nb::arg("sigma") = nb::none(), nb::arg("radius") = nb::none(),
        nb::arg("threshold") = 0.0, nb::arg("iterations") = 1, nb::arg("truncate") = 4.0,
        nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
        nb::sig("def unsharp(amount: float, sigma: float | collections.abc.Sequence[float] | None "
                "= None, radius: int | collections.abc.Sequence[int] | None = None, threshold: "
                "float = 0.0, iterations: int = 1, truncate: float = 4.0, method: str = 'auto', "
                "accuracy: float = 0.0) -> Filter"),
        (std::string(
             R"(Unsharp masking: in + amount d where |d| > threshold, d the pixel less the mean.

    Parameters
    ----------
    amount : float
    threshold : float, optional
        0 or more, in pixel values.
)") + mean_parameters)
            .c_str());
    filter.def_static(
        "bilateral",
        recorded("bilateral",
                 [](double sigma_space, double sigma_range, nb::object radius, double accuracy) {
                     std::array<std::int64_t, 3> own{-1, -1, 0};
                     if (!radius.is_none()) {
                         const auto all = integers(radius, "radius", 2, 0);
                         if (all[3] != 0)
                             refuse("radius has a value for the axis t; there are x, y and z");
                         own = {all[0], all[1], all[2]};
                     }
                     return made(gauze::bilateral(sigma_space, sigma_range, own, accuracy),
                                 "gauze.Filter.bilateral");
                 }),
        nb::arg("sigma_space"), nb::arg("sigma_range"), nb::arg("radius") = nb::none(),
        nb::arg("accuracy") = 0.0,
        nb::sig("def bilateral(sigma_space: float, sigma_range: float, radius: int | "
                "collections.abc.Sequence[int] | None = None, accuracy: float = 0.0) -> Filter"),
        (std::string(
             R"(The mean of the pixels around each, of which those weigh most that are near and alike.

    Parameters
    ----------
    sigma_space : float
        Standard deviation of the distance, in pixels.
    sigma_range : float
        That of the difference, in pixel values.
    radius : int or sequence of int, optional
        Pixels along the array's last axes, 0 to 15; a number is for x and y. By default
        int(2 sigma_space + 0.5) along both.
)") + weight_accuracy)
            .c_str());
    filter.def_static(
        "non_local_means",
        recorded("non_local_means",
                 [](double strength, int patch, int window, double accuracy) {
                     return made(gauze::non_local_means(strength, {patch, window, accuracy}),
                                 "gauze.Filter.non_local_means");
                 }),
        nb::arg("strength"), nb::arg("patch") = 7, nb::arg("window") = 21,
        nb::arg("accuracy") = 0.0,
        nb::sig("def non_local_means(strength: float, patch: int = 7, window: int = 21, accuracy: "
                "float = 0.0) -> Filter"),
        (std::string(
             R"(The mean of a window's pixels, of which those weigh most whose surroundings are alike.

    A weight is exp(-d / strength^2), d the mean of the squares of differences of two patches.

    Parameters
    ----------
    strength : float
        In pixel values, 1e-15 to 1e15.
    patch, window : int, optional
        Pixels a side along the array's last two axes; odd, up to 15 and 63.
)") + weight_accuracy)
            .c_str());
    filter.def_static(
        "guided",
        recorded("guided",
                 [](std::int64_t radius, double epsilon, const std::string &guide) {
                     return made(gauze::guided(radius, epsilon, guide_of(guide)),
                                 "gauze.Filter.guided");
                 }),
        nb::arg("radius"), nb::arg("epsilon"), nb::arg("guide") = "channels",
        nb::sig("def guided(radius: int, epsilon: float, guide: str = 'channels') -> Filter"),
        R"(The image as a linear function of a guide around each pixel: smooth where the guide is flat.

    a = cov(I, p) / (var(I) + epsilon), b = mean(p) - a mean(I), result mean(a) I + mean(b), of the
    image p and its guide I.

    Parameters
    ----------
    radius : int
        Of the square that means are of, along the array's last two axes; 0 to 1048575.
    epsilon : float
        In squares of the guide's values, 1e-30 to 1e30.
    guide : {'channels', 'color', 'image'}, optional
        The image itself, each channel by itself or its three channels together; or another image,
        which Engine.plan() and the plan take as `guide`.

    Returns
    -------
    Filter
    )");
}

} // namespace

void add_filters(nb::module_ &module) {
    nb::class_<gauze::Scan>(module, "Scan", R"(One scan along an axis of a recursive filter.

    y[n] = sum of feedforward[i] x[n - i] + sum of feedback[i] y[n - 1 - i], n counting pixels in
    the scan's direction.

    Parameters
    ----------
    axis : {'x', 'y', 'z'} or int
        -1 is x, the array's last axis, -2 is y, -3 is z.
    direction : {1, -1}
        1 towards higher coordinates, -1 towards lower ones.
    feedforward : sequence of float
        1 to 4096 numbers, finite.
    feedback : sequence of float, optional
        Up to 4096 numbers, finite, with poles inside the unit circle.
    )")
        .def(
            "__init__",
            [](gauze::Scan *scan, nb::object axis, int direction, nb::object feedforward,
               nb::object feedback) {
                new (scan) gauze::Scan{axis_of(axis), direction_of(direction),
                                       vector_of(feedforward), vector_of(feedback)};
            },
            nb::arg("axis"), nb::arg("direction"), nb::arg("feedforward"),
            nb::arg("feedback") = nb::make_tuple(),
            nb::sig("def __init__(self, axis: str | int, direction: int, "
                    "feedforward: collections.abc.Sequence[float], "
                    "feedback: collections.abc.Sequence[float] = ()) -> None"))
        .def("__getstate__",
             [](const gauze::Scan &scan) {
                 return nb::make_tuple(scan.axis, static_cast<int>(scan.direction),
                                       list_of(scan.feedforward), list_of(scan.feedback));
             })
        .def("__setstate__",
             [](gauze::Scan &scan, const nb::tuple &state) {
                 new (&scan)
                     gauze::Scan{nb::cast<int>(state[0]), direction_of(nb::cast<int>(state[1])),
                                 vector_of(nb::object(state[2])), vector_of(nb::object(state[3]))};
             })
        .def(
            "__deepcopy__", [](nb::handle_t<gauze::Scan> self, nb::handle) { return self; },
            nb::arg("memo"), "The same scan.")
        .def("__repr__", [](const gauze::Scan &scan) {
            std::ostringstream text;
            text << "gauze.Scan('"
                 << "xyzt"[scan.axis] << "', "
                 << (scan.direction == gauze::Direction::forward ? 1 : -1) << ", "
                 << scan.feedforward.size() << " feedforward, " << scan.feedback.size()
                 << " feedback)";
            return text.str();
        });

    nb::class_<Filter> filter(module, "Filter", R"(What to compute.

    A filter is immutable and of no device; Engine.plan() makes a plan of it. The static methods
    make filters. Values for each axis are in the order of NumPy's axes, the last of which is x.
    Arguments that are out of range raise InvalidArgumentError.
    )");
    filter.def("__repr__", [](const Filter &self) { return self.text; });
    filter.def("__reduce__", [](nb::handle_t<Filter> self) {
        return nb::make_tuple(nb::module_::import_("gauze._apply").attr("remake"),
                              nb::cast<const Filter &>(self).recipe);
    });
    filter.def(
        "__copy__", [](nb::handle_t<Filter> self) { return self; }, "The same filter.");
    filter.def(
        "__deepcopy__", [](nb::handle_t<Filter> self, nb::handle) { return self; }, nb::arg("memo"),
        "The same filter.");
    filter.def_prop_ro(
        "_key",
        [](Filter &self) {
            if (!self.key.is_valid())
                self.key = nb::module_::import_("pickle").attr("dumps")(self.recipe, 4);
            return self.key;
        },
        nb::sig("def _key(self) -> bytes"), "Bytes that filters made in the same way share.");
    filter.def(
        "__call__",
        [](nb::handle_t<Filter> self, nb::handle src, const nb::kwargs &options) {
            return nb::module_::import_("gauze._apply").attr("apply")(self, src, **options);
        },
        nb::arg("src"), nb::arg("options"),
        nb::sig("def __call__(self, src: numpy.ndarray | Array, *, out_dtype: "
                "numpy.typing.DTypeLike | None = None, axes: str | None = None, border: str = "
                "'clamp', border_value: float = 0.0, region: typing.Any = None, out_shape: "
                "collections.abc.Sequence[int] | None = None, guide: numpy.ndarray | Array | None "
                "= None, max_device_bytes: int = 0) -> typing.Any"),
        R"(Filters an array, on gauze.default_engine() or the device that it is on.

    Plans that were used last are kept. It is what dask.array.map_overlap() takes; gauze.dask knows
    the depth.

    Parameters
    ----------
    src : numpy.ndarray or Array
    out_dtype, axes, border, border_value, region, out_shape
        As of Engine.plan().
    guide, max_device_bytes
        As of Plan.

    Returns
    -------
    numpy.ndarray or Array
        Of the kind of `src`; of a bank a list.
    )");
    module.def(
        "_remake_filter",
        [](const std::string &name, const nb::tuple &arguments) {
            const auto found = remakes().find(name);
            if (found == remakes().end())
                refuse("there is no filter '" + name + "'");
            return found->second(arguments);
        },
        nb::arg("name"), nb::arg("arguments"), "Makes a filter again: what pickle calls.");
    filter.def_prop_ro(
        "targets", [](const Filter &self) { return self.targets; },
        "The number of its results: of a bank that of its filters, else 1.");
    filter.def(
        "reach",
        [](const Filter &self, double accuracy) {
            const std::array<std::int64_t, 4> reach = self.filter.reach(accuracy);
            nb::list result;
            for (std::size_t i = 4; i-- > 0;)
                if (reach[i] == GAUZE_REACH_WHOLE)
                    result.append(std::numeric_limits<double>::infinity());
                else
                    result.append(reach[i]);
            return nb::tuple(result);
        },
        nb::arg("accuracy") = 0.0,
        nb::sig("def reach(self, accuracy: float = 0.0) -> tuple[int | float, int | float, int | "
                "float, int | float]"),
        R"(How many pixels around its own a result depends on: the overlap that tiles need.

    Parameters
    ----------
    accuracy : float, optional
        For recursive filters, whose memory fades: how much tiles may differ from the whole, in units of
        the largest pixel less the smallest, 0 and the border's constant counted among them.

    Returns
    -------
    tuple of int or float
        Along the axes t, z, y, x: for an array of n axes the last n. math.inf where all of an axis
        matters: of summed-area tables, and of recursive filters where `accuracy` is 0, or where they
        do not fade to it within 2^22 pixels.
    )");
    filter.def("with_component",
               recorded("with_component",
                        [](const Filter &self, std::uint32_t component, const Filter &other) {
                            return made(self.filter.with_component(component, other.filter),
                                        self.text + ".with_component(" + std::to_string(component) +
                                            ")");
                        }),
               nb::arg("component"), nb::arg("other"),
               R"(This filter, but with `other` for one component of the image.

    Parameters
    ----------
    component : int
        p * channels + c for channel c of plane p.
    other : Filter
        Both must be correlations with taps: correlate, convolve, separable or gaussian by 'fir'.

    Returns
    -------
    Filter
    )");

    filter.def_static("correlate",
                      recorded("correlate",
                               [](nb::object taps, nb::object anchor) {
                                   return made(gauze::correlate(taps_of(taps, anchor)),
                                               "gauze.Filter.correlate");
                               }),
                      nb::arg("taps"), nb::arg("anchor") = nb::none(),
                      nb::sig("def correlate(taps: numpy.typing.ArrayLike, "
                              "anchor: collections.abc.Sequence[int] | None = None) -> Filter"),
                      R"(out[p] = sum over j of taps[j] in[p + j - anchor].

    Parameters
    ----------
    taps : array_like
        1 to 4 axes; up to 63x63, or 15 along each axis in volumes. Finite.
    anchor : sequence of int, optional
        The tap on the pixel, counted from 0; by default shape // 2.

    Returns
    -------
    Filter
    )");
    filter.def_static("convolve",
                      recorded("convolve",
                               [](nb::object taps, nb::object anchor) {
                                   return made(gauze::convolve(taps_of(taps, anchor)),
                                               "gauze.Filter.convolve");
                               }),
                      nb::arg("taps"), nb::arg("anchor") = nb::none(),
                      nb::sig("def convolve(taps: numpy.typing.ArrayLike, "
                              "anchor: collections.abc.Sequence[int] | None = None) -> Filter"),
                      R"(out[p] = sum over j of taps[j] in[p - j + anchor].

    Parameters
    ----------
    taps, anchor
        As of correlate().

    Returns
    -------
    Filter
    )");
    filter.def_static(
        "separable",
        recorded("separable",
                 [](nb::object taps, nb::object anchor) {
                     gauze::SeparableTaps all;
                     const std::size_t count = nb::len(taps);
                     if (count < 1 || count > 4)
                         refuse("taps has " + std::to_string(count) + " axes; it has 1 to 4");
                     for (std::size_t i = 0; i < count; ++i) {
                         const nb::object axis = taps[count - 1 - i];
                         if (!axis.is_none())
                             all.values[i] = vector_of(axis);
                     }
                     set_anchor(anchor, all.has_anchor, all.anchor);
                     return made(gauze::separable(all), "gauze.Filter.separable");
                 }),
        nb::arg("taps"), nb::arg("anchor") = nb::none(),
        nb::sig("def separable(taps: collections.abc.Sequence[collections.abc.Sequence[float] | "
                "None], anchor: collections.abc.Sequence[int] | None = None) -> Filter"),
        R"(The correlation with the product of taps along each axis.

    Parameters
    ----------
    taps : sequence of (sequence of float or None)
        For each of the array's last axes, the last of which is x, 1 to 4095 finite taps; None
        leaves an axis alone.
    anchor : sequence of int, optional
        Index into each axis's taps; by default the middle, count // 2.

    Returns
    -------
    Filter
    )");
    filter.def_static(
        "gaussian",
        recorded("gaussian",
                 [](nb::object sigma, nb::object order, double truncate, const std::string &method,
                    double accuracy) {
                     gauze::Gaussian options;
                     options.sigma = numbers(sigma, "sigma", 2, 0.0);
                     const auto orders = integers(order, "order", 4, 0);
                     for (std::size_t i = 0; i < 4; ++i)
                         options.derivative[i] =
                             options.sigma[i] > 0
                                 ? static_cast<int>(std::min<std::int64_t>(orders[i], 99))
                                 : 0;
                     options.truncate = truncate;
                     options.method = method_of(method);
                     options.accuracy = accuracy;
                     return made(gauze::gaussian(options), "gauze.Filter.gaussian");
                 }),
        nb::arg("sigma"), nb::arg("order") = 0, nb::arg("truncate") = 4.0,
        nb::arg("method") = "auto", nb::arg("accuracy") = 0.0,
        nb::sig("def gaussian(sigma: float | collections.abc.Sequence[float], order: int | "
                "collections.abc.Sequence[int] = 0, truncate: float = 4.0, method: str = 'auto', "
                "accuracy: float = 0.0) -> Filter"),
        R"(A Gaussian, or its derivatives.

    Parameters
    ----------
    sigma : float or sequence of float
        Standard deviation in pixels along the array's last axes; a number is for x and y. 0
        leaves an axis alone.
    order : int or sequence of int, optional
        Order of the derivative along each filtered axis, 0 to 2.
    truncate : float, optional
        Radius of the taps in sigmas.
    method : {'auto', 'fir', 'recursive', 'box'}, optional
        'fir' has sampled taps; 'recursive' sums of exponentials, at a cost that does not depend
        on sigma; 'auto' the faster of the two; 'box' three boxes.
    accuracy : float, optional
        Worst error of 'recursive' for pixels from 0 to 1; 0: 1e-3.

    Returns
    -------
    Filter
    )");
    filter.def_static(
        "box",
        recorded("box",
                 [](nb::object radius, std::uint32_t iterations) {
                     return made(gauze::box(integers(radius, "radius", 2, 0), iterations),
                                 "gauze.Filter.box");
                 }),
        nb::arg("radius"), nb::arg("iterations") = 1,
        nb::sig("def box(radius: int | collections.abc.Sequence[int], iterations: int = 1) -> "
                "Filter"),
        R"(The mean of the pixels at most `radius` away along each axis.

    Parameters
    ----------
    radius : int or sequence of int
        Pixels along the array's last axes, 0 to 1048575; a number is for x and y.
    iterations : int, optional
        How many times over, 1 to 16.

    Returns
    -------
    Filter
    )");

    const auto add_window = [&](const char *name, gauze::Filter (*make)(const gauze::Window &),
                                const std::string &what) {
        filter.def_static(
            name,
            recorded(name,
                     [make, name](nb::object size, nb::object footprint, nb::object anchor) {
                         return made(make(window_of(size, footprint, anchor)),
                                     std::string("gauze.Filter.") + name);
                     }),
            nb::arg("size") = nb::none(), nb::arg("footprint") = nb::none(),
            nb::arg("anchor") = nb::none(),
            nb::sig(("def " + std::string(name) +
                     "(size: int | collections.abc.Sequence[int] | None = None, footprint: "
                     "numpy.typing.ArrayLike | None = None, anchor: collections.abc.Sequence[int] "
                     "| None = None) -> Filter")
                        .c_str()),
            (what + "\n" + window_parameters + "\n    Returns\n    -------\n    Filter\n    ")
                .c_str());
    };
    add_window("minimum", gauze::minimum, "The least pixel of a window. NaN is larger than any.");
    add_window("maximum", gauze::maximum, "The largest pixel of a window. NaN is larger than any.");
    add_window("median", gauze::median,
               "The middle one of a window's pixels: of n the one with n // 2 below it.");
    filter.def_static(
        "percentile",
        recorded("percentile",
                 [](double percent, nb::object size, nb::object footprint, nb::object anchor) {
                     return made(gauze::percentile(window_of(size, footprint, anchor), percent),
                                 "gauze.Filter.percentile");
                 }),
        nb::arg("percent"), nb::arg("size") = nb::none(), nb::arg("footprint") = nb::none(),
        nb::arg("anchor") = nb::none(),
        nb::sig("def percentile(percent: float, size: int | collections.abc.Sequence[int] | None "
                "= None, footprint: numpy.typing.ArrayLike | None = None, anchor: "
                "collections.abc.Sequence[int] | None = None) -> Filter"),
        R"(The pixel that has int(n percent / 100) of a window's n pixels below it.

    Parameters
    ----------
    percent : float
        0 to 100; at 100 the largest pixel.
    size, footprint, anchor
        As of median().

    Returns
    -------
    Filter
    )");
    filter.def_static(
        "rank",
        recorded("rank",
                 [](std::int64_t rank, nb::object size, nb::object footprint, nb::object anchor) {
                     return made(gauze::rank(window_of(size, footprint, anchor), rank),
                                 "gauze.Filter.rank");
                 }),
        nb::arg("rank"), nb::arg("size") = nb::none(), nb::arg("footprint") = nb::none(),
        nb::arg("anchor") = nb::none(),
        nb::sig("def rank(rank: int, size: int | collections.abc.Sequence[int] | None = None, "
                "footprint: numpy.typing.ArrayLike | None = None, anchor: "
                "collections.abc.Sequence[int] | None = None) -> Filter"),
        R"(The pixel that has `rank` of a window's pixels below it.

    Parameters
    ----------
    rank : int
        From -n to n - 1 in a window of n pixels; -1 is the largest.
    size, footprint, anchor
        As of median().

    Returns
    -------
    Filter
    )");

    const auto add_morphology = [&](const char *name, Morphology make, const std::string &what) {
        filter.def_static(
            name,
            recorded(name,
                     [make, name](nb::object size, nb::object footprint, nb::object weights,
                                  nb::object anchor, std::uint32_t iterations) {
                         return made(
                             make(structure_of(size, footprint, weights, anchor), iterations),
                             std::string("gauze.Filter.") + name);
                     }),
            nb::arg("size") = nb::none(), nb::arg("footprint") = nb::none(),
            nb::arg("weights") = nb::none(), nb::arg("anchor") = nb::none(),
            nb::arg("iterations") = 1,
            nb::sig(("def " + std::string(name) +
                     "(size: int | collections.abc.Sequence[int] | None = None, footprint: "
                     "numpy.typing.ArrayLike | None = None, weights: numpy.typing.ArrayLike | None "
                     "= None, anchor: collections.abc.Sequence[int] | None = None, iterations: int "
                     "= 1) -> Filter")
                        .c_str()),
            (what + "\n" + window_parameters +
             "    weights : array_like, optional\n"
             "        A finite number for each place of the window, 3969 at most; without them "
             "the\n"
             "        window is flat. Their shape is the window's; `size` is not given then.\n"
             "    iterations : int, optional\n"
             "        How often erosions and dilations are repeated, 1 to 64.\n"
             "\n    Returns\n    -------\n    Filter\n    ")
                .c_str());
    };
    add_morphology("erode", gauze::erode,
                   "The least of the pixels around each, less their weights.");
    add_morphology("dilate", gauze::dilate,
                   "The largest of the pixels whose window each is in, plus their weights.");
    add_morphology("open", gauze::open, "The erosions, and then as many dilations.");
    add_morphology("close", gauze::close, "The dilations, and then as many erosions.");
    add_morphology("top_hat", gauze::top_hat, "The image less its opening.");
    add_morphology("black_hat", gauze::black_hat, "The image's closing less the image.");
    add_morphology("morphological_gradient", gauze::morphological_gradient,
                   "The dilation less the erosion.");
    add_morphology("morphological_laplace", gauze::morphological_laplace,
                   "The dilation less the image, less the image less the erosion.");

    filter.def_static(
        "recursive",
        recorded("recursive",
                 [](nb::object scans, const std::string &grouping, std::int64_t tile,
                    bool allow_unstable, bool zero_phase, double accuracy) {
                     std::vector<gauze::Scan> all;
                     for (nb::handle scan : scans)
                         all.push_back(nb::cast<gauze::Scan>(scan));
                     gauze::RecursiveOptions options;
                     options.grouping = grouping;
                     options.tile = tile;
                     options.allow_unstable = allow_unstable;
                     options.zero_phase = zero_phase;
                     options.accuracy = accuracy;
                     return made(gauze::recursive(all, options), "gauze.Filter.recursive");
                 }),
        nb::arg("scans"), nb::kw_only(), nb::arg("grouping") = "", nb::arg("tile") = 0,
        nb::arg("allow_unstable") = false, nb::arg("zero_phase") = false, nb::arg("accuracy") = 0.0,
        nb::sig("def recursive(scans: collections.abc.Iterable[Scan], *, grouping: str = '', tile: "
                "int = 0, allow_unstable: bool = False, zero_phase: bool = False, accuracy: float "
                "= 0.0) -> Filter"),
        R"(Scans, each of the result of the one before.

    Parameters
    ----------
    scans : iterable of Scan
        1 to 1024 of them.
    grouping : str, optional
        How to run them: 'cascade', 'overlap', or numbers of scans such as '0,1_2,3'.
    tile : int, optional
        Pixels of a tile, a hint; 0: the library's choice.
    allow_unstable : bool, optional
        Takes poles on the unit circle or outside, with the border 'zero' alone.
    zero_phase : bool, optional
        Runs all scans again in the other direction.
    accuracy : float, optional
        The error bound wanted, of full scale; 0: the library's own choice.

    Returns
    -------
    Filter
    )");
    filter.def_static(
        "sections",
        recorded("sections",
                 [](nb::object sos, nb::object direction, std::int64_t tile, bool zero_phase,
                    double accuracy) {
                     const nb::object array = double_array(sos);
                     const HostArray host(array, HostArray::Access::read, "sos");
                     if (host.shape().size() != 2 || host.shape()[1] != 6)
                         refuse("sos has the shape " + to_text(host.shape()) +
                                "; it is (sections, 6)");
                     std::vector<gauze::Section> rows(static_cast<std::size_t>(host.shape()[0]));
                     const auto *values = static_cast<const double *>(host.data());
                     for (std::size_t row = 0; row < rows.size(); ++row)
                         std::copy_n(values + 6 * row, 6, rows[row].begin());
                     gauze::SectionsOptions options;
                     const auto directions = integers(direction, "direction", 1, 0);
                     for (std::size_t i = 0; i < 4; ++i)
                         options.direction[i] = static_cast<std::int32_t>(
                             std::max<std::int64_t>(-2, std::min<std::int64_t>(2, directions[i])));
                     options.tile = tile;
                     options.zero_phase = zero_phase;
                     options.accuracy = accuracy;
                     return made(gauze::sections(rows, options), "gauze.Filter.sections");
                 }),
        nb::arg("sos"), nb::arg("direction") = 1, nb::kw_only(), nb::arg("tile") = 0,
        nb::arg("zero_phase") = false, nb::arg("accuracy") = 0.0,
        nb::sig("def sections(sos: numpy.typing.ArrayLike, direction: int | "
                "collections.abc.Sequence[int] = 1, *, tile: int = 0, zero_phase: bool = False, "
                "accuracy: float = 0.0) -> Filter"),
        R"(Second-order sections, as scipy.signal gives them with output='sos'.

    Parameters
    ----------
    sos : array_like, shape (sections, 6)
        b0 b1 b2 a0 a1 a2 of each section, a0 equal to 1.
    direction : int or sequence of int, optional
        1, -1 or 0 (not filtered) along the array's last axes; a number is for x.
    tile, zero_phase, accuracy
        As of recursive().

    Returns
    -------
    Filter
    )");
    filter.def_static(
        "sat", recorded("sat", [] { return made(gauze::sat(), "gauze.Filter.sat"); }),
        R"(A summed-area table: each result sums all pixels at most as far right and down.

    The plan's border is 'zero'; its target is uint32 or uint64 for uint8 and uint16, int32 for
    int16, and float32 for floats.

    Returns
    -------
    Filter
    )");
    filter.def_static(
        "bspline",
        recorded("bspline",
                 [](int order) { return made(gauze::bspline(order), "gauze.Filter.bspline"); }),
        nb::arg("order"), R"(The coefficients along x and y of the B-spline through the pixels.

    Parameters
    ----------
    order : int
        The degree, 2 to 5. The plan's border is usually 'reflect101'.

    Returns
    -------
    Filter
    )");
    filter.def_static("dog",
                      recorded("dog",
                               [](double sigma, double other_sigma, const std::string &method) {
                                   return made(gauze::dog(sigma, other_sigma, method_of(method)),
                                               "gauze.Filter.dog");
                               }),
                      nb::arg("sigma"), nb::arg("other_sigma"), nb::arg("method") = "auto",
                      R"(The Gaussian of one sigma less that of another, along x and y.

    Parameters
    ----------
    sigma, other_sigma : float
        Standard deviations in pixels.
    method : {'auto', 'fir', 'recursive', 'box'}, optional
        As of gaussian().

    Returns
    -------
    Filter
    )");
    add_derivatives(filter);
    add_local_filters(filter);
    filter.def_static("bank",
                      recorded("bank",
                               [](nb::object filters) {
                                   std::vector<gauze::Filter> all;
                                   for (nb::handle each : filters)
                                       all.push_back(nb::cast<const Filter &>(each).filter);
                                   return made_bank(all, "gauze.Filter.bank");
                               }),
                      nb::arg("filters"),
                      nb::sig("def bank(filters: collections.abc.Iterable[Filter]) -> Filter"),
                      R"(Several filters of one image; a plan of it returns a list of results.

    Parameters
    ----------
    filters : iterable of Filter
        1 to 16 of them; no summed-area tables, and no banks.

    Returns
    -------
    Filter
    )");
}

} // namespace gzpy
