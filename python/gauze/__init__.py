"""Filters of images, volumes and signals on any OpenCL device.

>>> import gauze.ndimage as ndi                # scipy.ndimage's functions
>>> smooth = ndi.gaussian_filter(image, 3)

>>> import gauze                               # or plans of your own
>>> engine = gauze.Engine()
>>> plan = engine.plan(gauze.Filter.gaussian(3), image)
>>> smooth = plan(image)

`gauze.devices()` lists the devices, and says what to install where there is none.
"""

from __future__ import annotations

import typing as _typing

from . import _drivers, _errors
from ._errors import *  # noqa: F403
from ._gauze import (
    Array,
    Device,
    Engine,
    Filter,
    Fleet,
    FleetPlan,
    Plan,
    Scan,
    Ssimulacra2,
    Timing,
    Verification,
    clear_cache,
    list_devices as _list_devices,
    ssimulacra2_score,
    version as _version,
)

# The loader looks for drivers once, when it is first used.
_drivers.show_to_loader()

__version__ = _version()
__all__ = [
    "Array",
    "Device",
    "DeviceList",
    "Engine",
    "Filter",
    "Fleet",
    "FleetPlan",
    "Plan",
    "Region",
    "Scan",
    "Ssimulacra2",
    "Timing",
    "Verification",
    "clear_cache",
    "default_engine",
    "devices",
    "patch_scipy",
    "set_default_engine",
    "ssimulacra2_score",
    *_errors.__all__,
]


class Region(_typing.NamedTuple):
    """A box of the source, and where its result goes.

    All values are in the order of the array's axes.

    Parameters
    ----------
    source_origin : sequence of int, optional
        First pixel; by default 0 along each axis.
    extent : sequence of int, optional
        Pixels; by default, and where it is 0, up to the end of the source.
    target_origin : sequence of int, optional
        First pixel of the result; by default `source_origin`.
    edge : {'isolated', 'neighbours'}, optional
        'isolated': the border is made of the region's own pixels. 'neighbours': the result is cut
        from the filtered whole.
    """

    source_origin: _typing.Optional[_typing.Sequence[int]] = None
    extent: _typing.Optional[_typing.Sequence[int]] = None
    target_origin: _typing.Optional[_typing.Sequence[int]] = None
    edge: str = "isolated"


class DeviceList(_typing.List[Device]):
    """The devices of the machine.

    Attributes
    ----------
    notes : str
        Drivers that failed, and what to install where there is no device; '' if there is nothing to
        say.
    """

    def __init__(self, devices: _typing.Iterable[Device], notes: str) -> None:
        super().__init__(devices)
        self.notes = notes

    def __repr__(self) -> str:
        lines = [repr(device) for device in self]
        if self.notes:
            lines.append(self.notes)
        return "\n".join(lines) or "no OpenCL devices"


def devices() -> DeviceList:
    """Lists the devices of all OpenCL drivers.

    Returns
    -------
    DeviceList
        A list of Device, each of which says where its driver came from; its `notes` say what to
        install where it is empty.

    Raises
    ------
    UnsupportedError
        The process was forked after OpenCL was used: start processes with 'spawn'.
    """
    return DeviceList(*_list_devices())


def __getattr__(name: str) -> _typing.Any:
    # Imports of SciPy, and the default engine, wait until they are asked for.
    if name in ("default_engine", "set_default_engine"):
        from . import _default

        return getattr(_default, name)
    if name == "patch_scipy":
        from ._patch import patch_scipy

        return patch_scipy
    raise AttributeError(f"module 'gauze' has no attribute '{name}'")
