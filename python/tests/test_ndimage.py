"""gauze.ndimage beside SciPy, where SciPy's own tests do not look."""

import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.ndimage

import compare
import gauze
import gauze.ndimage as ndi
from gauze._patch import patched_names

HERE = pathlib.Path(__file__).resolve().parent


def close(got, expected, bound=1e-6):
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


@pytest.mark.parametrize("name", patched_names())
def test_signatures_are_scipys(name):
    own = inspect.signature(getattr(ndi, name)).parameters
    theirs = inspect.signature(getattr(scipy.ndimage, name)).parameters
    assert [(p.name, p.kind, p.default) for p in own.values()] == [
        (p.name, p.kind, p.default) for p in theirs.values()
    ]


def test_everything_public_is_documented():
    for module in (gauze, ndi):
        for name in module.__all__:
            text = inspect.getdoc(getattr(module, name))
            assert text, name
            if name in patched_names():
                assert "{" not in text, name
                assert "Parameters" in text and "Returns" in text and "Raises" in text, name


def test_random_calls_give_what_scipy_gives():
    worst, counts, failed = compare.compare(120, 3)
    assert not failed, "\n".join(failed)
    assert len(counts) == len(compare.DTYPES)


def test_scipys_own_tests():
    """A subset; all of them by: python python/tests/judge.py"""
    result = subprocess.run(
        [sys.executable, str(HERE / "judge.py"), "--subset"],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert result.returncode == 0, result.stdout[-4000:]
    assert "calls handed over to SciPy: none" in result.stdout


DEVICE_CALLS = {
    "gaussian_filter": ((1.5,), {}),
    "uniform_filter": ((4,), {"mode": ["constant", "wrap"], "cval": 1.0}),
    "correlate": ((np.arange(6.0).reshape(2, 3),), {"axes": (1, 0)}),
    "sobel": ((), {}),
    "laplace": ((), {}),
    "gaussian_laplace": ((1,), {}),
    "gaussian_gradient_magnitude": ((1,), {}),
    "median_filter": ((3,), {}),
    "grey_opening": ((3,), {}),
    "white_tophat": ((3,), {}),
    "morphological_gradient": ((3,), {}),
    "spline_filter": ((), {}),
}


@pytest.mark.parametrize("name", DEVICE_CALLS)
def test_results_stay_on_the_device(engine, image, name):
    args, kwargs = DEVICE_CALLS[name]
    array = engine.array(image)
    result = getattr(ndi, name)(array, *args, **kwargs)
    assert isinstance(result, gauze.Array) and result.engine is engine
    expected = getattr(scipy.ndimage, name)(image, *args, **kwargs)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result.numpy(), expected, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(array.numpy(), image)
    target = engine.array(np.zeros_like(image))
    assert getattr(ndi, name)(array, *args, output=target, **kwargs) is target
    np.testing.assert_allclose(target.numpy(), expected, rtol=0, atol=1e-5)


def test_integers_on_the_device_are_cut_off_as_well(engine, rng):
    image = rng.integers(0, 256, (20, 30)).astype(np.uint8)
    result = ndi.gaussian_filter(engine.array(image), 1)
    np.testing.assert_array_equal(result.numpy(), ndi.gaussian_filter(image, 1))
    assert result.dtype == np.uint8
    # In place, which the library refuses on the device.
    array = engine.array(image)
    ndi.median_filter(array, 3, output=array)
    np.testing.assert_array_equal(array.numpy(), ndi.median_filter(image, 3))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint16", "int16"])
@pytest.mark.parametrize("mode, cval", [("reflect", 0), ("wrap", 0), ("constant", 3), ("constant", 0.75)])
def test_integers_are_cut_off_on_the_device(engine, rng, dtype, mode, cval):
    kind = np.dtype(dtype)
    least, most = (0, 1) if kind == np.bool_ else (np.iinfo(kind).min, np.iinfo(kind).max)
    image = rng.integers(least, most, (23, 34), endpoint=True).astype(kind)
    image[:9, :12] = most  # means that are integers
    image[9:15, 20:] = least
    for output in {kind, np.dtype("int16"), np.dtype("uint16")}:
        for size in (3, (1, 15), 9, 4):
            for origin in (0, 1):
                if origin and size == (1, 15):
                    continue
                np.testing.assert_array_equal(
                    ndi.uniform_filter(image, size, output, mode, cval, origin),
                    scipy.ndimage.uniform_filter(image, size, output, mode, cval, origin),
                    err_msg=f"{output} {size} {origin}",
                )
        for order in (0, (0, 1)):
            options = {"output": output, "mode": mode, "cval": cval}
            got = ndi.gaussian_filter(image, (0, 1.5), order, **options)
            expected = scipy.ndimage.gaussian_filter(image, (0, 1.5), order, **options)
            # One less or more where the exact sum is within f32's error of an integer.
            apart = np.abs(got.astype(np.int64) - expected)
            assert np.minimum(apart, 2**16 - apart).max() <= 1
            assert (apart == 0).mean() > 0.5
    weights = np.array([[0.1, 0.2, 0.05], [0.05, 0.3, 0.1], [0.0, 0.15, 0.05]])
    if kind != np.bool_:
        got = ndi.correlate(image, weights, mode=mode, cval=cval)
        exact = scipy.ndimage.correlate(image.astype(np.float64), weights, mode=mode, cval=cval)
        assert np.abs(got - exact).max() < 1 + 1e-2
        on_device = ndi.correlate(engine.array(image), weights, mode=mode, cval=cval) if (
            kind != np.int8
        ) else None
        if on_device is not None:
            np.testing.assert_array_equal(on_device.numpy(), got)


def test_any_number_of_axes(rng):
    image = rng.random((2, 3, 4, 5, 3, 4)).astype(np.float32)
    for axes in [(0,), (5,), (2, 4), (0, 2, 4), (1, 2, 3, 4), (0, 1, 2, 3, 4, 5)]:
        close(
            ndi.gaussian_filter(image, 0.7, axes=axes),
            scipy.ndimage.gaussian_filter(image, 0.7, axes=axes),
        )
        close(ndi.minimum_filter(image, 2, axes=axes), scipy.ndimage.minimum_filter(image, 2, axes=axes), 0)
    for axes in [(0, 2), (1, 3, 5)]:
        np.testing.assert_array_equal(
            ndi.median_filter(image, 3, axes=axes), scipy.ndimage.median_filter(image, 3, axes=axes)
        )


def test_empty_and_tiny_arrays():
    assert ndi.gaussian_filter(np.zeros((3, 0)), 1).shape == (3, 0)
    assert ndi.median_filter(np.zeros((0, 4), np.uint8), 3).shape == (0, 4)
    assert ndi.gaussian_filter(np.array(5.0), 1) == 5
    one = np.array([[7.0]])
    for name in ("gaussian_filter", "uniform_filter", "median_filter", "spline_filter", "laplace"):
        args = {"gaussian_filter": (1,), "median_filter": (3,)}.get(name, ())
        close(getattr(ndi, name)(one, *args), getattr(scipy.ndimage, name)(one, *args))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float64"])
def test_ranks_are_exact_in_every_type(rng, dtype):
    kind = np.dtype(dtype)
    if kind.kind == "f":
        image = 1 + rng.random((20, 30)) * 1e-12
    else:
        top = min(np.iinfo(kind).max, 2**53)
        image = (top - rng.integers(0, 50, (20, 30))).astype(kind)
    for name, args in [("median_filter", (3,)), ("maximum_filter", (4,)), ("grey_closing", (3,)),
                       ("percentile_filter", (30, 3))]:  # fmt: skip
        for mode in ("reflect", "constant"):
            np.testing.assert_array_equal(
                getattr(ndi, name)(image, *args, mode=mode, cval=7),
                getattr(scipy.ndimage, name)(image, *args, mode=mode, cval=7),
            )


def test_integer_sums_are_exact_beyond_f32(rng):
    image = rng.integers(2**30, 2**31 - 1, (20, 30)).astype(np.int32)
    for name, args in [("sobel", ()), ("laplace", ()), ("uniform_filter", (5,)),
                       ("correlate", ([[1, -2, 3]],))]:  # fmt: skip
        for output in (np.int64, np.float64):
            np.testing.assert_allclose(
                getattr(ndi, name)(image, *args, output=output),
                getattr(scipy.ndimage, name)(image, *args, output=output),
                rtol=1e-15 if output is np.float64 else 0,
            )


def test_outputs(image):
    expected = ndi.gaussian_filter(image, 1)
    for out in (np.zeros_like(image), np.zeros((56, 40), np.float32).T, np.zeros((80, 56))[::2]):
        assert ndi.gaussian_filter(image, 1, output=out) is out
        np.testing.assert_array_equal(out, expected)
    same = image.copy()
    ndi.gaussian_filter(same, 1, output=same)
    np.testing.assert_array_equal(same, expected)
    part = np.zeros((41, 56), np.float32)
    part[:40] = image
    ndi.gaussian_filter(part[:40], 1, output=part[1:])
    np.testing.assert_array_equal(part[1:], expected)


def test_bad_input_writes_nothing(engine, image):
    out = np.full_like(image, -1)
    read_only = out.copy()
    read_only.flags.writeable = False
    bad = [
        (lambda: ndi.gaussian_filter(image, 1, output=read_only), ValueError, "read-only"),
        (lambda: ndi.gaussian_filter(image, 1, output=out[:3]), RuntimeError, "output shape"),
        (lambda: ndi.gaussian_filter(image, 1, output=out, mode="x"), RuntimeError, "mode"),
        (lambda: ndi.gaussian_filter(np.array(["a"]), 1, output=out), RuntimeError, "data type"),
        (lambda: ndi.gaussian_filter(image.astype("longdouble"), 1), RuntimeError, "data type"),
        (lambda: ndi.median_filter(image, 3, output="O"), RuntimeError, "dtype"),
        (lambda: ndi.median_filter(image * 1j, 3), TypeError, "Complex"),
        (lambda: ndi.median_filter(image, output=out), RuntimeError, "footprint"),
        (lambda: ndi.correlate(image, np.ones(3), output=out), RuntimeError, "weights.ndim"),
        (lambda: ndi.gaussian_filter(engine.array(image), 1, output=out), TypeError, "device"),
        (lambda: ndi.gaussian_filter(image, 1, output=engine.array(image)), TypeError, "device"),
        (lambda: ndi.gaussian_filter(engine.array(image.astype("f8")), 1), TypeError, "float64"),
    ]
    for call, error, text in bad:
        with pytest.raises(error, match=text):
            call()
    assert (out == -1).all() and (read_only == -1).all()


def test_what_is_handed_over_says_so(engine, image):
    small = image[:6, :7]
    with pytest.warns(ndi.HandOverWarning, match="generic_filter is handed over"):
        result = ndi.generic_filter(small, np.ptp, 3)
    np.testing.assert_array_equal(result, scipy.ndimage.generic_filter(small, np.ptp, 3))
    with pytest.warns(ndi.HandOverWarning):
        on_device = ndi.generic_filter(engine.array(small), np.ptp, 3)
    np.testing.assert_array_equal(on_device.numpy(), result)
    weights = np.random.default_rng(0).random((65, 65))
    with pytest.warns(ndi.HandOverWarning, match="too large"):
        got = ndi.correlate(image, weights)
    np.testing.assert_array_equal(got, scipy.ndimage.correlate(image, weights))
    with pytest.warns(ndi.HandOverWarning, match="taps along an axis"):
        ndi.gaussian_filter(image, 1000)
    with pytest.warns(ndi.HandOverWarning, match="window of"):
        ndi.median_filter(image, 65)


def test_patching_is_scoped(image):
    theirs = scipy.ndimage.gaussian_filter
    generic = scipy.ndimage.generic_filter
    with gauze.patch_scipy():
        assert scipy.ndimage.gaussian_filter is ndi.gaussian_filter
        assert scipy.ndimage.generic_filter is generic
        with gauze.patch_scipy():
            pass
        assert scipy.ndimage.gaussian_filter is ndi.gaussian_filter
        with pytest.warns(ndi.HandOverWarning):  # to SciPy's own, not round in a circle
            scipy.ndimage.median_filter(image, 65)
    assert scipy.ndimage.gaussian_filter is theirs
    with pytest.raises(KeyError), gauze.patch_scipy():
        raise KeyError
    assert scipy.ndimage.gaussian_filter is theirs


SKIMAGE_CALLS = [
    ("filters", "gaussian", (2,), "gaussian_filter"),
    ("filters", "median", (), "median_filter"),
    ("filters", "sobel", (), "convolve"),
    ("filters", "unsharp_mask", (), "gaussian_filter"),
    ("morphology", "opening", (), "grey_erosion"),
    ("feature", "structure_tensor", (2,), "sobel"),
]


@pytest.mark.parametrize("module, name, args, called", SKIMAGE_CALLS)
def test_patching_serves_scikit_image(monkeypatch, image, module, name, args, called):
    pytest.importorskip("skimage")
    function = getattr(importlib.import_module(f"skimage.{module}"), name)
    expected = function(image, *args)
    calls = []
    own = getattr(ndi, called)
    monkeypatch.setattr(ndi, called, lambda *a, **k: calls.append(called) or own(*a, **k))
    with gauze.patch_scipy():
        got = function(image, *args)
    assert calls
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5)


