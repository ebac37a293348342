"""Filters of Dask arrays: chunk by chunk, each with as much of its neighbours as the filter reads.

>>> import gauze, gauze.dask
>>> smooth = gauze.dask.map_overlap(gauze.Filter.gaussian((2, 2, 2)), volume)

A worker process makes its engine when it gets its first chunk. Workers have to be spawned, as
dask.distributed does by default: a process that was forked after OpenCL was used cannot use it.
"""

from __future__ import annotations

import math
import os
import threading
from typing import Any, Dict, Optional, Sequence, Tuple

import dask.array as da
import numpy as np

from . import Region, devices
from ._apply import apply
from ._errors import Error
from ._gauze import Engine, Filter

__all__ = ["depth", "map_overlap", "worker_engine"]

_lock = threading.Lock()
_engines: Dict[str, Engine] = {}
_settled_filters: Dict[Any, Filter] = {}


def depth(
    filter: Filter, array: da.Array, accuracy: float = 0.0, axes: Optional[str] = None
) -> Dict[int, int]:
    """Says how many pixels of its neighbours a chunk needs, as dask.array.map_overlap() takes it.

    Parameters
    ----------
    filter : Filter
    array : dask.array.Array
    accuracy : float, optional
        For recursive filters: see Filter.reach().
    axes : str, optional
        What each axis is, as of Engine.plan(); by default the last letters of 'tzyx'.

    Returns
    -------
    dict
        Pixels along each axis: 0 where the array has one chunk along it.

    Raises
    ------
    ValueError
        The filter reaches further than a chunk is long; the text says how to rechunk.
    """
    names = _names(array.ndim, axes)
    reach = filter.reach(accuracy)
    result = {}
    for axis, name in enumerate(names):
        chunks = array.chunks[axis]
        own = reach["tzyx".index(name)] if name in "tzyx" else 0
        if name == "c" and len(chunks) > 1:
            raise ValueError(
                f"the channels, axis {axis}, are in {len(chunks)} chunks; they have to be in one: "
                f"array.rechunk({{{axis}: -1}})"
            )
        if len(chunks) == 1:
            own = 0
        elif math.isinf(own):
            raise ValueError(
                f"{filter} reaches all of axis {axis} ({name}), which has {len(chunks)} chunks: "
                f"array.rechunk({{{axis}: -1}}) makes it one"
                + ("" if accuracy else ", or accuracy=1e-5 cuts what a recursive filter remembers")
            )
        elif own > min(chunks):
            raise ValueError(
                f"{filter} reaches {own} pixels along axis {axis} ({name}), more than a chunk of "
                f"{min(chunks)} has: array.rechunk({{{axis}: {_chunk_for(chunks, own)}}})"
            )
        result[axis] = int(own)
    return result


def map_overlap(
    filter: Filter,
    array: da.Array,
    *,
    accuracy: float = 0.0,
    out_dtype: Any = None,
    axes: Optional[str] = None,
    border: str = "clamp",
    border_value: float = 0.0,
    device: str = "",
    max_device_bytes: int = 0,
) -> da.Array:
    """Filters a Dask array. The border extends the whole array; chunks see their neighbours.

    Results of filters with taps and windows have the bits of the filtered whole; those of recursive
    filters are within `accuracy` of it, and the filter's bound of rounding.

    Parameters
    ----------
    filter : Filter
        With one result: no bank.
    array : dask.array.Array
        uint8, uint16, int16, float16 or float32; 1 to 4 axes, or as `axes` says.
    accuracy : float, optional
        For recursive filters: see Filter.reach(). 0: an axis that they run along must be one chunk.
    out_dtype, axes, border, border_value
        As of Engine.plan().
    device : str, optional
        As of Engine. By default GAUZE_DEVICE of the worker's environment, else the worker's own GPU of
        several: that of its name, where this is a number as in a LocalCluster.
    max_device_bytes : int, optional
        Device memory that a chunk may take: see Plan.

    Returns
    -------
    dask.array.Array
        Of the same shape and chunks.

    Raises
    ------
    ValueError
        The filter reaches further than a chunk is long; the text says how to rechunk.
    """
    if filter.targets != 1:
        raise ValueError(f"{filter} has {filter.targets} results; filter by each of the bank")
    names = _names(array.ndim, axes)
    pixels = depth(filter, array, accuracy, axes)
    dtype = np.dtype(array.dtype if out_dtype is None else out_dtype)
    # Pixels of the other end come with the chunk.
    wraps = border == "wrap"
    extended = da.overlap.overlap(
        array,
        depth=pixels,
        boundary={axis: "periodic" if wraps and pixels[axis] else "none" for axis in pixels},
        allow_rechunk=False,
    )
    return extended.map_blocks(
        _filter_chunk,
        filter=filter,
        depth=tuple(pixels[axis] for axis in range(array.ndim)),
        wraps=wraps,
        options={
            "axes": names,
            "border": border,
            "border_value": border_value,
            "out_dtype": dtype.str,
            "max_device_bytes": max_device_bytes,
        },
        device=device,
        dtype=dtype,
        chunks=array.chunks,
        meta=np.empty((0,) * array.ndim, dtype),
        name=None,
    )


