"""Times a filter of host memory on each device alone, and on all of them.

    python python/tests/fleet.py [--size 16384] [--devices 0 1] [--repeat 5]

Prints for each: milliseconds, and the pixels that each device took. Results are compared bit for bit.
"""

import argparse
import statistics
import time

import numpy as np

import gauze


def median_ms(run, repeat):
    """The median time of `repeat` runs, after one that does not count."""
    run()
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


def main():
    """Runs what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--size", type=int, default=16384, help="pixels along both axes, f32")
    parser.add_argument("--devices", nargs="+", default=None, help="selectors; default: all GPUs")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.devices:
        fleet = gauze.Fleet([gauze.Engine(device) for device in arguments.devices])
    else:
        fleet = gauze.Fleet()
    image = np.random.default_rng(1).random((arguments.size,) * 2, np.float32)
    expected, out = np.empty_like(image), np.empty_like(image)
    for name, filter in (
        ("gaussian sigma 2", gauze.Filter.gaussian(2, method="fir")),
        ("median 7x7", gauze.Filter.median(7)),
        ("bilateral radius 7", gauze.Filter.bilateral(3.5, 0.1)),
    ):
        fleet.engines[0].plan(filter, image)(image, expected)
        for engine in fleet.engines:
            plan = engine.plan(filter, image)
            ms = median_ms(lambda: plan(image, out), arguments.repeat)
            print(f"{name}: {engine.device.name} alone {ms:.1f} ms", flush=True)
        both = fleet.plan(filter, image)
        ms = median_ms(lambda: both(image, out), arguments.repeat)
        shares = ", ".join(f"{pixels / image.size:.0%}" for _, pixels, _ in both.shares)
        same = "the same bits" if np.array_equal(out, expected) else "OTHER BITS"
        print(f"{name}: together {ms:.1f} ms, shares {shares}, {same}", flush=True)


if __name__ == "__main__":
    main()
