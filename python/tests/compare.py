#!/usr/bin/env python3
"""Compares gauze.ndimage with SciPy on random calls of all functions.

    python python/tests/compare.py [--cases 5000] [--seed 0]

Prints the worst difference for each type of input, and fails where one is larger than f32 explains.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np
import scipy.ndimage

import gauze.ndimage

DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32",
          "float64", "complex64", "complex128"]  # fmt: skip
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]

CORRELATIONS = ["correlate", "convolve", "correlate1d", "convolve1d"]
GAUSSIANS = ["gaussian_filter", "gaussian_filter1d", "gaussian_laplace", "gaussian_gradient_magnitude"]
MEANS = ["uniform_filter", "uniform_filter1d"]
DIFFERENCES = ["sobel", "prewitt", "laplace"]
RANKS = ["minimum_filter", "maximum_filter", "median_filter", "rank_filter", "percentile_filter",
         "minimum_filter1d", "maximum_filter1d"]  # fmt: skip
MORPHOLOGY = ["grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "white_tophat",
              "black_tophat", "morphological_gradient", "morphological_laplace"]  # fmt: skip
SPLINES = ["spline_filter", "spline_filter1d"]
FUNCTIONS = CORRELATIONS + GAUSSIANS + MEANS + DIFFERENCES + RANKS + MORPHOLOGY + SPLINES


class Case(NamedTuple):
    """A call of a function."""

    name: str
    input: np.ndarray
    args: Tuple[Any, ...]
    kwargs: Dict[str, Any]

    def __str__(self) -> str:
        def short(value: Any) -> str:
            return f"array{value.shape}{value.dtype}" if isinstance(value, np.ndarray) else repr(value)

        arguments = [short(self.input), *map(short, self.args)]
        arguments += [f"{key}={short(value)}" for key, value in self.kwargs.items()]
        return f"{self.name}({', '.join(arguments)})"


def random_array(
    rng: np.random.Generator, shape: Tuple[int, ...], dtype: str, largest: int
) -> np.ndarray:
    """Pixels of a type: floats from 0 to 1, integers up to one of several sizes."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.random(shape) < 0.5
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        sizes = [100, 2**15, 2**20, 2**31, 2**52]
        most = min(limits.max, int(rng.choice([size for size in sizes if size <= largest])))
        return rng.integers(max(limits.min, -most), most, shape, endpoint=True).astype(kind)
    values = rng.random(shape)
    if kind.kind == "c":
        return (values + 1j * rng.random(shape)).astype(kind)
    return values.astype(kind)


