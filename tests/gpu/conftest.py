"""One test at a time has the GPU, in however many processes the tests run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock


@pytest.fixture(scope="session", autouse=True)
def _the_gpu() -> Iterator[None]:
    with FileLock(Path(tempfile.gettempdir()) / "rigwright-tests-gpu.lock"):
        yield
