"""Dask arrays, and clusters of spawned workers. scale.py does the same with volumes beyond memory."""

import math
import os

import numpy as np
import pytest

import gauze
from gauze import Filter

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")
pytest.importorskip("zarr")

import dask  # noqa: E402
import scale  # noqa: E402
from distributed import Client  # noqa: E402

import gauze.dask  # noqa: E402

BORDERS = ["clamp", "constant", "reflect", "reflect101", "wrap"]
TAPS = {
    "gaussian": Filter.gaussian((1, 1.5, 2), method="fir"),
    "anchored": Filter.correlate(np.arange(12).reshape(2, 2, 3), anchor=(0, 1, 2)),
    "median": Filter.median((3, 3, 3)),
    "opening": Filter.open((3, 3, 3)),
    "slices": Filter.gradient_magnitude("sobel"),
}


def test_chunks_go_as_the_whole_array_does():
    engine = gauze.Engine()
    options = {"axes": "yx", "border": "clamp", "border_value": 0.0, "out_dtype": "<f4"}
    filter = Filter.gaussian(3.75)
    shape, dtype = (1700, 640), np.dtype("f4")
    settled = gauze.dask._settled(engine, filter, shape, dtype, options)
    assert settled is gauze.dask._settled(engine, filter, shape, dtype, options)
    assert settled._key != filter._key
    whole = engine.plan(filter, shape, dtype)
    assert "method: " in whole.explain()
    chunk = engine.plan(settled, (100, 640), dtype)
    assert "method: " not in chunk.explain()
    assert whole.variant.startswith("recursive_") == chunk.variant.startswith("recursive_")


@pytest.fixture(scope="module")
def volume():
    return np.random.default_rng(5).random((40, 50, 60)).astype(np.float32)


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads"):
        yield


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("name", TAPS)
def test_chunks_have_the_bits_of_the_whole(engine, volume, name, border):
    options = {"border": border, "border_value": 0.25}
    chunked = da.from_array(volume, chunks=(14, 18, 20))
    result = gauze.dask.map_overlap(TAPS[name], chunked, **options)
    assert (result.shape, result.dtype, result.chunks) == (
        volume.shape,
        np.float32,
        chunked.chunks,
    )
    expected = engine.plan(TAPS[name], volume, **options)(volume)
    np.testing.assert_array_equal(result.compute(), expected)


@pytest.mark.parametrize("border", BORDERS)
def test_chunks_of_recursive_filters_are_within_the_accuracy(engine, volume, border):
    filter = Filter.gaussian((1, 1.5, 2), method="recursive")
    chunked = da.from_array(volume, chunks=(14, 18, 20))
    result = gauze.dask.map_overlap(filter, chunked, accuracy=1e-3, border=border).compute()
    worst = np.abs(result - engine.plan(filter, volume, border=border)(volume)).max()
    assert 0 < worst <= 1e-3 + 1e-5


def test_types_channels_and_slices(engine, rng):
    image = rng.integers(0, 256, (70, 80, 3)).astype(np.uint8)
    chunked = da.from_array(image, chunks=(30, 40, 3))
    filter = Filter.gaussian(2, method="fir")
    result = gauze.dask.map_overlap(filter, chunked, axes="yxc", out_dtype="float32")
    expected = engine.plan(filter, image, out_dtype="float32", axes="yxc")(image)
    np.testing.assert_array_equal(result.compute(), expected)
    # A filter of slices needs no neighbours along z.
    assert gauze.dask.depth(filter, da.zeros((9, 40, 50), chunks=(1, 20, 25))) == {0: 0, 1: 8, 2: 8}
    # Nor along an axis of one chunk.
    assert gauze.dask.depth(filter, da.zeros((40, 50), chunks=(40, 25))) == {0: 0, 1: 8}
    table = gauze.dask.map_overlap(
        Filter.sat(), da.from_array(image[:, :, 0]), border="zero", out_dtype="uint32"
    )
    assert table.compute()[-1, -1] == image[:, :, 0].sum()


def test_a_filter_is_what_map_overlap_takes(volume):
    filter = TAPS["gaussian"]
    chunked = da.from_array(volume, chunks=(14, 18, 20))
    depth = gauze.dask.depth(filter, chunked)
    result = da.map_overlap(filter, chunked, depth=depth, boundary="none", dtype=np.float32)
    np.testing.assert_array_equal(result.compute(), filter(volume))


def test_a_reach_beyond_a_chunk_is_named():
    array = da.zeros((40, 50), chunks=(20, 25), dtype=np.float32)
    with pytest.raises(ValueError, match=r"24 pixels along axis 0 \(y\).*a chunk of 20") as error:
        gauze.dask.map_overlap(Filter.gaussian(6, method="fir"), array)
    assert "array.rechunk({0: 40})" in str(error.value)
    odd = da.zeros((41,), chunks=20, dtype=np.float32)
    with pytest.raises(ValueError, match=r"a chunk of 1 has: array.rechunk\(\{0: 21\}\)"):
        gauze.dask.map_overlap(Filter.box((8,)), odd)
    with pytest.raises(ValueError, match="all of axis 0.*accuracy"):
        gauze.dask.map_overlap(Filter.gaussian(2, method="recursive"), array)
    with pytest.raises(ValueError, match="all of axis 0"):
        gauze.dask.map_overlap(Filter.sat(), array, accuracy=1e-3)
    with pytest.raises(ValueError, match="has 2 results"):
        gauze.dask.map_overlap(Filter.gradient(), array)
    with pytest.raises(ValueError, match="the channels, axis 1, are in 2 chunks"):
        gauze.dask.map_overlap(Filter.box(1), da.zeros((9, 4), chunks=(9, 2)), axes="xc")
    with pytest.raises(ValueError, match="5 axes"):
        gauze.dask.depth(Filter.box(1), da.zeros((2,) * 5))
    with pytest.raises(ValueError, match="axes is 'yx'"):
        gauze.dask.depth(Filter.box(1), da.zeros((2,) * 3), axes="yx")
    assert math.isinf(Filter.sat().reach()[-1])


def test_workers_share_gpus_by_their_names():
    assert gauze.dask._gpu_of(3, [0, 2]) == "2"
    assert gauze.dask._gpu_of("4", [0, 2]) == "0"
    assert gauze.dask._gpu_of("tcp://one", [0, 2]) == ""
    assert gauze.dask._gpu_of(3, [1]) == ""
    assert gauze.dask._gpu_of(None, [0, 2]) == ""


def test_a_cluster_loses_nothing_when_a_worker_dies(tmp_path):
    source = str(tmp_path / "volume.ome.zarr")
    scale.make_volume(source, (120, 120, 120), 40)
    killed = []
    with scale.cluster(2) as cluster, Client(cluster) as client:
        client.run(scale.warm_up)
        assert os.getpid() not in client.run(os.getpid).values()
        taps = str(tmp_path / "taps.ome.zarr")
        scale.filter_volume(
            client, source, taps, scale.TAPS, after_start=scale.kill_a_worker(client, killed)
        )
        recursive = str(tmp_path / "recursive.ome.zarr")
        scale.filter_volume(client, source, recursive, scale.RECURSIVE, scale.ACCURACY)
    assert len(killed) == 1
    expected, largest = scale.whole_result(source, scale.TAPS)
    assert scale.worst_difference(taps, expected) == 0
    expected, _ = scale.whole_result(source, scale.RECURSIVE)
    assert scale.worst_difference(recursive, expected) <= (scale.ACCURACY + 1e-5) * largest
