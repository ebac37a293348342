// The extension module gauze._gauze.
#include "objects.hpp"

namespace {

namespace nb = nanobind;
using gzpy::Engine;

const char *level_name(gauze_log_level level) {
    switch (level) {
    case GAUZE_LOG_ERROR:
        return "error";
    case GAUZE_LOG_WARNING:
        return "warning";
    case GAUZE_LOG_INFO:
        return "info";
    default:
        return "debug";
    }
}

void log_to_python(gauze_log_level level, const char *text, void *user) {
    if (!Py_IsInitialized())
        return;
    const nb::gil_scoped_acquire lock;
    try {
        static_cast<Engine *>(user)->log(level_name(level), text);
    } catch (nb::python_error &error) {
        error.discard_as_unraisable("the log of a gauze.Engine");
    }
}

gauze::CacheMode cache_mode(const std::string &name) {
    if (name == "read_write")
        return gauze::CacheMode::read_write;
    if (name == "read_only")
        return gauze::CacheMode::read_only;
    if (name == "off")
        return gauze::CacheMode::off;
    gzpy::refuse("cache is '" + name + "'; there are read_write, read_only and off");
}

std::shared_ptr<Engine> make_engine(const std::string &device, nb::object log,
                                    std::uintptr_t context, std::uintptr_t device_id,
                                    const std::string &cache, const std::string &cache_directory,
                                    const std::string &tuning_file) {
    auto engine = std::make_shared<Engine>();
    engine->log = std::move(log);
    gauze::EngineOptions options;
    options.device = device;
    if (!engine->log.is_none()) {
        options.log = log_to_python;
        options.log_user = engine.get();
    }
    options.context = reinterpret_cast<cl_context>(context);
    options.device_id = reinterpret_cast<cl_device_id>(device_id);
    options.cache_mode = cache_mode(cache);
    options.cache_directory = cache_directory;
    options.tuning_file = tuning_file;
    const nb::gil_scoped_release unlocked;
    engine->engine.emplace(options);
    return engine;
}

std::string origin_of(const gauze::DeviceInfo &device) {
    return nb::cast<std::string>(
        nb::module_::import_("gauze._drivers").attr("origin_of")(device.library));
}

// Raises the exception of gauze._errors that the status has.
void translate(const std::exception_ptr &thrown, void *) {
    try {
        std::rethrow_exception(thrown);
    } catch (const gauze::Error &error) {
        const nb::object made =
            nb::module_::import_("gauze._errors")
                .attr("of_status")(gauze_status_name(error.status()), error.what());
        PyErr_SetObject(made.type().ptr(), made.ptr());
    }
}

} // namespace

