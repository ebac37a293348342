"""Paragraphs that the docstrings of gauze.ndimage share."""

from __future__ import annotations

import textwrap
from typing import Any, Callable, Dict, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_mode_text = """
    How the input is extended: 'reflect' or 'grid-mirror' (d c b a | a b c d | d c b a), 'constant'
    or 'grid-constant' (k k k k | a b c d | k k k k), 'nearest' (a a a a | a b c d | d d d d),
    'mirror' (d c b | a b c d | c b a), 'wrap' or 'grid-wrap' (a b c d | a b c d | a b c d)."""

_paragraphs: Dict[str, str] = {
    "input": """\
input : array_like or Array
    Any number of axes; bool, integers of 8 to 64 bits, float16, float32, float64, and complex
    numbers where the filter is linear.""",
    "axis": """\
axis : int, optional
    The axis to filter along; by default the last.""",
    "output": """\
output : array or dtype, optional
    Receives the result, and may overlap `input`, or says its type; by default a new array of the
    input's type. Results that are no integers are cut off to an integer type.""",
    "output64": """\
output : array or dtype, optional
    Receives the result, or says its type; by default float64, and float32 on the device.""",
    "mode1d": "mode : str, optional" + _mode_text,
    "mode": "mode : str or sequence of str, optional" + _mode_text
    + """ A sequence has one for each filtered axis.""",
    "spline_mode": """\
mode : str, optional
    'mirror', 'reflect' or 'grid-wrap', as of other filters; 'nearest' is 'reflect', others are
    'mirror'.""",
    "cval": """\
cval : float, optional
    k of 'constant', in units of the input.""",
    "origin1d": """\
origin : int, optional
    Pixels by which the window is shifted to lower coordinates, from -(size // 2) to
    (size - 1) // 2.""",
    "origin": """\
origin : int or sequence of int, optional
    Pixels by which the window is shifted to lower coordinates along each filtered axis, from
    -(size // 2) to (size - 1) // 2.""",
    "axes": """\
axes : int or sequence of int, optional
    The axes to filter along; by default all.""",
    "truncate": """\
truncate : float, optional
    Radius of the taps in standard deviations.""",
    "window": """\
size : int or sequence of int, optional
    Pixels of the window along each filtered axis, or all.
footprint : array_like of bool, optional
    The places of a window that count, in place of `size`. Up to 63x63 along the last two axes, or 15
    along each of three; larger ones are handed over to SciPy.""",
    "structure": """\
structure : array_like, optional
    A value for each place of the window, of which it then has the shape.""",
    "result": """\
numpy.ndarray or Array
    The result, of the input's shape: `output`, or a new array where the input is.

Raises
------
RuntimeError
    An argument that SciPy refuses so: an unknown mode, weights or a footprint of another number of
    axes, an output of another shape, an unsupported type.
ValueError
    An axis or origin out of range, or an output that is read-only.
gauze.Error
    The library or the device failed; NoDeviceError says what to install.""",
}


def documented(function: Function) -> Function:
    """Puts shared paragraphs in place of their names in braces."""
    lines = []
    for line in (function.__doc__ or "").splitlines():
        name = line.strip()
        if name.startswith("{") and name.endswith("}"):
            lines.append(textwrap.indent(_paragraphs[name[1:-1]], "    "))
        else:
            lines.append(line)
    function.__doc__ = "\n".join(lines)
    return function
