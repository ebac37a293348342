"""Calls of filters, with the plans that were used last, and filters of other processes."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._default import default_engine
from ._gauze import Array, Engine, Filter, _remake_filter
from ._run import plans


def apply(
    filter: Filter,
    src: Any,
    *,
    out_dtype: Any = None,
    axes: Optional[str] = None,
    border: str = "clamp",
    border_value: float = 0.0,
    region: Any = None,
    out_shape: Optional[Sequence[int]] = None,
    guide: Any = None,
    max_device_bytes: int = 0,
    engine: Optional[Engine] = None,
) -> Any:
    """Filters an array: see Filter.__call__().

    engine: of NumPy arrays; None: the default engine.
    """
    on_device = isinstance(src, Array)
    if not on_device:
        src = np.asarray(src)
        if src.size == 0:
            return np.empty(src.shape, out_dtype or src.dtype)
        if guide is not None and not isinstance(guide, Array):
            guide = np.asarray(guide)
    on = src.engine if on_device else engine or default_engine()
    key = (
        filter._key,
        tuple(src.shape),
        src.dtype.str,
        None if out_dtype is None else np.dtype(out_dtype).str,
        axes,
        border,
        border_value,
        None if region is None else _hashable(region),
        None if out_shape is None else tuple(out_shape),
        None if guide is None else (tuple(guide.shape), guide.dtype.str),
    )
    plan = plans.get(
        on,
        key,
        lambda: on.plan(
            filter,
            src,
            None,
            out_dtype,
            axes=axes,
            border=border,
            border_value=border_value,
            region=region,
            out_shape=out_shape,
            guide=guide,
        ),
    )
    if on_device:
        return plan(src, guide=guide)
    return plan(src, max_device_bytes=max_device_bytes, guide=guide)


def remake(name: str, arguments: Tuple[Any, ...]) -> Filter:
    """Makes a filter again from what its constructor was called with: what pickle calls."""
    return _remake_filter(name, arguments)


def _hashable(region: Any) -> Any:
    return tuple(
        tuple(value) if isinstance(value, (list, tuple)) else value
        for value in (region.source_origin, region.extent, region.target_origin, region.edge)
    )
