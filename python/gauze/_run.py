"""Runs filters along some axes of arrays of any number of axes and any type.

An image of the library has four axes, and planes. Axes that are not filtered are folded into one
where there are more, and arrays whose filtered axes do not lie well are copied.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from typing import Any, Callable, Dict, Hashable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._arguments import AnyArray, Output, cast
from ._calls import Run, note
from ._default import default_engine
from ._gauze import Array, Engine, Filter, Plan

_direct = {np.dtype(name) for name in ("uint8", "uint16", "int16", "float16", "float32")}
_f32 = np.dtype(np.float32)
_max_plans = 256


class Fold(NamedTuple):
    """How an array becomes an image.

    Attributes
    ----------
    order : tuple of int, optional
        The array's axes as they are moved first; None: as they are.
    shape : tuple of int
        The shape that it has then.
    names : str
        The image's axes, as Engine.plan() takes them.
    place : dict
        The image's axis of each filtered one, counted from -1, which is x, down.
    """

    order: Optional[Tuple[int, ...]]
    shape: Tuple[int, ...]
    names: str
    place: Dict[int, int]


@functools.lru_cache(maxsize=1024)
def fold(shape: Tuple[int, ...], filtered: Tuple[int, ...], most: int) -> Optional[Fold]:
    """Says how an array becomes an image of which some axes are filtered.

    most: how many axes of an image can be filtered, x first: 3 or 4. Returns None where more are.
    """
    if len(filtered) > most:
        return None
    ndim = len(shape)
    if ndim <= 4 and all(ndim - axis <= most for axis in filtered):
        names = "tzyx"[4 - ndim :]
        return Fold(None, shape, names, {axis: axis - ndim for axis in filtered})
    folded = _fold_in_place(shape, filtered, most)
    if folded:
        return folded
    rest = [axis for axis in range(ndim) if axis not in filtered]
    order = (*rest, *sorted(filtered))
    moved = tuple(shape[axis] for axis in order)
    others = len(rest)
    inner = _fold_in_place(moved, tuple(range(others, ndim)), most)
    assert inner is not None
    return Fold(
        order,
        inner.shape,
        inner.names,
        {axis: inner.place[others + i] for i, axis in enumerate(sorted(filtered))},
    )


def _fold_in_place(
    shape: Tuple[int, ...], filtered: Tuple[int, ...], most: int
) -> Optional[Fold]:
    extents: List[int] = []
    groups: List[List[int]] = []
    for axis, extent in enumerate(shape):
        if axis not in filtered and groups and groups[-1] and groups[-1][0] not in filtered:
            groups[-1].append(axis)
            extents[-1] *= extent
        else:
            groups.append([axis])
            extents.append(extent)
    count = len(groups)
    if count > 5:
        return None
    names = "ptzyx"[5 - count :]
    place = {}
    for i, group in enumerate(groups):
        if group[0] in filtered:
            if count - i > most:
                return None
            place[group[0]] = i - count
    return Fold(None, tuple(extents), names, place)


class _Plans:
    """The plans that were used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plans: "OrderedDict[Hashable, Tuple[Engine, Plan]]" = OrderedDict()

    def get(self, engine: Engine, key: Hashable, make: Callable[[], Plan]) -> Plan:
        """Returns the plan of a key, which make() makes where there is none."""
        full = (id(engine), key)
        with self._lock:
            found = self._plans.get(full)
            if found is not None and found[0] is engine:
                self._plans.move_to_end(full)
                return found[1]
        plan = make()
        with self._lock:
            self._plans[full] = (engine, plan)
            while len(self._plans) > _max_plans:
                self._plans.popitem(last=False)
        return plan

    def clear(self) -> None:
        """Forgets all plans."""
        with self._lock:
            self._plans.clear()


plans = _Plans()


class Spec(NamedTuple):
    """A filter of some axes of an array.

    Attributes
    ----------
    key : hashable
        Different for different filters.
    axes : tuple of int
        The axes that it filters.
    most_axes : int
        How many axes of an image its kind can filter.
    make : callable
        Makes the Filter: make(place), place as of Fold.
    border : str
    value : float
        The constant of the border 'constant'.
    store : str
        How results become integers: see Engine.plan().
    """

    key: Hashable
    axes: Tuple[int, ...]
    most_axes: int
    make: Callable[[Dict[int, int]], Filter]
    border: str
    value: float
    store: str = "saturate"


