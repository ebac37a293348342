"""Drivers that pip or conda installed, which the OpenCL loader does not look for.

The loader reads the names of drivers from files in /etc/OpenCL/vendors, or in the folder that the
environment variable OCL_ICD_VENDORS names. Where there are drivers elsewhere the variable is set to a
folder of this process's that has the same files, and one for each of those. That has to happen before
the loader is first used. GAUZE_DRIVERS=system leaves everything as it is.
"""

from __future__ import annotations

import atexit
import glob
import os
import shutil
import sys
import sysconfig
import tempfile
from typing import Dict, List, Optional, Sequence

# The folder that a process made, and what it is in place of: its children make their own.
_ours = "GAUZE_VENDORS"
_asked = "GAUZE_VENDORS_BEFORE"
SYSTEM_VENDORS = "/etc/OpenCL/vendors"

origins: Dict[str, str] = {}
"""Where drivers' files came from, for those that are not the system's."""


def _site_packages() -> List[str]:
    paths = sysconfig.get_paths()
    return list(dict.fromkeys([paths["purelib"], paths["platlib"]]))


def _named_in(folder: str) -> List[str]:
    """Returns the drivers that the files of a vendors folder name."""
    names = []
    for file in sorted(glob.glob(os.path.join(folder, "*.icd"))):
        try:
            with open(file, encoding="utf-8") as lines:
                name = lines.readline().strip()
        except (OSError, UnicodeDecodeError):
            continue
        if name:
            names.append(name)
    return names


def found(prefix: str, site_packages: Sequence[str]) -> Dict[str, str]:
    """Returns the files of drivers in this environment, and which package each is of.

    prefix: sys.prefix.
    """
    result = {}
    for folder in site_packages:
        # The wheel pocl-binary-distribution puts its files beside pyopencl's.
        for file in sorted(glob.glob(os.path.join(folder, "pyopencl", ".libs", "libpocl*.so*"))):
            result[file] = "pip: pocl-binary-distribution"
    file = os.path.join(prefix, "lib", "libintelocl.so")
    if os.path.exists(file):
        result[file] = "pip: intel-opencl-rt"
    for file in _named_in(os.path.join(prefix, "etc", "OpenCL", "vendors")):
        if os.path.isabs(file) and os.path.exists(file):
            result.setdefault(file, "conda: etc/OpenCL/vendors")
    return {os.path.realpath(file): origin for file, origin in result.items()}


def origin_of(library: str) -> str:
    """Says where a driver came from: 'system', or a package of this environment."""
    return origins.get(os.path.realpath(library), "system") if library else "unknown"


def show_to_loader(
    prefix: str = sys.prefix, site_packages: Optional[Sequence[str]] = None
) -> Optional[str]:
    """Adds the environment's drivers to those that the loader sees.

    Returns the folder that it made, which is removed at exit; None where there is nothing to add, and
    where OCL_ICD_VENDORS names a driver.
    """
    asked = os.environ.get("OCL_ICD_VENDORS")
    if asked and asked == os.environ.get(_ours):
        asked = os.environ.get(_asked)  # what the parent found
    vendors = asked or SYSTEM_VENDORS
    if (
        not sys.platform.startswith("linux")
        or os.environ.get("GAUZE_DRIVERS") == "system"
        or (asked and not os.path.isdir(asked))
    ):
        return None
    drivers = found(prefix, _site_packages() if site_packages is None else site_packages)
    known = {os.path.realpath(name) for name in _named_in(vendors) if os.path.isabs(name)}
    drivers = {file: origin for file, origin in drivers.items() if file not in known}
    if not drivers:
        return None
    folder = tempfile.mkdtemp(prefix="gauze-vendors-")
    atexit.register(_remove, folder, os.getpid())
    for name in glob.glob(os.path.join(vendors, "*.icd")):
        try:
            shutil.copy(name, folder)
        except OSError:
            pass  # what the loader could not read either
    for i, file in enumerate(drivers):
        with open(os.path.join(folder, f"environment{i}.icd"), "w", encoding="utf-8") as icd:
            icd.write(file + "\n")
    origins.update(drivers)
    os.environ["OCL_ICD_VENDORS"] = os.environ[_ours] = folder
    os.environ[_asked] = asked or ""
    return folder


def _remove(folder: str, process: int) -> None:
    # A forked process has the parent's atexit functions.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