def test_the_default_engine_can_be_set(engine, image):
    before = gauze.default_engine()
    log = []
    gauze.set_default_engine(gauze.Engine(log=lambda level, text: log.append(text)))
    try:
        assert gauze.default_engine() is not before
        close(ndi.gaussian_filter(image, 1), scipy.ndimage.gaussian_filter(image, 1))
    finally:
        gauze.set_default_engine(before)


def test_the_benchmark_prints_a_row_for_each_case(capsys):
    from gauze import bench

    assert bench.main(["--size", "48", "--seconds", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(bench._CASES) + len(bench._SMALL) + 4
    assert lines[2].startswith("gaussian_filter(1) float32")
    heading = lines.index("64x64 float32, microseconds")
    assert lines[heading + 2].startswith("gaussian_filter(1)")
    for line in lines[heading + 2 :]:
        call, _, run, difference = map(float, line.split()[-4:])
        assert abs(call - run - difference) < 0.2


def test_importing_needs_no_scipy():
    code = "import sys, gauze, gauze.ndimage; assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ), timeout=60)


@pytest.mark.parametrize("name", ["gaussian_laplace", "gaussian_gradient_magnitude"])
def test_what_is_made_of_gaussians_derivatives(rng, name):
    """In one run on the device, or as SciPy does it."""
    image = rng.random((30, 41)).astype(np.float32)
    calls = [
        ((1.5,), {}),
        (((1, 2),), {"mode": "wrap", "truncate": 3.0}),
        (((1, 2),), {"mode": "constant"}),
        (((1, 2),), {"mode": "constant", "cval": 2.0}),
        (((1, 2),), {"mode": ["mirror", "nearest"]}),
        (((1, 0.1),), {}),
        ((1.5,), {"radius": 3}),
        ((1.5,), {"output": np.float64}),
        ((1.5,), {"output": np.float16}),
    ]
    if name == "gaussian_gradient_magnitude":
        calls.append(((1.5,), {"axes": (0,)}))
    for args, kwargs in calls:
        got = getattr(ndi, name)(image, *args, **kwargs)
        assert got.dtype == kwargs.pop("output", np.float32)
        expected = getattr(scipy.ndimage, name)(image.astype(np.float64), *args, **kwargs)
        bound = 2e-3 if got.dtype == np.float16 else 4e-6
        bound *= max(1.0, float(np.abs(expected).max()))  # taps of a short sigma are large
        np.testing.assert_allclose(got, expected, rtol=0, atol=bound, err_msg=str((args, kwargs)))
    volume = rng.integers(0, 255, (9, 10, 11)).astype(np.uint8)
    expected = getattr(scipy.ndimage, name)(volume.astype(np.float64), 1)
    np.testing.assert_allclose(getattr(ndi, name)(volume, 1, np.float32), expected, atol=1e-3)
    on_device = getattr(ndi, name)(gauze.default_engine().array(image), 1.5)
    assert isinstance(on_device, gauze.Array)
    np.testing.assert_array_equal(on_device.numpy(), getattr(ndi, name)(image, 1.5))
    out = np.zeros_like(image)
    getattr(ndi, name)(image, 1.5, out)
    np.testing.assert_array_equal(out, on_device.numpy())
    np.testing.assert_array_equal(getattr(ndi, name)(image[:0], 1.5), image[:0])
