"""Fixtures of the report tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.build.build import Build
from core.build.file import dump_build
from core.burnin.store import RunStore
from tests.report.recorded import planned, record_run


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    opened = RunStore(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def run_id(store: RunStore, build: Build) -> int:
    """A finished, simulated run with a plan."""
    return record_run(store, build=dump_build(build))


@pytest.fixture
def build() -> Build:
    """A machine of five lines with text that tries to break out."""
    return planned()
