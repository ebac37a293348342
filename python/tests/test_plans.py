"""Filters and plans, on NumPy arrays and on the device."""

import copy
import math
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import gauze
from gauze import Filter, Scan

SOS = [[0.2, 0.0, 0.0, 1.0, -0.8, 0.0]]
WEIGHTS = [[0, 1, 0], [1, 2, 1], [0, 1, 0]]
FILTERS = {
    "correlate": (lambda: Filter.correlate([[0, 1, 0], [2, 0, 3]], anchor=(0, 2)), {}),
    "convolve": (lambda: Filter.convolve(np.arange(6).reshape(3, 2)), {}),
    "separable": (lambda: Filter.separable([[1, 2, 1], [-1, 0, 1]]), {}),
    "gaussian": (lambda: Filter.gaussian(1.5), {}),
    "gaussian_y": (lambda: Filter.gaussian((2.0, 0.0), order=1), {}),
    "box": (lambda: Filter.box((2, 3), iterations=2), {}),
    "minimum": (lambda: Filter.minimum(3), {}),
    "maximum": (lambda: Filter.maximum(footprint=np.eye(3)), {}),
    "median": (lambda: Filter.median((3, 5)), {}),
    "percentile": (lambda: Filter.percentile(30, size=3), {}),
    "rank": (lambda: Filter.rank(-2, footprint=[[0, 1, 0], [1, 1, 1], [0, 1, 0]]), {}),
    "erode": (lambda: Filter.erode(3), {}),
    "dilate": (lambda: Filter.dilate(weights=WEIGHTS), {}),
    "open": (lambda: Filter.open(3, iterations=2), {}),
    "close": (lambda: Filter.close(footprint=np.eye(3), anchor=(0, 0)), {}),
    "top_hat": (lambda: Filter.top_hat(3), {}),
    "black_hat": (lambda: Filter.black_hat(3), {}),
    "morphological_gradient": (lambda: Filter.morphological_gradient(3), {}),
    "morphological_laplace": (lambda: Filter.morphological_laplace(3), {}),
    "recursive": (lambda: Filter.recursive([Scan("x", 1, [0.2], [0.8]), Scan(-2, -1, [1, 1])]), {}),
    "sections": (lambda: Filter.sections(SOS, (1, 1), zero_phase=True), {}),
    "sat": (Filter.sat, {"border": "zero"}),
    "bspline": (lambda: Filter.bspline(3), {"border": "reflect101"}),
    "dog": (lambda: Filter.dog(1, 2), {}),
    "sobel": (lambda: Filter.sobel(), {}),
    "prewitt": (lambda: Filter.prewitt(-2), {}),
    "scharr": (lambda: Filter.scharr("y"), {}),
    "derivative": (lambda: Filter.derivative(-2), {}),
    "derivative_of_gaussian": (lambda: Filter.derivative(-1, sigma=2), {}),
    "second_derivative": (lambda: Filter.second_derivative(-1, -2, sigma=1.5), {}),
    "laplace": (lambda: Filter.laplace(), {}),
    "laplace_of_gaussian": (lambda: Filter.laplace(sigma=(2, 1)), {}),
    "gradient_magnitude": (lambda: Filter.gradient_magnitude("scharr"), {}),
    "gradient_orientation": (lambda: Filter.gradient_orientation("sobel"), {}),
    "unsharp": (lambda: Filter.unsharp(1.5, 2, threshold=0.01), {}),
    "high_pass": (lambda: Filter.high_pass(radius=3), {}),
    "local_variance": (lambda: Filter.local_variance(radius=(1, 2)), {}),
    "local_deviation": (lambda: Filter.local_deviation(2.0, method="fir"), {}),
    "local_normalization": (lambda: Filter.local_normalization(1e-3, radius=4), {}),
    "bilateral": (lambda: Filter.bilateral(1.5, 0.2, (1, 2)), {}),
    "with_component": (
        lambda: Filter.correlate([[1, 2, 1]]).with_component(0, Filter.correlate([[1], [2]])),
        {},
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_is_what_it_says(engine, image, name):
    make, options = FILTERS[name]
    plan = engine.plan(make(), image, **options)
    result = plan(image)
    assert result.shape == image.shape and result.dtype == np.float32
    verification = plan.verify(image, result)
    assert verification.within_bound, verification
    assert verification.pixels == image.size
    on_device = plan(engine.array(image))
    assert isinstance(on_device, gauze.Array)
    assert plan.verify(image, on_device.numpy()).within_bound


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_the_same_in_other_processes(engine, image, name):
    make, options = FILTERS[name]
    filter = make()
    other = pickle.loads(pickle.dumps(filter))
    assert repr(other) == repr(filter) and other._key == filter._key == make()._key
    assert pickle.loads(pickle.dumps(other))._key == filter._key
    assert copy.deepcopy(filter) is filter
    np.testing.assert_array_equal(
        engine.plan(other, image, **options)(image), engine.plan(filter, image, **options)(image)
    )


def test_filters_remember_arguments_as_they_were():
    taps = np.ones((3, 3))
    filter = Filter.correlate(taps)
    taps[:] = 2
    assert filter._key == Filter.correlate(np.ones((3, 3)))._key != Filter.correlate(taps)._key
    scans = (scan for scan in [Scan("x", 1, [0.2], [0.8])])
    assert pickle.loads(pickle.dumps(Filter.recursive(scans))).reach(1e-3)[-1] > 10
    banks = pickle.loads(pickle.dumps(Filter.bank([Filter.sobel(), Filter.gaussian(1)])))
    assert banks.targets == 2
    with pytest.raises(ValueError, match="no filter 'other'"):
        gauze._gauze._remake_filter("other", ())


def test_banks_of_derivatives_are_in_the_order_of_axes(engine, image, rng):
    plan = engine.plan(Filter.gradient(), image)
    for got, expected, axis in zip(plan(image), np.gradient(image), (0, 1)):
        inside = tuple(slice(1, -1) if i == axis else slice(None) for i in range(2))
        np.testing.assert_allclose(got[inside], expected[inside], atol=1e-7)
    volume = rng.random((9, 10, 11)).astype(np.float32)
    for filter, count in ((Filter.gradient("sobel", 3), 3), (Filter.hessian(3), 6)):
        assert filter.targets == count and len(engine.plan(filter, volume)(volume)) == count
    z, y, x = np.mgrid[:9.0, :10.0, :11.0].astype(np.float32)
    entries = engine.plan(Filter.hessian(3), volume)(z * z / 2 + 3 * z * y + 5 * y * x)
    for got, expected in zip(entries, (1, 3, 0, 0, 5, 0)):
        np.testing.assert_allclose(got[1:-1, 1:-1, 1:-1], expected, atol=1e-4)
    yy, yx, xx = engine.plan(Filter.hessian(sigma=2), image)(image)
    trace = engine.plan(Filter.laplace(sigma=2), image)(image)
    np.testing.assert_allclose(yy + xx, trace, atol=1e-5)
    assert yx.shape == image.shape


def test_reach():
    assert Filter.gaussian((1, 2, 3), method="fir").reach() == (0, 4, 8, 12)
    assert Filter.correlate(np.ones((2, 5)), anchor=(0, 4)).reach() == (0, 0, 1, 4)
    assert Filter.sat().reach(0.1) == (0, 0, math.inf, math.inf)
    recursive = Filter.gaussian((2, 4), method="recursive")
    assert recursive.reach() == (0, 0, math.inf, math.inf)
    t, z, y, x = recursive.reach(1e-3)
    assert (t, z) == (0, 0) and 5 < y < x < 30
    assert Filter.gaussian((2, 4)).reach(1e-3) == (0, 0, max(y, 8), max(x, 16))
    with pytest.raises(gauze.InvalidArgumentError, match="the accuracy is -1"):
        recursive.reach(-1.0)


def test_a_filter_is_called_like_a_plan(engine, image):
    filter = Filter.gaussian(2, method="fir")
    expected = engine.plan(filter, image, border="reflect")(image)
    np.testing.assert_array_equal(filter(image, border="reflect"), expected)
    np.testing.assert_array_equal(filter(engine.array(image), border="reflect").numpy(), expected)
    assert filter(image, out_dtype="float16").dtype == np.float16
    region = gauze.Region((3, 4), (5, 6), (0, 0), "neighbours")
    part = filter(image, border="reflect", region=region, out_shape=(5, 6))
    np.testing.assert_array_equal(part, expected[3:8, 4:10])
    assert filter(image[:0]).shape == (0, 56)
    assert [each.shape for each in Filter.gradient()(image)] == [image.shape] * 2
    with pytest.raises(TypeError, match="unexpected"):
        filter(image, bordr="reflect")


def test_two_engines_work_on_one_array(engine, image):
    fleet = gauze.Fleet([engine, gauze.Engine()])
    assert fleet.engines[0] is engine and len(fleet.engines) == 2
    large = large_image(800)
    filter = Filter.gaussian(3, method="fir")
    expected = engine.plan(filter, large)(large)
    plan = fleet.plan(filter, large, slab=40)
    calls = []
    result = plan(large, progress=lambda done, total: calls.append((done, total)))
    np.testing.assert_array_equal(result, expected)
    assert plan.axis == "y" and calls[-1] == (large.size, large.size)
    assert sum(pixels for _, pixels, _ in plan.shares) == large.size
    assert plan.shares[0][0] == engine.device.name
    with pytest.raises(gauze.CancelledError):
        plan(large, progress=lambda done, total: False)
    out = np.zeros((1000, 800), np.float32).T
    assert plan(large, out) is out
    np.testing.assert_array_equal(out, expected)
    in_place = large.copy()
    plan(in_place, in_place)
    np.testing.assert_array_equal(in_place, expected)
    assert fleet.plan(Filter.gaussian(3, method="recursive"), large).axis is None
    first, second = fleet.plan(Filter.gradient(), large, border="reflect")(large)
    for got, wanted in zip((first, second), Filter.gradient()(large, border="reflect")):
        np.testing.assert_array_equal(got, wanted)
    with pytest.raises(gauze.InvalidArgumentError, match="src is float32"):
        plan(large[:5])
    with pytest.raises(gauze.InvalidArgumentError, match="no engines"):
        gauze.Fleet([])
    assert gauze.Fleet().engines


def test_axes_of_arguments_are_those_of_arrays(engine):
    point = np.zeros((9, 11), np.float32)
    point[4, 5] = 1
    down = engine.plan(Filter.separable([[1, 2, 3], None]), point)(point)
    np.testing.assert_array_equal(down[3:6, 5], [3, 2, 1])
    assert down.sum() == 6
    taps = np.arange(6.0).reshape(2, 3)
    result = engine.plan(Filter.convolve(taps, anchor=(0, 0)), point)(point)
    np.testing.assert_array_equal(result[4:6, 5:8], taps)
    tall = engine.plan(Filter.maximum(size=(3, 1)), point)(point)
    np.testing.assert_array_equal(np.argwhere(tall), [[3, 5], [4, 5], [5, 5]])
    shifted = engine.plan(Filter.maximum(size=(1, 3), anchor=(0, 0)), point)(point)
    np.testing.assert_array_equal(np.argwhere(shifted), [[4, 3], [4, 4], [4, 5]])


def test_types(engine, rng):
    image = rng.integers(0, 255, (16, 20)).astype(np.uint8)
    plan = engine.plan(Filter.gaussian(1), image, out_dtype="float32")
    rounded = engine.plan(Filter.gaussian(1), image)(image)
    np.testing.assert_array_equal(rounded, np.rint(plan(image)).astype(np.uint8))
    sums = engine.plan(Filter.sat(), image, out_dtype=np.uint32, border="zero")(image)
    np.testing.assert_array_equal(sums, image.astype(np.uint32).cumsum(0).cumsum(1))
    assert (plan.dtype, plan.out_dtype) == (np.uint8, np.float32)


def test_channels_and_planes(engine, rng):
    image = rng.random((12, 14, 3)).astype(np.float32)
    blur = Filter.gaussian(1)
    result = engine.plan(blur, image, axes="yxc")(image)
    for c in range(3):
        single = np.ascontiguousarray(image[..., c])
        np.testing.assert_array_equal(result[..., c], engine.plan(blur, single)(single))
    planes = np.ascontiguousarray(image.transpose(2, 0, 1))
    np.testing.assert_array_equal(
        engine.plan(blur, planes, axes="pyx")(planes), result.transpose(2, 0, 1)
    )


@pytest.mark.parametrize("layout", ["rows", "columns", "reversed", "fortran", "read-only", "big"])
def test_sources_of_any_strides(engine, rng, layout):
    whole = rng.random((80, 90)).astype(np.float32)
    source = {
        "rows": whole[10:50:2, 5:45],
        "columns": whole[:20, :80:2],
        "reversed": whole[19::-1, :40],
        "fortran": np.asfortranarray(whole[:20, :40]),
        "read-only": np.broadcast_to(whole[0, :40], (20, 40)),
        "big": whole[:20, :40].astype(">f4"),
    }[layout]
    plan = engine.plan(Filter.correlate([[1, 2], [3, 4]]), (20, 40), np.float32)
    if layout == "big":
        with pytest.raises(TypeError, match="byte order"):
            plan(source)
        return
    np.testing.assert_array_equal(plan(source), plan(np.ascontiguousarray(source)))


def test_targets_of_any_strides(engine, image):
    plan = engine.plan(Filter.gaussian(1), image)
    expected = plan(image)
    for view in (lambda a: a[:40, :56], lambda a: a[:80:2, :112:2], lambda a: a[39::-1, :56]):
        whole = np.full((90, 120), -1, np.float32)
        out = view(whole)
        assert plan(image, out) is out
        np.testing.assert_array_equal(out, expected)
        out[...] = -1
        assert (whole == -1).all()  # nothing else was written


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16"])
def test_large_results_on_a_cpu_begin_at_lines_of_its_cache(engine, rng, dtype):
    if engine.device.kind != "cpu":
        pytest.skip("a GPU gets a copy of an array")
    image = rng.integers(0, 200, (760, 770)).astype(dtype)
    plan = engine.plan(Filter.maximum(3), image)
    out = np.empty_like(image)
    plan(image, out)
    result = plan(image)
    assert result.ctypes.data % 64 == 0
    assert result.dtype == image.dtype and result.shape == image.shape
    assert result.flags.c_contiguous and result.flags.writeable
    np.testing.assert_array_equal(result, out)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)), out)
    banks = engine.plan(Filter.bank([Filter.box(1), Filter.box(2)]), image)(image)
    assert [each.ctypes.data % 64 for each in banks] == [0, 0]


