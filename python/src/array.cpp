// gauze.Array: an array on the device.
#include <algorithm>
#include <cstring>

#include "dlpack.hpp"
#include "objects.hpp"

namespace gzpy {

namespace {

const char *const unused_capsule = "dltensor";
const char *const used_capsule = "used_dltensor";

gauze::ImageDesc bytes_of(const Shape &shape, gauze::Type type) {
    gauze::ImageDesc desc(type, count_of(shape), 1);
    return desc;
}

Array wrapped(const std::shared_ptr<Engine> &engine, cl_mem mem, const Shape &shape,
              gauze::Type type) {
    const nb::gil_scoped_release unlocked;
    return {engine,
            std::make_shared<gauze::Image>(engine->engine->wrap(bytes_of(shape, type), mem)),
            type,
            shape,
            {}};
}

Array uploaded(const std::shared_ptr<Engine> &engine, nb::handle given) {
    const nb::object array = numpy().attr("ascontiguousarray")(given);
    const HostArray host(array, HostArray::Access::read, "array");
    // ascontiguousarray() makes an axis where there is none.
    Array result = make_array(engine, shape_of(tuple_of(host.shape())), host.type());
    const nb::gil_scoped_release unlocked;
    result.image->write(host.data(), result.bytes());
    return result;
}

nb::object downloaded(const Array &self, nb::object out) {
    nb::object target = out.is_none() ? empty_array(self.shape, self.type) : out;
    {
        const HostArray host(target, HostArray::Access::write, "out");
        if (host.type() != self.type || host.shape() != self.shape)
            refuse(std::string("out is ") + numpy_name(host.type()) + " " + to_text(host.shape()) +
                   "; the array is " + numpy_name(self.type) + " " + to_text(self.shape));
        if (host.is_contiguous()) {
            const nb::gil_scoped_release unlocked;
            self.image->read(host.data(), self.bytes());
            return target;
        }
    }
    copy_to(target, downloaded(self, nb::none()));
    return target;
}

Array reshaped(const Array &self, nb::handle given) {
    Array result = self;
    result.shape = shape_of(given);
    if (count_of(result.shape) != count_of(self.shape))
        refuse("the shape " + to_text(result.shape) + " has " +
               std::to_string(count_of(result.shape)) + " values; the array has " +
               std::to_string(count_of(self.shape)));
    return result;
}

dlpack::DataType dlpack_type(gauze::Type type) {
    const std::string name = numpy_name(type);
    const dlpack::Code code = name[0] == 'u'   ? dlpack::Code::unsigned_integer
                              : name[0] == 'i' ? dlpack::Code::signed_integer
                                               : dlpack::Code::real;
    return {code, static_cast<std::uint8_t>(8 * gauze::size_of(type)), 1};
}

// A capsule keeps its memory alive by this.
struct Exported {
    dlpack::ManagedTensor tensor;
    std::shared_ptr<gauze::Image> image;
    std::shared_ptr<Engine> engine;
    std::shared_ptr<void> keeper;
    Shape shape;
};

void release_capsule(PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, unused_capsule))
        return; // who took it releases it
    auto *tensor =
        static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule, unused_capsule));
    tensor->deleter(tensor);
}

nb::object to_dlpack(const Array &self) {
    {
        const nb::gil_scoped_release unlocked;
        self.engine->engine->finish();
    }
    auto exported =
        std::make_unique<Exported>(Exported{{}, self.image, self.engine, self.keeper, self.shape});
    dlpack::ManagedTensor &managed = exported->tensor;
    managed.tensor.data = self.image->mem();
    managed.tensor.device = {dlpack::device_opencl, self.engine->engine->device().index};
    managed.tensor.dimensions = static_cast<std::int32_t>(exported->shape.size());
    managed.tensor.type = dlpack_type(self.type);
    managed.tensor.shape = exported->shape.data();
    managed.tensor.strides = nullptr;
    managed.tensor.byte_offset = 0;
    managed.owner = exported.get();
    managed.deleter = [](dlpack::ManagedTensor *tensor) {
        const nb::gil_scoped_acquire lock;
        delete static_cast<Exported *>(tensor->owner);
    };
    PyObject *capsule = PyCapsule_New(&managed, unused_capsule, release_capsule);
    if (capsule == nullptr)
        throw nb::python_error();
    exported.release();
    return nb::steal(capsule);
}

