#include "convert.hpp"

#include <algorithm>
#include <cstring>

namespace gzpy {

namespace {

struct TypeName {
    gauze::Type type;
    const char *name;
    char kind; // NumPy's
    int bytes;
};
constexpr TypeName type_names[] = {
    {gauze::Type::u8, "uint8", 'u', 1},    {gauze::Type::u16, "uint16", 'u', 2},
    {gauze::Type::s16, "int16", 'i', 2},   {gauze::Type::f16, "float16", 'f', 2},
    {gauze::Type::f32, "float32", 'f', 4}, {gauze::Type::f64, "float64", 'f', 8},
    {gauze::Type::u32, "uint32", 'u', 4},  {gauze::Type::s32, "int32", 'i', 4},
    {gauze::Type::u64, "uint64", 'u', 8},
};

// A buffer's format, struct module style, as NumPy's kind.
char kind_of_format(const char *format) {
    if (format == nullptr)
        return 'u'; // plain bytes
    if (*format == '@' || *format == '=' || *format == '<')
        ++format;
    if (std::strlen(format) != 1)
        return 0;
    if (std::strchr("efd", *format))
        return 'f';
    if (std::strchr("bhilqn", *format))
        return 'i';
    if (std::strchr("BHILQN", *format))
        return 'u';
    return 0;
}

std::string name_of_types() {
    std::string result;
    for (const TypeName &type : type_names)
        result += (result.empty() ? "" : ", ") + std::string(type.name);
    return result;
}

template <class T>
std::array<T, 4> per_axis(nb::handle given, const char *name, int axes_of_number, T otherwise) {
    std::array<T, 4> result;
    result.fill(otherwise);
    const bool is_sequence = PySequence_Check(given.ptr()) != 0 && !nb::isinstance<nb::str>(given);
    if (!is_sequence) {
        const T number = nb::cast<T>(given);
        for (int i = 0; i < axes_of_number; ++i)
            result[static_cast<std::size_t>(i)] = number;
        return result;
    }
    const std::size_t count = nb::len(given);
    if (count < 1 || count > 4)
        refuse(std::string(name) + " has " + std::to_string(count) +
               " values; it takes one for each of the last 1 to 4 axes");
    for (std::size_t i = 0; i < count; ++i)
        result[i] = nb::cast<T>(given[count - 1 - i]);
    return result;
}

} // namespace

nb::handle numpy() {
    static PyObject *module = nullptr;
    if (module == nullptr)
        module = nb::module_::import_("numpy").release().ptr();
    return module;
}

nb::handle numpy_member(PyObject *&kept, const char *name) {
    if (kept == nullptr)
        kept = nb::object(numpy().attr(name)).release().ptr();
    return kept;
}

void refuse(const std::string &text) {
    throw gauze::Error(GAUZE_ERROR_INVALID_ARGUMENT, text);
}

std::string to_text(const Shape &shape) {
    std::string result = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        result += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return result + (shape.size() == 1 ? ",)" : ")");
}

const char *numpy_name(gauze::Type type) {
    for (const TypeName &each : type_names)
        if (each.type == type)
            return each.name;
    return "unknown";
}

gauze::Type type_of(nb::handle dtype, const char *name) {
    const nb::object full = numpy().attr("dtype")(dtype);
    const std::string kind = nb::cast<std::string>(full.attr("kind"));
    const int bytes = nb::cast<int>(full.attr("itemsize"));
    if (nb::cast<bool>(full.attr("isnative")))
        for (const TypeName &each : type_names)
            if (kind[0] == each.kind && bytes == each.bytes)
                return each.type;
    throw nb::type_error((std::string(name) + " is " + nb::cast<std::string>(nb::str(full)) +
                          "; Gauze has " + name_of_types() + " in the machine's byte order")
                             .c_str());
}

nb::object dtype_of(gauze::Type type) {
    return numpy().attr("dtype")(numpy_name(type));
}

Shape shape_of(nb::handle shape) {
    Shape result;
    if (PyIndex_Check(shape.ptr())) {
        result.push_back(nb::cast<std::int64_t>(shape));
    } else {
        for (nb::handle extent : shape)
            result.push_back(nb::cast<std::int64_t>(extent));
    }
    for (const std::int64_t extent : result)
        if (extent < 1)
            refuse("the shape is " + to_text(result) + "; each axis must have 1 pixel at least");
    return result;
}

nb::tuple tuple_of(const Shape &shape) {
    nb::list result;
    for (const std::int64_t extent : shape)
        result.append(extent);
    return nb::tuple(result);
}

std::int64_t count_of(const Shape &shape) {
    std::int64_t result = 1;
    for (const std::int64_t extent : shape) {
        if (result > 0 && extent > INT64_MAX / 16 / result)
            refuse("the shape " + to_text(shape) + " is too large");
        result *= extent;
    }
    return result;
}

std::array<double, 4> numbers(nb::handle given, const char *name, int axes_of_number,
                              double otherwise) {
    return per_axis<double>(given, name, axes_of_number, otherwise);
}

std::array<std::int64_t, 4> integers(nb::handle given, const char *name, int axes_of_number,
                                     std::int64_t otherwise) {
    return per_axis<std::int64_t>(given, name, axes_of_number, otherwise);
}

std::vector<double> vector_of(nb::handle given) {
    std::vector<double> result;
    for (nb::handle value : given)
        result.push_back(nb::cast<double>(value));
    return result;
}

void copy_to(const nb::object &target, const nb::object &values) {
    if (PyObject_SetItem(target.ptr(), Py_Ellipsis, values.ptr()) != 0)
        throw nb::python_error();
}

nb::object numpy_empty(nb::handle arguments) {
    static PyObject *empty = nullptr;
    PyObject *array = PyObject_CallObject(numpy_member(empty, "empty").ptr(), arguments.ptr());
    if (array == nullptr)
        throw nb::python_error();
    return nb::steal(array);
}

nb::object aligned_empty(nb::handle arguments, std::size_t bytes) {
    static PyObject *ndarray = nullptr;
    constexpr std::size_t line = 64;
    const nb::object memory = numpy_empty(nb::make_tuple(bytes + line - 1, "uint8"));
    const void *const begin = HostArray(memory, HostArray::Access::write, "memory").data();
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(begin) % line;
    return numpy_member(ndarray, "ndarray")(arguments[0], arguments[1], memory,
                                            (line - beyond) % line);
}

nb::object empty_array(const Shape &shape, gauze::Type type) {
    return numpy_empty(nb::make_tuple(tuple_of(shape), numpy_name(type)));
}

HostArray::HostArray(nb::handle array, Access access, const char *name) {
    const bool writes = access == Access::write;
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        throw nb::type_error((std::string(name) + " is " +
                              nb::cast<std::string>(nb::repr(
                                  nb::handle(reinterpret_cast<PyObject *>(Py_TYPE(array.ptr()))))) +
                              ", which is neither a NumPy array nor a gauze.Array")
                                 .c_str());
    }
    try {
        if (writes && view_.readonly)
            refuse(std::string(name) + " is read-only");
        const char kind = kind_of_format(view_.format);
        const TypeName *found = nullptr;
        for (const TypeName &each : type_names)
            if (each.kind == kind && each.bytes == view_.itemsize)
                found = &each;
        if (!found)
            throw nb::type_error((std::string(name) + " has values of the format '" +
                                  (view_.format ? view_.format : "B") + "'; Gauze has " +
                                  name_of_types() + " in the machine's byte order")
                                     .c_str());
        type_ = found->type;
        shape_.assign(view_.shape, view_.shape + view_.ndim);
        strides_.assign(view_.strides, view_.strides + view_.ndim);
    } catch (...) {
        PyBuffer_Release(&view_);
        throw;
    }
}

