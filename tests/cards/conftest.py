"""The two stand-ins of which machines with cards are made, each built once."""

import pytest

from tests.fake_cuda.stand_in import FakeCuda
from tests.fake_cuda.stand_in import build as build_cuda
from tests.fake_nvml.stand_in import FakeDriver
from tests.fake_nvml.stand_in import build as build_nvml


@pytest.fixture(scope="session")
def fake_cuda(request: pytest.FixtureRequest) -> FakeCuda:
    return build_cuda(request.config.cache.mkdir("fake_cuda"))


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return build_nvml(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="session")
def old_driver(tmp_path_factory: pytest.TempPathFactory) -> FakeDriver:
    return build_nvml(tmp_path_factory.mktemp("old_driver"), "-DOLD_DRIVER")