def along_image(values: Dict[int, Any], place: Dict[int, int], otherwise: Any) -> List[Any]:
    """Returns values of an array's axes as a sequence for the image's last four axes."""
    result = [otherwise] * 4
    for axis, value in values.items():
        result[place[axis]] = value
    return result


def source_of(input: AnyArray) -> AnyArray:
    """Returns the array in a type that the library takes: its own, a wider one, or f32."""
    dtype = input.dtype
    if dtype in _direct:
        return input
    if isinstance(input, Array):
        raise TypeError(f"gauze.ndimage takes no {dtype} on the device")
    if dtype == np.bool_:
        return input.view(np.uint8)
    if dtype == np.int8:
        return input.astype(np.int16)
    with np.errstate(over="ignore"):
        return input.astype(np.float32)


def run(spec: Spec, source: AnyArray, dtype: np.dtype, out: Optional[AnyArray] = None) -> AnyArray:
    """Filters an array of one of the library's types into another of them.

    out: an array of this type and the source's shape, which may receive the result. Returns the
    result, where that is.
    """
    on_device = isinstance(source, Array)
    shape = tuple(source.shape)
    folded = fold(shape, spec.axes, spec.most_axes)
    assert folded is not None
    engine = source.engine if on_device else default_engine()
    key = (spec.key, spec.border, spec.value, spec.store, folded.shape, folded.names, tuple(folded.place.items()),
           source.dtype.str, dtype.str)  # fmt: skip
    plan = plans.get(
        engine,
        key,
        lambda: engine.plan(
            spec.make(folded.place),
            folded.shape,
            source.dtype,
            dtype,
            axes=folded.names,
            border=spec.border,
            border_value=spec.value,
            store=spec.store,
        ),
    )
    if folded.order is None and folded.shape == shape:
        result = plan(source, out)
        note(Run(plan, source, result))
        return result
    note(None)
    if folded.order is None:
        return plan(source.reshape(folded.shape)).reshape(shape)
    if on_device:
        # Axes are moved on the host.
        moved = np.ascontiguousarray(source.numpy().transpose(folded.order))
        result = plan(moved.reshape(folded.shape))
    else:
        moved = np.ascontiguousarray(source.transpose(folded.order))
        result = plan(moved.reshape(folded.shape))
    result = result.reshape(moved.shape).transpose(np.argsort(folded.order))
    return engine.array(result) if on_device else result


def host(array: AnyArray) -> np.ndarray:
    """Returns an array's values in host memory."""
    return array.numpy() if isinstance(array, Array) else array


def finish(result: AnyArray, output: Output, like: AnyArray) -> Any:
    """Converts a result to the output's type as SciPy does, and stores it.

    like: the input, on whose device results stay.
    """
    if result.dtype != output.dtype:
        result = cast(host(result), output.dtype)
    if isinstance(like, Array) and not isinstance(result, Array) and output.given is None:
        result = like.engine.array(result)
    return output.store(result)


def direct_target(output: Output, dtype: np.dtype, source: AnyArray) -> Optional[AnyArray]:
    """Returns the output's array where results of a type can be written to it at once."""
    given = output.given
    if given is None or given.dtype != dtype:
        return None
    if isinstance(given, Array):
        # The library refuses images on the device that share memory.
        return given if given.int_ptr != source.int_ptr else None
    return given if given.flags.c_contiguous and given.flags.aligned else None


def fits_device(array: AnyArray, count: int) -> bool:
    """Says whether so many f32 copies of an array may be on the device at once."""
    device = (array.engine if isinstance(array, Array) else default_engine()).device
    bytes_of_one = 4 * array.size
    return bytes_of_one <= device.max_allocation and count * bytes_of_one <= device.global_memory // 2


def device_chain(
    specs: Sequence[Spec], source: AnyArray, dtype: np.dtype = _f32
) -> AnyArray:
    """Runs filters one after the other, all into one type, and returns the last one's result.

    A NumPy array goes to the device and back once, if the device can hold what is between.
    """
    if len(specs) == 1:
        return run(specs[0], source, dtype)
    was_on_host = not isinstance(source, Array)
    stays = was_on_host and fits_device(source, 3)
    current: AnyArray = default_engine().array(source) if stays else source
    for spec in specs:
        current = run(spec, current, dtype)
    return current.numpy() if stays else current
