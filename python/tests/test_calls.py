"""Calls that gauze.ndimage's functions recall: they must mean what the first of them did."""

import gc
import threading
import warnings
import weakref

import numpy as np
import pytest
import scipy.ndimage

import gauze
import gauze.ndimage as ndi
from gauze import _calls

WEIGHTS = np.arange(9.0).reshape(3, 3)
CALLS = [
    ("gaussian_filter", (1.5,), {}),
    ("gaussian_filter", ([1, 2.0],), {"mode": ["wrap", "wrap"], "axes": (1, 0)}),
    ("gaussian_filter1d", (1,), {"axis": 0, "order": 1}),
    ("uniform_filter", (), {"size": 3}),
    ("uniform_filter1d", (4,), {"mode": "constant", "cval": 2.0}),
    ("correlate", (WEIGHTS,), {}),
    ("convolve", (WEIGHTS.tolist(),), {}),
    ("correlate1d", ([1, -2, 3],), {"origin": -1}),
    ("convolve1d", (np.array([1, -2, 3]),), {}),
    ("sobel", (), {}),
    ("prewitt", (0,), {}),
    ("laplace", (), {}),
    ("gaussian_laplace", (2,), {}),
    ("gaussian_gradient_magnitude", (2,), {}),
    ("median_filter", (3,), {}),
    ("percentile_filter", (30, 5), {}),
    ("rank_filter", (2,), {"footprint": WEIGHTS > 3}),
    ("minimum_filter", (4,), {}),
    ("maximum_filter1d", (5,), {}),
    ("grey_erosion", ((3, 5),), {}),
    ("grey_dilation", (), {"structure": WEIGHTS}),
]


@pytest.fixture
def served(monkeypatch):
    """Names of functions whose calls were not recalled."""
    names = []
    serve = _calls._serve

    def counting(function, *rest):
        names.append(function.__name__)
        return serve(function, *rest)

    monkeypatch.setattr(_calls, "_serve", counting)
    return names


@pytest.fixture
def pictures(rng):
    return rng.random((4, 21, 34)).astype(np.float32)


