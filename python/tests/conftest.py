"""The tests share one engine, and pixels."""

import numpy as np
import pytest

import gauze


@pytest.fixture(scope="session")
def engine():
    return gauze.Engine()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def image(rng):
    return rng.random((40, 56)).astype(np.float32)
