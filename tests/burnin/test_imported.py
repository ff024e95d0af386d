"""A log of another tool is a recording that nobody judges: nothing of it is certified, signed or counted.

Whoever takes its mark away finds another one, and where all are gone the hash chain tells that the record was changed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from core.burnin.measured.run import references_from
from core.burnin.record.reader import FILE
from core.burnin.record.rows import IMPORTED, RunStatus
from core.burnin.record.sample_files import import_log
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import close_run, find_interrupted
from core.burnin.sealing import SealState, check_run, finish_sealed, is_changed, seal_run
from core.burnin.verdict import Recorded
from core.cli.commands.seals import checked_run
from core.cli.recorded_run import current_or_newest
from core.machine.telemetry.tool_logs.reading import read_tool_log
from core.platform.errors import BadInput
from core.present.certificate.layout import sealed_certificate
from core.present.certificate.rma import rma_pack
from core.present.report.run_report import run_document
from core.present.report.run_seal import read_run_seal

LOG = Path(__file__).parent.parent / "machine" / "telemetry" / "tool_logs" / "smi-identities.csv"
CARD = "GPU-11111111-2222-3333-4444-555555555555"
REFUSED: dict[str, Callable[[RunStore, int], object]] = {
    "report": run_document,
    "certificate": sealed_certificate,
    "rma": lambda store, run_id: rma_pack(store, run_id, "0"),
    "verify": lambda store, run_id: checked_run(store.path.parent, run_id),
    "seal": seal_run,
    "verdict": Recorded.of,
    "end with a verdict": lambda store, run_id: finish_sealed(store, run_id, list),
    "close": close_run,
    "references": references_from,
    "seal of what is made of it": read_run_seal,
}


@pytest.fixture
def imported(store: RunStore, tmp_path: Path) -> int:
    return import_log(tmp_path, LOG, read_tool_log(LOG))


def edited(store: RunStore, *statements: str) -> None:
    with closing(sqlite3.connect(store.path.parent / FILE)) as db:
        for statement in statements:
            assert db.execute(statement).rowcount > 0, statement
        db.commit()


def unmarked(store: RunStore) -> None:
    """All that says that it was imported but its link, by somebody who looked for it."""
    profile = json.dumps({"name": "quick-test", "title": "Quick test", "stages": [{"kind": "gemm", "seconds": 60.0}]})
    edited(
        store,
        f"UPDATE runs SET status = 'finished', profile = '{profile}'",
        "UPDATE stages SET kind = 'gemm'",
        "UPDATE events SET kind = 'software'",
        "UPDATE devices SET info = replace(info, '\"imported\"', '\"system\"')",
        "INSERT INTO verdicts VALUES (1, '', 'PASS', '[]')",
    )


def test_it_is_listed_with_its_devices_and_samples(store: RunStore, imported: int) -> None:
    run = store.run(imported)
    assert (run.status, run.imported, store.imported(imported)) == (RunStatus.IMPORTED, True, True)
    assert run.started_at.startswith("2026-03-01")
    assert [row.device.bus_id for row in store.devices(imported)] == ["0000:41:00.0", "0000:81:00.0"]
    samples = store.samples(imported, CARD)
    assert samples[:, COLUMN["temperature_c"]].tolist() == [70, 71]
    assert np.isnan(samples[:, COLUMN["memory_temperature_c"]]).all()
    assert not store.verdicts(imported)
    assert any("not judged" in event.message for event in store.events(imported))


def test_its_record_is_in_a_chain_that_holds(store: RunStore, imported: int) -> None:
    check = check_run(store, imported)
    assert (check.state, check.changes) == (SealState.UNSIGNED, ())
    assert store.seal(imported) is None


def test_the_same_log_is_kept_once(store: RunStore, imported: int, tmp_path: Path) -> None:
    assert import_log(tmp_path, LOG, read_tool_log(LOG)) == imported
    assert len(store.runs()) == 1


@pytest.mark.parametrize("what", REFUSED)
def test_nothing_is_made_of_it(store: RunStore, imported: int, what: str) -> None:
    with pytest.raises(BadInput, match="imported, not judged"):
        REFUSED[what](store, imported)
    assert store.seal(imported) is None
    assert not store.verdicts(imported)


def test_it_is_not_the_run_that_is_meant_where_none_is_named(store: RunStore, imported: int) -> None:
    assert imported == 1
    assert current_or_newest(store) is None


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("status", ["finished", "interrupted", "running"])
def test_another_status_does_not_make_it_a_run_of_the_machine(
    store: RunStore, imported: int, what: str, status: str
) -> None:
    edited(store, f"UPDATE runs SET status = '{status}'")
    with pytest.raises(BadInput, match="imported, not judged"):
        REFUSED[what](store, imported)


def test_its_link_marks_it_where_everything_else_was_taken_away(store: RunStore, imported: int) -> None:
    unmarked(store)
    assert not store.run(imported).imported
    assert store.imported(imported)
    assert is_changed(store, imported)
    for refused in REFUSED.values():
        with pytest.raises(BadInput, match="imported, not judged"):
            refused(store, imported)


def test_without_its_link_it_is_a_run_that_was_changed(store: RunStore, imported: int) -> None:
    unmarked(store)
    edited(store, f"DELETE FROM links WHERE kind = '{IMPORTED}'")
    assert not store.imported(imported)
    assert check_run(store, imported).state is SealState.CHANGED
    with pytest.raises(BadInput, match="was changed since"):
        seal_run(store, imported)
    assert read_run_seal(store, imported).changed
    assert run_document(store, imported).data["verdicts"] == []


def test_without_any_link_it_is_never_signed_and_proves_nothing(store: RunStore, imported: int) -> None:
    unmarked(store)
    edited(store, "DELETE FROM links")
    assert seal_run(store, imported) is None
    assert check_run(store, imported).state is SealState.NOT_SEALED
    assert read_run_seal(store, imported).check.state is SealState.NOT_SEALED


def test_a_deleted_import_leaves_its_number(store: RunStore, imported: int, tmp_path: Path) -> None:
    store.delete(imported)
    assert [deleted.run_id for deleted in store.deleted_runs()] == [imported]
    assert import_log(tmp_path, LOG, read_tool_log(LOG)) == imported + 1
    assert not find_interrupted(store, tmp_path)
    assert not store.absent()