HostArray::~HostArray() {
    PyBuffer_Release(&view_);
}

bool HostArray::is_contiguous() const {
    return PyBuffer_IsContiguous(&view_, 'C') != 0;
}

Axes::Axes(const std::optional<std::string> &names, std::size_t dimensions) {
    if (!names) {
        if (dimensions < 1 || dimensions > 4)
            refuse("an array of " + std::to_string(dimensions) +
                   " axes is given; without axes it must have 1 to 4");
        names_ = std::string("tzyx").substr(4 - dimensions);
        return;
    }
    names_ = *names;
    if (names_.size() != dimensions)
        refuse("axes is '" + names_ + "', and the array has " + std::to_string(dimensions) +
               " axes");
    const std::string order = "ptzyxc";
    std::size_t next = 0;
    for (const char axis : names_) {
        const std::size_t place = order.find(axis, next);
        if (place == std::string::npos)
            refuse("axes is '" + names_ +
                   "'; it is made of the letters p, t, z, y, x, c, in this order");
        next = place + 1;
    }
    if (names_.find('x') == std::string::npos)
        refuse("axes is '" + names_ + "', which has no x");
}

gauze::ImageDesc Axes::extents(gauze::Type type, const Shape &shape) const {
    gauze::ImageDesc desc;
    desc.type = type;
    desc.extent = along(shape, 1);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == 'p')
            desc.planes = shape[i];
        if (names_[i] == 'c') {
            if (shape[i] > 4)
                refuse("the axis c has " + std::to_string(shape[i]) +
                       " channels; an image has 1 to 4");
            desc.channels = static_cast<int>(shape[i]);
        }
    }
    return desc;
}

