"""A finished and sealed run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from tests.report.recorded import record_run


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with closing(RunStore(tmp_path)) as opened:
        yield opened


@pytest.fixture
def sealed_run(store: RunStore) -> int:
    run_id = record_run(store)
    seal_run(store, run_id)
    return run_id