def worker_engine(device: str = "") -> Engine:
    """Returns this process's engine of a device; the first call makes it.

    Parameters
    ----------
    device : str, optional
        As of map_overlap().

    Returns
    -------
    Engine
    """
    with _lock:
        if device not in _engines:
            _engines[device] = Engine(device or _own_device())
        return _engines[device]


def _filter_chunk(
    chunk: np.ndarray,
    filter: Filter,
    depth: Tuple[int, ...],
    wraps: bool,
    options: Dict[str, Any],
    device: str,
    block_info: Any = None,
) -> np.ndarray:
    location = block_info[0]["chunk-location"]
    counts = block_info[0]["num-chunks"]
    before = [d if wraps or at > 0 else 0 for d, at in zip(depth, location)]
    after = [d if wraps or at + 1 < n else 0 for d, at, n in zip(depth, location, counts)]
    shape = tuple(n - b - a for n, b, a in zip(chunk.shape, before, after))
    region = None
    if shape != chunk.shape:
        # Only the chunk itself is computed, not what it reads around it.
        origin = (0,) * len(shape)
        region = Region(tuple(before), shape, origin, "neighbours")
    engine = worker_engine(device)
    return apply(
        _settled(engine, filter, tuple(block_info[0]["shape"]), chunk.dtype, options),
        chunk,
        region=region,
        out_shape=shape if region else None,
        engine=engine,
        **options,
    )


def _settled(
    engine: Engine,
    filter: Filter,
    shape: Tuple[int, ...],
    dtype: np.dtype,
    options: Dict[str, Any],
) -> Filter:
    """Returns the filter as the whole array would be filtered: chunks of any size go the same way."""
    key = (id(engine), filter._key, shape, dtype.str, options["axes"], options["out_dtype"])
    with _lock:
        if key not in _settled_filters:
            try:
                whole = engine.plan(
                    filter,
                    shape,
                    dtype,
                    axes=options["axes"],
                    border=options["border"],
                    border_value=options["border_value"],
                    out_dtype=options["out_dtype"],
                )
                _settled_filters[key] = whole._settled()
            except Error:  # more than a plan takes
                _settled_filters[key] = filter
        return _settled_filters[key]


def _own_device() -> str:
    if os.environ.get("GAUZE_DEVICE"):
        return ""
    gpus = [d.index for d in devices() if d.kind == "gpu" and not d.unusable]
    return _gpu_of(_worker_name(), gpus)


def _worker_name() -> Any:
    try:
        from distributed import get_worker

        return get_worker().name
    except (ImportError, ValueError):
        return None  # no worker: another scheduler of Dask's


def _gpu_of(worker: Any, gpus: Sequence[int]) -> str:
    """Returns the device of a worker: its own of several GPUs."""
    if len(gpus) < 2 or worker is None or not str(worker).isdigit():
        return ""
    return str(gpus[int(worker) % len(gpus)])


def _names(ndim: int, axes: Optional[str]) -> str:
    if axes is None and ndim > 4:
        raise ValueError(f"an array of {ndim} axes is given; without axes it must have 1 to 4")
    names = "tzyx"[4 - ndim :] if axes is None else axes
    if len(names) != ndim:
        raise ValueError(f"axes is '{names}', and the array has {ndim} axes")
    return names


def _chunk_for(chunks: Sequence[int], reach: int) -> int:
    """Returns the next longer chunk that is as long as the reach, and leaves no shorter rest."""
    length = sum(chunks)
    for chunk in range(max(reach, chunks[0]), length):
        if length % chunk == 0 or length % chunk >= reach:
            return chunk
    return length
