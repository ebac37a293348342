#!/usr/bin/env python3
"""Runs SciPy's own tests of scipy.ndimage's filters with Gauze's functions in their place.

    python python/tests/judge.py            all cases
    python python/tests/judge.py --subset   one case in twelve, for CI

Further arguments go to pytest. The exceptions, each with its reason, are in exceptions.txt beside
this file: cases that must fail, since one that passes is no exception any more. Ends with 0 if every
other case passes.
"""

from __future__ import annotations

import contextlib
import pathlib
import sys
from collections import Counter
from typing import Any, Dict, List, Set

import pytest

_HERE = pathlib.Path(__file__).resolve().parent
_MODULES = [
    "scipy.ndimage.tests.test_filters",
    "scipy.ndimage.tests.test_morphology",
    "scipy.ndimage.tests.test_splines",
]
_SUBSET = 12

# Cases of what Gauze does not replace, so that they would test SciPy alone.
_OUT_OF_SCOPE = ("TestVectorizedFilter", "test_generic_filter1d01", "test_generic_filter01")
_MORPHOLOGY = ("grey", "tophat", "morphological")


def _is_in_scope(nodeid: str) -> bool:
    if any(name in nodeid for name in _OUT_OF_SCOPE):
        return False
    return "orphology" not in nodeid or any(name in nodeid for name in _MORPHOLOGY)


def exceptions() -> Dict[str, str]:
    """Returns the named exceptions: a case's name, without its module, and the reason."""
    result = {}
    reason = ""
    for line in (_HERE / "exceptions.txt").read_text().splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif line.strip():
            result[line.strip()] = reason
    return result


class Judge:
    """The plugin: patches SciPy before its tests are collected, and marks exceptions."""

    def __init__(self, is_subset: bool) -> None:
        self._patch = contextlib.ExitStack()
        self._is_subset = is_subset
        self.used: Set[str] = set()
        self.handed_over: "Counter[str]" = Counter()

    def pytest_configure(self, config: Any) -> None:
        import scipy.ndimage
        from scipy._lib import _array_api

        import gauze
        from gauze import _hand_over

        originals = _hand_over.originals
        self._patch.enter_context(gauze.patch_scipy())
        # SciPy's tests ask what its functions are capable of.
        table = getattr(_array_api, "xp_capabilities_table", {})
        for name, original in originals.items():
            if original in table:
                table[getattr(scipy.ndimage, name)] = table[original]

        hand_over = _hand_over.hand_over

        def counted(name: str, *rest: Any) -> Any:
            self.handed_over[name] += 1
            return hand_over(name, *rest)

        _hand_over.hand_over = counted

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        calls = ", ".join(f"{count} of {name}" for name, count in self.handed_over.items())
        terminalreporter.write_line(f"calls handed over to SciPy: {calls or 'none'}")

    def pytest_unconfigure(self, config: Any) -> None:
        self._patch.close()

    def pytest_collection_modifyitems(self, config: Any, items: List[Any]) -> None:
        inside, outside = [], []
        for item in items:
            (inside if _is_in_scope(item.nodeid) else outside).append(item)
        if self._is_subset:
            outside += [item for i, item in enumerate(inside) if i % _SUBSET]
            inside = inside[::_SUBSET]
        named = exceptions()
        for item in inside:
            name = item.nodeid.split("::", 1)[1]
            if name in named:
                self.used.add(name)
                item.add_marker(pytest.mark.xfail(reason=named[name], strict=True))
        config.hook.pytest_deselected(items=outside)
        items[:] = inside


def main(arguments: List[str]) -> int:
    is_subset = "--subset" in arguments
    rest = [argument for argument in arguments if argument != "--subset"]
    judge = Judge(is_subset)
    status = pytest.main(
        ["--pyargs", *_MODULES, "-q", "-p", "no:cacheprovider", "--rootdir", str(_HERE), "-c",
         str(_HERE / "judge.ini"), *rest],
        plugins=[judge],
    )  # fmt: skip
    unknown = set(exceptions()) - judge.used
    if not is_subset and not rest and unknown:
        print("exceptions that are no cases:", *sorted(unknown), sep="\n  ")
        return 1
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
