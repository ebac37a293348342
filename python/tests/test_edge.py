"""Guided filters, non-local means, eigenvalues and structure tensors beside the same in float64."""

import pickle

import numpy as np
import pytest
import scipy.ndimage

import gauze
from gauze import Filter

RADIUS, EPSILON = 3, 0.02


def mean(image):
    """The mean of a square, of edges that go on."""
    return scipy.ndimage.uniform_filter(image, 2 * RADIUS + 1, mode="nearest")


def guided(image, guide):
    """He, Sun and Tang's filter. guide: of one channel, or of three along the last axis."""
    image, guide = np.float64(image), np.float64(guide)
    if guide.ndim == 2:
        guide = guide[..., None]
    channels = range(guide.shape[-1])
    means = [mean(guide[..., i]) for i in channels]
    covariance = np.empty(image.shape + 2 * guide.shape[-1:])
    for i in channels:
        for j in channels:
            covariance[..., i, j] = mean(guide[..., i] * guide[..., j]) - means[i] * means[j]
    covariance += EPSILON * np.eye(guide.shape[-1])
    with_image = np.stack(
        [mean(guide[..., i] * image) - means[i] * mean(image) for i in channels], -1
    )
    slopes = np.linalg.solve(covariance, with_image[..., None])[..., 0]
    offset = mean(image) - sum(slopes[..., i] * means[i] for i in channels)
    return sum(mean(slopes[..., i]) * guide[..., i] for i in channels) + mean(offset)