NB_MODULE(_gauze, module) {
    module.doc() = "The library's classes, as gauze has them.";
    nb::register_exception_translator(translate);
    // Plans and arrays may live until the interpreter ends.
    nb::set_leak_warnings(false);

    nb::class_<gauze::DeviceInfo>(module, "Device", "The description of a device.")
        .def_ro("index", &gauze::DeviceInfo::index, "Place in the list of devices, or -1.")
        .def_prop_ro(
            "kind",
            [](const gauze::DeviceInfo &self) {
                return self.kind == GAUZE_DEVICE_GPU   ? "gpu"
                       : self.kind == GAUZE_DEVICE_CPU ? "cpu"
                                                       : "accelerator";
            },
            "'gpu', 'cpu' or 'accelerator'.")
        .def_ro("is_default", &gauze::DeviceInfo::is_default,
                "Whether an engine without a selector takes it.")
        .def_ro("name", &gauze::DeviceInfo::name, "The device's name.")
        .def_ro("vendor", &gauze::DeviceInfo::vendor, "The device's vendor.")
        .def_ro("platform", &gauze::DeviceInfo::platform, "The driver's name.")
        .def_ro("library", &gauze::DeviceInfo::library,
                "The driver's file; '' where the driver does not say it.")
        .def_prop_ro("origin", &origin_of,
                     "Where the driver came from: 'system', a package of this environment such as "
                     "'pip: pocl-binary-distribution', or 'unknown'.")
        .def_ro("version", &gauze::DeviceInfo::version, "The OpenCL version.")
        .def_ro("driver", &gauze::DeviceInfo::driver, "The driver's version.")
        .def_ro("device_class", &gauze::DeviceInfo::device_class,
                "What the choice of kernels goes by.")
        .def_ro("architecture", &gauze::DeviceInfo::architecture,
                "What devices like it have in common, such as 'sm_90'.")
        .def_ro("unusable", &gauze::DeviceInfo::unusable,
                "Why an engine refuses it; '' if none does.")
        .def_ro("tuning", &gauze::DeviceInfo::tuning, "Where configurations of kernels come from.")
        .def_ro("global_memory", &gauze::DeviceInfo::global_memory, "Bytes.")
        .def_ro("max_allocation", &gauze::DeviceInfo::max_allocation,
                "Bytes of the largest single buffer.")
        .def_ro("local_memory", &gauze::DeviceInfo::local_memory,
                "Bytes that a work-group can share.")
        .def_ro("compute_units", &gauze::DeviceInfo::compute_units,
                "Multiprocessors of a GPU, cores of a CPU.")
        .def_ro("clock_mhz", &gauze::DeviceInfo::clock_mhz, "Highest clock rate, MHz.")
        .def_ro("max_group_size", &gauze::DeviceInfo::max_group_size, "Work-items.")
        .def_ro("has_f64", &gauze::DeviceInfo::has_f64, "Whether it computes in double.")
        .def("__repr__", [](const gauze::DeviceInfo &self) {
            const std::string origin = origin_of(self);
            return "<gauze.Device " + std::to_string(self.index) + ": " + self.name + ", " +
                   self.platform +
                   (origin.find(':') == std::string::npos ? "" : " (" + origin + ")") +
                   (self.unusable.empty() ? "" : ", unusable: " + self.unusable) + ">";
        });

    module.def(
        "list_devices",
        [] {
            gauze::DeviceList found;
            {
                const nb::gil_scoped_release unlocked;
                found = gauze::devices();
            }
            nb::list all;
            for (const gauze::DeviceInfo &device : found.devices)
                all.append(nb::cast(device));
            return nb::make_tuple(all, found.notes);
        },
        nb::sig("def list_devices() -> tuple[list[Device], str]"),
        "All devices, and what to say of drivers: see gauze.devices().");
    module.def("version", &gauze::version, "The library's version, such as '0.1.0'.");
    module.def("clear_cache", &gauze::clear_cache, nb::arg("directory") = "",
               nb::call_guard<nb::gil_scoped_release>(),
               R"(Removes the compiled programs of a directory.

    Parameters
    ----------
    directory : str, optional
        By default GAUZE_CACHE_DIR, else the user's.

    Returns
    -------
    int
        How many there were.
    )");

    nb::class_<Engine> engine(module, "Engine", R"(One device: its context, programs and memory.

    May be used from many threads. A process that was forked after its first engine was made
    cannot use OpenCL: engines, plans and arrays raise UnsupportedError there. Start processes with
    'spawn' instead.

    Parameters
    ----------
    device : str, optional
        An index into gauze.devices(), part of a device's or driver's name, 'gpu' or 'cpu'. By
        default the environment variable GAUZE_DEVICE, else the best GPU, else the CPU.
    log : callable, optional
        Called as log(level, text) with level 'error', 'warning', 'info' or 'debug', from any
        thread that uses the engine. It must not use the engine.
    context : int, optional
        Another library's cl_context, such as pyopencl's Context.int_ptr. The engine retains it.
    device_id : int, optional
        A cl_device_id of that context; by default its only one.
    cache : {'read_write', 'read_only', 'off'}, optional
        Whether compiled programs are kept in a directory.
    cache_directory : str, optional
        By default GAUZE_CACHE_DIR, else the user's cache directory.
    tuning_file : str, optional
        The user's tuning results; 'off' for none.

    Raises
    ------
    NoDeviceError
        No device fits; the text says what to install.
    )");
    engine
        .def(nb::new_(&make_engine), nb::arg("device") = "", nb::kw_only(),
             nb::arg("log") = nb::none(), nb::arg("context") = 0, nb::arg("device_id") = 0,
             nb::arg("cache") = "read_write", nb::arg("cache_directory") = "",
             nb::arg("tuning_file") = "")
        .def_prop_ro(
            "device", [](const Engine &self) { return self.engine->device(); },
            "The device in use.")
        .def_prop_ro(
            "compile_count", [](const Engine &self) { return self.engine->compile_count(); },
            "Programs compiled from source since the engine was made.")
        .def(
            "finish",
            [](const Engine &self) {
                const nb::gil_scoped_release unlocked;
                self.engine->finish();
            },
            "Waits until all runs on the device are complete.")
        .def_prop_ro(
            "context_int_ptr",
            [](const Engine &self) {
                return reinterpret_cast<std::uintptr_t>(self.engine->context());
            },
            "The cl_context as an integer, for pyopencl's Context.from_int_ptr.")
        .def_prop_ro(
            "device_int_ptr",
            [](const Engine &self) {
                return reinterpret_cast<std::uintptr_t>(self.engine->device_id());
            },
            "The cl_device_id as an integer.")
        .def_prop_ro(
            "queue_int_ptr",
            [](const Engine &self) {
                return reinterpret_cast<std::uintptr_t>(self.engine->queue());
            },
            "The engine's in-order cl_command_queue as an integer: what is enqueued there is in "
            "order with plans.")
        .def("__repr__", [](const Engine &self) {
            return "<gauze.Engine on " + self.engine->device().name + ">";
        });
    gzpy::add_filters(module);
    gzpy::add_arrays(module, engine);
    gzpy::add_plans(module, engine);
    gzpy::add_calls(module);
    gzpy::add_fleets(module);
    gzpy::add_metrics(module, engine);
}