Array from_dlpack(const std::shared_ptr<Engine> &engine, nb::object given) {
    const nb::object capsule =
        PyCapsule_CheckExact(given.ptr()) ? given : given.attr("__dlpack__")();
    if (!PyCapsule_IsValid(capsule.ptr(), unused_capsule))
        refuse("the object gives no DLPack capsule that is unused");
    auto *managed =
        static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), unused_capsule));
    const dlpack::Tensor &tensor = managed->tensor;
    if (tensor.device.type != dlpack::device_opencl)
        refuse("the DLPack tensor is on a device of type " + std::to_string(tensor.device.type) +
               "; Gauze takes OpenCL's, which is 4");
    if (tensor.byte_offset != 0)
        refuse("the DLPack tensor begins " + std::to_string(tensor.byte_offset) +
               " bytes into its buffer; Gauze takes those that begin at 0");
    const Shape shape(tensor.shape, tensor.shape + tensor.dimensions);
    std::int64_t next = 1;
    for (std::size_t i = shape.size(); tensor.strides && i-- > 0; next *= shape[i])
        if (shape[i] != 1 && tensor.strides[i] != next)
            refuse("the DLPack tensor is not contiguous");
    const gauze::Type types[] = {gauze::Type::u8,  gauze::Type::u16, gauze::Type::s16,
                                 gauze::Type::f16, gauze::Type::f32, gauze::Type::f64,
                                 gauze::Type::u32, gauze::Type::s32, gauze::Type::u64};
    for (const gauze::Type type : types) {
        const dlpack::DataType own = dlpack_type(type);
        if (own.code != tensor.type.code || own.bits != tensor.type.bits || tensor.type.lanes != 1)
            continue;
        Array result = wrapped(engine, static_cast<cl_mem>(tensor.data), shape, type);
        PyCapsule_SetName(capsule.ptr(), used_capsule);
        PyCapsule_SetDestructor(capsule.ptr(), nullptr);
        result.keeper = std::shared_ptr<void>(managed, [](void *tensor_of_keeper) {
            auto *own_tensor = static_cast<dlpack::ManagedTensor *>(tensor_of_keeper);
            if (own_tensor->deleter)
                own_tensor->deleter(own_tensor);
        });
        return result;
    }
    throw nb::type_error("the DLPack tensor has values of a type that Gauze has not");
}

} // namespace

Array make_array(const std::shared_ptr<Engine> &engine, const Shape &shape, gauze::Type type) {
    const nb::gil_scoped_release unlocked;
    return {engine,
            std::make_shared<gauze::Image>(engine->engine->image(bytes_of(shape, type))),
            type,
            shape,
            {}};
}

