// Calls of a function of gauze.ndimage that came to one run of a plan: the same call comes to it again, without
// the checks and the look-up of the plan, which take longer than the run on a small image.
#include <algorithm>
#include <cstring>
#include <list>

#include "plan.hpp"

namespace gzpy {

namespace {

// Calls that each function remembers.
constexpr std::size_t most_calls = 16;
// Bytes of an array of weights, and values of all sequences of a call, that are compared.
constexpr Py_ssize_t most_bytes = 4096;
constexpr std::size_t most_values = 256;

// The engine of NumPy arrays; only compared. An engine that a call remembers is alive, and has its address.
const Engine *default_engine = nullptr;

bool is_ndarray(nb::handle object) {
    static PyObject *type = nullptr;
    return object.type().is(numpy_member(type, "ndarray"));
}
bool is_dtype(nb::handle object) {
    static PyObject *type = nullptr;
    return PyObject_IsInstance(object.ptr(), numpy_member(type, "dtype").ptr()) == 1;
}

// A contiguous array's memory, its shape and the format of its values, while this lives.
class View {
public:
    explicit View(nb::handle array) {
        is_open_ = PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0;
        if (!is_open_)
            PyErr_Clear();
    }
    ~View() {
        if (is_open_)
            PyBuffer_Release(&view_);
    }
    View(const View &) = delete;
    View &operator=(const View &) = delete;

    // Whether the values are numbers, and few.
    bool is_small() const {
        return is_open_ && view_.len <= most_bytes && view_.format &&
               std::strlen(view_.format) == 1 && std::strchr("?bBhHiIlLqQefd", *view_.format);
    }
    const Py_buffer &operator*() const { return view_; }

private:
    Py_buffer view_{};
    bool is_open_;
};

// This keeps an argument's value, to compare later arguments with it.
class Value {
public:
    // is_output: whether the argument is `output`. values: how many values there may be yet; a
    // sequence takes from it. Returns nothing where the argument is of a kind that is not remembered.
    static std::optional<Value> of(nb::handle argument, bool is_output, std::size_t &values);

    // given_output receives an array that is the argument `output`.
    bool is(nb::handle argument, nb::handle &given_output) const;

private:
    enum class Kind { object, real, integer, text, sequence, array, output };

