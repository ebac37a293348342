"""Gauze's functions in place of SciPy's."""

from __future__ import annotations

import contextlib
import threading
from typing import Iterator

from . import ndimage
from ._hand_over import originals

_lock = threading.Lock()
_depth = 0

# SciPy itself does these.
_left_alone = ("HandOverWarning", "generic_filter", "generic_filter1d", "vectorized_filter")


def patched_names() -> "list[str]":
    """Returns the names of scipy.ndimage's functions that are replaced."""
    return [name for name in ndimage.__all__ if name not in _left_alone]


@contextlib.contextmanager
def patch_scipy() -> Iterator[None]:
    """Puts gauze.ndimage's functions in place of scipy.ndimage's while a `with` block runs.

    The functions are replaced in the module scipy.ndimage, for all threads of the process: code that
    looks them up there calls Gauze. Code that imported a function by name before goes on with SciPy's,
    and so does SciPy's own code.

    >>> with gauze.patch_scipy():
    ...     scipy.ndimage.gaussian_filter(image, 3)    # on the device

    Raises
    ------
    ImportError
        SciPy is not installed.
    """
    import scipy.ndimage

    global _depth
    with _lock:
        if _depth == 0:
            for name in patched_names():
                if hasattr(scipy.ndimage, name):
                    originals[name] = getattr(scipy.ndimage, name)
                    setattr(scipy.ndimage, name, getattr(ndimage, name))
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                for name, function in list(originals.items()):
                    setattr(scipy.ndimage, name, function)
                originals.clear()
