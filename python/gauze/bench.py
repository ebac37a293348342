"""Times gauze.ndimage beside scipy.ndimage, and prints a table.

    python -m gauze.bench [--size 2048] [--seconds 1]

Each time is the median of several calls, without the first, which may compile: "host" from NumPy array
to NumPy array, "device" from Array to Array, with the wait for it. The second table is of images of
64x64, where the call itself takes time: that of the function, of its plan(src, out), and of the run of that
plan in C++, all from NumPy array to NumPy array.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import ndimage
from ._calls import plan_of
from ._default import default_engine
from ._hand_over import scipy_function

_CASES: List[Tuple[str, str, Tuple[Any, ...], Dict[str, Any]]] = [
    ("gaussian_filter", "float32", (1.0,), {}),
    ("gaussian_filter", "float32", (5.0,), {}),
    ("gaussian_filter", "float64", (5.0,), {}),
    ("gaussian_filter", "uint8", (5.0,), {}),
    ("uniform_filter", "float32", (15,), {}),
    ("correlate", "float32", (np.arange(49.0).reshape(7, 7) % 5,), {}),
    ("sobel", "float32", (), {}),
    ("laplace", "float32", (), {}),
    ("median_filter", "uint8", (5,), {}),
    ("median_filter", "float32", (5,), {}),
    ("maximum_filter", "float32", (15,), {}),
    ("grey_opening", "uint8", (7,), {}),
    ("spline_filter", "float32", (), {"output": np.float32}),
]

# The second table's calls, on images of 64x64.
_SMALL: List[Tuple[str, str, Tuple[Any, ...]]] = [
    ("gaussian_filter", "1", (1.0,)),
    ("uniform_filter", "3", (3,)),
    ("median_filter", "3", (3,)),
    ("sobel", "", ()),
    ("correlate", "3x3", (np.arange(9.0).reshape(3, 3) % 5,)),
]


def median_ms(call: Callable[[], Any], seconds: float) -> float:
    """Returns the median time of a call in milliseconds, of as many as fit into `seconds`."""
    call()
    times: List[float] = []
    end = time.perf_counter() + seconds
    while not times or (time.perf_counter() < end and len(times) < 1000):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return 1e3 * sorted(times)[len(times) // 2]


def times_of(
    name: str, image: np.ndarray, args: Tuple[Any, ...], kwargs: Dict[str, Any], seconds: float
) -> Tuple[float, float, float]:
    """Returns the times of SciPy, of Gauze from host to host, and on the device, in milliseconds."""
    function = getattr(ndimage, name)
    engine = default_engine()

    def on_device(array: Any) -> None:
        function(array, *args, **kwargs)
        engine.finish()

    device = float("nan")
    if image.dtype != np.float64:
        array = engine.array(image)
        device = median_ms(lambda: on_device(array), seconds)
    return (
        median_ms(lambda: scipy_function(name)(image, *args, **kwargs), seconds),
        median_ms(lambda: function(image, *args, **kwargs), seconds),
        device,
    )


def call_us(
    name: str, image: np.ndarray, args: Tuple[Any, ...], seconds: float
) -> Tuple[float, float, float]:
    """Returns the median times of a function, of its plan, and of the plan's run in C++, in microseconds."""
    function = getattr(ndimage, name)
    plan = plan_of(function, image, *args)
    out = np.empty_like(image)
    calls = [lambda: function(image, *args), lambda: plan(image, out)]
    times: List[List[float]] = [[], [], []]
    end = time.perf_counter() + seconds
    # In turns, so that all have the same share of what else the machine does.
    while not times[0] or time.perf_counter() < end:
        for call, own in zip(calls, times):
            for _ in range(50):
                began = time.perf_counter()
                call()
                own.append(time.perf_counter() - began)
        times[2] += plan._run_seconds(image, out, 50)
    function_us, plan_us, run_us = (1e6 * float(np.median(own)) for own in times)
    return function_us, plan_us, run_us


def main(arguments: Optional[List[str]] = None) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m gauze.bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=int, default=2048, help="pixels of a side of the image")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each time")
    options = parser.parse_args(arguments)
    pixels = np.random.default_rng(0).random((options.size, options.size))
    print(f"{default_engine().device.name}, {options.size}x{options.size}, milliseconds")
    print(f"{'':34}{'SciPy':>10}{'host':>10}{'device':>10}{'SciPy / host':>14}")
    for name, dtype, args, kwargs in _CASES:
        image = (pixels * 255).astype(dtype) if dtype == "uint8" else pixels.astype(dtype)
        scipy_ms, host_ms, device_ms = times_of(name, image, args, kwargs, options.seconds)
        what = ", ".join("7x7" if isinstance(a, np.ndarray) else f"{a:g}" for a in args)
        row = f"{name}({what}) {dtype}"
        print(f"{row:34}{scipy_ms:10.2f}{host_ms:10.2f}{device_ms:10.2f}{scipy_ms / host_ms:14.2f}")
    small = pixels[:64, :64].astype(np.float32)
    print(f"64x64 float32, microseconds\n{'':34}{'call':>10}{'plan':>10}{'C++':>10}{'call - C++':>14}")
    for name, what, small_args in _SMALL:
        call, plan, run = call_us(name, small, small_args, options.seconds)
        print(f"{f'{name}({what})':34}{call:10.1f}{plan:10.1f}{run:10.1f}{call - run:14.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
