// gauze.Ssimulacra2: how different two images look.
#include "objects.hpp"

namespace gzpy {

namespace {

struct Metric {
    std::shared_ptr<Engine> engine;
    std::unique_ptr<gauze::Ssimulacra2> metric;
    gauze::Type type, distorted_type;
    Shape shape, distorted_shape;
};

Axes axes_of(const Shape &shape) {
    if (shape.size() != 2 && shape.size() != 3)
        refuse("an image has the shape " + to_text(shape) +
               "; it is (height, width) or (height, width, channels)");
    return Axes(std::string(shape.size() == 2 ? "yx" : "yxc"), shape.size());
}

nb::object contiguous(nb::handle array) {
    return numpy().attr("ascontiguousarray")(array);
}

gauze::HostPixels pixels_of(const HostArray &array, const char *name, gauze::Type type,
                            const Shape &shape) {
    if (array.type() != type || array.shape() != shape)
        refuse(std::string(name) + " is " + numpy_name(array.type()) + " " +
               to_text(array.shape()) + "; the metric takes " + numpy_name(type) + " " +
               to_text(shape));
    return {array.data(), static_cast<std::size_t>(count_of(shape)) * gauze::size_of(type)};
}

void set_reference(Metric &self, nb::handle reference) {
    const nb::object array = contiguous(reference);
    const HostArray host(array, HostArray::Access::read, "reference");
    const gauze::HostPixels pixels = pixels_of(host, "reference", self.type, self.shape);
    const nb::gil_scoped_release unlocked;
    self.metric->set_reference(pixels);
}

std::unique_ptr<Metric> make_metric(const std::shared_ptr<Engine> &engine, nb::object reference,
                                    nb::object distorted, const std::string &variant) {
    auto metric = std::make_unique<Metric>();
    const nb::object like = distorted.is_none() ? reference : distorted;
    metric->engine = engine;
    metric->shape = shape_of(reference.attr("shape"));
    metric->type = type_of(reference.attr("dtype"), "the reference's dtype");
    metric->distorted_shape = shape_of(like.attr("shape"));
    metric->distorted_type = type_of(like.attr("dtype"), "the distorted image's dtype");
    const gauze::ImageDesc source = axes_of(metric->shape).describe(metric->type, metric->shape);
    const gauze::ImageDesc other =
        axes_of(metric->distorted_shape).describe(metric->distorted_type, metric->distorted_shape);
    {
        const nb::gil_scoped_release unlocked;
        metric->metric = std::make_unique<gauze::Ssimulacra2>(
            engine->engine->ssimulacra2(source, other, variant));
    }
    set_reference(*metric, reference);
    return metric;
}

} // namespace

void add_metrics(nb::module_ &module, nb::class_<Engine> &engine) {
    nb::class_<Metric>(module, "Ssimulacra2",
                       R"(SSIMULACRA 2, version 2.1: how different images look from a reference.

    Engine.ssimulacra2() makes one. 100: equal; about 90: no difference can be seen side by side;
    70: high quality; 50: medium; below 0: the worst.
    )")
        .def("set_reference", &set_reference, nb::arg("reference"),
             nb::sig("def set_reference(self, reference: numpy.ndarray) -> None"),
             "Makes an image of the same shape and dtype the reference.")
        .def(
            "score",
            [](Metric &self, nb::handle distorted) {
                const nb::object array = contiguous(distorted);
                const HostArray host(array, HostArray::Access::read, "distorted");
                const gauze::HostPixels pixels =
                    pixels_of(host, "distorted", self.distorted_type, self.distorted_shape);
                const nb::gil_scoped_release unlocked;
                return self.metric->score(pixels);
            },
            nb::arg("distorted"), nb::sig("def score(self, distorted: numpy.ndarray) -> float"),
            R"(Scores an image against the reference.

    Parameters
    ----------
    distorted : numpy.ndarray
        Shape and dtype as Engine.ssimulacra2() was told.

    Returns
    -------
    float
    )")
        .def(
            "error_map",
            [](Metric &self, nb::handle distorted) {
                const nb::object array = contiguous(distorted);
                const HostArray host(array, HostArray::Access::read, "distorted");
                const gauze::HostPixels pixels =
                    pixels_of(host, "distorted", self.distorted_type, self.distorted_shape);
                gauze::Ssimulacra2::ErrorMap map;
                {
                    const nb::gil_scoped_release unlocked;
                    map = self.metric->error_map(pixels);
                }
                const Shape shape(self.distorted_shape.begin(), self.distorted_shape.begin() + 2);
                const nb::object values = empty_array(shape, gauze::Type::f32);
                const HostArray target(values, HostArray::Access::write, "map");
                std::copy(map.values.begin(), map.values.end(),
                          static_cast<float *>(target.data()));
                return nb::make_tuple(values, map.score);
            },
            nb::arg("distorted"),
            nb::sig("def error_map(self, distorted: numpy.ndarray) -> tuple[numpy.ndarray, float]"),
            R"(Says where an image differs from the reference.

    Parameters
    ----------
    distorted : numpy.ndarray

    Returns
    -------
    map : numpy.ndarray, float32, shape (height, width)
        Each pixel's share of the weighted error.
    score : float
    )")
        .def(
            "explain",
            [](const Metric &self) {
                const nb::gil_scoped_release unlocked;
                return self.metric->explain();
            },
            "Says which kernels run and why, launches for an image, and device memory.");

    engine.def("ssimulacra2", &make_metric, nb::arg("reference"), nb::arg("distorted") = nb::none(),
               nb::arg("variant") = "",
               nb::sig("def ssimulacra2(self, reference: numpy.ndarray, distorted: numpy.ndarray | "
                       "None = None, variant: str = '') -> Ssimulacra2"),
               R"(Makes a metric of images that look like these, and sets its reference.

    Parameters
    ----------
    reference : numpy.ndarray, uint8 or uint16
        sRGB values, shape (height, width) for gray or (height, width, channels) with 1 channel for
        gray, 2 for gray and alpha, 3 for RGB, 4 for RGB and alpha; 8x8 pixels at least.
    distorted : numpy.ndarray, optional
        An image of the shape and dtype of those to score; by default the reference.
    variant : str, optional
        Kernels to use.

    Returns
    -------
    Ssimulacra2
    )");
    module.def("ssimulacra2_score", &gauze::ssimulacra2_score, nb::arg("weighted_error"),
               "The score of a weighted error, such as the mean of an error map.");
}

} // namespace gzpy
