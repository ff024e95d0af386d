"""Why a run or a stage ends early: what a viewer asks is heeded where it can be, and what is put on record is true."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.burnin.record.reader import MOST_REQUESTS
from core.burnin.record.rows import MAX_REQUEST_BYTES
from core.burnin.record.store import RunStore
from core.burnin.run.supervision import Supervision
from tests.burnin.begun_run import supervised


@pytest.fixture
def burn(store: RunStore, tmp_path: Path) -> Supervision:
    return supervised(store, tmp_path)


def overdue(burn: Supervision) -> None:
    """The sampler tells that a driver hangs."""
    message = {"type": "overdue", "seconds": 2.0, "waiting_for": "the driver of GPU 3"}
    burn.sensors.sampler = cast("Any", SimpleNamespace(mark=None))
    burn._inbox.put((burn.sensors.sampler, message))
    burn.turn()


def events(store: RunStore, run_id: int = 1) -> list[tuple[str, str]]:
    return [(event.kind, event.message) for event in store.events(run_id)]


def test_a_skip_between_two_stages_skips_nothing_and_says_so(burn: Supervision, store: RunStore) -> None:
    store.request(1, "skip")
    burn.turn()
    assert store.pending_requests(1) == []
    assert not burn.cut
    assert events(store) == [("skip", "A skip was requested while no stage was running: nothing was skipped.")]


def test_a_skip_within_a_stage_ends_it_early(burn: Supervision, store: RunStore) -> None:
    burn.begin_stage(0, lambda: 0.5)
    store.request(1, "skip")
    burn.turn()
    assert (burn.cut, burn.why_cut) == (True, "The user skipped the rest of this stage.")
    assert events(store) == [("skip", "The user skipped the rest of this stage.")]


def test_a_run_that_ends_because_a_driver_hangs_names_it(burn: Supervision, monkeypatch: pytest.MonkeyPatch) -> None:
    overdue(burn)
    monkeypatch.setattr(burn.sensors, "silent_s", lambda: 11.0)
    monkeypatch.setattr(burn, "_next_tick", 0.0)
    burn.turn()
    assert "the driver of GPU 3 does not answer" in burn.stopped.text


def smuggled(store: RunStore, kind: str, argument: str, times: int = 1) -> None:
    """Requests as another program writes them, past the store; both are SQL expressions."""
    other = sqlite3.connect(store.path)
    with other:
        for _ in range(times):
            other.execute(f"INSERT INTO requests (run_id, kind, argument, at) VALUES (1, {kind}, {argument}, '')")
    other.close()


@pytest.mark.parametrize(
    ("argument", "recorded"),
    [
        ("CAST(x'ff68fe' AS TEXT)", "\ufffdh\ufffd"),
        ("CAST(x'610062' AS TEXT)", "a\ufffdb"),
        ("CAST(x'eda080' AS TEXT)", "\ufffd\ufffd\ufffd"),
        ("hex(zeroblob(5000000))", "0" * MAX_REQUEST_BYTES + "…"),
        ("''", ""),
    ],
)
def test_a_mark_of_any_bytes_is_recorded_as_bounded_text(
    burn: Supervision, store: RunStore, argument: str, recorded: str
) -> None:
    smuggled(store, "'mark'", argument)
    burn.turn()
    assert store.pending_requests(1) == []
    assert events(store) == [("mark", recorded)]


@pytest.mark.parametrize("kind", ["'dance'", "''", "CAST(x'ff00' AS TEXT)", "hex(zeroblob(5000000))"])
def test_an_unknown_request_is_answered_and_does_nothing(burn: Supervision, store: RunStore, kind: str) -> None:
    smuggled(store, kind, "''")
    burn.turn()
    assert store.pending_requests(1) == []
    assert events(store) == []
    (answer,) = sqlite3.connect(store.path).execute("SELECT answer FROM requests").fetchone()
    assert answer.startswith("unknown request")
    assert len(answer) < 4 * MAX_REQUEST_BYTES


def test_a_flood_of_requests_is_read_in_parts(burn: Supervision, store: RunStore) -> None:
    smuggled(store, "'dance'", "''", MOST_REQUESTS + 1)
    burn._heed_requests()
    assert len(store.pending_requests(1)) == 1
    burn._heed_requests()
    assert store.pending_requests(1) == []
