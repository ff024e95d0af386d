"""runs.sqlite as the runner writes it, and the little that viewers write: requests, notes, the end of a run's record.

Samples and events are committed together once a tick, so that a viewer that follows the recording sees what the runner
saw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from core.burnin.profile.profile import Profile
from core.burnin.record import chain
from core.burnin.record.evidence import StageEvidence
from core.burnin.record.linked_store import LinkedStore, Row, utc_now
from core.burnin.record.origin import LoadedLibraries, Origin, keep_deleted, next_run, read_witness
from core.burnin.record.rows import (
    IMPORTED,
    MACHINE,
    EventLevel,
    InterruptionKind,
    ResultStatus,
    RunDevice,
    RunStatus,
    StageResult,
    StageStatus,
    Verdict,
)
from core.burnin.record.sample_table import FOLDED_TICKS, Values, add_columns, add_rows, piece_of
from core.burnin.record.sentences import in_english
from core.loads.evidence import read
from core.machine.asbuilt.as_built import AsBuilt
from core.machine.telemetry.source import Incident
from core.platform.processes import ProcessMark
from core.words import duration, english, tr

T = TypeVar("T")
RUNNER = "runner"
"""Role of the process that records."""


class RunStore(LinkedStore):
    """A connection that also writes: the runner's, or a viewer's that asks for something."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self._ticks = 0

    # -- written by the runner ------------------------------------------------------------------------------------

    def create_run(  # noqa: PLR0913 - the columns of a run
        self,
        *,
        title: str,
        profile: Profile,
        devices: Iterable[RunDevice],
        stage_titles: Iterable[str],
        boot_id: str,
        machine: str,
        version: str,
        build: str | None = None,
        runner_pid: int | None = None,
        simulate: str | None = None,
        started_at: str | None = None,
        fleet_id: str | None = None,
    ) -> int:
        """Records a run that is about to start, or that started then; returns its number."""
        with self.one_commit():
            devices = list(devices)
            run_id, before = next_run(self._db, read_witness(self.path.parent))
            self._begin(run_id)
            start = {
                "id": run_id,
                "title": english(title),
                "profile": profile.model_dump_json(),
                "build": build,
                "started_at": started_at or utc_now(),
                "machine": machine,
                "simulated": any(row.device.simulated for row in devices),
                "version": version,
                "simulate": simulate,
            }
            end = {"status": RunStatus.RUNNING, "ended_at": None, "boot_id": boot_id, "runner_pid": runner_pid}
            self._put("runs", start | end)
            if fleet_id is not None:
                self._put("fleet_ids", {"fleet_id": fleet_id, "run_id": run_id})
            self._link_row(run_id, chain.START, start)
            came_from = Origin.now(profile, version, before)
            self._add_row(run_id, chain.ORIGIN, {"told": came_from.as_json()}, "")
            self._link_row(run_id, chain.END, end)
            for row in devices:
                info = json.dumps(row.device.as_dict())
                device = {"device_id": row.device.id, "position": row.position, "burned": row.burned, "info": info}
                self._add_row(run_id, chain.DEVICE, device, row.device.id)
            self._beat(run_id, b"")
            for number, (stage, stage_title) in enumerate(zip(profile.stages, stage_titles, strict=True)):
                begin = {"number": number, "kind": stage.kind, "title": in_english(self._db, run_id, stage_title)}
                begin |= {"seconds": stage.seconds, "status": StageStatus.PENDING, "fraction": 0.0}
                self._add_row(run_id, chain.STAGE, begin, str(number))
            self._has_new_end = True
        return run_id

    def imported_from(self, source: Sequence[Any], build: str | None) -> int | None:
        """The run that a log was imported as, with the same plan."""
        rows = self._rows(
            "SELECT max(run_id) FROM links JOIN runs ON runs.id = run_id WHERE kind = ? AND digest = ? AND status = ?"
            " AND build IS ?",
            (IMPORTED, chain.row_digest(source)[0], RunStatus.IMPORTED, build),
        )
        return rows[0][0] if rows else None

    def keep_imported(self, run_id: int, source: Sequence[Any], samples: Mapping[str, Mapping[str, Values]]) -> None:
        """Fills a run that was just created with what a log holds, by device, times among the metrics, and ends it.

        `source` tells the log apart: it is in the chain.
        """
        with self.one_commit():
            self._link(run_id, IMPORTED, "", chain.row_digest(source))
            for device_id, columns in samples.items():
                for piece in add_columns(self._db, (run_id, device_id), columns):
                    self._link(run_id, chain.SAMPLES, device_id, piece_of(piece))
            end_s = self.last_time_s(run_id)
            ended = {"status": StageStatus.DONE, "started_s": 0.0, "ended_s": end_s, "fraction": 1.0}
            self._change(run_id, chain.STAGE, "0", **ended)
            self._change_end(run_id, status=RunStatus.IMPORTED, ended_at=utc_now())
            self._link_stored(run_id)
            self._let_go(run_id)

    def set_runner(
        self, run_id: int, pid: int, boot_id: str, *, stopped_s: float | None = None, stage_titles: Iterable[str] = ()
    ) -> None:
        """Names the process that takes up an interrupted run, or one that was stopped then, and puts that on record.

        From then on that is this process. What was changed before is told first.
        """
        paused_s = self._paused_s(run_id, boot_id)
        text = _resumption(paused_s, was_stopped=stopped_s is not None)
        with self.one_commit():
            self.note_changes(run_id)
            self.add_interruption(run_id, InterruptionKind.RESUMED, self.last_time_s(run_id), text, lasted_s=paused_s)
            self._take_over(run_id, stage_titles)
            if stopped_s is not None:
                self._await_again(run_id, stopped_s)
            self._db.execute("DELETE FROM seals WHERE run_id = ?", (run_id,))  # what it told of is not the end
            self._db.execute("DELETE FROM processes WHERE run_id = ?", (run_id,))
            runner = {"runner_pid": pid, "boot_id": boot_id, "status": RunStatus.RUNNING}
            self._change_end(run_id, **runner, ended_at=None, cut_short=None)
            self._beat(run_id, b"")  # that of the runner before it tells nothing of this one

    def _await_again(self, run_id: int, since_s: float) -> None:
        """The stages that a stop left out or cut short; what the user skipped before it stays so."""
        for stage in self.stages(run_id):
            cut_s = since_s if stage.started_s is None else stage.ended_s
            if stage.status is StageStatus.SKIPPED and cut_s is not None and cut_s >= since_s:
                again = {"status": StageStatus.PENDING, "started_s": None, "ended_s": None, "fraction": 0.0}
                self._change(run_id, chain.STAGE, str(stage.number), **again)

    def set_as_built(self, run_id: int, as_built: AsBuilt) -> None:
        """Keeps the machine as it was found before the run."""
        with self.one_commit():
            self._add_row(run_id, chain.AS_BUILT, {"told": as_built.as_json()}, "")

    def add_libraries(self, run_id: int, time_s: float, loaded: LoadedLibraries) -> None:
        """Keeps what a process of the run has loaded to measure or to compute by."""
        with self.one_commit():
            row = {"role": loaded.role, "device_id": loaded.device_id, "told": loaded.as_json()}
            self._add_row(run_id, chain.LIBRARIES, {"time_s": time_s, **row})

    def add_process(self, run_id: int, mark: ProcessMark, role: str) -> None:
        """Names a process of the run, for those who must end it in place of its runner."""
        self._write("INSERT OR REPLACE INTO processes VALUES (?, ?, ?, ?)", (run_id, mark.pid, mark.started, role))

    def start_stage(self, run_id: int, number: int, time_s: float, boot_id: str) -> None:
        """Journals a stage before it starts; on the disk when this returns, so that a reset is attributed to it."""
        begun = {"status": StageStatus.RUNNING, "started_s": time_s, "fraction": 0.0, "boot_id": boot_id}
        with self.one_commit():
            self._change(run_id, chain.STAGE, str(number), **begun)

    def end_stage(self, run_id: int, number: int, time_s: float, status: StageStatus) -> None:
        """Closes a stage."""
        with self.one_commit():
            self._change(run_id, chain.STAGE, str(number), status=status, ended_s=time_s, fraction=1.0)

    def add_result(self, run_id: int, result: StageResult) -> None:
        """Keeps how a stage ended on a device.

        A failure stays, even when a resumed run repeats the stage, and so does the death of a worker by itself.
        """
        subject = f"{result.number} {result.device_id}"
        with self.one_commit():
            reason, evidence = in_english(self._db, run_id, (result.reason, result.evidence))
            row = {"number": result.number, "device_id": result.device_id, "status": result.status, "reason": reason}
            if not _stays(self._row(run_id, chain.RESULT, subject)):
                self._add_row(run_id, chain.RESULT, row | {"evidence": json.dumps(evidence)}, subject)

    def add_tick(
        self,
        run_id: int,
        time_s: float,
        samples: Mapping[str, Mapping[str, float | None]],
        *,
        stage: tuple[int, float] | None = None,
    ) -> None:
        """One commit: a sample per device, the running stage's (number, fraction), and the runner's sign of life."""
        self._ticks += 1
        with self.one_commit():
            head = add_rows(self._db, run_id, time_s, samples, self._head(run_id))
            self._keep_head(run_id, head)
            if self._ticks % FOLDED_TICKS == 0:
                self._fold(run_id, head)
                head = b""
            if stage is not None:
                self._db.execute(
                    "UPDATE stages SET fraction = ? WHERE run_id = ? AND number = ?", (stage[1], run_id, stage[0])
                )
            self._beat(run_id, head)

    def add_incident(self, run_id: int, time_s: float, level: EventLevel, message: str, incident: Incident) -> None:
        """Records what driver or kernel told, as an event with its fields."""
        recorded = json.dumps(english({"type": incident.kind, **incident.fields}))
        row = {"time_s": time_s, "device_id": incident.device, "level": level, "kind": incident.kind}
        self._add_event(run_id, row | {"message": message, "incident": recorded})

    def answer(self, request_id: int, answer: str) -> None:
        """Closes a request."""
        self._write(
            "UPDATE requests SET answered_at = ?, answer = ? WHERE id = ?", (utc_now(), english(answer), request_id)
        )

    def finish(self, run_id: int, verdicts: Sequence[Verdict]) -> None:
        """Ends a run and its chain with its verdicts and the event that tells the machine's, in one commit."""
        machine = next((verdict for verdict in verdicts if verdict.device_id == MACHINE), None)
        with self.one_commit():
            if machine is not None:
                text = tr("Verdict: {outcome}.", outcome=machine.outcome.label)
                self.add_event(run_id, self.last_time_s(run_id), EventLevel.INFO, "verdict", text)
            self._fold(run_id, self._head(run_id))
            self._link_what_was_not(run_id)
            for verdict in verdicts:
                reasons = json.dumps(in_english(self._db, run_id, [asdict(reason) for reason in verdict.reasons]))
                row = {"device_id": verdict.device_id, "outcome": verdict.outcome, "reasons": reasons}
                self._add_row(run_id, chain.VERDICT, row, verdict.device_id)
            self._change_end(run_id, status=RunStatus.FINISHED, ended_at=utc_now())
            self._link_stored(run_id)
            self._let_go(run_id)

    def set_seal(self, run_id: int, seal: str) -> None:
        """Keeps the seal of a run that has ended."""
        self._write("INSERT OR REPLACE INTO seals VALUES (?, ?)", (run_id, seal))

    def mark_interrupted(self, run_id: int, kind: InterruptionKind, cause: str, message: str = "") -> None:
        """The runner is gone without a verdict; the run ended with its last record, and that stays on record.

        `cause` is the short form of `message`. A run that got its verdict since somebody looked stays finished.
        """
        last_s, last_at = self.last_time_s(run_id), self.last_at(run_id)
        running = next((row.number for row in self.stages(run_id) if row.status is StageStatus.RUNNING), None)
        with self.one_commit():
            if self.run(run_id).status is not RunStatus.RUNNING:
                return
            self.note_changes(run_id)
            recorded_cause = in_english(self._db, run_id, cause)
            self._change_end(run_id, status=RunStatus.INTERRUPTED, ended_at=last_at, cut_short=recorded_cause)
            self.add_interruption(run_id, kind, last_s, message or cause, stage=running)
            self._let_go(run_id)

    def cut_short(self, run_id: int, time_s: float, sentence: str) -> None:
        """The runner gives up without a verdict and says why, in one commit."""
        with self.one_commit():
            self.add_interruption(run_id, InterruptionKind.GAVE_UP, time_s, sentence)
            end = {"status": RunStatus.INTERRUPTED, "ended_at": utc_now(), "cut_short": english(sentence)}
            self._change_end(run_id, **end)
            self._let_go(run_id)

    # -- written by viewers ---------------------------------------------------------------------------------------

    def request(self, run_id: int, kind: str, argument: str = "") -> int:
        """Asks the runner for something: "stop", "skip" (the running stage), "mark" (a remark). Returns its number."""
        self.run(run_id)
        return self._write(
            "INSERT INTO requests (run_id, kind, argument, at) VALUES (?, ?, ?, ?)", (run_id, kind, argument, utc_now())
        )

    def set_note(self, run_id: int, note: str) -> None:
        """Keeps the user's remark on a run."""
        self._write("UPDATE runs SET note = ? WHERE id = ?", (note, run_id))

    def set_facts(self, run_id: int, facts: Mapping[str, str]) -> None:
        """Keeps what the user tells about a run, by name; what was told before stays on record."""
        now = {change.name: change.value for change in self.fact_changes(run_id)}
        with self.one_commit():
            for name, value in facts.items():
                if now.get(name, "") != value:
                    self._db.execute(
                        "INSERT INTO facts (run_id, at, name, value) VALUES (?, ?, ?, ?)",
                        (run_id, utc_now(), name, value),
                    )

    def delete(self, run_id: int) -> None:
        """Forgets a run and all that belongs to it, but for its number, its digest and when that was."""
        with self.one_commit():
            keep_deleted(self._db, run_id, utc_now())
            self._db.execute("DELETE FROM runs WHERE id = ?", (run_id,))
            self._let_go(run_id)
            self._has_new_end = True

    def _paused_s(self, run_id: int, boot_id: str) -> float | None:
        """Since the last record: of the monotonic clock on the same boot, else of the wall clock.

        None where that was set back meanwhile.
        """
        beat_s = self.beat_s(run_id)
        if beat_s is not None and self.run(run_id).boot_id == boot_id and time.monotonic() >= beat_s:
            return round(time.monotonic() - beat_s, 3)
        paused_s = (datetime.now(UTC) - datetime.fromisoformat(self.last_at(run_id))).total_seconds()
        return paused_s if paused_s >= 0 else None

    def _beat(self, run_id: int, head: bytes) -> None:
        now_s = round(time.monotonic(), 3)
        self._db.execute("INSERT OR REPLACE INTO beats VALUES (?, ?, ?)", (run_id, now_s, head))

    def _write(self, sql: str, values: tuple[Any, ...]) -> int:
        with self.one_commit():
            return int(self._db.execute(sql, values).lastrowid or 0)


def _resumption(paused_s: float | None, *, was_stopped: bool) -> str:
    """What is said of a run that goes on after so long a pause; None where nobody can tell."""
    if paused_s is None:
        return tr("Resumed after an unknown time. The stage that was cut off starts over.")
    pause = duration(paused_s)
    if was_stopped:
        return tr("Resumed {pause} after it was stopped. The stage that was cut off starts over.", pause=pause)
    return tr("Resumed {pause} after its last record. The stage that was cut off starts over.", pause=pause)


def in_store(data_dir: Path, work: Callable[[RunStore], T]) -> T:
    """What `work` does with a connection of its own, on whichever thread. Raises EnvironmentProblem."""
    with closing(RunStore(data_dir)) as store:
        return work(store)


def _stays(result: Row | None) -> bool:
    """Whether no later result takes its place."""
    if result is None or result["status"] == ResultStatus.FAILED:
        return result is not None
    if result["status"] != ResultStatus.DIED:
        return False
    return not read(StageEvidence, json.loads(result["evidence"])).killed_from_outside
