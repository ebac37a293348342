// gauze.Fleet: several devices that work on one image.
#include <gauze/gauze_fleet.hpp>

#include "objects.hpp"

namespace gzpy {

namespace {

struct Fleet {
    std::vector<std::shared_ptr<Engine>> engines;
    std::shared_ptr<gauze::Fleet> fleet;
};

struct FleetPlan {
    std::shared_ptr<Fleet> fleet;
    Filter filter;
    Axes axes;
    gauze::Type type, out_type;
    Shape shape;
    std::shared_ptr<gauze::FleetPlan> plan;
    std::size_t bytes, out_bytes;
};

std::shared_ptr<Fleet> make_fleet(nb::object engines) {
    auto result = std::make_shared<Fleet>();
    if (engines.is_none()) {
        std::vector<gauze::Engine> own;
        {
            const nb::gil_scoped_release unlocked;
            own = gauze::Fleet().engines();
        }
        for (gauze::Engine &engine : own) {
            auto held = std::make_shared<Engine>();
            held->log = nb::none();
            held->engine.emplace(std::move(engine));
            result->engines.push_back(std::move(held));
        }
    } else {
        for (nb::handle engine : engines)
            result->engines.push_back(nb::cast<std::shared_ptr<Engine>>(engine));
    }
    std::vector<gauze::Engine> all;
    for (const std::shared_ptr<Engine> &engine : result->engines)
        all.push_back(*engine->engine);
    result->fleet = std::make_shared<gauze::Fleet>(std::move(all));
    return result;
}

std::shared_ptr<FleetPlan> make_plan(const std::shared_ptr<Fleet> &fleet, const Filter &filter,
                                     nb::object image, nb::object dtype, nb::object out_dtype,
                                     std::optional<std::string> axes, const std::string &border,
                                     double border_value, double accuracy, std::int64_t slab,
                                     const std::string &variant) {
    const ImageOf of = image_of(image, dtype);
    const gauze::Type out_type = out_dtype.is_none() ? of.type : type_of(out_dtype, "out_dtype");
    const Axes own_axes(axes, of.shape.size());
    gauze::FleetOptions options;
    options.border = border_of(border, border_value);
    options.variant = variant;
    options.accuracy = accuracy;
    options.slab = slab;
    const gauze::ImageDesc source = own_axes.describe(of.type, of.shape);
    const gauze::ImageDesc target = own_axes.describe(out_type, of.shape);
    std::shared_ptr<FleetPlan> plan(new FleetPlan{fleet, filter, own_axes, of.type, out_type,
                                                  of.shape, nullptr, source.bytes(),
                                                  target.bytes()});
    const nb::gil_scoped_release unlocked;
    plan->plan = std::make_shared<gauze::FleetPlan>(fleet->fleet->plan(
        filter.filter, source, std::vector<gauze::ImageDesc>(filter.targets, target), options));
    return plan;
}

nb::object run(const FleetPlan &self, nb::handle src, nb::handle out, nb::object progress,
               std::uint64_t max_device_bytes) {
    const nb::object contiguous = numpy().attr("ascontiguousarray")(src);
    const HostArray source(contiguous, HostArray::Access::read, "src");
    check_array("src", source.type(), source.shape(), self.type, self.shape);
    const std::vector<nb::object> targets =
        targets_of(self.filter, out, [&] { return empty_array(self.shape, self.out_type); });
    std::vector<nb::object> written = targets;
    std::vector<std::unique_ptr<HostArray>> memory;
    for (nb::object &each : written) {
        auto target = std::make_unique<HostArray>(each, HostArray::Access::write, "out");
        check_array("out", target->type(), target->shape(), self.out_type, self.shape);
        if (!target->is_contiguous()) {
            each = empty_array(self.shape, self.out_type);
            target = std::make_unique<HostArray>(each, HostArray::Access::write, "out");
        }
        memory.push_back(std::move(target));
    }
    gauze::RunOptions options;
    options.max_device_bytes = max_device_bytes;
    options.progress = Interruptible(std::move(progress));
    {
        const nb::gil_scoped_release unlocked;
        std::vector<gauze::HostTarget> to;
        for (const auto &target : memory)
            to.emplace_back(target->data(), self.out_bytes);
        self.plan->run(gauze::HostPixels(source.data(), self.bytes), to, options);
    }
    memory.clear();
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (!written[i].is(targets[i]))
            copy_to(targets[i], written[i]);
    return result_of(self.filter, targets);
}

nb::list shares_of(const FleetPlan &self) {
    nb::list result;
    const std::vector<gauze::FleetShare> shares = self.plan->shares();
    for (std::size_t i = 0; i < shares.size(); ++i)
        result.append(nb::make_tuple(self.fleet->engines[i]->engine->device().name,
                                     shares[i].pixels, shares[i].seconds));
    return result;
}

} // namespace

void add_fleets(nb::module_ &module) {
    nb::class_<FleetPlan>(module, "FleetPlan",
                          R"(A filter for arrays of one shape and dtype on a fleet.

    Fleet.plan() makes one. A plan may run from many threads at once.
    )")
        .def("__call__", &run, nb::arg("src"), nb::arg("out") = nb::none(), nb::kw_only(),
             nb::arg("progress") = nb::none(), nb::arg("max_device_bytes") = 0,
             nb::sig("def __call__(self, src: numpy.ndarray, out: typing.Any = None, *, progress: "
                     "collections.abc.Callable[[int, int], bool | None] | None = None, "
                     "max_device_bytes: int = 0) -> typing.Any"),
             R"(Filters a NumPy array.

    Parameters
    ----------
    src : numpy.ndarray
        The source, of the plan's shape and dtype.
    out : numpy.ndarray, optional
        Receives the result; it may overlap `src`. Of a bank: a list of them.
    progress : callable, optional
        Called as progress(done, total) after slabs. False cancels the run; so does Ctrl-C.
    max_device_bytes : int, optional
        Memory that the run may take on each device; 0: what it has.

    Returns
    -------
    numpy.ndarray
        `out`, or a new array; of a bank a list.
    )")
        .def_prop_ro(
            "axis",
            [](const FleetPlan &self) -> nb::object {
                const int axis = self.plan->axis();
                if (axis < 0)
                    return nb::none();
                return nb::str(&"xyzt"[axis], 1);
            },
            nb::sig("def axis(self) -> str | None"),
            "The axis that arrays are cut along, 'x' to 't'; None where one engine takes all.")
        .def_prop_ro("shares", &shares_of,
                     nb::sig("def shares(self) -> list[tuple[str, int, float]]"),
                     "For each engine in the last run: its device, the pixels that it filtered, "
                     "and seconds.");

    nb::class_<Fleet>(module, "Fleet", R"(Several engines that work on one array together.

    An array is cut into slabs, of which each device takes as many as its measured speed is worth.

    Parameters
    ----------
    engines : iterable of Engine, optional
        By default an engine for each GPU, or for the default device where there is none.
    )")
        .def(nb::new_(&make_fleet), nb::arg("engines") = nb::none())
        .def_prop_ro(
            "engines",
            [](const Fleet &self) {
                nb::list result;
                for (const std::shared_ptr<Engine> &engine : self.engines)
                    result.append(engine);
                return result;
            },
            nb::sig("def engines(self) -> list[Engine]"), "The engines.")
        .def("plan", &make_plan, nb::arg("filter"), nb::arg("image"), nb::arg("dtype") = nb::none(),
             nb::arg("out_dtype") = nb::none(), nb::kw_only(), nb::arg("axes") = nb::none(),
             nb::arg("border") = "clamp", nb::arg("border_value") = 0.0, nb::arg("accuracy") = 0.0,
             nb::arg("slab") = 0, nb::arg("variant") = "",
             nb::sig("def plan(self, filter: Filter, image: typing.Any, dtype: "
                     "numpy.typing.DTypeLike | None = None, out_dtype: numpy.typing.DTypeLike | "
                     "None = None, *, axes: str | None = None, border: str = 'clamp', "
                     "border_value: float = 0.0, accuracy: float = 0.0, slab: int = 0, variant: "
                     "str = '') -> FleetPlan"),
             R"(Chooses kernels for a filter of arrays of one shape and dtype, and the axis to cut.

    Results of filters with taps and windows have the bits that one engine gives.

    Parameters
    ----------
    filter, image, dtype, out_dtype, axes, border, border_value, variant
        As of Engine.plan().
    accuracy : float, optional
        How far results of recursive filters may be from those of the whole: see Filter.reach(). 0:
        arrays are not cut along axes that such a filter runs along.
    slab : int, optional
        Pixels of a slab along the axis that is cut; 0: about eight slabs a device.

    Returns
    -------
    FleetPlan
    )");
}

} // namespace gzpy