    Kind kind = Kind::object;
    nb::object object; // itself where that cannot change, else its type
    std::uint64_t bits = 0;
    std::vector<Value> items;
    std::string format, bytes;
    Shape shape;
};

std::uint64_t bits_of(double number) {
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}

nb::object type_object(nb::handle argument) {
    return nb::borrow(reinterpret_cast<PyObject *>(Py_TYPE(argument.ptr())));
}

bool is_sequence(nb::handle argument) {
    return PyTuple_CheckExact(argument.ptr()) || PyList_CheckExact(argument.ptr());
}
std::size_t items_in(nb::handle sequence) {
    return static_cast<std::size_t>(PySequence_Size(sequence.ptr()));
}
nb::handle item_of(nb::handle sequence, std::size_t i) {
    const auto at = static_cast<Py_ssize_t>(i);
    return PyTuple_CheckExact(sequence.ptr()) ? PyTuple_GetItem(sequence.ptr(), at)
                                              : PyList_GetItem(sequence.ptr(), at);
}

std::optional<Value> Value::of(nb::handle argument, bool is_output, std::size_t &values) {
    PyObject *const given = argument.ptr();
    Value result;
    if (values-- == 0)
        return std::nullopt;
    if (is_ndarray(argument) || nb::isinstance<Array>(argument)) {
        result.object = type_object(argument);
        result.kind = is_output ? Kind::output : Kind::array;
        if (is_output)
            return result;
        const View view(argument);
        if (!is_ndarray(argument) || !view.is_small())
            return std::nullopt;
        result.format = (*view).format;
        result.shape.assign((*view).shape, (*view).shape + (*view).ndim);
        result.bytes.assign(static_cast<const char *>((*view).buf),
                            static_cast<std::size_t>((*view).len));
    } else if (given == Py_None || PyBool_Check(given) || PyType_Check(given) ||
               is_dtype(argument)) {
        result.object = nb::borrow(argument);
    } else if (PyUnicode_CheckExact(given)) {
        result.kind = Kind::text;
        result.object = nb::borrow(argument);
    } else if (PyFloat_Check(given)) {
        result.kind = Kind::real;
        result.object = type_object(argument);
        result.bits = bits_of(PyFloat_AsDouble(given));
    } else if (PyLong_CheckExact(given)) {
        int is_large = 0;
        result.kind = Kind::integer;
        result.object = type_object(argument);
        result.bits = static_cast<std::uint64_t>(PyLong_AsLongLongAndOverflow(given, &is_large));
        if (is_large)
            return std::nullopt;
    } else if (is_sequence(argument)) {
        result.kind = Kind::sequence;
        result.object = type_object(argument);
        for (std::size_t i = 0; i < items_in(argument); ++i) {
            std::optional<Value> item = of(item_of(argument, i), false, values);
            if (!item)
                return std::nullopt;
            result.items.push_back(std::move(*item));
        }
    } else {
        return std::nullopt;
    }
    return result;
}

bool Value::is(nb::handle argument, nb::handle &given_output) const {
    PyObject *const given = argument.ptr();
    if (kind == Kind::object)
        return object.is(argument);
    if (kind == Kind::text)
        return object.is(argument) ||
               (PyUnicode_CheckExact(given) && PyUnicode_Compare(given, object.ptr()) == 0);
    if (reinterpret_cast<PyObject *>(Py_TYPE(given)) != object.ptr())
        return false;
    switch (kind) {
    case Kind::real:
        return bits == bits_of(PyFloat_AsDouble(given));
    case Kind::integer: {
        int is_large = 0;
        return bits == static_cast<std::uint64_t>(PyLong_AsLongLongAndOverflow(given, &is_large)) &&
               !is_large;
    }
    case Kind::sequence:
        if (items_in(argument) != items.size())
            return false;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (!items[i].is(item_of(argument, i), given_output))
                return false;
        return true;
    case Kind::array: {
        const View view(argument);
        return view.is_small() && format == (*view).format &&
               std::equal(shape.begin(), shape.end(), (*view).shape,
                          (*view).shape + (*view).ndim) &&
               std::memcmp((*view).buf, bytes.data(), bytes.size()) == 0;
    }
    default:
        given_output = argument;
        return true;
    }
}

// All arguments of a call but the first, the source.
class Arguments {
public:
    // output_place: that of `output` among the positional arguments.
    static std::optional<Arguments> of(nb::tuple positional, nb::dict named,
                                       std::size_t output_place) {
        Arguments result;
        std::size_t values = most_values;
        for (std::size_t i = 1; i < positional.size(); ++i) {
            std::optional<Value> value = Value::of(positional[i], i == output_place, values);
            if (!value)
                return std::nullopt;
            result.positional_.push_back(std::move(*value));
        }
        for (const auto &[name, given] : named) {
            const bool is_output = nb::cast<std::string>(name) == "output";
            std::optional<Value> value = Value::of(given, is_output, values);
            if (!value)
                return std::nullopt;
            result.named_.emplace_back(nb::borrow(name), std::move(*value));
        }
        return result;
    }

    bool are(nb::tuple positional, nb::dict named, nb::handle &given_output) const {
        if (positional.size() != positional_.size() + 1 || named.size() != named_.size())
            return false;
        for (std::size_t i = 0; i < positional_.size(); ++i)
            if (!positional_[i].is(positional[i + 1], given_output))
                return false;
        std::size_t at = 0;
        for (const auto &[name, given] : named) {
            const auto &[own_name, value] = named_[at++];
            if ((!name.is(own_name) && PyUnicode_Compare(name.ptr(), own_name.ptr()) != 0) ||
                !value.is(given, given_output))
                return false;
        }
        return true;
    }

private:
    std::vector<Value> positional_;
    std::vector<std::pair<nb::object, Value>> named_;
};

// An array of NumPy's that can be read, or written.
std::unique_ptr<const HostArray> opened(nb::handle array, HostArray::Access access) {
    try {
        return std::make_unique<const HostArray>(array, access, "array");
    } catch (const gauze::Error &) {
        return nullptr; // read-only
    } catch (const nb::builtin_exception &) {
        return nullptr; // a type that the library has not
    }
}

// Holds no source and no output, so that it keeps none alive.
class Calls {
public:
    explicit Calls(std::size_t output_place) : output_place_(output_place) {}

