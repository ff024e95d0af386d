"""Fixtures of the report tests."""

from contextlib import closing

import pytest

from core.burnin.record.store import RunStore
from core.plan.build import Build
from core.plan.file import dump_build
from core.present.report.document import Document
from core.present.report.run_report import run_document
from tests.present.report.recorded import planned, record_run


@pytest.fixture
def run_id(store: RunStore, build: Build) -> int:
    """A finished, simulated run with a plan."""
    return record_run(store, build=dump_build(build))


@pytest.fixture(scope="session")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """The report of such a run; made and drawn once, because no test changes it."""
    with closing(RunStore(tmp_path_factory.mktemp("runs"))) as store:
        return run_document(store, record_run(store, build=dump_build(planned())))


@pytest.fixture
def build() -> Build:
    """A machine of five lines with text that tries to break out."""
    return planned()
