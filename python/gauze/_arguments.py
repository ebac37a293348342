"""Arguments of scipy.ndimage's functions, checked and made complete.

Errors are of the classes that SciPy raises, so that code that catches them goes on to work.
"""

from __future__ import annotations

import operator
import warnings
from typing import Any, Iterable, List, Optional, Tuple, Union

import numpy as np

from ._calls import note
from ._gauze import Array

# SciPy's modes and their aliases as Gauze's borders.
_borders = {
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "clamp",
    "mirror": "reflect101",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}
_numeric = "biufc"

AnyArray = Union[np.ndarray, Array]


def border_of(mode: str) -> str:
    """Returns the border that a mode of SciPy's is."""
    try:
        return _borders[mode]
    except (KeyError, TypeError):
        raise RuntimeError(
            f"boundary mode not supported: {mode!r}; there are {', '.join(_borders)}"
        ) from None


def is_sequence(value: Any) -> bool:
    """Says whether an argument has a value for each axis."""
    if value is None or isinstance(value, (int, float, str)):
        return False
    return bool(np.iterable(value))


def one_border(mode: Any, what: str) -> str:
    """Returns the border of a mode that must be the same along all axes."""
    if is_sequence(mode):
        raise RuntimeError(f"A sequence of modes is not supported{what}")
    return border_of(mode)


def per_axis(value: Any, count: int) -> List[Any]:
    """Returns a value for each of `count` axes."""
    if not is_sequence(value):
        return [value] * count
    values = list(value)
    if len(values) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def axes_of(axes: Any, ndim: int) -> Tuple[int, ...]:
    """Returns axes from 0 to ndim - 1."""
    if axes is None:
        return tuple(range(ndim))
    given = tuple(axes) if is_sequence(axes) else (axes,)
    result = []
    for each in given:
        axis = operator.index(each)
        if not -ndim <= axis < ndim:
            raise ValueError(f"specified axis: {axis} is out of range")
        result.append(axis % ndim)
    if len(set(result)) != len(result):
        raise ValueError("axes must be unique")
    return tuple(result)


def axis_of(axis: Any, ndim: int) -> int:
    """Returns an axis from 0 to ndim - 1."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


def array_of(input: Any) -> AnyArray:
    """Returns what a function filters: a NumPy array of numbers, or an array on a device."""
    if isinstance(input, Array):
        return input
    array = np.asarray(input)
    if array.dtype.kind not in _numeric or array.dtype.itemsize > (
        16 if array.dtype.kind == "c" else 8
    ):
        raise RuntimeError(
            f"data type not supported: {array.dtype}; gauze.ndimage takes bool, integers, and floats "
            "and complex numbers of up to 64 bits a component"
        )
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def real_array_of(input: Any) -> AnyArray:
    """The same of functions that take no complex numbers."""
    array = array_of(input)
    if array.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return array


def anchor_of(size: int, origin: int, text: str = "invalid origin") -> int:
    """Returns the place of a window that lies on the pixel."""
    origin = operator.index(origin)
    anchor = size // 2 + origin
    if not 0 <= anchor < size:
        raise ValueError(text)
    return anchor


class Output:
    """Where a result goes, and in which type: SciPy's `output`.

    Attributes
    ----------
    dtype : numpy.dtype
        The result's type.
    given : numpy.ndarray, Array or None
        The array that receives it; None: a new one.
    """

    def __init__(self, output: Any, input: AnyArray, is_complex: bool = False) -> None:
        self.given: Optional[AnyArray] = None
        dtype = np.dtype(input.dtype)
        if output is None:
            if is_complex:
                dtype = np.promote_types(dtype, np.complex64)
            self.dtype = dtype
            return
        if isinstance(output, (type, np.dtype)):
            dtype = np.dtype(output)
            if is_complex and dtype.kind != "c":
                warnings.warn("promoting specified output dtype to complex", stacklevel=6)
                dtype = np.promote_types(dtype, np.complex64)
        elif isinstance(output, str):
            dtype = np.dtype(output)
            if is_complex and dtype.kind != "c":
                raise RuntimeError("output must have complex dtype")
            if not issubclass(dtype.type, np.number):
                raise RuntimeError("output must have numeric dtype")
        else:
            self._take(output, input)
            assert self.given is not None
            dtype = np.dtype(self.given.dtype)
            if is_complex and dtype.kind != "c":
                raise RuntimeError("output must have complex dtype")
        if dtype.kind not in _numeric:
            raise RuntimeError(f"output data type not supported: {dtype}")
        self.dtype = dtype

    def _take(self, output: Any, input: AnyArray) -> None:
        if isinstance(output, Array) != isinstance(input, Array):
            raise TypeError(
                "input and output must both be NumPy arrays or both be arrays on the device"
            )
        if not isinstance(output, Array):
            output = np.asarray(output)
            if not output.flags.writeable:
                raise ValueError("output array is read-only")
        if tuple(output.shape) != tuple(input.shape):
            raise RuntimeError(
                f"output shape not correct: it is {tuple(output.shape)}, and the input has "
                f"{tuple(input.shape)}"
            )
        self.given = output

    def store(self, result: Any) -> Any:
        """Puts a result of the output's type there, and returns it."""
        if self.given is None:
            return result
        if self.given is not result:
            if isinstance(self.given, Array):
                self.given.write(result.numpy() if isinstance(result, Array) else result)
            else:
                self.given[...] = result
        return self.given


def cast(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Converts results as SciPy's C code does: integers are cut off, and wrap around.

    values: floats, or integers of 64 bits at most.
    """
    if values.dtype == dtype:
        return values
    with np.errstate(invalid="ignore", over="ignore"):
        if dtype.kind == "b":
            return cast(values, np.dtype(np.uint8)) != 0  # C has a byte for it
        if dtype.kind in "iu" and values.dtype.kind == "f":
            if dtype == np.uint64:
                # Numbers past the range of int64 have a conversion of their own.
                return np.where(values >= 2.0**63, values, 0).astype(np.uint64) + np.where(
                    values >= 2.0**63, 0, values
                ).astype(np.int64).astype(np.uint64)
            return values.astype(np.int64).astype(dtype)
        return values.astype(dtype)


def footprint_of(
    size: Any, footprint: Any, count: int, missing: str = "no footprint or filter size provided"
) -> Tuple[Tuple[int, ...], Optional[np.ndarray]]:
    """Returns a window's extents along `count` axes, and its places where not all of them count."""
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=6)
        note(None)  # the next call says so too
    if footprint is None:
        if size is None:
            raise RuntimeError(missing)
        return tuple(operator.index(each) for each in per_axis(size, count)), None
    places = np.asarray(footprint, dtype=bool)
    return places.shape, None if places.all() else places


def check_dimensions(name: str, ndim: int, count: int) -> None:
    """Refuses weights or a footprint of another number of axes than are filtered."""
    if ndim != count:
        raise RuntimeError(f"{name}.ndim ({ndim}) must match len(axes) ({count})")


def positive(sizes: Iterable[int], text: str = "incorrect filter size") -> None:
    """Refuses windows without pixels."""
    if any(size < 1 for size in sizes):
        raise RuntimeError(text)
