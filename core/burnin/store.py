"""runs.sqlite: written by the runner, read by any number of viewers.

All SQL of burning in is here. Samples and events are committed together once a tick, so that a viewer that follows the
recording sees what the runner saw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.profile import Profile
from core.burnin.record import (
    INTERRUPTION_OUTCOMES,
    MACHINE,
    Event,
    EventLevel,
    Interruption,
    InterruptionKind,
    Outcome,
    Reason,
    Request,
    ResultStatus,
    Run,
    RunDevice,
    RunStatus,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.sample_table import FOLDED_TICKS, add_rows, fold, last_sample_s, read_samples
from core.burnin.schema import migrations
from core.database import explained, open_database
from core.errors import BadInput, EnvironmentProblem
from core.processes import ProcessMark
from core.telemetry.device import Device
from core.telemetry.metrics import NAMES
from core.words import duration

FILE = "runs.sqlite"
RUNNER = "runner"
"""Role of the process that records."""
MAX_REQUEST_BYTES = 2000
"""Of what a request says; more is cut off."""
MOST_REQUESTS = 100
"""Read at once: a flood of them must not keep the runner from its loads."""
INTERRUPTION = "interruption"
"""Kind of the events that tell interruptions."""


def utc_now() -> str:
    """The time as stamps carry it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class UnreadableRecord(EnvironmentProblem):
    """What is stored of a run does not fit what this program knows of one."""


