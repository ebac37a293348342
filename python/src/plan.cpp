#include "plan.hpp"

#include <algorithm>
#include <chrono>
#include <list>
#include <sstream>

namespace gzpy {

namespace {

constexpr std::size_t most_layouts = 16;
// Bytes of an array. Below, the time that a call takes hides what it gains.
constexpr std::size_t least_aligned = std::size_t{1} << 19;

bool has_layout(const gauze::ImageDesc &a, const gauze::ImageDesc &b) {
    return a.pitch == b.pitch && a.plane_pitch == b.plane_pitch;
}

bool has_layouts(const std::vector<gauze::ImageDesc> &a, const std::vector<gauze::ImageDesc> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), has_layout);
}

// Call without the interpreter's lock.
std::shared_ptr<gauze::Plan> plan_for(Plan &self, const gauze::ImageDesc &source,
                                      const std::vector<gauze::ImageDesc> &targets) {
    const bool is_contiguous =
        has_layout(source, self.source) &&
        std::all_of(targets.begin(), targets.end(), [&](const gauze::ImageDesc &target) {
            return has_layout(target, self.target);
        });
    if (is_contiguous)
        return self.contiguous;
    const std::lock_guard lock(self.mutex);
    for (const Plan::Layout &each : self.layouts)
        if (has_layout(each.source, source) && has_layouts(each.targets, targets))
            return each.plan;
    if (self.layouts.size() >= most_layouts)
        self.layouts.erase(self.layouts.begin());
    self.layouts.push_back({source, targets,
                            std::make_shared<gauze::Plan>(self.engine->engine->plan(
                                self.filter.filter, source, targets, self.options))});
    return self.layouts.back().plan;
}

void check_engine(const Plan &self, const Array &array, const char *name) {
    if (array.engine.get() != self.engine.get())
        refuse(std::string(name) + " belongs to another engine than the plan");
}

// A smaller source is one slab, between whose start and end nothing is asked.
constexpr std::size_t least_interruptible = std::size_t{8} << 20; // bytes

nb::object new_target(const Plan &self) {
    if (self.writes_all)
        return self.aligns_results ? aligned_empty(self.empty_arguments, self.target.bytes())
                                   : numpy_empty(self.empty_arguments);
    return numpy().attr("zeros")(tuple_of(self.out_shape), numpy_name(self.out_type));
}

nb::object contiguous_copy(nb::handle array) {
    return numpy().attr("array")(array, nb::arg("order") = "C", nb::arg("copy") = true);
}

// A target of a run, and what the library writes: a contiguous copy of it where pitches cannot say its strides.
struct HostOutput {
    HostOutput(const Plan &self, const nb::object &given) : target(given), written(given) {
        if (nb::isinstance<Array>(given))
            refuse("out is a gauze.Array, and src is none");
        array.emplace(given, HostArray::Access::write, "out");
        check_array("out", array->type(), array->shape(), self.out_type, self.out_shape);
        std::optional<gauze::ImageDesc> own = self.axes.describe(*array);
        if (!own) {
            written = contiguous_copy(given);
            array.emplace(written, HostArray::Access::write, "out");
            own = self.axes.describe(*array);
        }
        desc = *own;
    }

    nb::object target, written;
    std::optional<HostArray> array;
    gauze::ImageDesc desc;
};

void check_guide(const Plan &self, nb::handle guide) {
    if (guide.is_none() && self.guide)
        refuse("guide is not given; the plan takes " +
               described(self.guide->type, self.guide->shape));
    if (!guide.is_none() && !self.guide)
        refuse("guide is given; the plan takes none");
}

// A plan's guide in host memory, or a contiguous copy of it.
struct HostGuide {
    HostGuide(const Plan &self, nb::handle given) {
        check_guide(self, given);
        if (given.is_none())
            return;
        if (nb::isinstance<Array>(given))
            refuse("guide is a gauze.Array, and src is none");
        array.emplace(given, HostArray::Access::read, "guide");
        check_array("guide", array->type(), array->shape(), self.guide->type, self.guide->shape);
        if (!array->is_contiguous()) {
            copy = contiguous_copy(given);
            array.emplace(copy, HostArray::Access::read, "guide");
        }
    }

