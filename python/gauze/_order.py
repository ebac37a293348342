"""Ranks of windows, and flat and weighted morphology.

These choose among the pixels, so that they are exact for any type: what f32 cannot represent is
replaced by its rank among the array's values, and the values are put back afterwards.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._arguments import AnyArray, Output, cast
from ._gauze import Array, Filter
from ._hand_over import HandOver
from ._linear import copy
from ._run import Spec, along_image, direct_target, finish, host, run, source_of

_f32 = np.dtype(np.float32)

MAX_PIXELS = 3969
"""Pixels of a window that count at most, but for boxes of minima and maxima."""
MAX_EXTREME = 1048575
"""Pixels of a box of minima and maxima along an axis at most."""
MAX_FOOTPRINT = 63
"""Extent along x and y of a footprint at most."""
MAX_FOOTPRINT_VOLUME = 15
"""The same where it extends along z."""
_exact_integers = 2**24


def is_exact(input: np.ndarray, value: float) -> bool:
    """Says whether f32 has all values of an array, and another one."""
    if input.size == 0:
        return True
    if input.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = input.astype(np.float32)
            return bool(np.array_equal(narrow, input, equal_nan=True)) and (
                bool(np.isnan(value)) or float(np.float32(value)) == value
            )
    return (
        int(input.max()) <= _exact_integers
        and int(input.min()) >= -_exact_integers
        and abs(value) <= _exact_integers
    )


class Ordered:
    """An array in one of the library's types, in the same order.

    Attributes
    ----------
    source : numpy.ndarray or Array
    value : float
        The border's constant in that type.
    """

    def __init__(self, input: AnyArray, border: str, value: float) -> None:
        self._table: Optional[np.ndarray] = None
        dtype = np.dtype(input.dtype)
        if dtype.kind in "iub":
            value = float(np.trunc(value))  # SciPy cuts off what it chooses
        self.value = value
        is_constant = border == "constant"
        if dtype.kind == "f" and dtype.itemsize < 8:
            self.source = source_of(input)
            return
        if dtype.itemsize <= 2:
            self.source = source_of(input)
            limits = np.iinfo(self.source.dtype)
            if is_constant and not limits.min <= value <= limits.max:
                self.source = _widened(self.source)
            return
        if isinstance(input, Array):
            self.source = source_of(input)  # which refuses it
            return
        if is_exact(input, value if is_constant else 0.0):
            self.source = source_of(input)
            return
        values = input
        if is_constant:
            values = np.append(input.ravel(), np.asarray(value).astype(dtype))
        table, ranks = np.unique(values, return_inverse=True)
        ranks = ranks.ravel()
        if is_constant:
            self.value = float(ranks[-1])
            ranks = ranks[:-1]
        if len(table) > _exact_integers:
            raise HandOver(f"the array has more than {_exact_integers} different values")
        self._table = table
        small = np.uint16 if len(table) <= 2**16 else np.float32
        self.source = ranks.astype(small).reshape(input.shape)

    def values(self, result: AnyArray) -> AnyArray:
        """Returns results of the source's type as values of the input's."""
        return result if self._table is None else self._table[host(result).astype(np.intp)]


def _widened(source: AnyArray) -> AnyArray:
    if isinstance(source, Array):
        return source.engine.array(source.numpy().astype(np.float32))
    return source.astype(np.float32)


def _stored(ordered: Ordered, result: AnyArray, input: AnyArray, output: Output) -> Any:
    values = ordered.values(result)
    dtype = np.dtype(input.dtype)
    if values.dtype != dtype and values.dtype != output.dtype:
        # SciPy's values are those of the input's type.
        values = cast(host(values), dtype) if dtype.kind != "f" else host(values).astype(dtype)
    return finish(values, output, input)


def _run_ordered(spec: Spec, ordered: Ordered, input: AnyArray, output: Output) -> Any:
    source = ordered.source
    out = None
    if ordered._table is None and source.dtype == output.dtype == np.dtype(input.dtype):
        out = direct_target(output, output.dtype, source)
    return _stored(ordered, run(spec, source, source.dtype, out), input, output)


def extreme(
    input: AnyArray,
    kind: str,
    windows: Sequence[Tuple[int, int, int, str]],
    value: float,
    output: Output,
) -> Any:
    """The least or the largest pixel of boxes.

    kind: 'minimum' or 'maximum'. windows: axis, size, anchor and border of each axis that is
    filtered.
    """
    if input.size == 0 or not windows:
        return copy(input, output)
    if any(size > MAX_EXTREME for _, size, _, _ in windows):
        raise HandOver(f"a box has more than {MAX_EXTREME} pixels along an axis")
    is_constant = any(border == "constant" for *_, border in windows)
    ordered = Ordered(input, "constant" if is_constant else "clamp", value)
    specs = _extreme_specs(kind, windows, ordered.value)
    source = ordered.source
    if len(specs) == 1:
        return _run_ordered(specs[0], ordered, input, output)
    for spec in specs:
        source = run(spec, source, source.dtype)
    return _stored(ordered, source, input, output)


def _extreme_specs(
    kind: str, windows: Sequence[Tuple[int, int, int, str]], value: float
) -> List[Spec]:
    specs = []
    at = 0
    while at < len(windows):
        border = windows[at][3]
        together = [windows[at]]
        for window in windows[at + 1 :]:
            if len(together) == 3 or window[3] != border:
                break
            together.append(window)
        at += len(together)
        specs.append(_box_spec(kind, together, border, value))
    return specs


def _box_spec(
    kind: str, together: Sequence[Tuple[int, int, int, str]], border: str, value: float
) -> Spec:
    sizes = {axis: size for axis, size, _, _ in together}
    anchors = {axis: anchor for axis, _, anchor, _ in together}

    def make(place: Dict[int, int]) -> Filter:
        return getattr(Filter, kind)(
            size=along_image(sizes, place, 1)[1:], anchor=along_image(anchors, place, 0)[1:]
        )

    key = (kind, tuple(together))
    return Spec(key, tuple(sorted(sizes)), 3, make, border, value)


def window_fits(sizes: Sequence[int], places: Optional[np.ndarray], kind: str) -> bool:
    """Says whether the library has a filter of such a window.

    sizes: of all the array's axes.
    """
    sides = [size for size in sizes if size > 1]
    if len(sides) > 3:
        return False
    count = math.prod(sizes) if places is None else int(np.count_nonzero(places))
    if places is None and kind in ("minimum", "maximum"):
        return max(sizes, default=1) <= MAX_EXTREME
    if count > MAX_PIXELS:
        return False
    if places is None:
        return True
    in_plane = all(size == 1 for size in sizes[:-2])
    return max(sizes, default=1) <= (MAX_FOOTPRINT if in_plane else MAX_FOOTPRINT_VOLUME)


def _check_window(sizes: Sequence[int], places: Optional[np.ndarray], kind: str) -> None:
    if not window_fits(sizes, places, kind):
        raise HandOver(
            f"a window of {'x'.join(map(str, sizes))} pixels is too large; windows have up to "
            f"{MAX_PIXELS} pixels along three axes, and footprints extents of {MAX_FOOTPRINT}, or "
            f"{MAX_FOOTPRINT_VOLUME} beyond the last two axes"
        )


def window_filter(
    input: AnyArray,
    kind: str,
    arguments: Tuple[Any, ...],
    sizes: Sequence[int],
    places: Optional[np.ndarray],
    anchors: Sequence[int],
    border: str,
    value: float,
    output: Output,
) -> Any:
    """A filter of windows that chooses among the pixels.

    kind: a constructor of Filter; arguments: its first ones. sizes, places, anchors: of all the
    array's axes.
    """
    if input.size == 0:
        return copy(input, output)
    _check_window(sizes, places, kind)
    ordered = Ordered(input, border, value)
    spec = _window_spec(kind, arguments, sizes, places, anchors, border, ordered.value)
    return _run_ordered(spec, ordered, input, output)


def _window_spec(
    kind: str,
    arguments: Tuple[Any, ...],
    sizes: Sequence[int],
    places: Optional[np.ndarray],
    anchors: Sequence[int],
    border: str,
    value: float,
    weights: Optional[np.ndarray] = None,
) -> Spec:
    axes = tuple(axis for axis, size in enumerate(sizes) if size > 1)

    def lie(box: np.ndarray, place: Dict[int, int]) -> np.ndarray:
        # Unfiltered axes, of one place, go first, and the others in the image's order.
        order = sorted(range(box.ndim), key=lambda axis: place.get(axis, -9 - axis))
        extents = along_image({axis: sizes[axis] for axis in axes}, place, 1)[1:]
        return box.transpose(order).reshape(extents)

    def make(place: Dict[int, int]) -> Filter:
        options: Dict[str, Any] = {
            "anchor": along_image({axis: anchors[axis] for axis in axes}, place, 0)[1:]
        }
        if places is not None:
            options["footprint"] = lie(places, place)
        elif weights is None:
            extents = along_image({axis: sizes[axis] for axis in axes}, place, 1)
            options["size"] = extents[1:]
        if weights is not None:
            options["weights"] = lie(weights, place)
        return getattr(Filter, kind)(*arguments, **options)

    key = (kind, arguments, tuple(sizes), None if places is None else places.tobytes(),
           tuple(anchors), None if weights is None else weights.tobytes())  # fmt: skip
    return Spec(key, axes, 3, make, border, value)


def weighted(
    input: AnyArray,
    kind: str,
    sizes: Sequence[int],
    places: Optional[np.ndarray],
    anchors: Sequence[int],
    weights: np.ndarray,
    border: str,
    value: float,
    output: Output,
) -> Any:
    """An erosion, in[p + j - anchor] - weights[j], or a dilation, in[p + j - anchor] + weights[j].

    kind: 'erode' or 'dilate'.
    """
    if input.size == 0:
        return copy(input, output)
    used = places if places is not None else np.ones(weights.shape, bool)
    _check_window(sizes, used, kind)
    dtype = np.dtype(input.dtype)
    if dtype.kind in "iu" and dtype.itemsize > 2 and not is_exact(host(input), 0.0):
        raise HandOver(f"integers beyond {_exact_integers} are not exact in f32")
    if kind == "dilate":
        # The library mirrors a dilation's window.
        mirrored = (slice(None, None, -1),) * weights.ndim
        weights, used = weights[mirrored], used[mirrored]
        anchors = [size - 1 - anchor for size, anchor in zip(sizes, anchors)]
    flat = np.where(used, weights, 0).astype(np.float32)
    spec = _window_spec(kind, (), sizes, used, anchors, border, value, flat)
    source = source_of(input)
    if dtype.kind in "iub":
        value = float(np.trunc(value))  # SciPy's constant has the input's type
    if border == "constant" and source.dtype != np.float32:
        source = _widened(source)
    return finish(run(spec, source, _f32, direct_target(output, _f32, source)), output, input)


