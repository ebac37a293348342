"""Calls that SciPy serves in Gauze's place."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from ._gauze import Array

originals: Dict[str, Callable[..., Any]] = {}
"""SciPy's functions that patch_scipy() has replaced, by name."""


class HandOverWarning(UserWarning):
    """A call is handed over to SciPy, on the host: the text says why."""


class HandOver(Exception):
    """Raised where Gauze cannot do what a call asks for; the text says why."""


def scipy_function(name: str) -> Callable[..., Any]:
    """Returns SciPy's own function."""
    if name in originals:
        return originals[name]
    try:
        import scipy.ndimage
    except ImportError as error:
        raise ImportError(
            f"gauze.ndimage.{name} is handed over to SciPy here, which is not installed: "
            "pip install scipy"
        ) from error
    return getattr(scipy.ndimage, name)


def hand_over(name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """Calls SciPy's function. Arrays on the device are copied to the host, and the result back."""
    engine = None
    target = None

    def on_host(value: Any) -> Any:
        nonlocal engine
        if isinstance(value, Array):
            engine = value.engine
            return value.numpy()
        return value

    kwargs = dict(kwargs)
    if isinstance(kwargs.get("output"), Array):
        target = kwargs.pop("output")
        kwargs["output"] = target.dtype
    result = scipy_function(name)(
        *(on_host(value) for value in args), **{key: on_host(v) for key, v in kwargs.items()}
    )
    if target is not None:
        target.write(result)
        return target
    return result if engine is None else engine.array(result)