std::array<std::int64_t, 4> Axes::along(const Shape &values, std::int64_t otherwise) const {
    std::array<std::int64_t, 4> result;
    result.fill(otherwise);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const std::size_t place = std::string("xyzt").find(names_[i]);
        if (place != std::string::npos)
            result[place] = values[i];
    }
    return result;
}

gauze::ImageDesc Axes::describe(gauze::Type type, const Shape &shape) const {
    gauze::ImageDesc desc = extents(type, shape);
    auto next = static_cast<std::int64_t>(gauze::size_of(type)) * desc.channels;
    for (std::size_t i = 0; i < 4; ++i) {
        desc.pitch[i] = next;
        next *= desc.extent[i];
    }
    desc.plane_pitch = next;
    return desc;
}

std::optional<gauze::ImageDesc> Axes::describe(const HostArray &array) const {
    gauze::ImageDesc desc = describe(array.type(), array.shape());
    const auto bytes = static_cast<std::int64_t>(gauze::size_of(array.type()));
    if (reinterpret_cast<std::uintptr_t>(array.data()) % static_cast<std::uintptr_t>(bytes) != 0)
        return std::nullopt;
    // From the fastest axis on, each pitch must leave room for what the faster axes take.
    std::int64_t room = bytes * desc.channels;
    const auto take = [&](char axis, std::int64_t extent, std::int64_t &pitch) {
        const std::size_t place = names_.find(axis);
        pitch = room;
        if (place != std::string::npos && extent > 1) {
            const std::int64_t stride = array.strides()[place];
            if (stride < room || stride % bytes != 0)
                return false;
            pitch = stride;
        }
        room = pitch * extent;
        return true;
    };
    const std::size_t channels = names_.find('c');
    if (channels != std::string::npos && desc.channels > 1 && array.strides()[channels] != bytes)
        return std::nullopt;
    for (std::size_t i = 0; i < 4; ++i)
        if (!take("xyzt"[i], desc.extent[i], desc.pitch[i]))
            return std::nullopt;
    if (desc.pitch[0] != bytes * desc.channels)
        return std::nullopt; // the library has no gaps between the pixels of a row
    if (!take('p', desc.planes, desc.plane_pitch))
        return std::nullopt;
    return desc;
}

gauze::Border border_of(const std::string &name, double value) {
    static const struct {
        const char *name;
        gauze_border mode;
    } borders[] = {{"clamp", GAUZE_BORDER_CLAMP},     {"constant", GAUZE_BORDER_CONSTANT},
                   {"reflect", GAUZE_BORDER_REFLECT}, {"reflect101", GAUZE_BORDER_REFLECT101},
                   {"wrap", GAUZE_BORDER_WRAP},       {"zero", GAUZE_BORDER_ZERO}};
    for (const auto &each : borders)
        if (name == each.name)
            return {each.mode, value};
    refuse("border is '" + name +
           "'; there are clamp, constant, reflect, reflect101, wrap and zero");
}

gauze::Store store_of(const std::string &name) {
    if (name == "saturate")
        return gauze::Store::saturate;
    if (name == "truncate")
        return gauze::Store::truncate;
    refuse("store is '" + name + "'; there are saturate and truncate");
}

bool Interruptible::operator()(std::uint64_t done, std::uint64_t total) const {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
    if (!progress_.is_valid() || progress_.is_none())
        return true;
    // A callback that returns nothing goes on.
    const nb::object answer = progress_(done, total);
    return answer.is_none() || nb::cast<bool>(nb::bool_(answer));
}

} // namespace gzpy
