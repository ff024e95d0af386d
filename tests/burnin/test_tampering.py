"""Somebody edits the recording while the run goes on: it is INCOMPLETE at best, and says so in verdict and seal.

The runner, its stages and its verdict are real, on a clock that jumps; the edits come through a connection of their
own, as from another program. One run with processes of its own shows that nothing of that is the clock's doing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record import chain
from core.burnin.record.reader import FILE
from core.burnin.record.rows import MACHINE, InterruptionKind, Outcome, StageStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from core.burnin.sealing import SealState, check_run
from tests.burnin.fast_run import burned
from tests.burnin.processes import Start, WriteProfile, finished
from tests.patience import wait_for

Edit = Callable[[sqlite3.Connection], None]
STAGES = (("idle", 4.0, {}), ("gemm", 8.0, {}), ("transformer", 6.0, {}))
IN_GEMM_S = 8.0
SIMULATE = "2x3090,fault=ecc@1:3s"
"""The fault strikes before the edits: what is to be hidden is there."""


def sql(*statements: str) -> Edit:
    def edit(db: sqlite3.Connection) -> None:
        for statement in statements:
            assert db.execute(statement).rowcount > 0, statement

    return edit


def rewritten(db: sqlite3.Connection) -> None:
    """Rows and all links anew, by somebody who knows how links are made."""
    db.execute("UPDATE runs SET simulated = 0")
    rows = db.execute("SELECT number, kind, subject, digest, detail FROM links WHERE run_id = 1 ORDER BY number")
    before = b""
    start = db.execute(f"SELECT {', '.join(chain.START.fields)} FROM runs").fetchone()
    for number, kind, subject, *linked in rows.fetchall():
        digest, detail = chain.row_digest(start) if kind == chain.START.kind else linked
        before = chain.linked(before, number, kind, subject, digest, detail)
        db.execute(
            "UPDATE links SET digest = ?, detail = ?, link = ? WHERE run_id = 1 AND number = ?",
            (digest, detail, before, number),
        )


def other_criteria(db: sqlite3.Connection) -> None:
    profile = json.loads(db.execute("SELECT profile FROM runs").fetchone()[0])
    profile["criteria"]["max_errors"] = 1000
    db.execute("UPDATE runs SET profile = ?", (json.dumps(profile),))


EDITS: dict[str, tuple[Edit, str]] = {
    "the newest samples are cooled": (sql("UPDATE samples SET metrics = '{\"temperature_c\": 25}'"), "newest samples"),
    "samples are taken away": (sql("DELETE FROM samples WHERE time_s > 5"), "newest samples"),
    "a stage that waits is made a day long": (
        sql("UPDATE stages SET seconds = 86400, title = 'Transformer training, 24 h' WHERE number = 2"),
        "stage",
    ),
    "the stage that runs began yesterday": (sql("UPDATE stages SET started_s = -80000 WHERE number = 1"), "stage"),
    "a stage that has ended lasted longer": (sql("UPDATE stages SET started_s = -80000 WHERE number = 0"), "stage"),
    "a stage that waits was done": (
        sql("UPDATE stages SET status = 'done', started_s = 1, ended_s = 2 WHERE number = 2"),
        "stage",
    ),
    "it was not simulated": (sql("UPDATE runs SET simulated = 0"), "start"),
    "another title": (sql("UPDATE runs SET title = 'Acceptance'"), "start"),
    "other criteria": (other_criteria, "start"),
    "another machine": (sql("UPDATE runs SET machine = 'a better one'"), "start"),
    "another serial number": (sql("UPDATE devices SET info = replace(info, 'RTX 3090', 'RTX 5090')"), "device"),
    "an event is deleted": (sql("DELETE FROM events WHERE kind = 'power'"), "event"),
    "an event is reworded": (sql("UPDATE events SET message = 'All well.' WHERE kind = 'power'"), "event"),
    "an interruption is deleted": (sql("DELETE FROM interruptions"), "interruption"),
    "a result is made a pass": (sql("UPDATE results SET status = 'passed', reason = 'All well.'"), "result"),
    "results are taken away": (sql("DELETE FROM results"), "result"),
    "a result is added": (
        sql("INSERT INTO results VALUES (1, 2, 'SIM-1-rtx-3090', 'passed', '', '{}')",
            "UPDATE runs SET note = 'looks harmless'"),
        "result",
    ),
    "the machine as built": (sql("UPDATE as_built SET told = replace(told, '3090', '5090')"), "machine as built"),
    "where it came from": (sql("UPDATE origins SET told = replace(told, 'program', 'Program')"), "origin"),
    "the newest links are taken away": (sql("DELETE FROM links WHERE number > 12"), "link"),
    "all links are made anew": (rewritten, "link"),
}  # fmt: skip

WRITTEN_OVER = ("a stage that waits was done", "a result is added")
"""What the runner puts right by writing what it knows, and tells all the same."""


def burn_with(
    folder: Path, profile: str, patch: pytest.MonkeyPatch, edits: Sequence[Edit], simulate: str = "2x3090"
) -> dict[str, Verdict]:
    """A burn-in in the midst of which somebody edits its recording, once."""
    left, ticked = list(edits), RunStore.add_tick

    def tick(store: RunStore, run_id: int, time_s: float, *more: Any, **named: Any) -> None:
        ticked(store, run_id, time_s, *more, **named)
        if time_s > IN_GEMM_S and left:
            store.add_interruption(run_id, InterruptionKind.SHORTENED, time_s, "Shortened by the user.")
            with closing(sqlite3.connect(folder / FILE)) as db, db:
                left.pop()(db)

    with patch.context() as during:
        during.setattr(RunStore, "add_tick", tick)
        verdicts = burned(folder, BurnOrder(profile=profile, simulate=simulate))
    assert not left
    return verdicts


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_in_mid_run_stands_in_verdict_and_seal(
    tmp_path: Path, write_profile: WriteProfile, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    edit, what = EDITS[name]
    machine = burn_with(tmp_path, write_profile(*STAGES, stagger_s=0), monkeypatch, [edit])[MACHINE]
    assert machine.outcome is Outcome.INCOMPLETE
    texts = [reason.text for reason in machine.reasons if "was changed in the file" in reason.text]
    assert any(what in text for text in texts), machine.reasons
    with closing(RunStore(tmp_path)) as store:
        check = check_run(store, 1)
        assert store.verdicts(1)[0].outcome is Outcome.INCOMPLETE
    assert "changed" in check.seal.statement["interruptions"]
    assert check.seal.statement["outcome"] == "INCOMPLETE"
    healed = what == "newest samples" or name in WRITTEN_OVER
    assert check.state is (SealState.INTACT if healed else SealState.CHANGED)


def test_an_edit_hides_no_fault(tmp_path: Path, write_profile: WriteProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    edit, _ = EDITS["an event is deleted"]
    verdicts = burn_with(tmp_path, write_profile(*STAGES, stagger_s=0), monkeypatch, [edit], SIMULATE)
    assert verdicts[MACHINE].outcome is Outcome.FAIL


def test_a_run_that_nobody_edits_passes(
    tmp_path: Path, write_profile: WriteProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = sql("UPDATE runs SET note = 'Fan noise.'")  # is nobody's secret, and no part of the chain
    verdicts = burn_with(tmp_path, write_profile(*STAGES, stagger_s=0), monkeypatch, [note])
    assert verdicts[MACHINE].outcome is Outcome.PASS
    with closing(RunStore(tmp_path)) as store:
        assert check_run(store, 1).state is SealState.INTACT


@pytest.mark.process
def test_edits_of_a_run_with_processes_of_its_own(
    tmp_path: Path, store: RunStore, start: Start, write_profile: WriteProfile
) -> None:
    """And what a run is worth that is killed in the midst of a stage: not signed, and not accused."""
    stages = (("idle", 1.0, {}), ("gemm", 4.0, {}), ("transformer", 1.0, {}))
    run_id = start(write_profile(*stages, stagger_s=0), simulate="2x3090")
    wait_for(lambda: store.stages(run_id)[1].status is StageStatus.RUNNING, "the second stage")
    assert check_run(store, run_id).state is SealState.UNSIGNED
    with closing(sqlite3.connect(tmp_path / FILE, timeout=60)) as db, db:
        sql(
            "UPDATE stages SET seconds = 86400 WHERE number = 2",
            "UPDATE stages SET started_s = -80000 WHERE number = 1",
        )(db)
    assert check_run(store, run_id).state is SealState.CHANGED
    wait_for(lambda: finished(store, run_id), "its end")
    [machine] = [verdict for verdict in store.verdicts(run_id) if verdict.device_id == MACHINE]
    assert machine.outcome is Outcome.INCOMPLETE
    assert InterruptionKind.CHANGED in {one.kind for one in store.interruptions(run_id)}
