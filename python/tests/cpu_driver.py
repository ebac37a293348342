"""Filters by the PoCL that pip installs, where the machine has no driver of its own."""

import numpy as np

import gauze

found = gauze.devices()
print(found)
assert [device.origin for device in found] == ["pip: pocl-binary-distribution"], found
if found[0].unusable:
    # It would end the process on this CPU.
    assert "AVX-512" in found[0].unusable
    try:
        gauze.Engine()
    except gauze.NoDeviceError as error:
        print(error)
    else:
        raise SystemExit("an engine was made of a device that is refused")
else:
    image = np.random.default_rng(1).random((200, 300)).astype(np.float32)
    for filter in (gauze.Filter.gaussian(2, method="fir"), gauze.Filter.median(3)):
        plan = gauze.Engine().plan(filter, image)
        verification = plan.verify(image, plan(image))
        print(filter, verification)
        assert verification.within_bound