def test_in_place_on_the_host_and_not_on_the_device(engine, image):
    plan = engine.plan(Filter.gaussian(1), image)
    expected = plan(image)
    same = image.copy()
    plan(same, same)
    np.testing.assert_array_equal(same, expected)
    array = engine.array(image)
    with pytest.raises(gauze.OverlapError):
        plan(array, array)
    np.testing.assert_array_equal(array.numpy(), image)


def test_banks_have_lists_of_results(engine, image):
    filters = [Filter.gaussian(1), Filter.box(2)]
    plan = engine.plan(Filter.bank(filters), image)
    results = plan(image)
    outs = [np.empty_like(image) for _ in filters]
    plan(image, outs)
    on_device = plan(engine.array(image))
    for each, result, out, array in zip(filters, results, outs, on_device):
        expected = engine.plan(each, image)(image)
        for got in (result, out, array.numpy()):
            np.testing.assert_allclose(got, expected, atol=1e-6)
    with pytest.raises(ValueError, match="out has 1 arrays"):
        plan(image, outs[:1])


def test_components(engine, rng):
    image = rng.random((10, 12, 2)).astype(np.float32)
    mixed = Filter.correlate([[1.0]]).with_component(1, Filter.correlate([[2.0]]))
    result = engine.plan(mixed, image, axes="yxc")(image)
    np.testing.assert_array_equal(result, image * np.array([1, 2], np.float32))


