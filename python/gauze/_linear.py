"""Correlations: separable ones as passes along axes, and dense ones."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._arguments import AnyArray, Output, cast
from ._gauze import Array, Filter
from ._hand_over import HandOver
from ._run import Spec, along_image, device_chain, direct_target, finish, host, run, source_of

_f32 = np.dtype(np.float32)

MAX_TAPS = 4095
"""Taps that a separable filter has along an axis at most."""
MAX_DENSE = 63
"""Taps that a dense filter of two axes, x and y, has along each at most."""
MAX_DENSE_VOLUME = 15
"""Taps that a dense filter of other axes has along each at most."""

# From this size on a mean is a box of running sums.
_min_box = 9


class Pass(NamedTuple):
    """A correlation along one axis.

    Attributes
    ----------
    axis : int
    taps : numpy.ndarray, float64, shape (n,)
    anchor : int
        The tap on the pixel.
    border : str
    divisor : int
        Results are divided by it; taps are integers where it is not 1.
    """

    axis: int
    taps: np.ndarray
    anchor: int
    border: str
    divisor: int = 1


def _is_integral(taps: np.ndarray) -> bool:
    return bool(np.all(taps == np.rint(taps)))


def _separable_spec(passes: Sequence[Pass], value: float) -> Spec:
    key = tuple((p.axis, p.taps.tobytes(), p.anchor, p.divisor) for p in passes)

    def make(place: Dict[int, int]) -> Filter:
        taps: Dict[int, Any] = {p.axis: (p.taps / p.divisor).tolist() for p in passes}
        anchor = {p.axis: p.anchor for p in passes}
        return Filter.separable(along_image(taps, place, None), along_image(anchor, place, 0))

    return Spec(("separable", key), tuple(sorted(p.axis for p in passes)), 4, make,
                passes[0].border, value)  # fmt: skip


def _box_spec(passes: Sequence[Pass], value: float) -> Spec:
    radius = {p.axis: len(p.taps) // 2 for p in passes}

    def make(place: Dict[int, int]) -> Filter:
        return Filter.box(along_image(radius, place, 0))

    return Spec(("box", tuple(radius.items())), tuple(sorted(radius)), 4, make, passes[0].border,
                value)  # fmt: skip


def _is_mean(p: Pass) -> bool:
    return p.divisor != 1 and p.divisor == len(p.taps)


def _specs(passes: Sequence[Pass], value: float) -> List[Spec]:
    """Returns filters that do the passes, as few as can be."""
    specs: List[Spec] = []
    at = 0
    while at < len(passes):
        together = [passes[at]]
        for p in passes[at + 1 :]:
            if len(together) == 4 or not _fuse(together, p, value):
                break
            together.append(p)
        at += len(together)
        is_box = all(
            _is_mean(p) and len(p.taps) % 2 == 1 and p.anchor == len(p.taps) // 2 for p in together
        ) and any(len(p.taps) >= _min_box for p in together)
        specs.append((_box_spec if is_box else _separable_spec)(together, value))
    return specs


def _fuse(together: Sequence[Pass], p: Pass, value: float) -> bool:
    """Says whether a pass gives in one filter with others what it gives after them.

    The library extends the image once. SciPy extends it anew for each axis: that is the same but for
    a constant that the passes before change.
    """
    if any(p.axis == other.axis or p.border != other.border for other in together):
        return False
    if p.border != "constant" or value == 0:
        return True
    return all(abs(float(np.sum(o.taps)) / o.divisor - 1) < 1e-12 for o in (*together, p))


def fits(passes: Sequence[Pass]) -> bool:
    """Says whether the library has filters of so many taps."""
    return all(len(p.taps) <= MAX_TAPS or _is_odd_mean(p) for p in passes)


def _check(passes: Sequence[Pass]) -> None:
    for p in passes:
        if not fits([p]):
            raise HandOver(f"there are {len(p.taps)} taps along an axis, more than {MAX_TAPS}")


def _is_odd_mean(p: Pass) -> bool:
    return _is_mean(p) and len(p.taps) % 2 == 1 and p.anchor == len(p.taps) // 2


def separable(input: AnyArray, passes: Sequence[Pass], output: Output, value: float) -> Any:
    """Runs passes in their order; the output has all results between, too, as SciPy has it."""
    if input.size == 0 or not passes:
        return copy(input, output)
    _check(passes)
    dtype = output.dtype
    if dtype.kind in "iub":
        return _separable_to_integers(input, passes, output, value)
    is_free = value == 0 or all(p.border != "constant" for p in passes)
    if is_free:
        # The order tells only what rounds first: one for all orders of axes.
        passes = sorted(passes, key=lambda p: p.axis)
    if (is_free or len(passes) == 1) and _is_wide(input, passes):
        sums = [p._replace(divisor=1) for p in passes]
        exact = integer_sums(input, _specs(sums, value), _magnitude(sums), value)
        if exact is not None:
            return finish(exact / float(np.prod([p.divisor for p in passes])), output, input)
    specs = _specs(passes, value)
    if dtype in (np.float32, np.float16) and len(specs) == 1:
        source = source_of(input)
        result = run(specs[0], source, dtype, direct_target(output, dtype, source))
    else:
        result = device_chain(specs, source_of(input))
    return finish(result, output, input)


def _separable_to_integers(
    input: AnyArray, passes: Sequence[Pass], output: Output, value: float
) -> Any:
    """The same where SciPy cuts off what is between to integers.

    Sums of integers by taps that are integers need no cutting, and wrapping around commutes with
    them, so that these passes go together.
    """
    specs = _truncating_specs(input, passes, output.dtype, value)
    if specs is not None:
        source = source_of(input)
        if len(specs) > 1:
            return finish(device_chain(specs, source, output.dtype), output, input)
        target = direct_target(output, output.dtype, source)
        return finish(run(specs[0], source, output.dtype, target), output, input)
    result: AnyArray = input
    at = 0
    while at < len(passes):
        together = [passes[at]]
        is_integral = _has_integers(result) and _is_integral(passes[at].taps)
        if is_integral and passes[at].divisor == 1:
            for p in passes[at + 1 :]:
                if p.divisor != 1 or not _is_integral(p.taps) or _adds_fractions(together, value):
                    break
                together.append(p)
        at += len(together)
        sums = [p._replace(divisor=1) for p in together]
        if not fits(sums):
            sums = together
        values: Optional[AnyArray] = None
        of_sums = _specs(sums, value)
        if is_integral and sums is not together:
            wraps = together[-1].divisor == 1
            values = integer_sums(result, of_sums, _magnitude(sums), value, wraps)
        if values is None:
            values = device_chain(of_sums, source_of(result))
        divisor = together[-1].divisor // sums[-1].divisor
        if divisor != 1:
            values = host(values) / float(divisor)
        if at < len(passes):
            values = cast(host(values), output.dtype)
        result = values
    return finish(result, output, input)


def _truncating_specs(
    input: AnyArray, passes: Sequence[Pass], dtype: np.dtype, value: float
) -> Optional[List[Spec]]:
    """Returns filters whose results the device cuts off to integers; None where SciPy has others.

    Means of odd size are exact. Sums with weights are the same f32 that the host would cut off.
    """
    specs = []
    for p in passes:
        if not _stays_within(input, p.taps / p.divisor, dtype, p.border, value):
            return None
        if _is_odd_mean(p) and (p.border != "constant" or _is_pixel(value, input.dtype)):
            spec = _box_spec([p], value)
        elif p.divisor == 1:
            spec = _separable_spec([p], value)
        else:
            return None
        specs.append(spec._replace(store="truncate"))
    return specs


def _is_pixel(value: float, dtype: np.dtype) -> bool:
    limits = np.iinfo(np.uint8 if dtype == np.bool_ else dtype)
    return value == np.trunc(value) and limits.min <= value <= limits.max


_small_integers = {np.dtype(name) for name in ("uint8", "uint16", "int16")}


def _stays_within(
    input: AnyArray, weights: np.ndarray, dtype: np.dtype, border: str, value: float
) -> bool:
    """Says whether results lie in the range of an integer type that the library stores.

    They do where the input does, and weights that are not negative have a sum of 1 at most. Beyond
    the range SciPy wraps around, and the library saturates.
    """
    if dtype not in _small_integers or not _has_integers(input):
        return False
    limits = np.iinfo(dtype)
    return (
        np.can_cast(input.dtype, dtype)
        and (border != "constant" or limits.min <= value <= limits.max)
        and bool(np.all(weights >= 0))
        and float(np.sum(weights)) <= 1 + 1e-9
    )


def _adds_fractions(passes: Sequence[Pass], value: float) -> bool:
    return value != np.trunc(value) and any(p.border == "constant" for p in passes)


def _magnitude(passes: Sequence[Pass]) -> float:
    """How many times as large as the pixels sums may be."""
    return float(np.prod([np.sum(np.abs(p.taps)) for p in passes]))


def _is_wide(input: AnyArray, passes: Sequence[Pass]) -> bool:
    """Says whether sums are of integers that f32 may not have."""
    dtype = np.dtype(input.dtype)
    return (
        dtype.kind in "iu"
        and dtype.itemsize > 2
        and all(len(p.taps) <= MAX_TAPS for p in passes)
        and all(_is_integral(p.taps) for p in passes)
    )


_exact_bits = 24


def integer_sums(
    input: AnyArray, specs: Sequence[Spec], magnitude: float, value: float, wraps: bool = False
) -> Optional[AnyArray]:
    """Sums of integers by integers, exact: where they pass 2^24, of a few bits at a time.

    magnitude: how many times as large as the pixels they may be. wraps: sums that pass int64 may wrap
    around, as those that become integers do. Returns f32 on the device or the
    host, int64, or f64 where int64 has not room; None where bits are too few to pay.
    """
    is_constant = any(spec.border == "constant" for spec in specs)
    if is_constant and value != np.trunc(value):
        return None
    dtype = np.dtype(input.dtype)
    limits = np.iinfo(np.uint8 if dtype == np.bool_ else dtype)
    least, most = limits.min, limits.max
    if max(abs(least), most) * magnitude > 2**_exact_bits:
        on_host = host(input)
        least, most = int(on_host.min()), int(on_host.max())
    if is_constant:
        least, most = min(least, int(value)), max(most, int(value))
    largest = max(-least, most)
    if largest * magnitude <= 2**_exact_bits:
        return device_chain(specs, source_of(input))
    bits = _exact_bits - int(np.ceil(np.log2(max(magnitude, 1.0))))
    if bits < 4 or most >= 2**64 or least < -(2**63):
        return None
    wide = host(input).astype(np.uint64 if most >= 2**63 else np.int64)
    count = -(-largest.bit_length() // bits)
    fits_int64 = largest * magnitude < 2**63
    total: Any = 0
    for i in range(count):
        is_top = i == count - 1
        of_value = int(value) >> (bits * i)
        part = wide >> wide.dtype.type(bits * i)
        if not is_top:
            part &= wide.dtype.type(2**bits - 1)
            of_value &= 2**bits - 1
        own = [spec._replace(value=float(of_value)) for spec in specs]
        sums = host(device_chain(own, part.astype(np.float32)))
        if wraps or fits_int64:
            total = total + (np.rint(sums).astype(np.int64) << np.int64(bits * i))
        else:
            total = total + np.rint(sums).astype(np.float64) * 2.0 ** (bits * i)
    return total


def _has_integers(array: AnyArray) -> bool:
    return np.dtype(array.dtype).kind in "iub"


def copy(input: AnyArray, output: Output) -> Any:
    """The input as it is, in the output's type."""
    if isinstance(input, Array):
        result: AnyArray = input.engine.array(input.numpy())
        return finish(result, output, input)
    return finish(np.array(input), output, input)