def layouts(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """The array in one of several layouts: contiguous, Fortran's, a part of a larger one, reversed."""
    kind = rng.integers(6)
    if kind == 0 and array.ndim > 1:
        return np.asfortranarray(array)
    if kind == 1:
        larger = np.zeros([n + 3 for n in array.shape], array.dtype)
        part = larger[tuple(slice(1, 1 + n) for n in array.shape)]
        part[...] = array
        return part
    if kind == 2:
        return array[::-1].copy()[::-1]
    if kind == 3 and array.dtype.itemsize > 1:
        return array.astype(array.dtype.newbyteorder())
    return array


def origin_of(rng: np.random.Generator, size: int) -> int:
    return int(rng.integers(-(size // 2), (size - 1) // 2 + 1))


def random_case(rng: np.random.Generator) -> Case:
    """A call that SciPy takes."""
    name = str(rng.choice(FUNCTIONS))
    ndim = int(rng.choice([1, 2, 2, 2, 3, 3, 4, 5]))
    most = {1: 60, 2: 24, 3: 10, 4: 6, 5: 4}[ndim]
    shape = tuple(int(n) for n in rng.integers(1, most, ndim, endpoint=True))
    dtypes = DTYPES
    if name in RANKS + MORPHOLOGY:
        dtypes = DTYPES[:-2]
    if name in ("gaussian_laplace", "gaussian_gradient_magnitude"):
        # Derivatives of unsigned integers wrap around: what is just below 0 becomes the largest.
        # So do squares in eight bits.
        dtypes = [each for each in DTYPES if not each.startswith("u") and each not in ("bool", "int8")]
    if name in DIFFERENCES + CORRELATIONS:
        # SciPy's double has not room for what wraps around in 64 bits.
        dtypes = [each for each in DTYPES if each != "uint64"]
    dtype = str(rng.choice(dtypes))
    # Squares, and sums, stay in the range of the type: SciPy's casts from double do not wrap beyond.
    largest = 100 if name == "gaussian_gradient_magnitude" else 2**52 if name in RANKS else 2**20
    array = layouts(rng, random_array(rng, shape, dtype, largest))
    kwargs: Dict[str, Any] = {"mode": str(rng.choice(MODES))}
    args: List[Any] = []
    if rng.random() < 0.3:
        cvals = [1.0, 2.0] if name in DIFFERENCES else [1.0, 2.0, 0.5]
        kwargs["cval"] = float(rng.choice(cvals))
    if name in SPLINES:
        # SciPy's 'reflect' and 'nearest' are those of an endless line.
        modes = ["mirror", "grid-wrap"] + (["reflect", "nearest"] if min(shape) > 30 else [])
        kwargs = {"mode": str(rng.choice(modes)), "order": int(rng.integers(2, 6))}
        if name == "spline_filter1d":
            kwargs["axis"] = int(rng.integers(-ndim, ndim))
        return Case(name, array, (), kwargs)
    one_axis = name.endswith("1d") or name in ("sobel", "prewitt")
    axes = tuple(range(ndim))
    if one_axis:
        kwargs["axis"] = int(rng.integers(-ndim, ndim))
    elif rng.random() < 0.4:
        count = int(rng.integers(1, ndim, endpoint=True))
        axes = tuple(int(axis) for axis in rng.permutation(ndim)[:count])
        kwargs["axes"] = axes
    sizes = tuple(int(n) for n in rng.integers(1, 5 if ndim < 4 else 3, len(axes), endpoint=True))
    if one_axis:
        sizes = (int(rng.integers(1, 9)),)
    origins = [origin_of(rng, n) for n in sizes]
    takes_modes = name in ("gaussian_filter", "uniform_filter", "minimum_filter", "maximum_filter")
    if takes_modes and rng.random() < 0.3:
        kwargs["mode"] = [str(rng.choice(MODES)) for _ in axes]

    if name in CORRELATIONS:
        taps = rng.integers(-3, 4, sizes) if rng.random() < 0.5 else rng.random(sizes) - 0.3
        args = [taps]
        kwargs["origin"] = origins[0] if one_axis else origins_of_axes(axes, origins, ndim)
    elif name in GAUSSIANS:
        args = [float(rng.uniform(0.4, 2.5))]
        if name in ("gaussian_filter", "gaussian_filter1d"):
            kwargs["order"] = 0 if array.dtype.kind == "u" else int(rng.integers(0, 4))
        if name == "gaussian_gradient_magnitude":
            kwargs.pop("axes", None)
    elif name in MEANS:
        args = [sizes[0] if one_axis else sizes]
        kwargs["origin"] = origins[0] if one_axis else origins
    elif name in RANKS:
        if name in ("rank_filter", "percentile_filter"):
            args = [0 if name == "rank_filter" else float(rng.uniform(0, 100))]
        if one_axis:
            args.append(sizes[0])
            kwargs["origin"] = origins[0]
        elif rng.random() < 0.5:
            # A box of one size along all axes: SciPy lets sizes follow the array's axes.
            side = int(rng.integers(1, 4))
            kwargs["size"] = side
            kwargs["origin"] = origin_of(rng, side)
        else:
            side = int(rng.integers(1, 4))
            footprint = rng.random((side,) * len(axes)) < 0.6
            footprint[(side // 2,) * len(axes)] = True
            kwargs["footprint"] = footprint
            kwargs["origin"] = origin_of(rng, side)
            if isinstance(kwargs["mode"], list):
                kwargs["mode"] = "reflect"
    elif name in MORPHOLOGY:
        side = int(rng.integers(1, 4))
        kind = rng.integers(3)
        kwargs["origin"] = origin_of(rng, side)
        if kind == 0:
            kwargs["size"] = side
        elif kind == 1:
            footprint = rng.random((side,) * len(axes)) < 0.6
            footprint[(side // 2,) * len(axes)] = True
            kwargs["footprint"] = footprint
        elif np.can_cast(np.int32, array.dtype) or array.dtype.kind == "f":
            # SciPy's sums with weights wrap around in smaller types.
            kwargs["structure"] = rng.integers(0, 3, (side,) * len(axes))
            # SciPy cuts a constant off to the type but at the first place of a window.
            kwargs["cval"] = float(rng.integers(0, 3))
        else:
            kwargs["size"] = side
        if array.dtype.kind == "b" and name.startswith("morphological"):
            array = array.astype(np.uint8)
    if array.dtype.kind in "iuf" and rng.random() < 0.3:
        wide = "float64" if name not in RANKS + MORPHOLOGY else None
        if wide:
            kwargs["output"] = wide
    return Case(name, array, tuple(args), kwargs)


def origins_of_axes(axes: Tuple[int, ...], origins: List[int], ndim: int) -> List[int]:
    """Origins in the order of `axes`, of a box whose sides follow the array's axes.

    Where all axes are given SciPy takes them in the array's order.
    """
    if len(axes) == ndim:
        return origins
    order = sorted(axes)
    return [origins[order.index(axis)] for axis in axes]


def difference(case: Case) -> Tuple[float, bool]:
    """Returns the largest difference from SciPy over the largest value, and whether f32 explains it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(scipy.ndimage, case.name)(case.input, *case.args, **case.kwargs)
        got = getattr(gauze.ndimage, case.name)(case.input, *case.args, **case.kwargs)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return np.inf, False
    if got.size == 0:
        return 0.0, True
    if expected.dtype.kind in "biu":
        wide = np.int64 if expected.dtype.kind != "b" else np.uint8
        bits = 8 * expected.dtype.itemsize
        # Around the end of the range the next numbers are neighbours.
        apart = (got.astype(wide) - expected.astype(wide)).astype(np.int64)
        apart = np.abs(apart) if bits >= 63 else np.minimum(np.abs(apart), 2**bits - np.abs(apart))
        worst = int(apart.max())
        is_exact = case.name in RANKS + MORPHOLOGY + MEANS + DIFFERENCES or (
            case.name in CORRELATIONS and np.asarray(case.args[0]).dtype.kind in "iu"
        )
        if is_exact:
            return float(worst), worst == 0
        largest = float(np.abs(case.input.astype(float)).max(initial=0)) + 1
        # Cut off, so that what is close to an integer may fall to either side. That happens after each
        # axis, and the taps of the next enlarge it: those of a second derivative by 2 / sigma^2.
        allowed = 1 + 4e-6 * largest
        if case.name in ("gaussian_laplace", "gaussian_gradient_magnitude", "gaussian_filter"):
            allowed *= expected.ndim + 1
        if case.name == "gaussian_laplace":
            allowed *= max(1.0, 2 / case.args[0] ** 2)
        return float(worst), worst <= allowed
    scale = max(float(np.abs(expected).max()), float(np.abs(case.input.astype(complex)).max()), 1e-3)
    taps = np.abs(np.asarray(case.args[0])).sum() if case.name in CORRELATIONS else 1.0
    worst = float(np.abs(got - expected).max()) / (scale * max(1.0, float(taps)))
    return worst, worst <= 2e-6


def compare(cases: int, seed: int) -> Tuple[Dict[str, float], Dict[str, int], List[str]]:
    """Returns the worst difference and the number of cases of each type, and what failed."""
    rng = np.random.default_rng(seed)
    worst: Dict[str, float] = defaultdict(float)
    counts: Dict[str, int] = defaultdict(int)
    failed: List[str] = []
    for _ in range(cases):
        case = random_case(rng)
        key = case.input.dtype.newbyteorder("=").name
        try:
            error, is_right = difference(case)
        except Exception as problem:  # an error of one of the two is what is looked for
            failed.append(f"{case}: {type(problem).__name__}: {problem}")
            continue
        counts[key] += 1
        worst[key] = max(worst[key], error)
        if not is_right:
            failed.append(f"{case}: {error:g}")
    return worst, counts, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    worst, counts, failed = compare(arguments.cases, arguments.seed)
    print(f"{'type':12} {'cases':>6} {'worst difference':>18}")
    for dtype in DTYPES:
        print(f"{dtype:12} {counts[dtype]:6} {worst[dtype]:18.3g}")
    for text in failed:
        print("FAILED", text)
    print(f"{len(failed)} of {arguments.cases} cases failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