    // Returns the call's result; None where the call is not remembered.
    nb::object recall(nb::tuple positional, nb::dict named) {
        if (calls_.empty() || positional.size() == 0)
            return nb::none();
        const nb::handle src = positional[0];
        const bool is_on_host = is_ndarray(src);
        const Array *const array =
            !is_on_host && nb::isinstance<Array>(src) ? &nb::cast<const Array &>(src) : nullptr;
        if (!is_on_host && array == nullptr)
            return nb::none();
        std::unique_ptr<const HostArray> source;
        for (auto call = calls_.begin(); call != calls_.end(); ++call) {
            const Plan &plan = *call->plan;
            nb::handle out = nb::none();
            if (call->is_on_host != is_on_host ||
                plan.engine.get() != (is_on_host ? default_engine : array->engine.get()) ||
                !call->arguments.are(positional, named, out))
                continue;
            if (is_on_host && !source)
                source = opened(src, HostArray::Access::read);
            if (is_on_host && !source)
                return nb::none();
            const bool is_source =
                is_on_host ? source->type() == plan.type && source->shape() == plan.shape
                           : array->type == plan.type && array->shape == plan.shape;
            if (!is_source || !takes(plan, array, out))
                continue;
            calls_.splice(calls_.begin(), calls_, call);
            // Another thread may forget the call while this one runs it.
            const std::shared_ptr<Plan> own = call->plan;
            return is_on_host ? run_on_host(*own, src, *source, out, {})
                              : enqueue(*own, *array, out);
        }
        return nb::none();
    }

    // plan: its only run took the source as it is, and gave the result as it is.
    void remember(nb::tuple positional, nb::dict named, std::shared_ptr<Plan> plan) {
        std::optional<Arguments> arguments = Arguments::of(positional, named, output_place_);
        if (!arguments)
            return;
        if (calls_.size() == most_calls)
            calls_.pop_back();
        calls_.push_front({std::move(*arguments), is_ndarray(positional[0]), std::move(plan)});
    }

    void forget() { calls_.clear(); }

private:
    struct Call {
        Arguments arguments;
        bool is_on_host;
        std::shared_ptr<Plan> plan;
    };

    // Whether the plan can write to an output at once. array: the source, on the device.
    static bool takes(const Plan &plan, const Array *array, nb::handle out) {
        if (out.is_none())
            return true;
        if (array) {
            const auto &target = nb::cast<const Array &>(out);
            return target.type == plan.out_type && target.shape == plan.out_shape &&
                   target.engine.get() == plan.engine.get() &&
                   target.image->mem() != array->image->mem();
        }
        const std::unique_ptr<const HostArray> target = opened(out, HostArray::Access::write);
        return target && target->type() == plan.out_type && target->shape() == plan.out_shape &&
               target->is_contiguous() &&
               reinterpret_cast<std::uintptr_t>(target->data()) % gauze::size_of(plan.out_type) ==
                   0;
    }

    std::size_t output_place_;
    std::list<Call> calls_; // the last used first
};

} // namespace

void add_calls(nb::module_ &module) {
    nb::class_<Calls>(module, "_Calls", "The calls of a function that came to one run of a plan.")
        .def(nb::init<std::size_t>(), nb::arg("output_place"))
        .def("recall", &Calls::recall, nb::arg("args"), nb::arg("kwargs"),
             nb::sig("def recall(self, args: tuple, kwargs: dict) -> typing.Any"),
             "Runs the plan of a call like this one; None where there is none.")
        .def("remember", &Calls::remember, nb::arg("args"), nb::arg("kwargs"), nb::arg("plan"),
             nb::sig("def remember(self, args: tuple, kwargs: dict, plan: Plan) -> None"),
             "Keeps a call whose only run took the first argument as it is, and gave the result.")
        .def("forget", &Calls::forget, "Keeps no calls.");
    module.def(
        "_set_default",
        [](nb::handle engine) {
            default_engine =
                engine.is_none() ? nullptr : nb::cast<std::shared_ptr<Engine>>(engine).get();
        },
        nb::arg("engine").none(), nb::sig("def _set_default(engine: Engine | None) -> None"),
        "Says which engine filters NumPy arrays.");
}

} // namespace gzpy