    // Returns a plan's sources: the given one and, where there is one, the guide.
    std::vector<gauze::HostPixels> after(const gauze::HostPixels &source, const Plan &self) const {
        std::vector<gauze::HostPixels> sources{source};
        if (array)
            sources.emplace_back(array->data(), self.guide->desc.bytes());
        return sources;
    }

    nb::object copy;
    std::optional<HostArray> array;
};

// Returns the guide on the device; null where the plan takes none.
const Array *guide_on_device(const Plan &self, nb::handle given) {
    check_guide(self, given);
    if (given.is_none())
        return nullptr;
    if (!nb::isinstance<Array>(given))
        refuse("guide is no gauze.Array, and src is one");
    const auto &guide = nb::cast<const Array &>(given);
    check_engine(self, guide, "guide");
    check_array("guide", guide.type, guide.shape, self.guide->type, self.guide->shape);
    return &guide;
}

// Returns what the axes of a guide are: those of the image, with channels or without.
std::string axes_of_guide(std::string image, std::size_t axes) {
    const bool has_channels = image.back() == 'c';
    if (axes == image.size() + 1 && !has_channels)
        image += 'c';
    else if (axes + 1 == image.size() && has_channels)
        image.pop_back();
    else if (axes != image.size())
        refuse("guide has " + std::to_string(axes) + " axes; the image has '" + image +
               "', and the guide the same, with channels or without");
    return image;
}

gauze::Region region_of(const Axes &axes, nb::handle given) {
    // A named tuple of Python's: source_origin, extent, target_origin, edge.
    gauze::Region region;
    const auto along = [&](const char *name, std::int64_t otherwise) {
        const nb::object values = given.attr(name);
        if (values.is_none())
            return axes.along(Shape(axes.names().size(), otherwise), otherwise);
        Shape all;
        for (nb::handle each : values)
            all.push_back(nb::cast<std::int64_t>(each));
        if (all.size() != axes.names().size())
            refuse(std::string("the region's ") + name + " has " + std::to_string(all.size()) +
                   " values; the array has " + std::to_string(axes.names().size()) + " axes");
        return axes.along(all, otherwise);
    };
    region.source_origin = along("source_origin", 0);
    region.extent = along("extent", 0);
    region.target_origin =
        given.attr("target_origin").is_none() ? region.source_origin : along("target_origin", 0);
    const std::string edge = nb::cast<std::string>(given.attr("edge"));
    if (edge != "isolated" && edge != "neighbours")
        refuse("the region's edge is '" + edge + "'; there are isolated and neighbours");
    region.edge = edge == "isolated" ? gauze::RegionEdge::isolated : gauze::RegionEdge::neighbours;
    return region;
}

std::shared_ptr<Plan> make_plan(const std::shared_ptr<Engine> &engine, const Filter &filter,
                                nb::object image, nb::object dtype, nb::object out_dtype,
                                std::optional<std::string> axes, const std::string &border,
                                double border_value, nb::object region, nb::object out_shape,
                                const std::string &variant, const std::string &store,
                                nb::object guide) {
    const auto [type, shape] = image_of(image, dtype);
    const gauze::Type out_type = out_dtype.is_none() ? type : type_of(out_dtype, "out_dtype");
    const Axes own_axes(axes, shape.size());
    gauze::PlanOptions options;
    options.border = border_of(border, border_value);
    options.variant = variant;
    options.store = store_of(store);
    std::optional<Plan::Guide> own_guide;
    if (!guide.is_none()) {
        auto [guide_type, guide_shape] = image_of(guide, nb::none());
        const Axes guide_axes(axes_of_guide(own_axes.names(), guide_shape.size()),
                              guide_shape.size());
        options.guide = guide_axes.describe(guide_type, guide_shape);
        own_guide = Plan::Guide{guide_type, std::move(guide_shape), *options.guide};
    }
    if (!region.is_none())
        options.region = region_of(own_axes, region);
    else if (!out_shape.is_none())
        refuse("out_shape is given without a region");
    const Shape target_shape = out_shape.is_none() ? shape : shape_of(out_shape);
    if (target_shape.size() != shape.size())
        refuse("out_shape is " + to_text(target_shape) + "; the image has the shape " +
               to_text(shape));
    std::shared_ptr<Plan> plan(new Plan{engine,
                                        filter,
                                        own_axes,
                                        options,
                                        type,
                                        out_type,
                                        shape,
                                        target_shape,
                                        own_axes.describe(type, shape),
                                        own_axes.describe(out_type, target_shape),
                                        nullptr,
                                        region.is_none(),
                                        nb::make_tuple(tuple_of(target_shape), dtype_of(out_type)),
                                        false,
                                        {},
                                        {},
                                        std::move(own_guide)});
    const nb::gil_scoped_release unlocked;
    plan->aligns_results =
        engine->engine->device().kind == GAUZE_DEVICE_CPU && plan->target.bytes() >= least_aligned;
    plan->contiguous = std::make_shared<gauze::Plan>(
        engine->engine->plan(filter.filter, plan->source,
                             std::vector<gauze::ImageDesc>(filter.targets, plan->target), options));
    return plan;
}

