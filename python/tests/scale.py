"""Filters a volume that no worker can hold, from OME-Zarr to OME-Zarr on a cluster of Dask's.

    python python/tests/scale.py                 # 4 GiB by workers of 400 MiB, one of which is killed
    python python/tests/scale.py --gib 0.5 --memory 0 --workers 1 2 --no-check      # rates alone

The result is compared with that of the whole volume: bit for bit for taps, within accuracy for
recursive filters.
"""

import argparse
import os
import shutil
import signal
import tempfile
import threading
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import gauze
import gauze.dask

TAPS = gauze.Filter.gaussian((1.5, 1.5, 1.5), method="fir")
RECURSIVE = gauze.Filter.gaussian((4, 4, 4), method="recursive")
ACCURACY = 1e-4


def open_zarr(path, shape, dtype, chunks):
    """Makes an OME-Zarr image of one scale, and returns its array."""
    import zarr

    group = zarr.open_group(path, mode="w")
    array = group.create_array("0", shape=shape, dtype=dtype, chunks=chunks)
    axes = [{"name": name, "type": "space"} for name in "zyx"]
    scale = [{"type": "scale", "scale": [1.0, 1.0, 1.0]}]
    datasets = [{"path": "0", "coordinateTransformations": scale}]
    multiscales = {"name": "volume", "axes": axes, "datasets": datasets}
    if group.metadata.zarr_format == 3:
        group.attrs["ome"] = {"version": "0.5", "multiscales": [multiscales]}
    else:
        group.attrs["multiscales"] = [{"version": "0.4", **multiscales}]
    return array


def make_volume(path, shape, chunk, dtype="uint16", seed=1):
    """Writes a volume of noise with steps in it, a slab of chunks at a time."""
    array = open_zarr(path, shape, dtype, (chunk,) * 3)
    rng = np.random.default_rng(seed)
    for z in range(0, shape[0], chunk):
        depth = min(chunk, shape[0] - z)
        slab = rng.integers(0, 30000, (depth, *shape[1:]), np.uint16)
        slab[:, shape[1] // 3 :, : shape[2] // 2] += 20000
        array[z : z + depth] = slab.astype(dtype)


def read_volume(path):
    """The Dask array of an OME-Zarr image, as ome-zarr reads it where that is installed."""
    try:
        from ome_zarr.io import parse_url
        from ome_zarr.reader import Reader
    except ImportError:
        return da.from_zarr(path, component="0")
    return list(Reader(parse_url(path))())[0].data[0]


def filter_volume(client, source, target, filter, accuracy=0.0, after_start=None):
    """Filters one image into another. Returns the seconds that it took."""
    volume = read_volume(source)
    result = gauze.dask.map_overlap(
        filter, volume, accuracy=accuracy, border="reflect", out_dtype="float32"
    )
    chunks = tuple(sizes[0] for sizes in result.chunks)
    array = open_zarr(target, result.shape, result.dtype, chunks)
    began = time.perf_counter()
    stored = da.store(result, array, lock=False, compute=False)
    future = client.compute(stored)
    if after_start:
        after_start(target)
    wait(future)
    future.result()
    return time.perf_counter() - began


def warm_up():
    """Makes the engine of a worker."""
    return gauze.dask.worker_engine().device.name


def kill_a_worker(client, killed):
    """Kills a worker as soon as some chunks are written."""

    def after_start(target):
        def run():
            while sum(len(files) for _, _, files in os.walk(target)) < 6:
                time.sleep(0.002)
            workers = client.scheduler_info(n_workers=-1)["workers"]
            pids = client.run(os.getpid)
            address = sorted(workers)[0]
            os.kill(pids[address], signal.SIGKILL)
            killed.append(pids[address])

        thread = threading.Thread(target=run, daemon=True)
        thread.start()

    return after_start


def whole_result(path, filter):
    """The filtered volume, in one run of this process."""
    import zarr

    whole = zarr.open_group(path, mode="r")["0"][:]
    plan = gauze.default_engine().plan(filter, whole, out_dtype="float32", border="reflect")
    return plan(whole), float(whole.max())


def worst_difference(path, expected):
    """The largest difference, a slab at a time."""
    import zarr

    array = zarr.open_group(path, mode="r")["0"]
    worst = 0.0
    for z in range(0, array.shape[0], array.chunks[0]):
        part = slice(z, z + array.chunks[0])
        got = array[part]
        worst = max(worst, float(np.abs(got - expected[part]).max()))
        if np.isnan(got).any():
            return float("inf")
    return worst


def cluster(workers, memory=0, threads=1):
    """Spawned workers: the default of dask.distributed."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=threads,
        memory_limit=memory,
        dashboard_address=None,
        processes=True,
    )


def main():
    """Runs what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--gib", type=float, default=4.0, help="size of the volume, as uint16")
    parser.add_argument("--memory", default="400MiB", help="of a worker; 0: no limit")
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--chunk", type=int, default=128)
    parser.add_argument("--folder", default=None, help="where the volumes go")
    parser.add_argument("--no-check", action="store_true")
    arguments = parser.parse_args()
    side = int((arguments.gib * 2**30 / 2) ** (1 / 3) / arguments.chunk) * arguments.chunk
    shape = (max(side, arguments.chunk),) * 3
    memory = 0 if arguments.memory == "0" else arguments.memory
    folder = tempfile.mkdtemp(dir=arguments.folder)
    try:
        source = os.path.join(folder, "volume.ome.zarr")
        make_volume(source, shape, arguments.chunk)
        mib = np.prod(shape) * 2 / 2**20
        print(f"{shape} uint16, {mib:.0f} MiB, in chunks of {arguments.chunk}^3", flush=True)
        for filter, name, accuracy in ((TAPS, "taps", 0.0), (RECURSIVE, "recursive", ACCURACY)):
            expected, largest = (None, 0.0) if arguments.no_check else whole_result(source, filter)
            for workers in arguments.workers:
                target = os.path.join(folder, f"{name}{workers}.ome.zarr")
                killed = []
                with cluster(workers, memory) as own, Client(own) as client:
                    client.run(warm_up)
                    kill = None if arguments.no_check else kill_a_worker(client, killed)
                    seconds = filter_volume(client, source, target, filter, accuracy, kill)
                line = f"{name}, {workers} workers: {seconds:.1f} s, {mib / seconds:.0f} MiB/s"
                if expected is not None:
                    worst = worst_difference(target, expected)
                    bound = 0.0 if accuracy == 0 else (accuracy + 1e-5) * largest
                    line += f", worst difference {worst:.3g} of {bound:.3g}, {len(killed)} killed"
                    if worst > bound:
                        raise SystemExit(line + ": too much")
                print(line, flush=True)
                shutil.rmtree(target)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
