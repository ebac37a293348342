"""Calls of gauze.ndimage's functions: recalled where they came to one run of a plan, and handed over.

Arguments are checked, filters described and plans looked up by the first of several calls that are the
same but for the pixels. What is remembered has no pixels, so that it depends on none: functions that look
at them give a plan another array than their input, or something else than its result.
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, TypeVar

from ._gauze import Plan, _Calls
from ._hand_over import HandOver, HandOverWarning, hand_over

Function = TypeVar("Function", bound=Callable[..., Any])


class Run(NamedTuple):
    """A run of a plan, from one array to another as they are."""

    plan: Plan
    source: Any
    result: Any


class _Thread(threading.local):
    # Each call collects its steps here while it runs; None stands for no call.
    steps: Optional[List[Optional[Run]]] = None


_thread = _Thread()


def note(step: Optional[Run]) -> None:
    """Notes a step of the call that is under way. None: one that another call must do again."""
    if _thread.steps is not None:
        _thread.steps.append(step)


def plan_of(function: Callable[..., Any], *args: Any) -> Plan:
    """Returns the plan that a call of a public function comes to, where it is one."""
    outer = _thread.steps
    _thread.steps = steps = []
    try:
        function.__wrapped__(*args)  # type: ignore[attr-defined]
    finally:
        _thread.steps = outer
    (step,) = steps
    assert step is not None
    return step.plan


def public(function: Function) -> Function:
    """Makes a function recall calls, and hand over to SciPy's of the same name where it raises HandOver."""
    parameters = list(inspect.signature(function).parameters)
    calls = _Calls(parameters.index("output") if "output" in parameters else len(parameters))
    recall = calls.recall

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = recall(args, kwargs)
        if result is None:
            return _serve(function, calls, args, kwargs)
        note(None)
        return result

    return wrapper  # type: ignore[return-value]


def _serve(
    function: Callable[..., Any], calls: _Calls, args: Tuple[Any, ...], kwargs: Dict[str, Any]
) -> Any:
    outer = _thread.steps
    _thread.steps = steps = []
    try:
        result = function(*args, **kwargs)
        if len(steps) == 1 and args:
            (step,) = steps
            if step is not None and step.source is args[0] and step.result is result:
                calls.remember(args, kwargs, step.plan)
        return result
    except HandOver as reason:
        name = function.__name__
        warnings.warn(
            f"gauze.ndimage.{name} is handed over to SciPy: {reason}", HandOverWarning, stacklevel=3
        )
        steps.append(None)
    finally:
        _thread.steps = outer
        if outer is not None:
            outer.extend(steps)
    return hand_over(name, args, kwargs)