def test_regions(engine, image):
    region = gauze.Region((5, 6), (10, 20), (1, 2), "neighbours")
    plan = engine.plan(Filter.gaussian(2, method="fir"), image, region=region, out_shape=(12, 25))
    whole = engine.plan(Filter.gaussian(2, method="fir"), image)(image)
    result = plan(image)
    np.testing.assert_array_equal(result[1:11, 2:22], whole[5:15, 6:26])
    assert np.count_nonzero(result) == 200
    with pytest.raises(ValueError, match="region"):
        engine.plan(Filter.gaussian(2), image, region=gauze.Region((5, 6), (100, 20)))


def test_explain_names_the_kernels(engine, image):
    plan = engine.plan(Filter.gaussian(2), image)
    plan.prepare()
    kernel = plan.variant.split(":")[0]
    assert kernel and kernel in plan.explain()
    assert "gaussian" in repr(plan) and "(40, 56)" in repr(plan)
    forced = engine.plan(Filter.gaussian(2), image, variant=plan.variant)
    np.testing.assert_array_equal(forced(image), plan(image))
    timing = plan.measure(engine.array(image), repeats=2)
    assert timing.device_ms > 0 and timing.launches >= 1


BAD = {
    "sigma": (lambda e, a: Filter.gaussian(-1), ValueError, "sigma is -1"),
    "taps": (lambda e, a: Filter.correlate(np.zeros((0, 3))), ValueError, "size"),
    "no window": (lambda e, a: Filter.median(), ValueError, "either size or footprint"),
    "method": (lambda e, a: Filter.gaussian(1, method="fast"), ValueError, "method is 'fast'"),
    "axes": (lambda e, a: Filter.gaussian([1, 1, 1, 1, 1]), ValueError, "sigma has 5 values"),
    "sos": (lambda e, a: Filter.sections([[1, 2]]), ValueError, "sections, 6"),
    "dtype": (lambda e, a: e.plan(Filter.box(1), (4, 4), "int64"), TypeError, "int64"),
    "f64": (lambda e, a: e.plan(Filter.box(1), (4, 4), "f8"), gauze.UnsupportedError, "f64"),
    "shape": (lambda e, a: e.plan(Filter.box(1), (4, 0), "f4"), ValueError, "the shape is"),
    "border": (lambda e, a: e.plan(Filter.box(1), a, border="mirror"), ValueError, "mirror"),
    "names": (lambda e, a: e.plan(Filter.box(1), a, axes="xy"), ValueError, "axes is 'xy'"),
    "five axes": (lambda e, a: e.plan(Filter.box(1), (2,) * 5, "f4"), ValueError, "5 axes"),
    "image": (lambda e, a: e.plan(Filter.box(1), (4, 4)), ValueError, "dtype is not given"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(engine, image, name):
    call, error, text = BAD[name]
    with pytest.raises(error, match=text):
        call(engine, image)


def test_bad_arrays_write_nothing(engine, image):
    plan = engine.plan(Filter.gaussian(1), image)
    out = np.full_like(image, -1)
    wrong = {
        "src is float64": lambda: plan(image.astype(np.float64), out),
        r"src is float32 \(40, 55\)": lambda: plan(image[:, :55], out),
        "out is float32": lambda: plan(image, out[:5]),
        "out is float64": lambda: plan(image, np.zeros(image.shape)),
        "out is a gauze.Array": lambda: plan(image, engine.array(image)),
        "out is no gauze.Array": lambda: plan(engine.array(image), out),
    }
    for text, call in wrong.items():
        with pytest.raises(gauze.InvalidArgumentError, match=text):
            call()
    with pytest.raises(TypeError, match="neither a NumPy array"):
        plan("pixels", out)
    assert (out == -1).all()
    out.flags.writeable = False
    with pytest.raises(gauze.InvalidArgumentError, match="out is read-only"):
        plan(image, out)
    assert (out == -1).all()


def test_arrays_of_another_engine_are_refused(engine, image):
    other = gauze.Engine()
    plan = engine.plan(Filter.gaussian(1), image)
    target = engine.array(np.full_like(image, -1))
    with pytest.raises(gauze.InvalidArgumentError, match="src belongs to another engine"):
        plan(other.array(image), target)
    with pytest.raises(gauze.InvalidArgumentError, match="out belongs to another engine"):
        plan(engine.array(image), other.array(image))
    assert (target.numpy() == -1).all()
    foreign = other.array(image)
    with pytest.raises(gauze.InvalidArgumentError, match="another context"):
        gauze.Array.from_int_ptr(engine, foreign.int_ptr, image.shape)


def large_image(rows=4000):
    return np.random.default_rng(1).random((rows, 1000)).astype(np.float32)


def test_progress_and_cancelling(engine):
    image = large_image()
    plan = engine.plan(Filter.gaussian(3, method="fir"), image)
    calls = []
    result = plan(image, progress=lambda d, t: calls.append((d, t)), max_device_bytes=4 << 20)
    assert calls[0][0] == 0 and calls[-1] == (image.size, image.size) and len(calls) > 4
    np.testing.assert_array_equal(result, plan(image))
    with pytest.raises(gauze.CancelledError):
        plan(image, progress=lambda done, total: done < total / 2, max_device_bytes=4 << 20)

    def fail(done, total):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        plan(image, progress=fail)
    np.testing.assert_array_equal(plan(image), result)


def test_an_interrupt_cancels_a_streamed_run(engine):
    image = large_image(20000)
    plan = engine.plan(Filter.gaussian(20, method="fir"), image)
    small = 2 << 20
    began = time.perf_counter()
    calls = []
    is_over = threading.Event()

    def interrupt():
        while not calls:
            time.sleep(0.001)
        came = len(calls)
        os.kill(os.getpid(), signal.SIGINT)
        # Python loses what a finalizer raises, and so an interrupt that comes while one runs: the run goes on.
        while not is_over.wait(0.05):
            if len(calls) > came + 2:
                came = len(calls)
                os.kill(os.getpid(), signal.SIGINT)

    # A shell's background jobs ignore interrupts, unless they ask for them.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            plan(image, progress=lambda done, total: calls.append(done), max_device_bytes=small)
    finally:
        is_over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    # It came back between two slabs, not at the end.
    assert calls[-1] < image.size, (calls[-1], time.perf_counter() - began)


def test_other_threads_run_beside_a_plan(engine):
    image = large_image(8000)
    plan = engine.plan(Filter.gaussian(20, method="fir"), image)
    plan.prepare()
    is_done = threading.Event()

    def run():
        plan(image)
        is_done.set()

    thread = threading.Thread(target=run)
    steps = 0
    thread.start()
    while not is_done.is_set():
        steps += 1
        time.sleep(0.001)
    thread.join()
    assert steps > 10  # with the interpreter's lock held it would be one or two


def test_threads_share_a_plan(engine, image):
    plan = engine.plan(Filter.gaussian(2), image)
    views = [np.ascontiguousarray(np.roll(image, i, 0)) for i in range(8)]
    expected = [plan(view) for view in views]
    results = [None] * 8

    def run(i):
        for _ in range(20):
            results[i] = plan(views[i])

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for got, wanted in zip(results, expected):
        np.testing.assert_array_equal(got, wanted)


def test_ssimulacra2(engine, rng):
    reference = rng.integers(0, 256, (48, 64, 3)).astype(np.uint8)
    metric = engine.ssimulacra2(reference)
    assert metric.score(reference) == pytest.approx(100, abs=0.01)
    worse = np.clip(reference.astype(int) + rng.integers(-40, 40, reference.shape), 0, 255)
    score = metric.score(worse.astype(np.uint8))
    assert score < 90
    errors, same = metric.error_map(worse.astype(np.uint8))
    assert errors.shape == (48, 64) and same == pytest.approx(score)
    assert gauze.ssimulacra2_score(float(errors.mean())) == pytest.approx(score, abs=0.1)
    with pytest.raises(ValueError, match="the metric takes uint8"):
        metric.score(reference[:40])


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16"])
def test_results_are_cut_off_where_a_plan_says_so(engine, rng, dtype):
    limits = np.iinfo(dtype)
    image = rng.integers(limits.min, limits.max, (37, 50), endpoint=True).astype(dtype)
    taps = (rng.random((5, 5)) - 0.25) / 8
    for filter in (
        gauze.Filter.correlate(taps),
        gauze.Filter.separable([[0.25, 0.5, 0.25], [0.5, 0.75]]),
        gauze.Filter.gaussian(1.5, method="fir"),
    ):
        exact = engine.plan(filter, image, out_dtype="float32")(image)
        plan = engine.plan(filter, image, store="truncate")
        expected = np.clip(np.trunc(exact), limits.min, limits.max).astype(dtype)
        np.testing.assert_array_equal(plan(image), expected)
        np.testing.assert_array_equal(plan(engine.array(image)).numpy(), expected)
        assert "integers truncated" in plan.explain()
        assert plan.verify(image, expected).within_bound
        rounded = np.clip(np.rint(exact), limits.min, limits.max).astype(dtype)
        saturating = engine.plan(filter, image, store="saturate")
        np.testing.assert_array_equal(saturating(image), rounded)
        assert "truncated" not in saturating.explain()
        assert not plan.verify(image, rounded).within_bound
        # Floats are not affected.
        kept = engine.plan(filter, image, out_dtype="float32", store="truncate")
        np.testing.assert_array_equal(kept(image), exact)
    for radius in (1, 4, 40):
        plan = engine.plan(gauze.Filter.box(radius), image, store="truncate")
        padded = np.pad(image.astype(np.int64), radius, mode="edge")
        windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * radius + 1,) * 2)
        sums = windows.sum((2, 3))
        expected = (np.sign(sums) * (np.abs(sums) // (2 * radius + 1) ** 2)).astype(dtype)
        np.testing.assert_array_equal(plan(image), expected)
        assert plan.verify(image, expected).within_bound


def test_slabs_are_cut_off_as_well(engine, rng):
    image = rng.integers(0, 256, (400, 300)).astype(np.uint8)
    plan = engine.plan(Filter.gaussian(1.5, method="fir"), image, store="truncate")
    np.testing.assert_array_equal(plan(image, max_device_bytes=100_000), plan(image))


def test_a_store_that_is_not_possible_is_refused(engine, image):
    with pytest.raises(ValueError, match="store is 'cut'"):
        engine.plan(gauze.Filter.box(1), image, store="cut")
    for filter in (gauze.Filter.median(3), gauze.Filter.gaussian(3, method="recursive")):
        with pytest.raises(gauze.UnsupportedError, match="truncated of correlations"):
            engine.plan(filter, image, store="truncate")
