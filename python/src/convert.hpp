// Conversions between Python's objects and the library's values. Sequences of one number for each axis are in the
// order of NumPy's axes, the last of which is x; the library's are x, y, z, t.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <gauze/gauze.hpp>

namespace gzpy {

namespace nb = nanobind;

using Shape = std::vector<std::int64_t>;

// Throws the library's error of a bad argument.
[[noreturn]] void refuse(const std::string &text);

std::string to_text(const Shape &shape);

// NumPy's name of a type, such as "uint8".
const char *numpy_name(gauze::Type type);
// dtype: whatever numpy.dtype() takes. Refuses types that the library has not, by the argument's name.
gauze::Type type_of(nb::handle dtype, const char *name);
nb::object dtype_of(gauze::Type type);

Shape shape_of(nb::handle shape);
nb::tuple tuple_of(const Shape &shape);
std::int64_t count_of(const Shape &shape);

// A number, or a sequence of up to four for the array's last axes. axes_of_number: how many of the axes x, y, ...
// a single number is for. The others are `otherwise`.
std::array<double, 4> numbers(nb::handle given, const char *name, int axes_of_number,
                              double otherwise);
std::array<std::int64_t, 4> integers(nb::handle given, const char *name, int axes_of_number,
                                     std::int64_t otherwise);
std::vector<double> vector_of(nb::handle given);

// target[...] = values.
void copy_to(const nb::object &target, const nb::object &values);

// The module, which is imported once. The interpreter's lock guards it, and what it has. They are never
// released: the interpreter may end before this library.
nb::handle numpy();
// Returns what the module has by that name; kept: null at first, then the same.
nb::handle numpy_member(PyObject *&kept, const char *name);

// numpy.empty(*arguments)
nb::object numpy_empty(nb::handle arguments);
// The same for an array of so many bytes, which begins at a multiple of 64: kernels of a CPU read and write arrays where they
// lie, and take longer where a vector lies in two lines of its cache. Another array owns the memory.
nb::object aligned_empty(nb::handle arguments, std::size_t bytes);
// An array of NumPy's with undefined values.
nb::object empty_array(const Shape &shape, gauze::Type type);

// Memory of an array that has the buffer protocol, borrowed until this is destroyed.
class HostArray {
public:
    enum class Access { read, write };
    // name: the argument's, for errors.
    HostArray(nb::handle array, Access access, const char *name);
    ~HostArray();
    HostArray(const HostArray &) = delete;
    HostArray &operator=(const HostArray &) = delete;

    gauze::Type type() const { return type_; }
    const Shape &shape() const { return shape_; }
    const Shape &strides() const { return strides_; } // bytes
    void *data() const { return view_.buf; }
    bool is_contiguous() const;

private:
    Py_buffer view_;
    gauze::Type type_ = gauze::Type::u8;
    Shape shape_, strides_;
};

// Which axis of an image each axis of an array is.
class Axes {
public:
    // names: such as "zyx", one letter for each axis of the array, in the order p, t, z, y, x, c; none: the last
    // letters of "tzyx".
    Axes(const std::optional<std::string> &names, std::size_t dimensions);

    const std::string &names() const { return names_; }
    // The description of a contiguous array.
    gauze::ImageDesc describe(gauze::Type type, const Shape &shape) const;
    // The description of an array with such strides; nothing where pitches cannot say them.
    std::optional<gauze::ImageDesc> describe(const HostArray &array) const;
    // Values of the array's axes as those of the image's axes x, y, z, t; others are `otherwise`.
    std::array<std::int64_t, 4> along(const Shape &values, std::int64_t otherwise) const;

private:
    gauze::ImageDesc extents(gauze::Type type, const Shape &shape) const;

    std::string names_;
};

gauze::Border border_of(const std::string &name, double value);
gauze::Store store_of(const std::string &name);

// Lets the interpreter handle signals, then calls `progress`, if there is one. What these throw comes out.
class Interruptible {
public:
    explicit Interruptible(nb::object progress) : progress_(std::move(progress)) {}
    // To be called without the interpreter's lock.
    bool operator()(std::uint64_t done, std::uint64_t total) const;

private:
    nb::object progress_;
};

} // namespace gzpy
