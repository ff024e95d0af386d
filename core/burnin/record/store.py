"""runs.sqlite as the runner writes it, and the little that viewers write: requests, notes, the end of a run's record.

Samples and events are committed together once a tick, so that a viewer that follows the recording sees what the runner
saw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.asbuilt.as_built import AsBuilt
from core.burnin.profile.profile import Profile
from core.burnin.record import chain, remarks
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import (
    INTERRUPTION_OUTCOMES,
    MACHINE,
    EventLevel,
    InterruptionKind,
    Outcome,
    ResultStatus,
    RunDevice,
    RunStatus,
    StageResult,
    StageStatus,
    Verdict,
)
from core.burnin.record.sample_table import FOLDED_TICKS, add_rows, fold, link_stored
from core.burnin.record.sentences import in_english
from core.database import writing
from core.language import english
from core.processes import ProcessMark
from core.telemetry.incident import Incident

RUNNER = "runner"
"""Role of the process that records."""
CHANGED = "changed"
"""Kind of the event that tells that the recording was changed while the run went on."""
INTERRUPTION = "interruption"
"""Kind of the events that tell interruptions."""


def utc_now() -> str:
    """The time as stamps carry it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class RunStore(RunReader):
    """A connection that also writes: the runner's, or a viewer's that asks for something."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self._ticks = 0
        self._heads: dict[int, bytes] = {}
        """By run: the running hash of its newest samples."""

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
    ) -> int:
        """Records a run that is about to start; returns its number."""
        devices = list(devices)
        with writing(self._db, self.path):
            run_id = self._db.execute(
                "INSERT INTO runs (title, status, profile, build, started_at, boot_id, runner_pid, machine,"
                " simulated, version, simulate) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    english(title),
                    RunStatus.RUNNING,
                    profile.model_dump_json(),
                    build,
                    utc_now(),
                    boot_id,
                    runner_pid,
                    machine,
                    any(row.device.simulated for row in devices),
                    version,
                    simulate,
                ),
            ).lastrowid
            assert run_id is not None
            for row in devices:
                self._db.execute(
                    "INSERT INTO devices VALUES (?, ?, ?, ?, ?)",
                    (run_id, row.device.id, row.position, row.burned, json.dumps(row.device.as_dict())),
                )
            self._beat(run_id, b"")
            for number, (stage, stage_title) in enumerate(zip(profile.stages, stage_titles, strict=True)):
                told = (stage.kind, in_english(self._db, run_id, stage_title), stage.seconds, StageStatus.PENDING)
                self._db.execute(
                    "INSERT INTO stages (run_id, number, kind, title, seconds, status) VALUES (?, ?, ?, ?, ?, ?)",
                    (run_id, number, *told),
                )
            chain.keep(self._db, run_id, chain.START)
            chain.keep_all(self._db, run_id, chain.DEVICE)
        return run_id

    def set_runner(self, run_id: int, pid: int, boot_id: str, *, stopped_s: float | None = None) -> None:
        """Names the process that takes up an interrupted run, or one that was stopped then, and puts that on record."""
        paused_s = self._paused_s(run_id, boot_id)
        text = remarks.resumed(paused_s, was_stopped=stopped_s is not None)
        with writing(self._db, self.path):
            self.add_interruption(run_id, InterruptionKind.RESUMED, self.last_time_s(run_id), text, lasted_s=paused_s)
            if stopped_s is not None:
                self._await_again(run_id, stopped_s)
            self._fold_all(run_id)
            self._db.execute("DELETE FROM seals WHERE run_id = ?", (run_id,))  # what it told of is not the end
            self._db.execute("DELETE FROM processes WHERE run_id = ?", (run_id,))
            self._db.execute(
                "UPDATE runs SET runner_pid = ?, boot_id = ?, status = ?, ended_at = NULL, cut_short = NULL"
                " WHERE id = ?",
                (pid, boot_id, RunStatus.RUNNING, run_id),
            )
            self._beat(run_id, b"")  # that of the runner before it tells nothing of this one

    def _await_again(self, run_id: int, since_s: float) -> None:
        """The stages that a stop left out or cut short; what the user skipped before it stays so."""
        self._db.execute(
            "UPDATE stages SET status = ?, started_s = NULL, ended_s = NULL, fraction = 0"
            " WHERE run_id = ? AND status = ? AND (started_s IS NULL OR ended_s >= ?)",
            (StageStatus.PENDING, run_id, StageStatus.SKIPPED, since_s),
        )

    def set_as_built(self, run_id: int, found: AsBuilt) -> None:
        """Keeps the machine as it was found before the run."""
        with writing(self._db, self.path):
            self._db.execute("INSERT OR REPLACE INTO as_built VALUES (?, ?)", (run_id, found.as_json()))
            chain.keep(self._db, run_id, chain.AS_BUILT)

    def add_process(self, run_id: int, mark: ProcessMark, role: str) -> None:
        """Names a process of the run, for those who must end it in place of its runner."""
        self._write("INSERT OR REPLACE INTO processes VALUES (?, ?, ?, ?)", (run_id, mark.pid, mark.started, role))

    def add_interruption(
        self,
        run_id: int,
        kind: InterruptionKind,
        time_s: float,
        message: str,
        *,
        lasted_s: float | None = None,
        stage: int | None = None,
    ) -> None:
        """Keeps for good what interrupted a run, and tells it as an event."""
        outcome = INTERRUPTION_OUTCOMES[kind]
        level = {Outcome.PASS: EventLevel.INFO, Outcome.FAIL: EventLevel.ERROR}.get(outcome, EventLevel.WARN)
        with writing(self._db, self.path):
            number = self._db.execute(
                "INSERT INTO interruptions (run_id, kind, time_s, at, lasted_s, stage, message)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run_id, kind, time_s, utc_now(), lasted_s, stage, english(message)),
            ).lastrowid
            chain.keep(self._db, run_id, chain.INTERRUPTION, str(number))
            self.add_event(run_id, time_s, level, INTERRUPTION, message)

    def start_stage(self, run_id: int, number: int, time_s: float, boot_id: str) -> None:
        """Journals a stage before it starts; on the disk when this returns, so that a reset is attributed to it."""
        self._write(
            "UPDATE stages SET status = ?, started_s = ?, fraction = 0, boot_id = ? WHERE run_id = ? AND number = ?",
            (StageStatus.RUNNING, time_s, boot_id, run_id, number),
        )

    def end_stage(self, run_id: int, number: int, time_s: float, status: StageStatus) -> None:
        """Closes a stage."""
        with writing(self._db, self.path):
            self._db.execute(
                "UPDATE stages SET status = ?, ended_s = ?, fraction = 1 WHERE run_id = ? AND number = ?",
                (status, time_s, run_id, number),
            )
            chain.keep(self._db, run_id, chain.STAGE, str(number))

    def add_result(self, run_id: int, result: StageResult) -> None:
        """Keeps how a stage ended on a device.

        A failure stays, even when a resumed run repeats the stage, and so does the death of a worker by itself.
        """
        with writing(self._db, self.path):
            reason, evidence = in_english(self._db, run_id, (result.reason, result.evidence))
            self._db.execute(
                "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, number, device_id) DO UPDATE"
                " SET status = excluded.status, reason = excluded.reason, evidence = excluded.evidence"
                f" WHERE results.status != '{ResultStatus.FAILED}' AND (results.status != '{ResultStatus.DIED}'"
                " OR coalesce(json_extract(results.evidence, '$.killed_from_outside'), 0))",
                (run_id, result.number, result.device_id, result.status, reason, json.dumps(evidence)),
            )
            chain.keep(self._db, run_id, chain.RESULT, f"{result.number} {result.device_id}")

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
        with writing(self._db, self.path):
            head = add_rows(self._db, run_id, time_s, samples, self._head(run_id))
            if self._ticks % FOLDED_TICKS == 0:
                self._fold(run_id, head)
                head = b""
            if stage is not None:
                self._db.execute(
                    "UPDATE stages SET fraction = ? WHERE run_id = ? AND number = ?", (stage[1], run_id, stage[0])
                )
            self._beat(run_id, head)
        self._heads[run_id] = head  # only now is it on the disk

    def add_event(
        self, run_id: int, time_s: float, level: EventLevel, kind: str, message: str, *, device_id: str | None = None
    ) -> None:
        """Records what happened, at once."""
        self._add_event(run_id, time_s, level, (kind, message), device_id, None)

    def add_incident(self, run_id: int, time_s: float, level: EventLevel, message: str, incident: Incident) -> None:
        """Records what driver or kernel told, as an event with its fields."""
        told = json.dumps(english({"type": incident.kind, **incident.fields}))
        self._add_event(run_id, time_s, level, (incident.kind, message), incident.device, told)

    def answer(self, request_id: int, answer: str) -> None:
        """Closes a request."""
        self._write(
            "UPDATE requests SET answered_at = ?, answer = ? WHERE id = ?", (utc_now(), english(answer), request_id)
        )

    def finish(self, run_id: int, verdicts: Sequence[Verdict]) -> None:
        """Ends a run and its chain with its verdicts and the event that tells the machine's, in one commit."""
        machine = next((verdict for verdict in verdicts if verdict.device_id == MACHINE), None)
        with writing(self._db, self.path):
            for verdict in verdicts:
                reasons = json.dumps(in_english(self._db, run_id, [asdict(reason) for reason in verdict.reasons]))
                self._db.execute(
                    "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)",
                    (run_id, verdict.device_id, verdict.outcome, reasons),
                )
            if machine is not None:
                text = remarks.verdict(machine.outcome)
                self.add_event(run_id, self.last_time_s(run_id), EventLevel.INFO, "verdict", text)
            self._db.execute(
                "UPDATE runs SET status = ?, ended_at = ? WHERE id = ?", (RunStatus.FINISHED, utc_now(), run_id)
            )
            self._fold_all(run_id)
            self._tell_changed(run_id)
            for kept in (chain.STAGE, chain.VERDICT, chain.END):
                chain.keep_all(self._db, run_id, kept)
            link_stored(self._db, run_id)

    @contextmanager
    def one_commit(self) -> Iterator[None]:
        """What is written inside is committed together, or not at all."""
        with writing(self._db, self.path):
            yield

    def set_seal(self, run_id: int, seal: str) -> None:
        """Keeps the seal of a run that has ended."""
        self._write("INSERT OR REPLACE INTO seals VALUES (?, ?)", (run_id, seal))

    def mark_interrupted(self, run_id: int, kind: InterruptionKind, cause: str, message: str = "") -> None:
        """The runner is gone without a verdict; the run ended with its last record, and that stays on record.

        `cause` is the short form of `message`. A run that got its verdict since somebody looked stays finished.
        """
        last_s = self.last_time_s(run_id)
        running = next((row.number for row in self.stages(run_id) if row.status is StageStatus.RUNNING), None)
        with writing(self._db, self.path):
            marked = self._db.execute(
                "UPDATE runs SET status = ?, ended_at = ?, cut_short = ? WHERE id = ? AND status = ?",
                (RunStatus.INTERRUPTED, self.last_at(run_id), english(cause), run_id, RunStatus.RUNNING),
            ).rowcount
            if marked:
                in_english(self._db, run_id, cause)
                self.add_interruption(run_id, kind, last_s, message or cause, stage=running)

    def cut_short(self, run_id: int, time_s: float, sentence: str) -> None:
        """The runner gives up without a verdict and says why, in one commit."""
        with writing(self._db, self.path):
            self.add_interruption(run_id, InterruptionKind.GAVE_UP, time_s, sentence)
            self._db.execute(
                "UPDATE runs SET status = ?, ended_at = ?, cut_short = ? WHERE id = ?",
                (RunStatus.INTERRUPTED, utc_now(), english(sentence), run_id),
            )

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

    def set_facts(self, run_id: int, told: Mapping[str, str]) -> None:
        """Keeps what the user tells about a run, by name; what was told before stays on record."""
        now = {change.name: change.value for change in self.fact_changes(run_id)}
        with writing(self._db, self.path):
            for name, value in told.items():
                if now.get(name, "") != value:
                    self._db.execute(
                        "INSERT INTO facts (run_id, at, name, value) VALUES (?, ?, ?, ?)",
                        (run_id, utc_now(), name, value),
                    )

    def delete(self, run_id: int) -> None:
        """Forgets a run and all that belongs to it."""
        self._write("DELETE FROM runs WHERE id = ?", (run_id,))

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

    def _head(self, run_id: int) -> bytes:
        """The running hash of the newest samples, as this process or the last runner of the run left it."""
        if run_id not in self._heads:
            rows = self._rows("SELECT head FROM beats WHERE run_id = ?", (run_id,))
            self._heads[run_id] = bytes(rows[0][0] or b"") if rows else b""
        return self._heads[run_id]

    def _fold(self, run_id: int, recorded: bytes) -> None:
        """Moves the newest samples into chunks, and tells where they are not those with the hash `recorded`."""
        if fold(self._db, run_id) != recorded and chain.last_link(self._db, run_id) is not None:
            self._add_changed(run_id, remarks.NEWEST)
        self._db.execute("UPDATE beats SET head = x'' WHERE run_id = ?", (run_id,))

    def _fold_all(self, run_id: int) -> None:
        """At the end of a run, and before another process goes on with it."""
        self._fold(run_id, self._head(run_id))
        self._heads.pop(run_id, None)

    def _tell_changed(self, run_id: int) -> None:
        """What was changed while the run went on is told before the end of the chain, and so becomes part of it."""
        found = self.check_chain(run_id)
        kinds = sorted({change.kind for change in found.changes if change.kind in remarks.KIND_WORDS}) if found else []
        if kinds:
            self._add_changed(run_id, *(remarks.KIND_WORDS[kind] for kind in kinds))

    def _add_changed(self, run_id: int, *what: str) -> None:
        text = remarks.changed(what)
        self.add_event(run_id, self.last_time_s(run_id), EventLevel.ERROR, CHANGED, text)

    def _add_event(
        self,
        run_id: int,
        time_s: float,
        level: EventLevel,
        told: tuple[str, str],
        device_id: str | None,
        incident: str | None,
    ) -> None:
        with writing(self._db, self.path):
            said = in_english(self._db, run_id, told)
            number = self._db.execute(
                "INSERT INTO events (run_id, time_s, at, device_id, level, kind, message, incident)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (run_id, time_s, utc_now(), device_id, level, *said, incident),
            ).lastrowid
            chain.keep(self._db, run_id, chain.EVENT, str(number))

    def _write(self, sql: str, values: tuple[Any, ...]) -> int:
        with writing(self._db, self.path):
            return int(self._db.execute(sql, values).lastrowid or 0)
