"""Arrays on the device."""

import gc

import numpy as np
import pytest

import gauze


@pytest.mark.parametrize(
    "dtype",
    ["uint8", "uint16", "int16", "float16", "float32", "float64", "uint32", "int32", "uint64"],
)
def test_values_go_there_and_back(engine, rng, dtype):
    values = (rng.random((3, 4, 5)) * 100).astype(dtype)
    array = engine.array(values[::-1])
    assert (array.shape, array.dtype, array.ndim) == ((3, 4, 5), np.dtype(dtype), 3)
    assert (array.size, array.nbytes, len(array)) == (60, values.nbytes, 3)
    np.testing.assert_array_equal(array.numpy(), values[::-1])
    np.testing.assert_array_equal(np.asarray(array), values[::-1])
    out = np.zeros((5, 4, 3), dtype).T
    assert array.numpy(out) is out
    np.testing.assert_array_equal(out, values[::-1])
    array.write(values)
    np.testing.assert_array_equal(array.reshape((12, 5)).numpy(), values.reshape(12, 5))


def test_bad_arrays(engine, image):
    array = engine.array(image)
    with pytest.raises(TypeError, match="Gauze has"):
        engine.array(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="each axis must have 1 pixel"):
        engine.array(np.zeros((3, 0), np.float32))
    with pytest.raises(ValueError, match="values; the array has"):
        array.reshape((3, 3))
    with pytest.raises(ValueError, match="this one is float32"):
        array.write(image[:5])
    with pytest.raises(ValueError, match="the array is float32"):
        array.numpy(np.zeros(image.shape))
    read_only = np.zeros_like(image)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        array.numpy(read_only)
    np.testing.assert_array_equal(array.numpy(), image)


def test_buffers_are_shared_by_pointer(engine, image):
    array = engine.array(image)
    other = gauze.Array.from_int_ptr(engine, array.int_ptr, (image.size,), "float32")
    assert other.int_ptr == array.int_ptr
    del array
    gc.collect()
    np.testing.assert_array_equal(other.numpy(), image.ravel())  # it kept the buffer
    with pytest.raises(ValueError, match="the image needs"):
        gauze.Array.from_int_ptr(engine, other.int_ptr, (image.size + 1,), "float32")


def test_an_engine_in_the_context_of_another(engine, image):
    own = gauze.Engine(context=engine.context_int_ptr, device_id=engine.device_int_ptr)
    assert own.context_int_ptr == engine.context_int_ptr and own.queue_int_ptr != 0
    array = own.array(image)
    own.finish()
    shared = gauze.Array.from_int_ptr(engine, array.int_ptr, image.shape)
    plan = engine.plan(gauze.Filter.gaussian(1), image)
    np.testing.assert_array_equal(plan(shared).numpy(), plan(image))


def test_dlpack(engine, image):
    array = engine.array(image)
    assert array.__dlpack_device__()[0] == 4  # kDLOpenCL
    shared = gauze.Array.from_dlpack(engine, array)
    assert (shared.shape, shared.dtype) == (array.shape, array.dtype)
    assert shared.int_ptr == array.int_ptr
    del array
    gc.collect()
    np.testing.assert_array_equal(shared.numpy(), image)
    capsule = shared.__dlpack__()
    assert gauze.Array.from_dlpack(engine, capsule).int_ptr == shared.int_ptr
    with pytest.raises(ValueError, match="unused"):
        gauze.Array.from_dlpack(engine, capsule)
    with pytest.raises(ValueError, match="OpenCL's, which is 4"):
        gauze.Array.from_dlpack(engine, image)
    other = gauze.Engine()
    with pytest.raises(ValueError, match="another context"):
        gauze.Array.from_dlpack(other, shared)


def test_arrays_and_plans_outlive_their_engine(image):
    engine = gauze.Engine()
    plan = engine.plan(gauze.Filter.gaussian(1), image)
    array = engine.array(image)
    del engine
    gc.collect()
    np.testing.assert_array_equal(plan(array).numpy(), plan(image))
    assert plan.engine.device.name == array.engine.device.name


def test_pyopencls_buffers_and_queues(engine, image):
    cl = pytest.importorskip("pyopencl")
    name = engine.device.name
    found = [d for platform in cl.get_platforms() for d in platform.get_devices() if d.name == name]
    if not found:
        pytest.skip("pyopencl does not see the engine's device")
    expected = engine.plan(gauze.Filter.gaussian(2), image)(image)

    # Their context, their buffer.
    context = cl.Context(found[:1])
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffer = cl.Buffer(context, flags, hostbuf=image)
    own = gauze.Engine(context=context.int_ptr)
    array = gauze.Array.from_int_ptr(own, buffer.int_ptr, image.shape)
    result = own.plan(gauze.Filter.gaussian(2), array)(array)
    own.finish()
    got = np.zeros_like(image)
    theirs = cl.MemoryObject.from_int_ptr(result.int_ptr)
    cl.enqueue_copy(cl.CommandQueue(context), got, theirs)
    np.testing.assert_array_equal(got, expected)

    # The engine's queue: what goes there is in order with plans.
    result = engine.plan(gauze.Filter.gaussian(2), image)(engine.array(image))
    queue = cl.CommandQueue.from_int_ptr(engine.queue_int_ptr)
    got[...] = 0
    cl.enqueue_copy(queue, got, cl.MemoryObject.from_int_ptr(result.int_ptr))
    np.testing.assert_array_equal(got, expected)

    # A buffer of another context.
    with pytest.raises(gauze.InvalidArgumentError, match="another context"):
        gauze.Array.from_int_ptr(engine, buffer.int_ptr, image.shape)
