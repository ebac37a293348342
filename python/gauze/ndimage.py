"""scipy.ndimage's filters on any OpenCL device.

>>> import gauze.ndimage as ndi
>>> smooth = ndi.gaussian_filter(image, sigma=3)

Functions take what SciPy's take, and mean the same: modes, axes, origins, outputs and types.
NumPy arrays are filtered on gauze.default_engine(), and results are NumPy arrays. A gauze.Array
is filtered on its own device, and the result is one there. Arithmetic is in f32. docs/python.md
lists what differs from SciPy.

`generic_filter`, `generic_filter1d` and `vectorized_filter` call functions of Python's: SciPy does
that, and a HandOverWarning says so. So it does, with the same warning, for windows that are larger
than the library's.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._arguments import (
    AnyArray,
    Output,
    anchor_of,
    array_of,
    axes_of,
    axis_of,
    border_of,
    cast,
    check_dimensions,
    footprint_of,
    is_sequence,
    one_border,
    per_axis,
    positive,
    real_array_of,
)
from ._calls import public
from ._document import documented
from ._gauze import Array, Filter, Scan
from ._hand_over import HandOver, HandOverWarning
from ._linear import MAX_TAPS, Pass, copy, dense, separable
from ._order import extreme, weighted, window_filter
from ._run import (
    Spec,
    along_image,
    device_chain,
    direct_target,
    finish,
    host,
    run,
    source_of,
)

__all__ = [
    "HandOverWarning",
    "black_tophat",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_filter",
    "generic_filter1d",
    "generic_gradient_magnitude",
    "generic_laplace",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "laplace",
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
    "vectorized_filter",
    "white_tophat",
]

Input = Union[ArrayLike, Array]
OutputLike = Union[np.ndarray, Array, DTypeLike, None]
Result = Any  # a numpy.ndarray or an Array, as the input is
Mode = Union[str, Sequence[str]]
PerAxis = Union[int, Sequence[int]]

_bad_origin = "Invalid origin; origin must satisfy -(size // 2) <= origin <= (size - 1) // 2"


# Complex numbers


def _parts(array: AnyArray) -> Tuple[np.ndarray, np.ndarray]:
    on_host = host(array)
    return on_host.real, on_host.imag


def _complex(
    function: Callable[..., Any], input: AnyArray, weights: Optional[np.ndarray], output: Any,
    cval: Any, **options: Any,
) -> Result:  # fmt: skip
    """Filters real and imaginary parts. function: function(input, weights, output=, cval=, ...)."""
    target = Output(output, input, is_complex=True)
    dtype = np.empty(0, target.dtype).real.dtype
    is_complex_input = input.dtype.kind == "c"
    if not is_complex_input and np.iscomplexobj(cval):
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")

    def part(of_input: Any, of_weights: Any, of_cval: Any) -> np.ndarray:
        return host(function(of_input, of_weights, output=dtype, cval=of_cval, **options))

    if weights is not None and weights.dtype.kind == "c":
        if is_complex_input:
            a, b = _parts(input)
            u, v = np.real(cval), np.imag(cval)
            real = part(a, weights.real, u) - part(b, weights.imag, v)
            imag = part(a, weights.imag, u) + part(b, weights.real, v)
        else:
            real, imag = part(input, weights.real, cval), part(input, weights.imag, cval)
    else:
        a, b = _parts(input)
        real, imag = part(a, weights, np.real(cval)), part(b, weights, np.imag(cval))
    result = np.empty(real.shape, target.dtype)
    result.real, result.imag = real, imag
    return finish(result, target, input)


# Correlations


@public
@documented
def correlate1d(
    input: Input,
    weights: ArrayLike,
    axis: int = -1,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Result:
    """Correlates along an axis.

    Parameters
    ----------
    {input}
    weights : array_like, shape (n,)
        Up to 4095 taps; more are handed over to SciPy.
    {axis}
    {output}
    {mode1d}
    {cval}
    {origin1d}

    Returns
    -------
    {result}
    """
    array = array_of(input)
    taps = np.asarray(weights)
    if array.dtype.kind == "c" or taps.dtype.kind == "c":
        if taps.dtype.kind == "c":
            taps = taps.conj()
        return _complex(
            lambda a, w, **rest: correlate1d(a, w, axis, mode=mode, origin=origin, **rest),
            array, taps, output, cval,
        )  # fmt: skip
    target = Output(output, array)
    taps = np.asarray(taps, dtype=np.float64)
    if taps.ndim != 1 or taps.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    axis = axis_of(axis, array.ndim)
    anchor = anchor_of(len(taps), origin, _bad_origin)
    passes = [Pass(axis, np.ascontiguousarray(taps), anchor, border_of(mode))]
    return separable(array, passes, target, float(cval))


@public
@documented
def convolve1d(
    input: Input,
    weights: ArrayLike,
    axis: int = -1,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Result:
    """Convolves along an axis.

    Parameters
    ----------
    {input}
    weights : array_like, shape (n,)
        Up to 4095 taps; more are handed over to SciPy.
    {axis}
    {output}
    {mode1d}
    {cval}
    {origin1d}

    Returns
    -------
    {result}
    """
    taps = np.asarray(weights)[::-1]
    origin = -operator.index(origin) - (1 if taps.shape[0] % 2 == 0 else 0)
    if taps.dtype.kind == "c":
        taps = taps.conj()
    return correlate1d(input, taps, axis, output, mode, cval, origin)


def _correlate(
    input: Input, weights: ArrayLike, output: Any, mode: str, cval: Any, origin: Any, axes: Any,
    is_convolution: bool,
) -> Result:  # fmt: skip
    array = array_of(input)
    taps = np.asarray(weights)
    if array.dtype.kind == "c" or taps.dtype.kind == "c":
        if taps.dtype.kind == "c" and not is_convolution:
            taps = taps.conj()
        return _complex(
            lambda a, w, output, cval: _correlate(
                a, w, output, mode, cval, origin, axes, is_convolution
            ),
            array, taps, output, cval,
        )  # fmt: skip
    filtered = axes_of(axes, array.ndim)
    taps = np.asarray(taps, dtype=np.float64)
    origins = [operator.index(each) for each in per_axis(origin, len(filtered))]
    check_dimensions("weights", taps.ndim, len(filtered))
    if taps.size == 0:
        raise RuntimeError("no filter weights given")
    whole = _whole_window(array.ndim, filtered, taps)
    if is_convolution:
        whole = whole[(slice(None, None, -1),) * whole.ndim]
        order = filtered if len(filtered) < whole.ndim else range(whole.ndim)
        origins = [
            -o - (1 if whole.shape[axis] % 2 == 0 else 0) for o, axis in zip(origins, order)
        ]
    anchors = _whole_anchor(whole.shape, filtered, origins, _bad_origin)
    target = Output(output, array)
    border = one_border(mode, "")
    return dense(array, np.ascontiguousarray(whole), anchors, border, float(cval), target)


def _whole_window(
    ndim: int, filtered: Sequence[int], box: np.ndarray
) -> np.ndarray:
    """Returns a box of some axes as one of all the array's.

    The box's axes lie in the order of the array's, whatever the order of `filtered` is: SciPy has
    it so.
    """
    rest = tuple(axis for axis in range(ndim) if axis not in filtered)
    return np.expand_dims(box, rest)


def _whole_anchor(
    shape: Sequence[int], filtered: Sequence[int], origins: Sequence[int], text: str
) -> List[int]:
    """Returns the anchor of a box of all the array's axes.

    Origins follow `filtered`, but where that is all axes, in whatever order: SciPy has it so.
    """
    if len(filtered) == len(shape):
        filtered = range(len(shape))
    anchors = [0] * len(shape)
    for axis, origin in zip(filtered, origins):
        anchors[axis] = anchor_of(shape[axis], origin, text)
    return anchors


@public
@documented
def correlate(
    input: Input,
    weights: ArrayLike,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """Correlates with a box of weights.

    Parameters
    ----------
    {input}
    weights : array_like
        As many axes as are filtered: up to 63x63 along the array's last two, or 15 along each of up
        to four axes; larger ones only if they are a product of vectors.
    {output}
    {mode1d}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    return _correlate(input, weights, output, mode, cval, origin, axes, False)