void add_arrays(nb::module_ &module, nb::class_<Engine> &engine) {
    engine.def(
        "array",
        [](const std::shared_ptr<Engine> &self, nb::object array) { return uploaded(self, array); },
        nb::arg("array"), nb::sig("def array(self, array: numpy.typing.ArrayLike) -> Array"),
        R"(Copies an array to the device, and waits.

    Parameters
    ----------
    array : array_like
        Any shape with 1 value at least; one of Gauze's types.

    Returns
    -------
    Array
    )");
    engine.def(
        "empty",
        [](const std::shared_ptr<Engine> &self, nb::object shape, nb::object dtype) {
            return make_array(self, shape_of(shape), type_of(dtype, "dtype"));
        },
        nb::arg("shape"), nb::arg("dtype") = "float32",
        nb::sig("def empty(self, shape: int | collections.abc.Sequence[int], dtype: "
                "numpy.typing.DTypeLike = 'float32') -> Array"),
        R"(An array on the device with undefined values.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : dtype, optional

    Returns
    -------
    Array

    Raises
    ------
    UnsupportedError
        The device cannot hold it in one buffer.
    )");

    nb::class_<Array>(module, "Array", R"(An array on an engine's device, contiguous in C order.

    Engine.array() and Engine.empty() make one; plans and gauze.ndimage take and return them. The
    memory is released with the last reference. What other libraries do with the same buffer must
    be in order with the engine's queue: see Engine.finish() and Engine.queue_int_ptr.
    )")
        .def_static(
            "from_int_ptr",
            [](const std::shared_ptr<Engine> &own, std::uintptr_t pointer, nb::object shape,
               nb::object dtype) {
                return wrapped(own, reinterpret_cast<cl_mem>(pointer), shape_of(shape),
                               type_of(dtype, "dtype"));
            },
            nb::arg("engine"), nb::arg("int_ptr"), nb::arg("shape"), nb::arg("dtype") = "float32",
            nb::sig("def from_int_ptr(engine: Engine, int_ptr: int, shape: int | "
                    "collections.abc.Sequence[int], dtype: numpy.typing.DTypeLike = 'float32') -> "
                    "Array"),
            R"(Wraps a buffer of another library's, such as pyopencl's Buffer.int_ptr.

    Parameters
    ----------
    engine : Engine
        One in the buffer's context: Engine(context=ctx.int_ptr).
    int_ptr : int
        The buffer's cl_mem, which the array retains.
    shape : int or sequence of int
    dtype : dtype, optional

    Returns
    -------
    Array

    Raises
    ------
    InvalidArgumentError
        The buffer belongs to another context, or is too small.
    )")
        .def_static("from_dlpack", &from_dlpack, nb::arg("engine"), nb::arg("array"),
                    nb::sig("def from_dlpack(engine: Engine, array: object) -> Array"),
                    R"(Wraps a tensor that is exported as DLPack's kDLOpenCL.

    Parameters
    ----------
    engine : Engine
        One in the buffer's context.
    array : object
        Has __dlpack__(), or is a capsule of it: contiguous, on an OpenCL device.

    Returns
    -------
    Array
    )")
        .def_prop_ro(
            "int_ptr",
            [](const Array &self) { return reinterpret_cast<std::uintptr_t>(self.image->mem()); },
            "The buffer's cl_mem, which the array goes on owning, as an integer.")
        .def_prop_ro(
            "shape", [](const Array &self) { return tuple_of(self.shape); },
            nb::sig("def shape(self) -> tuple[int, ...]"), "Extents along each axis.")
        .def_prop_ro(
            "dtype", [](const Array &self) { return dtype_of(self.type); },
            nb::sig("def dtype(self) -> numpy.dtype"), "Type of the values.")
        .def_prop_ro(
            "ndim", [](const Array &self) { return self.shape.size(); }, "Number of axes.")
        .def_prop_ro(
            "size", [](const Array &self) { return count_of(self.shape); }, "Number of values.")
        .def_prop_ro(
            "nbytes", [](const Array &self) { return self.bytes(); }, "Bytes of all values.")
        .def_prop_ro(
            "engine", [](const Array &self) { return self.engine; }, "The engine of the device.")
        .def("numpy", &downloaded, nb::arg("out") = nb::none(),
             nb::sig("def numpy(self, out: numpy.ndarray | None = None) -> numpy.ndarray"),
             R"(Copies the values to host memory, when all runs on them are complete.

    Parameters
    ----------
    out : numpy.ndarray, optional
        An array of the same shape and dtype; by default a new one.

    Returns
    -------
    numpy.ndarray
    )")
        .def(
            "__array__",
            [](const Array &self, nb::object dtype, nb::object copy) -> nb::object {
                if (!copy.is_none() && !nb::cast<bool>(copy))
                    throw nb::value_error("a gauze.Array cannot become a NumPy array without a "
                                          "copy");
                const nb::object host = downloaded(self, nb::none());
                return dtype.is_none() ? host : host.attr("astype")(dtype);
            },
            nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
            nb::sig("def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | "
                    "None = None) -> numpy.ndarray"),
            "Copies the values to host memory.")
        .def(
            "write",
            [](Array &self, nb::object array) {
                const nb::object source = numpy().attr("ascontiguousarray")(array);
                const HostArray host(source, HostArray::Access::read, "array");
                if (host.type() != self.type || host.shape() != self.shape)
                    refuse(std::string("array is ") + numpy_name(host.type()) + " " +
                           to_text(host.shape()) + "; this one is " + numpy_name(self.type) + " " +
                           to_text(self.shape));
                const nb::gil_scoped_release unlocked;
                self.image->write(host.data(), self.bytes());
            },
            nb::arg("array"), nb::sig("def write(self, array: numpy.typing.ArrayLike) -> None"),
            R"(Copies values of the same shape and dtype to the device, and waits.)")
        .def("reshape", &reshaped, nb::arg("shape"),
             nb::sig("def reshape(self, shape: int | collections.abc.Sequence[int]) -> Array"),
             R"(The same memory with other extents, as many values in all.)")
        .def(
            "__dlpack__", [](const Array &self, nb::kwargs) { return to_dlpack(self); },
            nb::sig("def __dlpack__(self, **kwargs: object) -> object"),
            "Waits, and exports the buffer as a DLPack capsule, whose data is the cl_mem.")
        .def(
            "__dlpack_device__",
            [](const Array &self) {
                return nb::make_tuple(dlpack::device_opencl, self.engine->engine->device().index);
            },
            nb::sig("def __dlpack_device__(self) -> tuple[int, int]"),
            "DLPack's kDLOpenCL, 4, and the device's index in gauze.devices().")
        .def("__len__", [](const Array &self) { return self.shape[0]; })
        .def("__repr__", [](const Array &self) {
            return "<gauze.Array " + to_text(self.shape) + " " + numpy_name(self.type) + " on " +
                   self.engine->engine->device().name + ">";
        });
}

} // namespace gzpy
