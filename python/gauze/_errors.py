"""The exceptions that Gauze raises."""

from __future__ import annotations

__all__ = [
    "BuildError",
    "CancelledError",
    "DeviceError",
    "Error",
    "InvalidArgumentError",
    "NoDeviceError",
    "OutOfMemoryError",
    "OverlapError",
    "UnsupportedError",
]


class Error(RuntimeError):
    """An error of the library.

    Attributes
    ----------
    status : str
        The C library's name of it, such as 'GAUZE_ERROR_UNSUPPORTED'.
    """

    status: str = "GAUZE_ERROR_INTERNAL"


class InvalidArgumentError(Error, ValueError):
    """An argument is out of its range; the text names it and its value."""

    status = "GAUZE_ERROR_INVALID_ARGUMENT"


class UnsupportedError(Error, NotImplementedError):
    """No kernel, or not this device, can do what is asked for, though it is valid."""

    status = "GAUZE_ERROR_UNSUPPORTED"


class NoDeviceError(Error):
    """There is no OpenCL device, or none that the selector names; the text says what to install."""

    status = "GAUZE_ERROR_NO_DEVICE"


class BuildError(Error):
    """A kernel did not compile; the text holds the compiler's log."""

    status = "GAUZE_ERROR_BUILD_FAILED"


class OutOfMemoryError(Error, MemoryError):
    """Host or device memory is used up."""

    status = "GAUZE_ERROR_OUT_OF_MEMORY"


class DeviceError(Error):
    """An OpenCL call failed; the text names it."""

    status = "GAUZE_ERROR_DEVICE"


class OverlapError(Error, ValueError):
    """Source and target share memory on the device."""

    status = "GAUZE_ERROR_OVERLAP"


class CancelledError(Error):
    """A progress callback cancelled the run."""

    status = "GAUZE_ERROR_CANCELLED"


_by_status = {
    error.status: error
    for error in (
        InvalidArgumentError,
        UnsupportedError,
        NoDeviceError,
        BuildError,
        OutOfMemoryError,
        DeviceError,
        OverlapError,
        CancelledError,
    )
}


def of_status(status: str, text: str) -> Error:
    """Makes the exception of a status of the C library."""
    error = _by_status.get(status, Error)(text)
    error.status = status
    return error
