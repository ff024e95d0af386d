"""A finished and sealed run."""

from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.rows import MACHINE, InterruptionKind, Outcome, Reason, Verdict
from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from tests.present.report.recorded import UUIDS, record_run, verdicts

FAILED, PASSED = 1, 2
"""Two sealed runs: one simulated, killed in between and failed, one measured and passed."""
PASSES = [Verdict(device_id, Outcome.PASS, (Reason(Outcome.PASS, "All well."),)) for device_id in (MACHINE, *UUIDS)]


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two-runs")
    with closing(RunStore(folder)) as store:
        assert record_run(store, verdict=False) == FAILED
        store.add_interruption(FAILED, InterruptionKind.KILLED, 50.0, "Its runner was killed.")
        store.finish(FAILED, verdicts(simulated=True))
        assert record_run(store, simulated=False, verdict=False) == PASSED
        store.finish(PASSED, PASSES)
        for number in (FAILED, PASSED):
            seal_run(store, number)
    return folder


@pytest.fixture
def sealed_run(store: RunStore) -> int:
    run_id = record_run(store)
    seal_run(store, run_id)
    return run_id
