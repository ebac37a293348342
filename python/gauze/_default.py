"""The engine that gauze.ndimage uses where nobody names one."""

from __future__ import annotations

import threading
from typing import Optional

from ._gauze import Engine, _set_default

_lock = threading.Lock()
_engine: Optional[Engine] = None


def default_engine() -> Engine:
    """Returns the engine that gauze.ndimage uses for NumPy arrays; the first call makes it.

    Returns
    -------
    Engine

    Raises
    ------
    NoDeviceError
        There is no device; the text says what to install.
    """
    global _engine
    if _engine is None:
        with _lock:
            if _engine is None:
                _engine = Engine()
                _set_default(_engine)
    return _engine


def set_default_engine(engine: Optional[Engine]) -> None:
    """Makes an engine the one that gauze.ndimage uses for NumPy arrays.

    Parameters
    ----------
    engine : Engine or None
        None: the next use makes a new one.
    """
    global _engine
    with _lock:
        _engine = engine
        _set_default(engine)