class RunStore:
    """One connection to the recording; use one per thread. Methods raise EnvironmentProblem in words."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / FILE
        self._db = open_database(self.path, migrations)
        self._ticks = 0

    def close(self) -> None:
        """Ends the connection."""
        self._db.close()

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
        with explained(self.path), self._db.atomic():
            run_id = self._db.execute(
                "INSERT INTO runs (title, status, profile, build, started_at, boot_id, runner_pid, machine,"
                " simulated, version, simulate) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    title,
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
            self._beat(run_id)
            for number, (stage, stage_title) in enumerate(zip(profile.stages, stage_titles, strict=True)):
                self._db.execute(
                    "INSERT INTO stages (run_id, number, kind, title, seconds, status) VALUES (?, ?, ?, ?, ?, ?)",
                    (run_id, number, stage.kind, stage_title, stage.seconds, StageStatus.PENDING),
                )
        return run_id

    def set_runner(self, run_id: int, pid: int, boot_id: str) -> None:
        """Names the process that takes up an interrupted run, and puts that on record."""
        paused_s = self._paused_s(run_id, boot_id)
        after = f"{duration(paused_s)} after its last record" if paused_s is not None else "after an unknown time"
        with explained(self.path), self._db.atomic():
            text = f"Resumed {after}. The stage that was cut off begins anew."
            self.add_interruption(run_id, InterruptionKind.RESUMED, self.last_time_s(run_id), text, lasted_s=paused_s)
            self._db.execute("DELETE FROM processes WHERE run_id = ?", (run_id,))
            self._db.execute(
                "UPDATE runs SET runner_pid = ?, boot_id = ?, status = ?, ended_at = NULL, cut_short = NULL"
                " WHERE id = ?",
                (pid, boot_id, RunStatus.RUNNING, run_id),
            )

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
        with explained(self.path), self._db.atomic():
            self._db.execute(
                "INSERT INTO interruptions (run_id, kind, time_s, at, lasted_s, stage, message)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run_id, kind, time_s, utc_now(), lasted_s, stage, message),
            )
            self.add_event(run_id, time_s, level, INTERRUPTION, message)

    def start_stage(self, run_id: int, number: int, time_s: float, boot_id: str) -> None:
        """Journals a stage before it starts; on the disk when this returns, so that a reset is attributed to it."""
        self._write(
            "UPDATE stages SET status = ?, started_s = ?, fraction = 0, boot_id = ? WHERE run_id = ? AND number = ?",
            (StageStatus.RUNNING, time_s, boot_id, run_id, number),
        )

    def end_stage(self, run_id: int, number: int, time_s: float, status: StageStatus) -> None:
        """Closes a stage."""
        self._write(
            "UPDATE stages SET status = ?, ended_s = ?, fraction = 1 WHERE run_id = ? AND number = ?",
            (status, time_s, run_id, number),
        )

    def add_result(self, run_id: int, result: StageResult) -> None:
        """Keeps how a stage ended on a device.

        A failure stays, even when a resumed run repeats the stage, and so does the death of a worker by itself.
        """
        self._write(
            "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, number, device_id) DO UPDATE"
            " SET status = excluded.status, reason = excluded.reason, evidence = excluded.evidence"
            f" WHERE results.status != '{ResultStatus.FAILED}' AND (results.status != '{ResultStatus.DIED}'"
            " OR coalesce(json_extract(results.evidence, '$.killed_from_outside'), 0))",
            (run_id, result.number, result.device_id, result.status, result.reason, json.dumps(result.evidence)),
        )

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
        with explained(self.path), self._db.atomic():
            add_rows(self._db, run_id, time_s, samples)
            if self._ticks % FOLDED_TICKS == 0:
                fold(self._db, run_id)
            if stage is not None:
                self._db.execute(
                    "UPDATE stages SET fraction = ? WHERE run_id = ? AND number = ?", (stage[1], run_id, stage[0])
                )
            self._beat(run_id)

    def add_event(
        self, run_id: int, time_s: float, level: EventLevel, kind: str, message: str, *, device_id: str | None = None
    ) -> None:
        """Records what happened, at once."""
        self._write(
            "INSERT INTO events (run_id, time_s, at, device_id, level, kind, message) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (run_id, time_s, utc_now(), device_id, level, kind, message),
        )

    def pending_requests(self, run_id: int) -> list[Request]:
        """Requests that have no answer yet, oldest first, the first hundred.

        Any program of the user's may have written them: they are read as bytes, bounded, and made text here.
        """
        rows = self._rows(
            "SELECT id, substr(CAST(kind AS BLOB), 1, ?1), substr(CAST(argument AS BLOB), 1, ?1) FROM requests "
            "WHERE run_id = ?2 AND answered_at IS NULL ORDER BY id LIMIT ?3",
            (MAX_REQUEST_BYTES + 1, run_id, MOST_REQUESTS),
        )
        return [Request(number, _request_text(kind), _request_text(argument)) for number, kind, argument in rows]

    def answer(self, request_id: int, answer: str) -> None:
        """Closes a request."""
        self._write("UPDATE requests SET answered_at = ?, answer = ? WHERE id = ?", (utc_now(), answer, request_id))

    def finish(self, run_id: int, verdicts: Sequence[Verdict]) -> None:
        """Ends a run with its verdicts and the event that tells the machine's, in one commit."""
        machine = next((verdict for verdict in verdicts if verdict.device_id == MACHINE), None)
        with explained(self.path), self._db.atomic():
            for verdict in verdicts:
                reasons = json.dumps([asdict(reason) for reason in verdict.reasons])
                self._db.execute(
                    "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)",
                    (run_id, verdict.device_id, verdict.outcome, reasons),
                )
            if machine is not None:
                text = f"Verdict: {machine.outcome}."
                self.add_event(run_id, self.last_time_s(run_id), EventLevel.INFO, "verdict", text)
            self._db.execute(
                "UPDATE runs SET status = ?, ended_at = ? WHERE id = ?", (RunStatus.FINISHED, utc_now(), run_id)
            )

    def mark_interrupted(self, run_id: int, kind: InterruptionKind, cause: str, message: str = "") -> None:
        """The runner is gone without a verdict; the run ended with its last record, and that stays on record.

        `cause` is the short form of `message`. A run that got its verdict since somebody looked stays finished.
        """
        last_s = self.last_time_s(run_id)
        running = next((row.number for row in self.stages(run_id) if row.status is StageStatus.RUNNING), None)
        with explained(self.path), self._db.atomic():
            marked = self._db.execute(
                "UPDATE runs SET status = ?, ended_at = ?, cut_short = ? WHERE id = ? AND status = ?",
                (RunStatus.INTERRUPTED, self.last_at(run_id), cause, run_id, RunStatus.RUNNING),
            ).rowcount
            if marked:
                self.add_interruption(run_id, kind, last_s, message or cause, stage=running)

    def cut_short(self, run_id: int, time_s: float, sentence: str) -> None:
        """The runner gives up without a verdict and says why, in one commit."""
        with explained(self.path), self._db.atomic():
            self.add_interruption(run_id, InterruptionKind.GAVE_UP, time_s, sentence)
            self._db.execute(
                "UPDATE runs SET status = ?, ended_at = ?, cut_short = ? WHERE id = ?",
                (RunStatus.INTERRUPTED, utc_now(), sentence, run_id),
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

    def delete(self, run_id: int) -> None:
        """Forgets a run and all that belongs to it."""
        self._write("DELETE FROM runs WHERE id = ?", (run_id,))

    # -- read by everybody ----------------------------------------------------------------------------------------

    def runs(self) -> list[Run]:
        """All runs that can be read, newest first."""
        return [run for run in self._runs().values() if isinstance(run, Run)]

    def unreadable_runs(self) -> dict[int, str]:
        """Why the others cannot be read, by their number: one of them is no reason to list none."""
        return {run_id: run for run_id, run in self._runs().items() if isinstance(run, str)}

    def _runs(self) -> dict[int, Run | str]:
        found: dict[int, Run | str] = {}
        for row in self._rows(f"SELECT {_RUN} FROM runs ORDER BY id DESC"):
            try:
                found[row[0]] = _run(row)
            except UnreadableRecord as problem:
                found[row[0]] = str(problem)
        return found

    def run(self, run_id: int) -> Run:
        """One run. Raises BadInput if there is none with that number."""
        rows = self._rows(f"SELECT {_RUN} FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise BadInput(f"There is no run {run_id}. See the recorded ones with: rigwright runs.")
        return _run(rows[0])

    def devices(self, run_id: int) -> list[RunDevice]:
        """The devices of a run in their order."""
        rows = self._rows("SELECT info, position, burned FROM devices WHERE run_id = ? ORDER BY position", (run_id,))
        with _readable(run_id, "devices"):
            return [
                RunDevice(Device.from_dict(json.loads(info)), position, bool(burned)) for info, position, burned in rows
            ]

    def stages(self, run_id: int) -> list[StageRow]:
        """The stages of a run in their order."""
        rows = self._rows(
            "SELECT number, kind, title, seconds, status, fraction, started_s, ended_s, boot_id"
            " FROM stages WHERE run_id = ? ORDER BY number",
            (run_id,),
        )
        with _readable(run_id, "stages"):
            return [StageRow(*_with(row, 4, StageStatus)) for row in rows]

    def results(self, run_id: int) -> list[StageResult]:
        """How each stage ended on each device."""
        rows = self._rows(
            "SELECT number, device_id, status, reason, evidence FROM results WHERE run_id = ?"
            " ORDER BY number, device_id",
            (run_id,),
        )
        with _readable(run_id, "results"):
            return [StageResult(row[0], row[1], ResultStatus(row[2]), row[3], json.loads(row[4])) for row in rows]

    def samples(
        self, run_id: int, device_id: str, after_s: float = -1.0, names: Sequence[str] = NAMES
    ) -> NDArray[np.float64]:
        """Samples later than `after_s`: shape (n, 1 + len(names)), first column the time in s, NaN where unknown."""
        with explained(self.path), self._db.atomic():  # rows may move into a chunk between two questions
            return read_samples(self._db, run_id, device_id, after_s, names)

    def counted(self, run_id: int, device_id: str, names: Sequence[str]) -> dict[str, float]:
        """How far these metrics, which only rise, have come; what was never recorded is left out."""
        newest = self.samples(run_id, device_id, names=names)[:, 1:]
        known = {name: values[~np.isnan(values)] for name, values in zip(names, newest.T, strict=True)}
        return {name: float(values.max()) for name, values in known.items() if len(values)}

    def interruptions(self, run_id: int) -> list[Interruption]:
        """Everything that interrupted a run, oldest first."""
        rows = self._rows(
            "SELECT kind, time_s, at, lasted_s, stage, message FROM interruptions WHERE run_id = ? ORDER BY id",
            (run_id,),
        )
        return [Interruption(*_with(row, 0, InterruptionKind)) for row in rows]

    def shortened(self, run_id: int) -> str | None:
        """In what time its user had a run done, in a sentence; None where its stages had the time that they take."""
        told = (one.message for one in self.interruptions(run_id) if one.kind is InterruptionKind.SHORTENED)
        return next(told, None)

    def processes(self, run_id: int) -> list[tuple[ProcessMark, str]]:
        """The processes of the runner that records the run, or recorded it last, with their roles."""
        rows = self._rows("SELECT pid, started, role FROM processes WHERE run_id = ? ORDER BY pid", (run_id,))
        return [(ProcessMark(pid, started), role) for pid, started, role in rows]

    def beat_s(self, run_id: int) -> float | None:
        """When the runner gave its last sign of life, on the machine's monotonic clock; None before the first."""
        rows = self._rows("SELECT monotonic_s FROM beats WHERE run_id = ?", (run_id,))
        return float(rows[0][0]) if rows else None

    def last_time_s(self, run_id: int) -> float:
        """Time of the newest sample or event, 0 if there is none."""
        with explained(self.path), self._db.atomic():
            sampled_s = last_sample_s(self._db, run_id)
            row = self._db.execute("SELECT max(time_s) FROM events WHERE run_id = ?", (run_id,)).fetchone()
        return max(sampled_s, float(row[0] or 0.0))

    def events(self, run_id: int, after_id: int = 0) -> list[Event]:
        """Events after a cursor, oldest first."""
        rows = self._rows(
            "SELECT id, time_s, at, device_id, level, kind, message FROM events"
            " WHERE run_id = ? AND id > ? ORDER BY id",
            (run_id, after_id),
        )
        with _readable(run_id, "events"):
            return [Event(*_with(row, 4, EventLevel)) for row in rows]

    def verdicts(self, run_id: int) -> list[Verdict]:
        """The verdicts of a finished run; the machine's first."""
        rows = self._rows(
            "SELECT device_id, outcome, reasons FROM verdicts WHERE run_id = ? ORDER BY device_id", (run_id,)
        )
        with _readable(run_id, "verdicts"):
            return [Verdict(device_id, Outcome(outcome), _reasons(reasons)) for device_id, outcome, reasons in rows]

    def last_at(self, run_id: int) -> str:
        """The moment of the newest sample or event, from an event's two times."""
        rows = self._rows("SELECT at, time_s FROM events WHERE run_id = ? ORDER BY id DESC LIMIT 1", (run_id,))
        if not rows:
            return self.run(run_id).started_at
        later = timedelta(seconds=self.last_time_s(run_id) - rows[0][1])
        return (datetime.fromisoformat(rows[0][0]) + later).isoformat(timespec="milliseconds")

    def wall_s(self, run_id: int) -> float | None:
        """From the start of a run to its end, pauses before it was resumed included; None while it goes on.

        Not the difference of its two stamps: somebody may have set the clock between them. None where it is unknown,
        too, for how long the run paused.
        """
        pauses = [one.lasted_s for one in self.interruptions(run_id) if one.kind is InterruptionKind.RESUMED]
        if self.run(run_id).status is RunStatus.RUNNING or None in pauses:
            return None
        return self.last_time_s(run_id) + sum(pause or 0.0 for pause in pauses)

    def _paused_s(self, run_id: int, boot_id: str) -> float | None:
        """Since the last record: of the monotonic clock on the same boot, else of the wall clock.

        None where that was set back meanwhile.
        """
        beat_s = self.beat_s(run_id)
        if beat_s is not None and self.run(run_id).boot_id == boot_id and time.monotonic() >= beat_s:
            return round(time.monotonic() - beat_s, 3)
        paused_s = (datetime.now(UTC) - datetime.fromisoformat(self.last_at(run_id))).total_seconds()
        return paused_s if paused_s >= 0 else None

    def _beat(self, run_id: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO beats VALUES (?, ?)", (run_id, round(time.monotonic(), 3)))

    def _write(self, sql: str, values: tuple[Any, ...]) -> int:
        with explained(self.path), self._db.atomic():
            return int(self._db.execute(sql, values).lastrowid or 0)

    def _rows(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        with explained(self.path):
            return list(self._db.execute(sql, values).fetchall())


_RUN = (
    "id, title, status, profile, build, started_at, ended_at, boot_id, runner_pid, machine, simulated, version, note,"
    " cut_short, simulate"
)


def _run(row: tuple[Any, ...]) -> Run:
    with _readable(row[0], "status or profile"):
        row = _with(row, 2, RunStatus)
        row = _with(row, 3, _profile)
        return Run(*_with(row, 10, bool))


@contextmanager
def _readable(run_id: int, what: str) -> Iterator[None]:
    """Turns whatever conversion fails over a damaged record into a sentence."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UnreadableRecord(
            f"The {what} of run {run_id} cannot be read: its record is damaged, or a newer program's. "
            f"Delete it with: rigwright forget {run_id}"
        ) from error


def _profile(stored: str) -> Profile:
    """Another program's words are left out: a run that a newer one recorded is no reason to list none."""
    return Profile.model_validate_json(stored, extra="ignore")


def _with(row: tuple[Any, ...], column: int, convert: Callable[[Any], Any]) -> tuple[Any, ...]:
    """The row with one column in its own type."""
    return (*row[:column], convert(row[column]), *row[column + 1 :])


def _reasons(stored: str) -> tuple[Reason, ...]:
    return tuple(Reason(**{**reason, "outcome": Outcome(reason["outcome"])}) for reason in json.loads(stored))


def _request_text(stored: bytes | None) -> str:
    if stored is None:  # what SQLite makes of an empty part
        return ""
    if len(stored) > MAX_REQUEST_BYTES:
        return _request_text(stored[:MAX_REQUEST_BYTES]) + "…"
    return stored.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
