"""Devices, engines, and machines and processes without any."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import gauze


def run_python(code, *arguments, **environment):
    """Runs code in a fresh interpreter, and returns what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_devices_are_listed():
    devices = gauze.devices()
    assert len(devices) > 0
    assert sum(device.is_default for device in devices) == 1
    first = devices[0]
    assert first.index == 0
    assert first.kind in ("gpu", "cpu", "accelerator")
    assert first.max_allocation > 0
    assert first.name in repr(devices)
    assert first.library.endswith(".so") or ".so." in first.library
    assert first.origin == "system" or first.origin.startswith(("pip: ", "conda: "))


def test_an_engine_says_its_device_and_logs():
    lines = []
    engine = gauze.Engine(log=lambda level, text: lines.append((level, text)))
    assert engine.device.name in repr(engine)
    assert any(level == "info" and engine.device.name in text for level, text in lines)


def test_bad_options_of_an_engine():
    with pytest.raises(gauze.NoDeviceError, match="no such device of mine"):
        gauze.Engine("no such device of mine")
    with pytest.raises(ValueError, match="cache is 'sometimes'"):
        gauze.Engine(cache="sometimes")


def test_without_a_driver_the_package_says_what_to_install(tmp_path):
    printed = run_python(
        """
        import gauze, gauze.ndimage
        devices = gauze.devices()
        assert len(devices) == 0
        assert "install" in devices.notes and devices.notes in repr(devices)
        try:
            gauze.ndimage.gaussian_filter([[1.0, 2.0]], 1)
        except gauze.NoDeviceError as error:
            assert error.status == "GAUZE_ERROR_NO_DEVICE"
            print(error)
        """,
        OCL_ICD_VENDORS=str(tmp_path),
    )
    assert "install" in printed


def make_environment(folder, *files):
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return str(folder)


def test_drivers_of_the_environment_are_found(tmp_path):
    from gauze import _drivers

    site = make_environment(tmp_path / "site", "pyopencl/.libs/libpocl-21.so", "pyopencl/x.py")
    prefix = make_environment(tmp_path / "env", "lib/libintelocl.so", "lib/libconda.so")
    vendors = tmp_path / "env" / "etc" / "OpenCL" / "vendors"
    vendors.mkdir(parents=True)
    (vendors / "conda.icd").write_text(f"{prefix}/lib/libconda.so\n")
    (vendors / "gone.icd").write_text(f"{prefix}/lib/libgone.so\n")
    (vendors / "empty.icd").write_text("")
    assert _drivers.found(prefix, [site, str(tmp_path)]) == {
        f"{site}/pyopencl/.libs/libpocl-21.so": "pip: pocl-binary-distribution",
        f"{prefix}/lib/libintelocl.so": "pip: intel-opencl-rt",
        f"{prefix}/lib/libconda.so": "conda: etc/OpenCL/vendors",
    }
    assert _drivers.found(str(tmp_path), []) == {}


def test_drivers_of_the_environment_are_shown_to_the_loader(tmp_path):
    # The system's own driver, as a package of this environment would have it.
    (library,) = {device.library for device in gauze.devices() if device.origin == "system"}
    site = tmp_path / "site" / "pyopencl" / ".libs"
    site.mkdir(parents=True)
    (site / "libpocl-1.so").symlink_to(library)
    vendors = tmp_path / "vendors"
    vendors.mkdir()
    code = """
        import os, sys
        from gauze import _drivers
        folder = _drivers.show_to_loader(sys.argv[1], [sys.argv[2]])
        import gauze
        print(folder is not None, [device.origin for device in gauze.devices()])
        print(os.environ["OCL_ICD_VENDORS"] == folder)
        print(folder, file=sys.stderr if folder is None else open(sys.argv[3], "w"))
        """
    made = tmp_path / "folder"
    arguments = [str(tmp_path), str(tmp_path / "site"), str(made)]
    empty = {"OCL_ICD_VENDORS": str(vendors)}
    printed = run_python(code, *arguments, **empty)
    assert printed == "True ['pip: pocl-binary-distribution']\nTrue\n"
    # Not twice, not where the user says so, and not where a driver is named.
    (vendors / "own.icd").write_text(library + "\n")
    assert run_python(code, *arguments, **empty) == "False ['system']\nFalse\n"
    (vendors / "own.icd").unlink()
    printed = run_python(code, *arguments, GAUZE_DRIVERS="system", **empty)
    assert printed == "False []\nFalse\n"
    printed = run_python(code, *arguments, OCL_ICD_VENDORS=library)
    assert printed.startswith("False ")
    folder = Path(made.read_text().strip())
    assert folder.name.startswith("gauze-vendors-") and not folder.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_fork_an_error_says_spawn():
    printed = run_python(
        """
        import os, warnings
        import numpy as np
        import gauze, gauze.ndimage
        warnings.simplefilter("ignore")
        image = np.ones((8, 8), np.float32)
        engine = gauze.Engine()
        plan = engine.plan(gauze.Filter.gaussian(1), image)
        array = engine.array(image)
        gauze.ndimage.gaussian_filter(image, 1)
        uses = {
            "plan": lambda: plan(image),
            "plan on the device": lambda: plan(array),
            "array": array.numpy,
            "new array": lambda: engine.array(image),
            "engine": gauze.Engine,
            "devices": gauze.devices,
            "ndimage": lambda: gauze.ndimage.gaussian_filter(image, 1),
        }
        child = os.fork()
        if child == 0:
            wrong = []
            for name, use in uses.items():
                try:
                    use()
                    wrong.append(name)
                except gauze.UnsupportedError as error:
                    if "spawn" not in str(error):
                        wrong.append(f"{name}: {error}")
            print(wrong, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        assert plan(image).shape == (8, 8)
        """
    )
    assert printed.strip() == "[]"


def test_spawned_processes_have_engines_of_their_own():
    import multiprocessing

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        import gauze.ndimage

        image = np.eye(8, dtype=np.float32)
        theirs = pool.apply(gauze.ndimage.gaussian_filter, (image, 1.0))
    np.testing.assert_array_equal(theirs, gauze.ndimage.gaussian_filter(image, 1.0))