gauze::HostPixels pixels_of(const HostArray &array, const char *name, gauze::Type type,
                            const Shape &shape) {
    check_array(name, array.type(), array.shape(), type, shape);
    if (!array.is_contiguous())
        refuse(std::string(name) + " is not contiguous");
    return {array.data(), static_cast<std::size_t>(count_of(shape)) * gauze::size_of(type)};
}

} // namespace

nb::object enqueue(Plan &self, const Array &source, nb::handle out, nb::handle guide) {
    check_engine(self, source, "src");
    check_array("src", source.type, source.shape, self.type, self.shape);
    std::vector<cl_mem> sources{source.image->mem()};
    if (const Array *const own = guide_on_device(self, guide))
        sources.push_back(own->image->mem());
    if (out.is_none() && !self.writes_all)
        refuse("the plan's region does not cover the result; out must be given");
    const std::vector<nb::object> targets = targets_of(self.filter, out, [&] {
        return nb::cast(make_array(self.engine, self.out_shape, self.out_type));
    });
    std::vector<cl_mem> memory;
    for (const nb::object &each : targets) {
        if (!nb::isinstance<Array>(each))
            refuse("out is no gauze.Array, and src is one");
        const auto &target = nb::cast<const Array &>(each);
        check_engine(self, target, "out");
        check_array("out", target.type, target.shape, self.out_type, self.out_shape);
        memory.push_back(target.image->mem());
    }
    {
        const nb::gil_scoped_release unlocked;
        self.contiguous->enqueue_sources(nullptr, sources, memory);
    }
    return result_of(self.filter, targets);
}

nb::object run_on_host(Plan &self, nb::handle src, const HostArray &source, nb::handle out,
                       HostRun run) {
    check_array("src", source.type(), source.shape(), self.type, self.shape);
    const HostArray *from = &source;
    std::optional<HostArray> copy; // of a source whose strides no pitches can say
    std::optional<gauze::ImageDesc> source_desc = self.axes.describe(source);
    if (!source_desc) {
        copy.emplace(contiguous_copy(src), HostArray::Access::read, "src");
        from = &*copy;
        source_desc = self.axes.describe(*copy);
    }
    const HostGuide guide(self, run.guide);
    std::list<HostOutput> outputs;
    const std::vector<nb::object> targets =
        targets_of(self.filter, out, [&] { return new_target(self); });
    for (const nb::object &target : targets)
        outputs.emplace_back(self, target);

    gauze::RunOptions options;
    options.max_device_bytes = run.max_device_bytes;
    if (!run.progress.is_none() || run.max_device_bytes > 0 ||
        source_desc->bytes() >= least_interruptible)
        options.progress = Interruptible(std::move(run.progress));
    {
        const nb::gil_scoped_release unlocked;
        std::vector<gauze::ImageDesc> descs;
        std::vector<gauze::HostTarget> memory;
        for (const HostOutput &each : outputs) {
            descs.push_back(each.desc);
            memory.emplace_back(each.array->data(), each.desc.bytes());
        }
        plan_for(self, *source_desc, descs)
            ->run_sources(guide.after({from->data(), source_desc->bytes()}, self), memory, options);
    }
    for (HostOutput &each : outputs) {
        each.array.reset();
        if (!each.written.is(each.target))
            copy_to(each.target, each.written);
    }
    return result_of(self.filter, targets);
}