@public
@documented
def convolve(
    input: Input,
    weights: ArrayLike,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """Convolves with a box of weights.

    Parameters
    ----------
    {input}
    weights : array_like
        As of correlate().
    {output}
    {mode1d}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    return _correlate(input, weights, output, mode, cval, origin, axes, True)


# Gaussians


@functools.lru_cache(maxsize=256)
def _gaussian_taps(sigma: float, order: int, radius: int) -> np.ndarray:
    """The correlation's taps of a Gaussian's derivative.

    The n-th derivative of exp(-x^2 / (2 s^2)) is that times (-1 / s)^n He_n(x / s), He the
    probabilists' Hermite polynomials. A correlation has the sign of the mirrored kernel.
    """
    x = np.arange(-radius, radius + 1)
    gauss = np.exp(-0.5 / (sigma * sigma) * x**2)
    gauss /= gauss.sum()
    if order == 0:
        return gauss  # callers do not change it
    hermite = np.polynomial.hermite_e.hermeval(x / sigma, [0] * order + [1])
    return gauss * hermite / sigma**order


def _gaussian_pass(
    axis: int, sigma: Any, order: Any, mode: str, truncate: float, radius: Any
) -> Pass:
    sigma = float(sigma)
    order = operator.index(order)
    if radius is None:
        radius = int(float(truncate) * sigma + 0.5)
    try:
        radius = operator.index(radius)
    except TypeError:
        raise ValueError("Radius must be a nonnegative integer.") from None
    if radius < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    if order < 0:
        raise ValueError("order must be non-negative")
    if 2 * radius + 1 > MAX_TAPS:
        raise HandOver(f"a radius of {radius} takes more than {MAX_TAPS} taps along an axis")
    return Pass(axis, _gaussian_taps(sigma, order, radius), radius, border_of(mode))


@public
@documented
def gaussian_filter1d(
    input: Input,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Optional[int] = None,
) -> Result:
    """Filters along an axis by a Gaussian or its derivative.

    Parameters
    ----------
    {input}
    sigma : float
        Standard deviation in pixels.
    {axis}
    order : int, optional
        Order of the derivative; 0: the Gaussian itself.
    {output}
    {mode1d}
    {cval}
    {truncate}
    radius : int, optional
        Radius of the taps in pixels, in place of `truncate`; above 2047 SciPy does it.

    Returns
    -------
    {result}
    """
    array = array_of(input)
    axis = axis_of(axis, array.ndim)
    if array.dtype.kind == "c":
        return _complex(
            lambda a, _, **rest: gaussian_filter1d(
                a, sigma, axis, order, mode=mode, truncate=truncate, radius=radius, **rest
            ),
            array, None, output, cval,
        )  # fmt: skip
    one_pass = _gaussian_pass(axis, sigma, order, mode, truncate, radius)
    return separable(array, [one_pass], Output(output, array), float(cval))


@public
@documented
def gaussian_filter(
    input: Input,
    sigma: Union[float, Sequence[float]],
    order: PerAxis = 0,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    truncate: float = 4.0,
    *,
    radius: Optional[PerAxis] = None,
    axes: Optional[PerAxis] = None,
) -> Result:
    """Filters by a Gaussian or its derivatives.

    Parameters
    ----------
    {input}
    sigma : float or sequence of float
        Standard deviation in pixels, of each filtered axis or of all; 0 leaves an axis alone.
    order : int or sequence of int, optional
        Order of the derivative along each filtered axis; 0: the Gaussian itself.
    {output}
    {mode}
    {cval}
    {truncate}
    radius : int or sequence of int, optional
        Radius of the taps in pixels, in place of `truncate`; above 2047 SciPy does it.
    {axes}

    Returns
    -------
    {result}
    """
    array = array_of(input)
    filtered = axes_of(axes, array.ndim)
    count = len(filtered)
    if array.dtype.kind == "c":
        return _complex(
            lambda a, _, **rest: gaussian_filter(
                a, sigma, order, mode=mode, truncate=truncate, radius=radius, axes=axes, **rest
            ),
            array, None, output, cval,
        )  # fmt: skip
    target = Output(output, array)
    orders, sigmas = per_axis(order, count), per_axis(sigma, count)
    modes, radii = per_axis(mode, count), per_axis(radius, count)
    passes = [
        _gaussian_pass(*each[:4], truncate, each[4])
        for each in zip(filtered, sigmas, orders, modes, radii)
        if each[1] > 1e-15
    ]
    return separable(array, passes, target, float(cval))


# Means


def _uniform_pass(axis: int, size: int, origin: int, mode: str) -> Pass:
    return Pass(axis, np.ones(size), anchor_of(size, origin), border_of(mode), size)


@public
@documented
def uniform_filter1d(
    input: Input,
    size: int,
    axis: int = -1,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: complex = 0.0,
    origin: int = 0,
) -> Result:
    """The mean of `size` pixels along an axis.

    Parameters
    ----------
    {input}
    size : int
        Pixels, 1 or more; even or shifted ones beyond 4095 are handed over to SciPy.
    {axis}
    {output}
    {mode1d}
    {cval}
    {origin1d}

    Returns
    -------
    {result}
    """
    array = array_of(input)
    axis = axis_of(axis, array.ndim)
    size = operator.index(size)
    positive([size])
    if array.dtype.kind == "c":
        return _complex(
            lambda a, _, **rest: uniform_filter1d(
                a, size, axis, mode=mode, origin=origin, **rest
            ),
            array, None, output, cval,
        )  # fmt: skip
    target = Output(output, array)
    return separable(array, [_uniform_pass(axis, size, origin, mode)], target, float(cval))


@public
@documented
def uniform_filter(
    input: Input,
    size: PerAxis = 3,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The mean of the pixels of a box.

    Parameters
    ----------
    {input}
    size : int or sequence of int, optional
        Pixels of the box along each filtered axis, or all.
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    array = array_of(input)
    filtered = axes_of(axes, array.ndim)
    if array.dtype.kind == "c":
        return _complex(
            lambda a, _, **rest: uniform_filter(
                a, size, mode=mode, origin=origin, axes=axes, **rest
            ),
            array, None, output, cval,
        )  # fmt: skip
    target = Output(output, array)
    count = len(filtered)
    sizes = [int(each) for each in per_axis(size, count)]
    origins, modes = per_axis(origin, count), per_axis(mode, count)
    passes = [
        _uniform_pass(*each)
        for each in zip(filtered, sizes, origins, modes)
        if each[1] > 1
    ]
    return separable(array, passes, target, float(cval))


# Derivatives


def _along(
    input: AnyArray, axis: int, smooth: Sequence[int], output: Any, mode: Any, cval: Any
) -> Result:
    """The difference along one axis, and smoothing taps along the others."""
    if input.dtype.kind == "c":
        return _complex(
            lambda a, _, output, cval: _along(a, axis, smooth, output, mode, cval),
            input, None, output, cval,
        )  # fmt: skip
    axis = axis_of(axis, input.ndim)
    target = Output(output, input)
    borders = [border_of(each) for each in per_axis(mode, input.ndim)]
    passes = [Pass(axis, np.array([-1.0, 0.0, 1.0]), 1, borders[axis])]
    passes += [
        Pass(other, np.array(smooth, dtype=np.float64), 1, borders[other])
        for other in range(input.ndim)
        if other != axis
    ]
    return separable(input, passes, target, float(cval))


@public
@documented
def prewitt(
    input: Input,
    axis: int = -1,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
) -> Result:
    """Prewitt's derivative: [-1, 0, 1] along an axis, [1, 1, 1] along the others.

    Parameters
    ----------
    {input}
    {axis}
    {output}
    {mode}
    {cval}

    Returns
    -------
    {result}
    """
    return _along(array_of(input), axis, (1, 1, 1), output, mode, cval)


@public
@documented
def sobel(
    input: Input,
    axis: int = -1,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
) -> Result:
    """Sobel's derivative: [-1, 0, 1] along an axis, [1, 2, 1] along the others.

    Parameters
    ----------
    {input}
    {axis}
    {output}
    {mode}
    {cval}

    Returns
    -------
    {result}
    """
    return _along(array_of(input), axis, (1, 2, 1), output, mode, cval)


def _arithmetic(target: Output, like: AnyArray, result: np.ndarray) -> Result:
    """Stores what was computed on the host."""
    return finish(np.asarray(result), target, like)


@public
@documented
def generic_laplace(
    input: Input,
    derivative2: Callable[..., Any],
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    extra_arguments: Tuple[Any, ...] = (),
    extra_keywords: Optional[dict] = None,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The sum of second derivatives that a function of yours computes.

    Parameters
    ----------
    {input}
    derivative2 : callable
        derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords).
    {output}
    {mode}
    {cval}
    extra_arguments, extra_keywords
        Passed to `derivative2`.
    {axes}

    Returns
    -------
    {result}
    """
    array = array_of(input)
    target = Output(output, array)
    filtered = axes_of(axes, array.ndim)
    if not filtered:
        return copy(array, target)
    keywords = extra_keywords or {}
    modes = per_axis(mode, len(filtered))
    total: Optional[np.ndarray] = None
    for axis, each in zip(filtered, modes):
        term = host(
            derivative2(array, axis, target.dtype, each, cval, *extra_arguments, **keywords)
        )
        total = np.array(term, dtype=target.dtype) if total is None else np.add(total, term, total)
    assert total is not None
    return _arithmetic(target, array, total)


@public
@documented
def laplace(
    input: Input,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The sum of the second differences [1, -2, 1] along each filtered axis.

    Parameters
    ----------
    {input}
    {output}
    {mode}
    {cval}
    {axes}

    Returns
    -------
    {result}
    """
    array = array_of(input)
    filtered = axes_of(axes, array.ndim)
    modes = per_axis(mode, len(filtered))
    borders = {border_of(each) for each in modes}
    is_cut_off = "constant" in borders and cval != np.trunc(np.real(cval))
    if array.dtype.kind == "c" or len(borders) != 1 or not 0 < len(filtered) <= 4 or is_cut_off:
        return generic_laplace(
            array,
            lambda a, axis, output, mode, cval: correlate1d(
                a, [1, -2, 1], axis, output, mode, cval
            ),
            output,
            mode,
            cval,
            axes=axes,
        )
    # One border for all axes: one cross of weights.
    cross = np.zeros((3,) * len(filtered))
    for i in range(len(filtered)):
        at = [1] * len(filtered)
        for at[i] in (0, 2):
            cross[tuple(at)] += 1
    cross[(1,) * len(filtered)] = -2 * len(filtered)
    target = Output(output, array)
    whole = _whole_window(array.ndim, filtered, cross)
    anchors = _whole_anchor(whole.shape, filtered, [0] * len(filtered), _bad_origin)
    return dense(array, whole, anchors, borders.pop(), float(cval), target)


def _derivative_of_gaussian(order_along_axis: int, sigmas: Sequence[float]) -> Callable[..., Any]:
    def derivative(
        input: AnyArray, axis: int, output: Any, mode: Any, cval: Any, **options: Any
    ) -> Result:
        order = [0] * input.ndim
        order[axis] = order_along_axis
        return gaussian_filter(input, sigmas, order, output, mode, cval, **options)

    return derivative


def _of_gaussian(
    name: str,
    array: AnyArray,
    sigmas: Sequence[float],
    output: OutputLike,
    mode: Mode,
    cval: complex,
    axes: Optional[PerAxis],
    options: dict,
) -> Optional[Result]:
    """The filter of that name of a Gaussian's derivatives, in one run on the device.

    Returns None where that is not what SciPy does: where sums are of integers, complex numbers or
    f64, where results between are extended anew by a constant, and where not every axis has taps.
    """
    truncate = float(options.pop("truncate", 4.0))
    target = Output(output, array)
    ndim = array.ndim
    borders = {border_of(each) for each in per_axis(mode, len(axes_of(axes, ndim)))}
    radii = [int(truncate * float(sigma) + 0.5) for sigma in sigmas]
    if (
        options
        or target.dtype not in (np.float32, np.float16)
        or array.dtype.kind == "c"
        or array.size == 0
        or not 0 < ndim <= 4
        or sorted(axes_of(axes, ndim)) != list(range(ndim))
        or len(borders) != 1
        or ("constant" in borders and cval != 0)
        or min(radii) < 1
        or max(radii) > MAX_TAPS // 2
    ):
        return None

    def make(place: Any) -> Filter:
        own = along_image({axis: float(sigmas[axis]) for axis in range(ndim)}, place, 0.0)
        constructor = getattr(Filter, name)
        return constructor(sigma=own, truncate=truncate, method="fir")

    key = (name, tuple(float(sigma) for sigma in sigmas), truncate)
    spec = Spec(key, tuple(range(ndim)), 4, make, borders.pop(), 0.0)
    source = source_of(array)
    result = run(spec, source, target.dtype, direct_target(target, target.dtype, source))
    return finish(result, target, array)


@public
@documented
def gaussian_laplace(
    input: Input,
    sigma: Union[float, Sequence[float]],
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    *,
    axes: Optional[PerAxis] = None,
    **kwargs: Any,
) -> Result:
    """The sum of a Gaussian's second derivatives.

    Parameters
    ----------
    {input}
    sigma : float or sequence of float
        Standard deviation in pixels, of each filtered axis or of all.
    {output}
    {mode}
    {cval}
    {axes}
    **kwargs
        Passed to gaussian_filter().

    Returns
    -------
    {result}
    """
    array = array_of(input)
    filtered = axes_of(axes, array.ndim)
    sigmas = [0.0] * array.ndim
    for axis, each in zip(filtered, per_axis(sigma, len(filtered))):
        sigmas[axis] = each
    result = _of_gaussian("laplace", array, sigmas, output, mode, cval, axes, dict(kwargs))
    if result is not None:
        return result
    derivative = _derivative_of_gaussian(2, sigmas)
    return generic_laplace(
        array, derivative, output, mode, cval, extra_keywords=kwargs, axes=axes
    )


@public
@documented
def generic_gradient_magnitude(
    input: Input,
    derivative: Callable[..., Any],
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    extra_arguments: Tuple[Any, ...] = (),
    extra_keywords: Optional[dict] = None,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The root of the sum of squares of derivatives that a function of yours computes.

    Parameters
    ----------
    {input}
    derivative : callable
        derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords).
    {output}
    {mode}
    {cval}
    extra_arguments, extra_keywords
        Passed to `derivative`.
    {axes}

    Returns
    -------
    {result}
    """
    array = array_of(input)
    target = Output(output, array)
    filtered = axes_of(axes, array.ndim)
    if not filtered:
        return copy(array, target)
    keywords = extra_keywords or {}
    modes = per_axis(mode, len(filtered))
    total: Optional[np.ndarray] = None
    for axis, each in zip(filtered, modes):
        term = host(
            derivative(array, axis, target.dtype, each, cval, *extra_arguments, **keywords)
        )
        square = np.multiply(term, term, dtype=target.dtype)
        total = square if total is None else np.add(total, square, total)
    assert total is not None
    np.sqrt(total, total, casting="unsafe")
    return _arithmetic(target, array, total)


@public
@documented
def gaussian_gradient_magnitude(
    input: Input,
    sigma: Union[float, Sequence[float]],
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: complex = 0.0,
    *,
    axes: Optional[PerAxis] = None,
    **kwargs: Any,
) -> Result:
    """The root of the sum of squares of a Gaussian's first derivatives.

    Parameters
    ----------
    {input}
    sigma : float or sequence of float
        Standard deviation in pixels along each of the array's axes, or all.
    {output}
    {mode}
    {cval}
    {axes}
    **kwargs
        Passed to gaussian_filter().

    Returns
    -------
    {result}
    """
    array = array_of(input)
    sigmas = per_axis(sigma, array.ndim)
    result = _of_gaussian(
        "gradient_magnitude", array, sigmas, output, mode, cval, axes, dict(kwargs)
    )
    if result is not None:
        return result
    derivative = _derivative_of_gaussian(1, sigmas)
    return generic_gradient_magnitude(
        array, derivative, output, mode, cval, extra_keywords=kwargs, axes=axes
    )


# Ranks


def _extreme1d(
    kind: str, input: Input, size: int, axis: int, output: Any, mode: str, cval: float, origin: int
) -> Result:
    array = real_array_of(input)
    axis = axis_of(axis, array.ndim)
    size = operator.index(size)
    positive([size])
    target = Output(output, array)
    window = (axis, size, anchor_of(size, origin), border_of(mode))
    return extreme(array, kind, [window], float(cval), target)


@public
@documented
def minimum_filter1d(
    input: Input,
    size: int,
    axis: int = -1,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Result:
    """The least of `size` pixels along an axis.

    Parameters
    ----------
    {input}
    size : int
        Pixels, 1 to 1048575.
    {axis}
    {output}
    {mode1d}
    {cval}
    {origin1d}

    Returns
    -------
    {result}
    """
    return _extreme1d("minimum", input, size, axis, output, mode, cval, origin)


@public
@documented
def maximum_filter1d(
    input: Input,
    size: int,
    axis: int = -1,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Result:
    """The largest of `size` pixels along an axis.

    Parameters
    ----------
    {input}
    size : int
        Pixels, 1 to 1048575.
    {axis}
    {output}
    {mode1d}
    {cval}
    {origin1d}

    Returns
    -------
    {result}
    """
    return _extreme1d("maximum", input, size, axis, output, mode, cval, origin)


def _extreme(
    kind: str, input: Input, size: Any, footprint: Any, structure: Any, output: Any, mode: Any,
    cval: float, origin: Any, axes: Any,
) -> Result:  # fmt: skip
    """Minima and maxima of windows, and erosions and dilations with weights."""
    weights = None if structure is None else np.asarray(structure, dtype=np.float64)
    if weights is not None and footprint is None:
        size = weights.shape
    array = real_array_of(input)
    filtered = axes_of(axes, array.ndim)
    count = len(filtered)
    target = Output(output, array)
    if footprint is not None and not np.any(footprint):
        raise ValueError("All-zero footprint is not supported.")
    sizes, places = footprint_of(size, footprint, count, "no footprint provided")
    if weights is None and places is None:
        origins = per_axis(origin, count)
        sizes = tuple(per_axis(sizes, count))
        borders = [border_of(each) for each in per_axis(mode, count)]
        windows = [
            (axis, n, anchor_of(n, o), border)
            for axis, n, o, border in zip(filtered, sizes, origins, borders)
            if n > 1
        ]
        return extreme(array, kind, windows, float(cval), target)
    origins = per_axis(origin, count)
    check_dimensions("footprint", len(sizes), count)
    box = np.ones(sizes, bool) if places is None else places
    whole = _whole_window(array.ndim, filtered, box)
    at = _whole_anchor(whole.shape, filtered, origins, _bad_origin)
    border = one_border(mode, " for non-separable footprints")
    if weights is not None and weights.shape != tuple(sizes):
        raise RuntimeError("structure array has incorrect shape")
    if weights is None:
        return window_filter(
            array, kind, (), whole.shape, whole, at, border, float(cval), target
        )
    heights = _whole_window(array.ndim, filtered, weights)
    operation = "erode" if kind == "minimum" else "dilate"
    return weighted(
        array, operation, whole.shape, whole, at, heights, border, float(cval), target
    )


@public
@documented
def minimum_filter(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The least pixel of a window.

    Parameters
    ----------
    {input}
    {window}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    return _extreme("minimum", input, size, footprint, None, output, mode, cval, origin, axes)


@public
@documented
def maximum_filter(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The largest pixel of a window.

    Parameters
    ----------
    {input}
    {window}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    return _extreme("maximum", input, size, footprint, None, output, mode, cval, origin, axes)


def _rank(
    input: Input, rank_of: Callable[[int], int], size: Any, footprint: Any, output: Any, mode: Any,
    cval: float, origin: Any, axes: Any,
) -> Result:  # fmt: skip
    """The pixel of a rank that rank_of() tells from the number of the window's pixels."""
    array = real_array_of(input)
    filtered = axes_of(axes, array.ndim)
    count = len(filtered)
    sizes, places = footprint_of(size, footprint, count)
    check_dimensions("footprint", len(sizes), count)
    positive(sizes, "footprint has no pixels")
    origins = per_axis(origin, count)
    box = np.ones(sizes, bool) if places is None else places
    whole = _whole_window(array.ndim, filtered, box)
    at = _whole_anchor(whole.shape, filtered, origins, _bad_origin)
    pixels = math.prod(sizes) if places is None else int(np.count_nonzero(places))
    if pixels == 0:
        raise ValueError("All-zero footprint is not supported.")
    rank = rank_of(pixels)
    if rank < 0:
        rank += pixels
    if not 0 <= rank < pixels:
        raise RuntimeError("rank not within filter footprint size")
    if rank in (0, pixels - 1):
        kind = "minimum" if rank == 0 else "maximum"
        window = {"size": None, "footprint": box}
        return _extreme(
            kind, array, structure=None, output=output, mode=mode, cval=cval, origin=origins,
            axes=filtered, **window,
        )  # fmt: skip
    border = one_border(mode, " by non-separable rank filters")
    target = Output(output, array)
    return window_filter(
        array, "rank", (rank,), whole.shape, None if places is None else whole, at, border,
        float(cval), target,
    )  # fmt: skip


@public
@documented
def rank_filter(
    input: Input,
    rank: int,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The pixel that has `rank` of a window's pixels below it.

    Parameters
    ----------
    {input}
    rank : int
        From -n to n - 1 in a window of n pixels; -1 is the largest.
    {window}
    {output}
    {mode1d}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    rank = operator.index(rank)
    return _rank(input, lambda _: rank, size, footprint, output, mode, cval, origin, axes)


@public
@documented
def median_filter(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The middle one of a window's pixels: of n the one with n // 2 below it.

    Parameters
    ----------
    {input}
    {window}
    {output}
    {mode1d}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    return _rank(input, lambda n: n // 2, size, footprint, output, mode, cval, origin, axes)


@public
@documented
def percentile_filter(
    input: Input,
    percentile: float,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The pixel that has int(n percentile / 100) of a window's n pixels below it.

    Parameters
    ----------
    {input}
    percentile : float
        0 to 100, or -100 to 0, to which 100 is added. At 100 the largest pixel.
    {window}
    {output}
    {mode1d}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    percent = float(percentile)
    if percent < 0:
        percent += 100.0
    if not 0 <= percent <= 100:
        raise RuntimeError("invalid percentile")

    def rank_of(n: int) -> int:
        return n - 1 if percent == 100.0 else int(float(n) * percent / 100.0)

    return _rank(input, rank_of, size, footprint, output, mode, cval, origin, axes)


# Morphology


def _check_window(size: Any, footprint: Any, structure: Any) -> None:
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")


def _erosion(input: Input, size: Any, footprint: Any, structure: Any, output: Any, mode: Any,
             cval: float, origin: Any, axes: Any) -> Result:  # fmt: skip
    _check_window(size, footprint, structure)
    return _extreme("minimum", input, size, footprint, structure, output, mode, cval, origin, axes)


def _dilation(input: Input, size: Any, footprint: Any, structure: Any, output: Any, mode: Any,
              cval: float, origin: Any, axes: Any) -> Result:  # fmt: skip
    """The dilation, whose window is the mirrored one."""
    _check_window(size, footprint, structure)
    array = real_array_of(input)
    count = len(axes_of(axes, array.ndim))
    mirrored: List[Optional[np.ndarray]] = []
    for box in (footprint, structure):
        whole = None if box is None else np.asarray(box)
        mirrored.append(None if whole is None else whole[(slice(None, None, -1),) * whole.ndim])
    if footprint is not None:
        extents: Sequence[int] = np.shape(footprint)
    elif structure is not None:
        extents = np.shape(structure)
    else:
        extents = per_axis(size, count)
    origins = [
        -operator.index(o) - (1 if int(n) % 2 == 0 else 0)
        for o, n in zip(per_axis(origin, count), extents)
    ]
    return _extreme("maximum", array, size, mirrored[0], mirrored[1], output, mode, cval,
                    origins, axes)  # fmt: skip


@public
@documented
def grey_erosion(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The least of the pixels of a window, less the structure's values.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    return _erosion(input, size, footprint, structure, output, mode, cval, origin, axes)


@public
@documented
def grey_dilation(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The largest of the pixels of the mirrored window, plus the structure's values.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    return _dilation(input, size, footprint, structure, output, mode, cval, origin, axes)


_Step = Callable[..., Any]


def _two(first: _Step, second: _Step, input: AnyArray, output: Any, window: Tuple[Any, ...],
         rest: Tuple[Any, ...]) -> Result:  # fmt: skip
    """An opening or a closing: two steps, the first of which has the input's type."""
    if input.dtype != np.bool_:
        return second(first(input, *window, None, *rest), *window, output, *rest)
    # C's bytes, which a structure may make larger than 1.
    target = Output(output, input)
    dtype = np.dtype(np.uint8) if target.dtype == np.bool_ else target.dtype
    between = first(input.view(np.uint8), *window, None, *rest)
    return finish(second(between, *window, dtype, *rest), target, input)


@public
@documented
def grey_opening(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The dilation of the erosion.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    return _two(_erosion, _dilation, real_array_of(input), output, window, rest)


@public
@documented
def grey_closing(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The erosion of the dilation.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    return _two(_dilation, _erosion, real_array_of(input), output, window, rest)


def _difference(a: Any, b: Any) -> np.ndarray:
    """The difference in NumPy's arithmetic; of bools where they differ."""
    a, b = host(a), host(b)
    if a.dtype == np.bool_ and b.dtype == np.bool_:
        return np.bitwise_xor(a, b)
    return np.subtract(a, b)


@public
@documented
def white_tophat(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The input less its opening; differences of integers wrap around.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    array = real_array_of(input)
    target = Output(output, array)
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    opened = _two(_erosion, _dilation, array, target.dtype, window, rest)
    return _arithmetic(target, array, _difference(array, opened))


@public
@documented
def black_tophat(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The closing less the input; differences of integers wrap around.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    array = real_array_of(input)
    target = Output(output, array)
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    closed = _two(_dilation, _erosion, array, target.dtype, window, rest)
    return _arithmetic(target, array, _difference(closed, array))


def _dilation_and_erosion(
    array: AnyArray, target: Output, window: Tuple[Any, ...], rest: Tuple[Any, ...]
) -> Tuple[np.ndarray, np.ndarray]:
    """Both, in the types that SciPy has them in."""
    eroded = target.dtype if target.given is not None else None
    return (
        host(_dilation(array, *window, None, *rest)),
        host(_erosion(array, *window, eroded, *rest)),
    )


@public
@documented
def morphological_gradient(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The dilation less the erosion.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    array = real_array_of(input)
    # As SciPy has it, only an array says the output's type here.
    target = Output(output if _is_array(output) else None, array)
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    dilated, eroded = _dilation_and_erosion(array, target, window, rest)
    return _arithmetic(target, array, np.subtract(dilated, eroded))


@public
@documented
def morphological_laplace(
    input: Input,
    size: Optional[PerAxis] = None,
    footprint: Optional[ArrayLike] = None,
    structure: Optional[ArrayLike] = None,
    output: OutputLike = None,
    mode: Mode = "reflect",
    cval: float = 0.0,
    origin: PerAxis = 0,
    *,
    axes: Optional[PerAxis] = None,
) -> Result:
    """The dilation plus the erosion less twice the input.

    Parameters
    ----------
    {input}
    {window}
    {structure}
    {output}
    {mode}
    {cval}
    {origin}
    {axes}

    Returns
    -------
    {result}
    """
    array = real_array_of(input)
    target = Output(output if _is_array(output) else None, array)
    window, rest = (size, footprint, structure), (mode, cval, origin, axes)
    dilated, eroded = _dilation_and_erosion(array, target, window, rest)
    own = host(array)
    return _arithmetic(target, array, np.subtract(np.subtract(np.add(dilated, eroded), own), own))


def _is_array(output: Any) -> bool:
    return isinstance(output, (np.ndarray, Array))


# B-splines

# The poles of the filters that give B-spline coefficients, of each degree.
_poles = {
    2: (np.sqrt(8.0) - 3.0,),
    3: (np.sqrt(3.0) - 2.0,),
    4: (
        np.sqrt(664.0 - np.sqrt(438976.0)) + np.sqrt(304.0) - 19.0,
        np.sqrt(664.0 + np.sqrt(438976.0)) - np.sqrt(304.0) - 19.0,
    ),
    5: (
        np.sqrt(67.5 - np.sqrt(4436.25)) + np.sqrt(26.25) - 6.5,
        np.sqrt(67.5 + np.sqrt(4436.25)) - np.sqrt(26.25) - 6.5,
    ),
}
# Values of the B-spline at the integers from 0 on, of each degree.
_knots = {
    2: (6 / 8, 1 / 8),
    3: (4 / 6, 1 / 6),
    4: (230 / 384, 76 / 384, 1 / 384),
    5: (66 / 120, 26 / 120, 1 / 120),
}
# SciPy's modes as what splines make of them.
_spline_borders = {
    "mirror": "reflect101",
    "constant": "reflect101",
    "grid-constant": "reflect101",
    "wrap": "reflect101",
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "nearest": "reflect",
    "grid-wrap": "wrap",
}
_pad_modes = {"reflect101": "reflect", "reflect": "symmetric", "wrap": "wrap"}


def _spline_spec(order: int, axis: int, border: str) -> Spec:
    def make(place: Any) -> Filter:
        scans = []
        for pole in _poles[order]:
            for direction in (1, -1):
                scans.append(Scan(place[axis], direction, [1 - pole], [pole]))
        return Filter.recursive(scans)

    return Spec(("spline", order, axis), (axis,), 3, make, border, 0.0)


def _spline(values: AnyArray, order: int, axis: int, border: str, dtype: np.dtype) -> AnyArray:
    """Coefficients along one axis, f32; for f64 with a second pass for what the first left."""
    spec = _spline_spec(order, axis, border)
    first = run(spec, source_of(values), np.dtype(np.float32))
    if dtype != np.float64 or isinstance(values, Array):
        return first
    exact = values.astype(np.float64)
    coefficients = first.astype(np.float64)
    rest = exact - _spline_values(coefficients, order, axis, border)
    scale = float(np.max(np.abs(rest)))
    if not np.isfinite(scale) or scale == 0:
        return coefficients
    # Scaled, so that small numbers do not lose digits.
    second = run(spec, (rest / scale).astype(np.float32), np.dtype(np.float32))
    return coefficients + second.astype(np.float64) * scale


def _spline_values(
    coefficients: np.ndarray, order: int, axis: int, border: str
) -> np.ndarray:
    """The spline of coefficients at the pixels."""
    knots = _knots[order]
    reach = len(knots) - 1
    widths = [(0, 0)] * coefficients.ndim
    widths[axis] = (reach, reach)
    padded = np.pad(coefficients, widths, mode=_pad_modes[border])
    count = coefficients.shape[axis]

    def shifted(by: int) -> np.ndarray:
        return np.take(padded, range(reach + by, reach + by + count), axis)

    result = knots[0] * shifted(0)
    for i in range(1, reach + 1):
        result += knots[i] * (shifted(i) + shifted(-i))
    return result


def _spline_axes(
    input: Input, order: int, axes: Sequence[int], output: Any, mode: str
) -> Result:
    array = array_of(input)
    if mode not in _spline_borders:
        border_of(mode)  # which refuses it
    if array.dtype.kind == "c":
        return _complex(
            lambda a, _, output, cval: _spline_axes(a, order, axes, output, mode),
            array, None, output, 0.0,
        )  # fmt: skip
    target = Output(output, array)
    if order < 2 or array.size == 0:
        return copy(array, target)
    values: AnyArray = array
    on_device = isinstance(array, Array)
    for axis in axes:
        if array.shape[axis] > 1:
            values = _spline(values, order, axis, _spline_borders[mode], target.dtype)
            if target.dtype.kind in "iub":
                values = cast(host(values), target.dtype)
                values = array.engine.array(values) if on_device else values
    return copy(array, target) if values is array else finish(values, target, array)


@public
@documented
def spline_filter1d(
    input: Input,
    order: int = 3,
    axis: int = -1,
    output: OutputLike = np.float64,
    mode: str = "mirror",
) -> Result:
    """B-spline coefficients along an axis.

    For an output of float64 what the first pass leaves is filtered again, so that results are as
    exact as SciPy's; for others they are those of f32.

    Parameters
    ----------
    {input}
    order : int, optional
        Degree of the spline, 0 to 5.
    {axis}
    {output64}
    {spline_mode}

    Returns
    -------
    {result}
    """
    if not 0 <= order <= 5:
        raise RuntimeError("spline order not supported")
    array = array_of(input)
    return _spline_axes(
        array, order, [axis_of(axis, array.ndim)], _device_output(array, output), mode
    )


@public
@documented
def spline_filter(
    input: Input,
    order: int = 3,
    output: OutputLike = np.float64,
    mode: str = "mirror",
) -> Result:
    """B-spline coefficients along all axes.

    Parameters
    ----------
    {input}
    order : int, optional
        Degree of the spline, 2 to 5.
    {output64}
    {spline_mode}

    Returns
    -------
    {result}
    """
    if not 2 <= order <= 5:
        raise RuntimeError("spline order not supported")
    array = array_of(input)
    return _spline_axes(array, order, range(array.ndim), _device_output(array, output), mode)


def _device_output(array: AnyArray, output: Any) -> Any:
    """On the device the default is f32."""
    return np.float32 if isinstance(array, Array) and output is np.float64 else output


# Functions of Python's


def _by_scipy(name: str, what: str) -> Callable[..., Any]:
    @public
    def function(*args: Any, **kwargs: Any) -> Result:
        raise HandOver("it calls a function of Python's for each window")

    function.__name__ = function.__qualname__ = name
    function.__wrapped__.__name__ = name  # type: ignore[attr-defined]
    function.__doc__ = f"""{what}

    SciPy does it on the host, and a HandOverWarning says so: see scipy.ndimage.{name} for the
    parameters. An Array is copied to the host, and the result back.
    """
    return function


generic_filter = _by_scipy("generic_filter", "Calls a function of yours for each window.")
generic_filter1d = _by_scipy("generic_filter1d", "Calls a function of yours for each line.")
vectorized_filter = _by_scipy(
    "vectorized_filter", "Calls a vectorized function of yours for windows."
)