@pytest.fixture
def image(rng):
    steps = np.add.outer(np.arange(31) // 9, np.arange(44) // 11) % 2
    return (steps * 0.5 + rng.random((31, 44)) * 0.3).astype(np.float32)


@pytest.fixture
def color(rng):
    return rng.random((31, 44, 3)).astype(np.float32)


def test_guided_by_itself(engine, image, color):
    plan = engine.plan(Filter.guided(RADIUS, EPSILON), image)
    got = plan(image)
    np.testing.assert_allclose(got, guided(image, image), atol=2e-6)
    assert plan.verify(image, got).within_bound
    each = engine.plan(Filter.guided(RADIUS, EPSILON), color, axes="yxc")(color)
    together = Filter.guided(RADIUS, EPSILON, guide="color")(color, axes="yxc")
    for i in range(3):
        own = color[..., i]
        np.testing.assert_allclose(each[..., i], guided(own, own), atol=2e-6)
        np.testing.assert_allclose(together[..., i], guided(own, color), atol=2e-6)


def test_guided_by_another_image(engine, image, color):
    filter = Filter.guided(RADIUS, EPSILON, guide="image")
    gray = color[..., 0].copy()
    for guide in (gray, color, np.round(gray * 255).astype(np.uint8)):
        exact = guided(image, guide)
        plan = engine.plan(filter, image, guide=guide)
        got = plan(image, guide=guide)
        np.testing.assert_allclose(got, exact, atol=1e-5)
        assert plan.verify(image, got, guide).within_bound
        # Memory that is not contiguous.
        np.testing.assert_array_equal(plan(image, guide=guide[::-1, ::-1][::-1, ::-1]), got)
        wide = np.repeat(guide, 2, axis=1)[:, ::2]
        np.testing.assert_array_equal(plan(image, guide=wide), got)
        np.testing.assert_array_equal(filter(image, guide=guide), got)
        on_device, guide_there = engine.array(image), engine.array(guide)
        np.testing.assert_array_equal(plan(on_device, guide=guide_there).numpy(), got)
        np.testing.assert_array_equal(filter(on_device, guide=guide_there).numpy(), got)
        assert plan.measure(on_device, guide=guide_there, repeats=1).launches > 0
    # A guide without channels for an image that has some.
    plan = engine.plan(filter, color, axes="yxc", guide=gray)
    got = plan(color, guide=gray)
    for i in range(3):
        np.testing.assert_allclose(got[..., i], guided(color[..., i], gray), atol=2e-6)


def test_slabs_have_parts_of_the_guide(engine, rng):
    image, guide = rng.random((2, 2000, 64)).astype(np.float32)
    plan = engine.plan(Filter.guided(RADIUS, EPSILON, guide="image"), image, guide=guide)
    steps = []
    in_slabs = plan(
        image,
        guide=guide,
        max_device_bytes=1_500_000,
        progress=lambda done, total: steps.append(done),
    )
    assert len(steps) > 3
    np.testing.assert_allclose(in_slabs, guided(image, guide), atol=1e-5)


def test_guides_that_do_not_fit_are_refused(engine, image, color):
    filter = Filter.guided(RADIUS, EPSILON, guide="image")
    plan = engine.plan(filter, image, guide=color)
    out = np.full_like(image, 7)
    for wrong, text in [
        (None, "guide is not given; the plan takes float32 \\(31, 44, 3\\)"),
        (image, "guide is float32 \\(31, 44\\); the plan takes float32 \\(31, 44, 3\\)"),
        (color.astype(np.float16), "guide is float16"),
        (engine.array(color), "guide is a gauze.Array, and src is none"),
    ]:
        with pytest.raises(gauze.InvalidArgumentError, match=text):
            plan(image, out, guide=wrong)
    on_device = engine.array(image)
    for wrong, text in [
        (None, "guide is not given"),
        (color, "guide is no gauze.Array, and src is one"),
        (gauze.Engine().array(color), "guide belongs to another engine"),
    ]:
        with pytest.raises(gauze.InvalidArgumentError, match=text):
            plan(on_device, guide=wrong)
    assert np.all(out == 7)
    with pytest.raises(gauze.InvalidArgumentError, match="guide is given; the plan takes none"):
        engine.plan(Filter.box(1), image)(image, guide=image)
    with pytest.raises(gauze.InvalidArgumentError, match="guide"):
        engine.plan(filter, image)
    with pytest.raises(gauze.InvalidArgumentError, match="guide"):
        engine.plan(filter, image, guide=image[:-1])
    with pytest.raises(gauze.InvalidArgumentError, match="guide has 1 axes; the image has 'yx'"):
        engine.plan(filter, image, guide=image[0])
    with pytest.raises(gauze.InvalidArgumentError):
        engine.plan(Filter.box(1), image, guide=image)
    with pytest.raises(gauze.InvalidArgumentError, match="guide is 'depth'"):
        Filter.guided(3, 0.1, guide="depth")
    with pytest.raises(gauze.InvalidArgumentError, match="epsilon"):
        Filter.guided(3, 0.0)


def non_local_means(image, strength, patch, window):
    """The formula, place by place of the window."""
    image = np.float64(image)
    half, radius = patch // 2, window // 2
    padded = np.pad(image, half + radius, mode="edge")
    height, width = image.shape

    def moved(dy, dx, halo):
        top, left = half + radius + dy - halo, half + radius + dx - halo
        return padded[top : top + height + 2 * halo, left : left + width + 2 * halo]

    sums, weights = np.zeros_like(image), np.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            squares = (moved(dy, dx, half) - moved(0, 0, half)) ** 2
            patches = np.lib.stride_tricks.sliding_window_view(squares, (patch, patch))
            weight = np.exp(-patches.mean((2, 3)) / strength**2)
            sums += weight * moved(dy, dx, 0)
            weights += weight
    return sums / weights


@pytest.mark.parametrize("patch, window", [(1, 5), (3, 7), (7, 21)])
def test_non_local_means(engine, image, patch, window):
    filter = Filter.non_local_means(0.2, patch, window)
    plan = engine.plan(filter, image)
    got = plan(image)
    # Sums of 441 weights in f32: images of other seeds err by 1.5e-6 to 3.2e-6.
    np.testing.assert_allclose(got, non_local_means(image, 0.2, patch, window), atol=5e-6)
    assert plan.verify(image, got).within_bound
    near = Filter.non_local_means(0.2, patch, window, accuracy=1e-5)(image)
    np.testing.assert_allclose(near, got, atol=1e-4)
    assert repr(Filter.non_local_means(0.2)).startswith("gauze.Filter.non_local_means")


def test_bilateral_weights_of_the_device(engine, image):
    exact = Filter.bilateral(2, 0.1)(image)
    np.testing.assert_allclose(Filter.bilateral(2, 0.1, accuracy=1e-5)(image), exact, atol=1e-4)
    with pytest.raises(gauze.InvalidArgumentError, match="accuracy"):
        Filter.bilateral(2, 0.1, accuracy=1e-9)


@pytest.mark.parametrize("options", [{}, {"sigma": 1.5}])
def test_eigenvalues_of_the_hessian(engine, image, options):
    yy, yx, xx = Filter.hessian(**options)(image)
    matrices = np.float64([[yy, yx], [yx, xx]]).transpose(2, 3, 0, 1)
    exact = np.linalg.eigvalsh(matrices)[..., ::-1]
    both = Filter.hessian_eigenvalues(**options)(image)
    assert len(both) == 2
    for i, got in enumerate(both):
        np.testing.assert_allclose(got, exact[..., i], atol=2e-6)
        np.testing.assert_array_equal(Filter.hessian_eigenvalue(i, **options)(image), got)
    with pytest.raises(gauze.InvalidArgumentError):
        Filter.hessian_eigenvalue(2)


def test_eigenvalues_of_volumes(engine, rng):
    volume = rng.random((9, 12, 14)).astype(np.float32)
    zz, zy, zx, yy, yx, xx = Filter.hessian(dimensions=3)(volume)
    matrices = np.float64([[zz, zy, zx], [zy, yy, yx], [zx, yx, xx]]).transpose(2, 3, 4, 0, 1)
    exact = np.linalg.eigvalsh(matrices)[..., ::-1]
    for i, got in enumerate(Filter.hessian_eigenvalues(dimensions=3)(volume)):
        np.testing.assert_allclose(got, exact[..., i], atol=1e-5)


def test_structure_tensor(engine, image):
    dy, dx = (np.float64(each) for each in Filter.gradient(by="sobel")(image))
    tensor = Filter.structure_tensor((1.5, 1), by="sobel")(image)
    assert len(tensor) == 3
    for got, product, axes in zip(tensor, (dy * dy, dy * dx, dx * dx), ("yy", "yx", "xx")):
        exact = scipy.ndimage.gaussian_filter(product, (1.5, 1), mode="nearest")
        np.testing.assert_allclose(got, exact, atol=2e-5)
        one = Filter.structure(*axes, (1.5, 1), by="sobel")(image)
        np.testing.assert_array_equal(one, got)


@pytest.mark.parametrize(
    "filter",
    [
        Filter.guided(4, 0.1),
        Filter.guided(4, 0.1, guide="color"),
        Filter.non_local_means(0.2, window=9),
        Filter.bilateral(2, 0.1, 3, accuracy=1e-5),
        Filter.hessian_eigenvalue(1, sigma=2),
        Filter.hessian_eigenvalues(),
        Filter.structure("x", -2, 1.5),
        Filter.structure_tensor(1.5, sigma=1),
    ],
    ids=repr,
)
def test_filters_are_made_again_from_pickles(color, filter):
    again = pickle.loads(pickle.dumps(filter))
    assert repr(again) == repr(filter) and again._key == filter._key
    got, expected = again(color, axes="yxc"), filter(color, axes="yxc")
    np.testing.assert_array_equal(np.stack(got), np.stack(expected))