std::string described(gauze::Type type, const Shape &shape) {
    return std::string(numpy_name(type)) + " " + to_text(shape);
}

void check_array(const char *name, gauze::Type type, const Shape &shape, gauze::Type wanted_type,
                 const Shape &wanted_shape) {
    if (type != wanted_type || shape != wanted_shape)
        refuse(std::string(name) + " is " + described(type, shape) + "; the plan takes " +
               described(wanted_type, wanted_shape));
}

ImageOf image_of(nb::handle image, nb::object dtype) {
    if (nb::hasattr(image, "shape") && nb::hasattr(image, "dtype"))
        return {type_of(dtype.is_none() ? nb::object(image.attr("dtype")) : dtype, "dtype"),
                shape_of(image.attr("shape"))};
    const Shape shape = shape_of(image);
    if (dtype.is_none())
        refuse("dtype is not given, and the image is a shape");
    return {type_of(dtype, "dtype"), shape};
}

std::vector<nb::object> targets_of(const Filter &filter, nb::handle out,
                                   const std::function<nb::object()> &make) {
    std::vector<nb::object> targets;
    if (out.is_none()) {
        for (std::size_t i = 0; i < filter.targets; ++i)
            targets.push_back(make());
    } else if (filter.targets == 1) {
        targets.push_back(nb::borrow(out));
    } else {
        for (nb::handle each : out)
            targets.push_back(nb::borrow(each));
        if (targets.size() != filter.targets)
            refuse("out has " + std::to_string(targets.size()) + " arrays; the bank has " +
                   std::to_string(filter.targets) + " filters");
    }
    return targets;
}

nb::object result_of(const Filter &filter, const std::vector<nb::object> &targets) {
    if (filter.targets == 1)
        return targets[0];
    nb::list all;
    for (const nb::object &each : targets)
        all.append(each);
    return all;
}