def rank_one(weights: np.ndarray) -> Optional[List[np.ndarray]]:
    """Returns vectors along each axis whose product the weights are, if they are one."""
    peak = np.unravel_index(np.argmax(np.abs(weights)), weights.shape)
    top = weights[peak]
    if not np.isfinite(top) or top == 0:
        return None
    vectors = []
    for axis in range(weights.ndim):
        index: Tuple[Any, ...] = (*peak[:axis], slice(None), *peak[axis + 1 :])
        vectors.append(weights[index] / (top if axis else 1))
    product = vectors[0]
    for vector in vectors[1:]:
        product = np.multiply.outer(product, vector)
    return vectors if np.all(np.abs(product - weights) <= 1e-15 * abs(top)) else None


def dense(
    input: AnyArray,
    weights: np.ndarray,
    anchors: Sequence[int],
    border: str,
    value: float,
    output: Output,
) -> Any:
    """The correlation with a box of weights, one axis for each of the array's."""
    if input.size == 0:
        return copy(input, output)
    axes = tuple(axis for axis in range(weights.ndim) if weights.shape[axis] > 1)
    if len(axes) <= 1:
        axis = axes[0] if axes else 0
        passes = [Pass(axis, weights.ravel(), anchors[axis] if axes else 0, border)]
        return separable(input, passes, output, value)
    if not dense_fits(weights, axes):
        vectors = rank_one(weights)
        if vectors is None or (border == "constant" and value != 0):
            raise HandOver(
                f"weights of the shape {weights.shape} are too large; they have up to {MAX_DENSE} along "
                f"the last two axes, or {MAX_DENSE_VOLUME} along each of up to four"
            )
        passes = [Pass(axis, vectors[axis], anchors[axis], border) for axis in axes]
        _check(passes)
        # Results between stay f32.
        return finish(device_chain(_specs(passes, value), source_of(input)), output, input)
    box = weights.reshape([weights.shape[axis] for axis in axes])

    def make(place: Dict[int, int]) -> Filter:
        order = sorted(axes, key=lambda axis: place[axis])
        extents = along_image({axis: weights.shape[axis] for axis in axes}, place, 1)
        taps = box.transpose([axes.index(axis) for axis in order]).reshape(extents)
        anchor = along_image({axis: anchors[axis] for axis in axes}, place, 0)
        return Filter.correlate(taps, anchor)

    key = ("correlate", axes, weights.shape, weights.tobytes(), tuple(anchors))
    spec = Spec(key, axes, 4, make, border, value)
    is_integral = _has_integers(input) and _is_integral(weights)
    if is_integral and (output.dtype.kind in "iub" or np.dtype(input.dtype).itemsize > 2):
        magnitude = float(np.sum(np.abs(weights)))
        sums = integer_sums(input, [spec], magnitude, value, output.dtype.kind in "iub")
        if sums is not None:
            return finish(sums, output, input)
    source = source_of(input)
    dtype = output.dtype if output.dtype in (np.float32, np.float16) else _f32
    if _stays_within(input, weights, output.dtype, border, value):
        spec, dtype = spec._replace(store="truncate"), output.dtype
    return finish(run(spec, source, dtype, direct_target(output, dtype, source)), output, input)


def dense_fits(weights: np.ndarray, axes: Sequence[int]) -> bool:
    """Says whether the library has a dense filter of so many taps."""
    sides = [weights.shape[axis] for axis in axes]
    if len(axes) > 4:
        return False
    last = weights.ndim - 1
    if set(axes) <= {last, last - 1}:
        return max(sides) <= MAX_DENSE
    return max(sides) <= MAX_DENSE_VOLUME