def close(got, expected):
    np.testing.assert_allclose(got, expected, rtol=0, atol=4e-6 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("name, args, kwargs", CALLS)
def test_the_second_of_two_calls_is_recalled(served, pictures, name, args, kwargs):
    function = getattr(ndi, name)
    expected = [getattr(scipy.ndimage, name)(image, *args, **kwargs) for image in pictures]
    first = function(pictures[0], *args, **kwargs)
    served.clear()
    second = function(pictures[1], *args, **kwargs)
    out = np.zeros_like(first)
    assert served == []
    assert first is not second
    close(first, expected[0])
    close(second, expected[1])
    # Into an array, which may be the input.
    function(pictures[0].copy(), *args, output=np.zeros_like(first), **kwargs)
    served.clear()
    assert function(pictures[2], *args, output=out, **kwargs) is out
    same = pictures[3].copy()
    assert function(same, *args, output=same, **kwargs) is same
    assert served == []
    close(out, expected[2])
    np.testing.assert_array_equal(same, function(pictures[3], *args, **kwargs))
    # On the device.
    engine = gauze.default_engine()
    function(engine.array(pictures[0]), *args, **kwargs)
    served.clear()
    on_device = function(engine.array(pictures[1]), *args, **kwargs)
    assert served == []
    np.testing.assert_array_equal(on_device.numpy(), second)


def test_what_differs_is_another_call(pictures):
    image = pictures[0]
    calls = [
        lambda: ndi.gaussian_filter(image, 1),
        lambda: ndi.gaussian_filter(image, 1.25),
        lambda: ndi.gaussian_filter(image, sigma=1.25, mode="wrap"),
        lambda: ndi.gaussian_filter(image, sigma=1.25, cval=3, mode="constant"),
        lambda: ndi.gaussian_filter(image, sigma=1.25, cval=-3, mode="constant"),
        lambda: ndi.gaussian_filter(image, (1.25, 1)),
        lambda: ndi.gaussian_filter(image, (1, 1.25)),
        lambda: ndi.gaussian_filter(image, [1, 1.25], output=np.float16),
        lambda: ndi.gaussian_filter(image.T, (1, 1.25)),
        lambda: ndi.gaussian_filter(image[::2], (1, 1.25)),
        lambda: ndi.gaussian_filter(image[:, ::-1], (1, 1.25)),
        lambda: ndi.gaussian_filter(image.astype(np.float16), (1, 1.25)),
        lambda: ndi.gaussian_filter(image.astype(">f4"), (1, 1.25)),
        lambda: ndi.gaussian_filter(image[None], (0, 1, 1.25)),
        lambda: ndi.gaussian_filter(image.tolist(), (1, 1.25)),
    ]
    first = [call() for call in calls]
    for _ in range(2):
        for call, expected in zip(calls, first):
            got = call()
            assert got.dtype == expected.dtype and got.shape == expected.shape
            np.testing.assert_array_equal(got, expected)


def test_arguments_of_other_types_are_refused_as_at_first(pictures):
    image = pictures[0]
    for _ in range(2):
        ndi.median_filter(image, 3)
        ndi.median_filter(image, size=3, output=np.zeros_like(image))
        ndi.gaussian_filter(image, 1, radius=2)
    read_only = np.zeros_like(image)
    read_only.flags.writeable = False
    for call, error in [
        (lambda: ndi.median_filter(image, 3.0), TypeError),
        (lambda: ndi.median_filter(image, "3"), TypeError),
        (lambda: ndi.gaussian_filter(image, 1, radius=2.0), ValueError),
        (lambda: ndi.median_filter(image, size=3, output=read_only), ValueError),
        (lambda: ndi.median_filter(image, size=3, output=read_only[:3]), ValueError),
        (lambda: ndi.median_filter(image, size=3, output=np.zeros((3, 4))), RuntimeError),
        (lambda: ndi.median_filter(image, size=3, outputs=None), TypeError),
        (lambda: ndi.median_filter(image.astype("O"), 3), RuntimeError),
    ]:
        with pytest.raises(error):
            call()
    # Outputs that the plan cannot write at once.
    expected = ndi.median_filter(image, 3)
    for out in (np.zeros(image.T.shape, np.float32).T, np.zeros(image.shape), np.zeros((42, 34))[::2]):
        assert ndi.median_filter(image, size=3, output=out) is out
        np.testing.assert_array_equal(out, expected)


def test_arguments_that_change_in_place_are_seen(pictures):
    image = pictures[0]
    weights, sigmas = WEIGHTS.copy(), [1.0, 2.0]
    for _ in range(2):
        close(ndi.correlate(image, weights), scipy.ndimage.correlate(image, weights))
        close(ndi.gaussian_filter(image, sigmas), scipy.ndimage.gaussian_filter(image, sigmas))
    weights[1, 1] = 0.5
    sigmas[0] = 3.0
    close(ndi.correlate(image, weights), scipy.ndimage.correlate(image, weights))
    close(ndi.gaussian_filter(image, sigmas), scipy.ndimage.gaussian_filter(image, sigmas))
    # The same bytes of another type.
    bits = weights.view(np.int64)
    close(ndi.correlate(image, bits / 2**62), scipy.ndimage.correlate(image, bits / 2**62))


def test_calls_follow_the_default_engine(pictures, served):
    image = pictures[0]
    before = gauze.default_engine()
    expected = ndi.gaussian_filter(image, 1.125)
    log = []
    try:
        gauze.set_default_engine(gauze.Engine(log=lambda level, text: log.append(text), cache="off"))
        served.clear()
        log.clear()
        np.testing.assert_array_equal(ndi.gaussian_filter(image, 1.125), expected)
        assert served == ["gaussian_filter"] and log
        np.testing.assert_array_equal(ndi.gaussian_filter(image, 1.125), expected)
        assert served == ["gaussian_filter"]
    finally:
        gauze.set_default_engine(before)
    np.testing.assert_array_equal(ndi.gaussian_filter(image, 1.125), expected)
    assert served == ["gaussian_filter"]
    # An array of another engine than the calls before.
    other = gauze.Engine()
    for engine in (before, other, before):
        array = ndi.gaussian_filter(engine.array(image), 1.125)
        assert array.engine is engine
        np.testing.assert_array_equal(array.numpy(), expected)
    with gauze.patch_scipy():
        served.clear()
        np.testing.assert_array_equal(scipy.ndimage.gaussian_filter(image, 1.125), expected)
        assert served == []


def test_outputs_on_the_device(engine, pictures):
    array = engine.array(pictures[0])
    expected = ndi.median_filter(pictures[0], 3)
    target, other = engine.empty(array.shape), gauze.Engine().empty(array.shape)
    for _ in range(3):
        assert ndi.median_filter(array, 3, output=target) is target
        np.testing.assert_array_equal(target.numpy(), expected)
        same = engine.array(pictures[0])
        assert ndi.median_filter(same, 3, output=same) is same  # the library refuses it
        np.testing.assert_array_equal(same.numpy(), expected)
        with pytest.raises(TypeError, match="device"):
            ndi.median_filter(array, 3, output=np.zeros_like(expected))
        with pytest.raises(RuntimeError, match="output shape"):
            ndi.median_filter(array, 3, output=engine.empty((3, 4)))
        with pytest.raises(gauze.InvalidArgumentError, match="another engine"):
            ndi.median_filter(array, 3, output=other)


def test_warnings_are_repeated(pictures):
    image = pictures[0]
    for _ in range(3):
        with pytest.warns(UserWarning, match="ignoring size") as caught:
            ndi.median_filter(image, 3, footprint=((True, True), (True, False)))
        assert caught[0].filename == __file__
        with pytest.warns(ndi.HandOverWarning) as caught:
            ndi.median_filter(image, 65)
        assert caught[0].filename == __file__


def test_calls_that_look_at_pixels_are_not_recalled(rng):
    """Ranks of integers that f32 has not go by the values; sums go in as many passes as they need."""
    small = rng.integers(0, 100, (20, 30)).astype(np.int32)
    large = small * np.int32(2**20 + 1)
    for image in (small, large, small):
        for name, args in [("median_filter", (3,)), ("sobel", ()), ("uniform_filter", (3,))]:
            np.testing.assert_array_equal(
                getattr(ndi, name)(image, *args), getattr(scipy.ndimage, name)(image, *args)
            )


def test_no_pixels_are_kept(pictures):
    image, out = pictures[0].copy(), np.zeros_like(pictures[0])
    for _ in range(2):
        ndi.gaussian_filter(image, 1.375, output=out)
    gone = weakref.ref(image), weakref.ref(out)
    del image, out
    gc.collect()
    assert gone[0]() is None and gone[1]() is None


def test_threads_recall_calls(pictures):
    sigmas = [0.5 + 0.125 * i for i in range(24)]  # more than are remembered
    expected = {(i, s): ndi.gaussian_filter(pictures[i], s) for i in range(4) for s in sigmas}
    wrong = []

    def work(i):
        order = np.random.default_rng(i).permutation(sigmas * 4)
        for sigma in order.tolist():
            if not np.array_equal(ndi.gaussian_filter(pictures[i], sigma), expected[i, sigma]):
                wrong.append((i, sigma))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_function_within_another_is_recalled_alone(pictures, served):
    """What consists of several calls is done again, of calls that are recalled."""
    image = pictures[0]
    weights = np.array([1.0, 2.0, 1.0])

    def derivative(array, axis, output, mode, cval):
        return ndi.correlate1d(array, weights, axis, output, mode, cval)

    expected = scipy.ndimage.generic_laplace(
        image, lambda a, *rest: scipy.ndimage.correlate1d(a, weights, *rest)
    )
    for _ in range(2):
        served.clear()
        close(ndi.generic_laplace(image, derivative), expected)
    assert served == ["generic_laplace"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ndi.white_tophat(image, 3)
        close(ndi.white_tophat(image, 3), scipy.ndimage.white_tophat(image, 3))