void add_plans(nb::module_ &module, nb::class_<Engine> &engine) {
    nb::class_<gauze::Verification>(module, "Verification", "The errors that Plan.verify() found.")
        .def_ro("within_bound", &gauze::Verification::within_bound, "worst_error <= bound")
        .def_ro("worst_error", &gauze::Verification::worst_error,
                "Largest absolute difference from the reference, in units of the pixels.")
        .def_ro("bound", &gauze::Verification::bound, "The filter's stated bound for the source.")
        .def_ro("pixels", &gauze::Verification::pixels, "Number of pixels compared.")
        .def("__repr__", [](const gauze::Verification &self) {
            std::ostringstream text;
            text << "<gauze.Verification worst error " << self.worst_error << ", bound "
                 << self.bound << ", " << self.pixels << " pixels>";
            return text.str();
        });
    nb::class_<gauze::Timing>(module, "Timing", "The times that Plan.measure() measured.")
        .def_ro("device_ms", &gauze::Timing::device_ms, "Median time on the device, ms.")
        .def_ro("wall_ms", &gauze::Timing::wall_ms, "Median time from call to completion, ms.")
        .def_ro("copy_ms", &gauze::Timing::copy_ms, "Median time of a copy of as many bytes, ms.")
        .def_ro("device_time_is_wall", &gauze::Timing::device_time_is_wall,
                "Whether device_ms is a wall-clock time.")
        .def_ro("launches", &gauze::Timing::launches, "Kernel launches in one run.")
        .def("__repr__", [](const gauze::Timing &self) {
            std::ostringstream text;
            text << "<gauze.Timing device " << self.device_ms << " ms, copy " << self.copy_ms
                 << " ms, " << self.launches << " launches>";
            return text.str();
        });

    nb::class_<Plan>(module, "Plan", R"(A filter for arrays of one shape and dtype on one engine.

    Engine.plan() makes one. A plan may run from many threads at once.
    )")
        .def(
            "__call__",
            [](Plan &self, nb::handle src, nb::handle out, nb::object progress,
               std::uint64_t max_device_bytes, nb::object guide) {
                if (nb::isinstance<Array>(src))
                    return enqueue(self, nb::cast<const Array &>(src), out, guide);
                return run_on_host(self, src, HostArray(src, HostArray::Access::read, "src"), out,
                                   {std::move(progress), max_device_bytes, std::move(guide)});
            },
            nb::arg("src"), nb::arg("out") = nb::none(), nb::kw_only(),
            nb::arg("progress") = nb::none(), nb::arg("max_device_bytes") = 0,
            nb::arg("guide") = nb::none(),
            nb::sig("def __call__(self, src: numpy.ndarray | Array, out: typing.Any = None, *, "
                    "progress: collections.abc.Callable[[int, int], bool | None] | None = None, "
                    "max_device_bytes: int = 0, guide: numpy.ndarray | Array | None = None) -> "
                    "typing.Any"),
            R"(Filters an array.

    Parameters
    ----------
    src : numpy.ndarray or Array
        The source, of the plan's shape and dtype. A NumPy array is read where it is, if pitches can say its
        strides, and copied otherwise. The run of an Array is enqueued, and not waited for.
    out : numpy.ndarray or Array, optional
        Receives the result; of the plan's out_shape and out_dtype, and of the kind of `src`. A
        NumPy array may overlap `src`. Of a bank: a list of them.
    progress : callable, optional
        Called as progress(done, total) when a run on NumPy arrays begins, after each slab of an image
        that is streamed, and at the end. False cancels the run.
    max_device_bytes : int, optional
        Device memory that a run on NumPy arrays may take; 0: what the device has. Images that
        need more are streamed in slabs, between which Ctrl-C cancels the run.
    guide : numpy.ndarray or Array, optional
        The guide, of the kind of `src`, where the plan was made with one.

    Returns
    -------
    numpy.ndarray or Array
        `out`, or a new array of the kind of `src`; of a bank a list.

    Raises
    ------
    InvalidArgumentError
        Another shape or dtype than the plan's, a read-only `out`, an Array of another engine, a
        `guide` that the plan does not take, or none where it takes one.
    OverlapError
        Arrays on the device that share memory.
    CancelledError
        `progress` asked for it. The result is undefined then.
    )")
        .def(
            "prepare",
            [](const Plan &self) {
                const nb::gil_scoped_release unlocked;
                self.contiguous->prepare();
            },
            "Compiles what the plan needs; otherwise the first run does.")
        .def(
            "explain",
            [](const Plan &self) {
                const nb::gil_scoped_release unlocked;
                return self.contiguous->explain();
            },
            R"(Says which kernels run on contiguous arrays and why, launches, bytes moved, workspace.

    Returns
    -------
    str
        Lines of text.
    )")
        .def(
            "_settled",
            [](const Plan &self) {
                Filter filter = self.filter;
                filter.filter = self.contiguous->filter();
                filter.recipe = nb::make_tuple("settled", self.filter.recipe, tuple_of(self.shape),
                                               static_cast<int>(self.type));
                filter.key = nb::object();
                return filter;
            },
            nb::sig("def _settled(self) -> Filter"),
            "The filter with the methods of its Gaussians settled, for plans of parts of an array: "
            "not to be pickled.")
        .def_prop_ro(
            "variant", [](const Plan &self) { return self.contiguous->variant(); },
            "Names and configurations of the kernels that run on the device.")
        .def_prop_ro(
            "workspace_bytes", [](const Plan &self) { return self.contiguous->workspace_bytes(); },
            "Bytes of device memory that a run takes besides its images.")
        .def_prop_ro(
            "shape", [](const Plan &self) { return tuple_of(self.shape); },
            nb::sig("def shape(self) -> tuple[int, ...]"), "Shape of sources.")
        .def_prop_ro(
            "dtype", [](const Plan &self) { return dtype_of(self.type); },
            nb::sig("def dtype(self) -> numpy.dtype"), "Type of sources.")
        .def_prop_ro(
            "out_shape", [](const Plan &self) { return tuple_of(self.out_shape); },
            nb::sig("def out_shape(self) -> tuple[int, ...]"), "Shape of results.")
        .def_prop_ro(
            "out_dtype", [](const Plan &self) { return dtype_of(self.out_type); },
            nb::sig("def out_dtype(self) -> numpy.dtype"), "Type of results.")
        .def_prop_ro(
            "axes", [](const Plan &self) { return self.axes.names(); },
            "What each axis of an array is, a letter each.")
        .def_prop_ro(
            "engine", [](const Plan &self) { return self.engine; }, "The engine that it runs on.")
        .def(
            "verify",
            [](const Plan &self, nb::handle src, nb::handle dst, nb::handle guide) {
                if (self.filter.targets != 1)
                    refuse("the results of a bank are verified one by one, by plans of their own");
                const HostArray from(src, HostArray::Access::read, "src");
                const HostArray to(dst, HostArray::Access::read, "dst");
                const gauze::HostPixels source = pixels_of(from, "src", self.type, self.shape);
                const gauze::HostPixels target =
                    pixels_of(to, "dst", self.out_type, self.out_shape);
                const HostGuide own(self, guide);
                const nb::gil_scoped_release unlocked;
                return self.contiguous->verify_sources(own.after(source, self), {target});
            },
            nb::arg("src"), nb::arg("dst"), nb::arg("guide") = nb::none(),
            nb::sig("def verify(self, src: numpy.ndarray, dst: numpy.ndarray, guide: numpy.ndarray "
                    "| None = None) -> Verification"),
            R"(Computes every pixel again in double on the host, and compares.

    Parameters
    ----------
    src, dst : numpy.ndarray
        A source and the plan's result, contiguous.
    guide : numpy.ndarray, optional
        The guide, where the plan takes one.

    Returns
    -------
    Verification
    )")
        .def(
            "measure",
            [](const Plan &self, const Array &src, nb::handle out, unsigned repeats,
               nb::handle guide) {
                check_engine(self, src, "src");
                check_array("src", src.type, src.shape, self.type, self.shape);
                const Array *const own_guide = guide_on_device(self, guide);
                const std::vector<nb::object> targets = targets_of(self.filter, out, [&] {
                    return nb::cast(make_array(self.engine, self.out_shape, self.out_type));
                });
                // Images with the plan's own description.
                const gauze::Engine &own = *self.engine->engine;
                const nb::gil_scoped_release unlocked;
                const gauze::Image from = own.wrap(self.source, src.image->mem());
                std::optional<gauze::Image> second;
                std::vector<const gauze::Image *> sources{&from};
                if (own_guide) {
                    second.emplace(own.wrap(self.guide->desc, own_guide->image->mem()));
                    sources.push_back(&*second);
                }
                std::vector<gauze::Image> to;
                {
                    const nb::gil_scoped_acquire locked;
                    for (const nb::object &each : targets) {
                        const auto &array = nb::cast<const Array &>(each);
                        check_engine(self, array, "out");
                        check_array("out", array.type, array.shape, self.out_type, self.out_shape);
                        to.push_back(own.wrap(self.target, array.image->mem()));
                    }
                }
                std::vector<gauze::Image *> all;
                for (gauze::Image &image : to)
                    all.push_back(&image);
                return self.contiguous->measure_sources(sources, all, repeats);
            },
            nb::arg("src"), nb::arg("out") = nb::none(), nb::arg("repeats") = 20,
            nb::arg("guide") = nb::none(),
            nb::sig("def measure(self, src: Array, out: typing.Any = None, repeats: int = 20, "
                    "guide: Array | None = None) -> Timing"),
            R"(Times runs on the device, each followed by a plain copy of as many bytes.

    Parameters
    ----------
    src : Array
    out : Array, optional
        The target; for a bank a list of them.
    repeats : int, optional
        1 to 1000000.
    guide : Array, optional
        The guide, where the plan takes one.

    Returns
    -------
    Timing
    )")
        .def(
            "_run_seconds",
            [](Plan &self, nb::handle src, nb::handle out, unsigned repeats) {
                const HostArray from(src, HostArray::Access::read, "src");
                const HostArray to(out, HostArray::Access::write, "out");
                const gauze::HostPixels source = pixels_of(from, "src", self.type, self.shape);
                const gauze::HostPixels target =
                    pixels_of(to, "out", self.out_type, self.out_shape);
                std::vector<double> seconds(repeats);
                const nb::gil_scoped_release unlocked;
                for (double &each : seconds) {
                    const auto began = std::chrono::steady_clock::now();
                    self.contiguous->run(source.data, source.bytes, to.data(), target.bytes);
                    each = std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
                               .count();
                }
                return seconds;
            },
            nb::arg("src"), nb::arg("out"), nb::arg("repeats"),
            nb::sig(
                "def _run_seconds(self, src: numpy.ndarray, out: numpy.ndarray, repeats: int) -> "
                "list[float]"),
            "Times of the C++ call alone, for contiguous arrays: what gauze.bench compares with.")
        .def("__repr__", [](const Plan &self) {
            return "<gauze.Plan of " + self.filter.text + ", " + described(self.type, self.shape) +
                   " to " + described(self.out_type, self.out_shape) + ">";
        });

    engine.def(
        "plan", &make_plan, nb::arg("filter"), nb::arg("image"), nb::arg("dtype") = nb::none(),
        nb::arg("out_dtype") = nb::none(), nb::kw_only(), nb::arg("axes") = nb::none(),
        nb::arg("border") = "clamp", nb::arg("border_value") = 0.0, nb::arg("region") = nb::none(),
        nb::arg("out_shape") = nb::none(), nb::arg("variant") = "", nb::arg("store") = "saturate",
        nb::arg("guide") = nb::none(),
        nb::sig("def plan(self, filter: Filter, image: typing.Any, dtype: numpy.typing.DTypeLike | "
                "None = None, out_dtype: numpy.typing.DTypeLike | None = None, *, axes: str | None "
                "= None, border: str = 'clamp', border_value: float = 0.0, region: typing.Any = "
                "None, out_shape: collections.abc.Sequence[int] | None = None, variant: str = '', "
                "store: str = 'saturate', guide: typing.Any = None) -> Plan"),
        R"(Chooses kernels for a filter of arrays of one shape and dtype.

    Parameters
    ----------
    filter : Filter
    image : array, Array or sequence of int
        An array of the shape and dtype of sources, or the shape itself.
    dtype : dtype, optional
        The sources' type: uint8, uint16, int16, float16 or float32.
    out_dtype : dtype, optional
        The results' type; by default that of sources.
    axes : str, optional
        The axes of the array: letters of 'ptzyxc' in this order. p: planes, c: 1 to 4
        interleaved channels. By default the last letters of 'tzyx'.
    border : {'clamp', 'constant', 'reflect', 'reflect101', 'wrap', 'zero'}, optional
        How images are extended.
    border_value : float, optional
        The value of 'constant', in units of the pixels.
    region : Region, optional
        A box of the source, and where its result goes.
    out_shape : sequence of int, optional
        The results' shape, where a region is given; by default that of sources.
    variant : str, optional
        Kernels to use, as Plan.variant has them.
    store : {'saturate', 'truncate'}, optional
        How results become integers: rounded half to even, or their fraction cut off. Both saturate.
        'truncate' is for correlations, boxes and Gaussians by taps.
    guide : array or Array, optional
        An array of the shape and dtype of guides, for Filter.guided(guide='image'). Its axes are those
        of the image, with 3 channels, or 1, or without.

    Returns
    -------
    Plan

    Raises
    ------
    TypeError
        A dtype that Gauze has not.
    InvalidArgumentError
        An argument that is out of range; the text names it.
    UnsupportedError
        No kernel, or not this device, can do it.
    )");
}

} // namespace gzpy
