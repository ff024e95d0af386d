"""runs.sqlite as everybody reads it: runs and their stages, results, samples, events, verdicts.

All SQL of burning in is here and in core.burnin.record.store, which writes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from os.path import samestat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.chain import RESULT, last_link, read_links
from core.burnin.record.chain_check import ChainCheck, check_chain
from core.burnin.record.origin import DeletedRun, LoadedLibraries, Origin, Predecessor, read_witness, unmatched
from core.burnin.record.rows import (
    IMPORTED,
    MAX_REQUEST_BYTES,
    RUN_COLUMNS,
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
    UnreadableRecord,
    Verdict,
    incident_of,
    readable,
    request_text,
    run_of,
    with_converted,
)
from core.burnin.record.run_facts import FACT_NAMES, MOST_LETTERS, FactChange, RunFacts
from core.burnin.record.sample_table import last_sample_s, read_samples
from core.burnin.record.schema import migrations
from core.burnin.record.sentences import Sentences, with_codes
from core.machine.asbuilt.as_built import AsBuilt
from core.machine.telemetry.device import Device
from core.machine.telemetry.metrics import NAMES
from core.platform.database import copy_database, explained, open_database
from core.platform.errors import BadInput, EnvironmentProblem
from core.platform.processes import ProcessMark
from core.words import tr, translated

FILE = "runs.sqlite"
RESULT_COLUMNS = "number, device_id, status, reason, evidence"
MOST_REQUESTS = 100
"""Read at once: a flood of them must not keep the runner from its loads."""


class RecordingMoved(EnvironmentProblem):
    """The file that is open does not lie at its path any more."""


class RunReader:
    """One connection to the recording; use one per thread. Methods raise EnvironmentProblem in words."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / FILE
        self._db = open_database(self.path, migrations)
        self._file = self.path.stat()
        self._sentences = Sentences(self._db)

    def close(self) -> None:
        """Ends the connection."""
        self._db.close()

    def copy_to(self, path: Path) -> None:
        """The recording as it is now, also while a run is recorded. Raises EnvironmentProblem."""
        with explained(path):
            copy_database(self._db, path)

    def require_in_place(self) -> None:
        """Raises RecordingMoved where somebody has removed, moved or replaced the file.

        This connection would read and write on in a file that nobody finds.
        """
        try:
            there = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            there = None
        except OSError:
            return  # nobody can tell
        if there is None or not samestat(there, self._file):
            raise RecordingMoved(
                tr(
                    "{path} was removed, moved or replaced while a run was recorded in it: the run cannot go on, and "
                    "its loads are stopped. Start it again, and leave the data folder in its place.",
                    path=self.path,
                )
            )

    def runs(self) -> list[Run]:
        """All runs that can be read, newest first."""
        return [run for run in self._runs().values() if isinstance(run, Run)]

    def unreadable_runs(self) -> dict[int, str]:
        """Why the others cannot be read, by their number: one of them is no reason to list none."""
        return {run_id: run for run_id, run in self._runs().items() if isinstance(run, str)}

    def _runs(self) -> dict[int, Run | str]:
        runs: dict[int, Run | str] = {}
        for row in self._rows(f"SELECT {RUN_COLUMNS} FROM runs ORDER BY id DESC"):
            try:
                runs[row[0]] = self._run(row)
            except UnreadableRecord as problem:
                runs[row[0]] = problem.sentence
        return runs

    def run(self, run_id: int) -> Run:
        """One run. Raises BadInput if there is none with that number."""
        rows = self._rows(f"SELECT {RUN_COLUMNS} FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise BadInput(tr("There is no run {run}. See the recorded ones with: {rigwright runs}.", run=run_id))
        return self._run(rows[0])

    def ordered_as(self, fleet_id: str) -> int | None:
        """The run that a fleet ordered by this name; None if there is none."""
        rows = self._rows("SELECT run_id FROM fleet_ids WHERE fleet_id = ?", (fleet_id,))
        return rows[0][0] if rows else None

    def fleet_id(self, run_id: int) -> str | None:
        """The name by which a fleet ordered a run; None of any other."""
        rows = self._of(run_id, "fleet_ids", "fleet_id")
        return rows[0][0] if rows else None

    def imported(self, run_id: int) -> bool:
        """Whether a run is a log of another tool: any of its marks will do, in case somebody took the others away."""
        marks = self._rows(
            "SELECT 1 FROM links WHERE run_id = ?1 AND kind = ?2 UNION SELECT 1 FROM events WHERE run_id = ?1 AND "
            "kind = ?2 UNION SELECT 1 FROM stages WHERE run_id = ?1 AND kind = ?2 UNION SELECT 1 FROM devices WHERE "
            "run_id = ?1 AND info LIKE ?3",
            (run_id, IMPORTED, f'%"{IMPORTED}"%'),
        )
        return bool(marks) or self.run(run_id).imported

    def require_measured(self, run_id: int) -> None:
        """Raises BadInput for a log of another tool: nothing of it was measured here."""
        if self.imported(run_id):
            raise BadInput(
                tr(
                    "Run {run} is the log of another tool, imported, not judged: it has no report, no certificate "
                    "and no seal. Compare it, or use it with: {rigwright calibrate} FILE {--run} {run}",
                    run=run_id,
                )
            )

    def devices(self, run_id: int) -> list[RunDevice]:
        """The devices of a run in their order."""
        rows = self._of(run_id, "devices", "info, position, burned", "position")
        with readable(run_id, tr("devices")):
            return [RunDevice(Device.from_dict(json.loads(info)), at, bool(burned)) for info, at, burned in rows]

    def as_built(self, run_id: int) -> AsBuilt | None:
        """The machine as it was found before the run; None of a run that did not look."""
        rows = self._of(run_id, "as_built", "told")
        with readable(run_id, tr("machine as built")):
            return AsBuilt.from_json(rows[0][0]) if rows else None

    def check_chain(self, run_id: int) -> ChainCheck | None:
        """The whole record of a run held against its hash chain; None of a run that was recorded without one."""
        with explained(self.path), self._db.atomic():
            links = read_links(self._db, run_id)
            return check_chain(self._db, run_id, links, head=self._head(run_id)) if links else None

    def _head(self, run_id: int) -> bytes:
        """The running hash of the newest samples, as the runner left it."""
        rows = self._of(run_id, "beats", "head")
        return bytes(rows[0][0] or b"") if rows else b""

    def chain_head(self, run_id: int) -> bytes | None:
        """The last link of the chain; None of a run that was recorded without one."""
        with explained(self.path):
            last = last_link(self._db, run_id)
        return last[1] if last else None

    def origin(self, run_id: int) -> Origin | None:
        """What a run came from; None of one that an older program recorded."""
        rows = self._of(run_id, "origins", "told")
        with readable(run_id, tr("origin")):
            return Origin.from_json(rows[0][0]) if rows else None

    def libraries(self, run_id: int) -> list[LoadedLibraries]:
        """What the processes of a run measured and computed by, in the order in which they told it."""
        rows = self._of(run_id, "libraries", "role, device_id, told", "id")
        with readable(run_id, tr("libraries")):
            return [LoadedLibraries.from_json(*row) for row in rows]

    def deleted_runs(self) -> list[DeletedRun]:
        """What is left of the runs that were deleted, newest first."""
        rows = self._rows("SELECT run_id, started_at, deleted_at, digest FROM deleted_runs ORDER BY run_id DESC")
        return [DeletedRun(*row) for row in rows]

    def absent(self) -> list[Predecessor]:
        """Runs that this installation has recorded and that are not here, or not as they were, and were not deleted."""
        with explained(self.path), self._db.atomic():
            return unmatched(self._db, read_witness(self.path.parent))

    def facts(self, run_id: int) -> RunFacts:
        """What the user told about a run, as it stands now."""
        newest = {change.name: change.value for change in self.fact_changes(run_id)}
        return RunFacts(**{name: value for name, value in newest.items() if name in FACT_NAMES})

    def fact_changes(self, run_id: int) -> list[FactChange]:
        """Everything that was ever told about a run, oldest first; no text is longer than one that can be told."""
        rows = self._of(run_id, "facts", f"at, name, substr(value, 1, {MOST_LETTERS})", "id")
        return [FactChange(*row) for row in rows]

    def seal(self, run_id: int) -> str | None:
        """The seal of a run, as it was kept; None where it has none."""
        rows = self._of(run_id, "seals", "seal")
        return rows[0][0] if rows else None

    def stages(self, run_id: int) -> list[StageRow]:
        """The stages of a run in their order."""
        columns = "number, kind, title, seconds, status, fraction, started_s, ended_s, boot_id"
        rows = self._of(run_id, "stages", columns, "number")
        with readable(run_id, tr("stages")):
            return [StageRow(*with_converted(row, 4, StageStatus)) for row in self._translated(run_id, rows, 2)]

    def results(self, run_id: int) -> list[StageResult]:
        """How each stage ended on each device."""
        return self._results(run_id, self._of(run_id, "results", RESULT_COLUMNS, "number, device_id"))

    def results_since(self, run_id: int, cursor: int) -> tuple[int, list[StageResult]]:
        """The results that were written or rewritten after a cursor, and the next cursor; 0 is the beginning.

        The cursor is the number of a link of the chain: every result that is written gets one. A run that was begun
        without a chain has none, and gives all of its results each time.
        """
        if cursor == 0:
            with explained(self.path):
                last = last_link(self._db, run_id)
            return (last[0] if last else 0), self.results(run_id)
        links = self._rows(
            "SELECT number, kind, subject FROM links WHERE run_id = ? AND number > ? ORDER BY number", (run_id, cursor)
        )
        changed = dict.fromkeys(subject.partition(" ")[::2] for _, kind, subject in links if kind == RESULT.kind)
        sql = f"SELECT {RESULT_COLUMNS} FROM results WHERE run_id = ? AND number = ? AND device_id = ?"
        rows = [row for place in changed for row in self._rows(sql, (run_id, *place))]
        return (links[-1][0] if links else cursor), self._results(run_id, rows)

    def _results(self, run_id: int, rows: list[tuple[Any, ...]]) -> list[StageResult]:
        with readable(run_id, tr("results")):
            recorded = [(*row[:4], json.loads(row[4])) for row in rows]
            return [
                StageResult(number, device_id, ResultStatus(status), reason, evidence)
                for number, device_id, status, reason, evidence in self._translated(run_id, recorded, 3, 4)
            ]

    def samples(
        self, run_id: int, device_id: str, after_s: float = -1.0, names: Sequence[str] = NAMES
    ) -> NDArray[np.float64]:
        """Samples later than `after_s`: shape (n, 1 + len(names)), first column the time in s, NaN where unknown."""
        with explained(self.path), self._db.atomic():  # rows may move into a chunk between two questions
            return read_samples(self._db, run_id, device_id, after_s, names)

    def counted(self, run_id: int, device_id: str, names: Sequence[str]) -> dict[str, float]:
        """How far these metrics, which only rise, have come; what was never recorded is left out."""
        newest = self.samples(run_id, device_id, names=names)[:, 1:]
        measured = {name: values[~np.isnan(values)] for name, values in zip(names, newest.T, strict=True)}
        return {name: float(values.max()) for name, values in measured.items() if len(values)}

    def interruptions(self, run_id: int) -> list[Interruption]:
        """Everything that interrupted a run, oldest first."""
        rows = self._of(run_id, "interruptions", "kind, time_s, at, lasted_s, stage, message", "id")
        return [Interruption(*with_converted(row, 0, InterruptionKind)) for row in self._translated(run_id, rows, 5)]

    def shortened(self, run_id: int) -> str | None:
        """In what time its user had a run done, in a sentence; None where its stages had the time that they take."""
        messages = (one.message for one in self.interruptions(run_id) if one.kind is InterruptionKind.SHORTENED)
        return next(messages, None)

    def processes(self, run_id: int) -> list[tuple[ProcessMark, str]]:
        """The processes of the runner that records the run, or recorded it last, with their roles."""
        rows = self._of(run_id, "processes", "pid, started, role", "pid")
        return [(ProcessMark(pid, started), role) for pid, started, role in rows]

    def beat_s(self, run_id: int) -> float | None:
        """When the runner gave its last sign of life, on the machine's monotonic clock; None before the first."""
        rows = self._of(run_id, "beats", "monotonic_s")
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
            "SELECT id, time_s, at, device_id, level, kind, message, incident FROM events"
            " WHERE run_id = ? AND id > ? ORDER BY id",
            (run_id, after_id),
        )
        with readable(run_id, tr("events")):
            translated_rows = self._translated(run_id, rows, 6)
            return [Event(*with_converted((*row[:-1], incident_of(row[-1])), 4, EventLevel)) for row in translated_rows]

    def verdicts(self, run_id: int) -> list[Verdict]:
        """The verdicts of a finished run; the machine's first, then in the order of the devices.

        One that was resumed has none until it ends again.
        """
        rows = self._rows(
            "SELECT v.device_id, outcome, reasons FROM verdicts v LEFT JOIN devices USING (run_id, device_id)"
            " WHERE run_id = ? AND EXISTS (SELECT 1 FROM runs WHERE id = run_id AND status = ?)"
            " ORDER BY v.device_id <> '', position, v.device_id",
            (run_id, RunStatus.FINISHED),
        )
        with readable(run_id, tr("verdicts")):
            verdicts = [
                Verdict(device_id, Outcome(outcome), tuple(self._reason(run_id, one) for one in json.loads(reasons)))
                for device_id, outcome, reasons in rows
            ]
        return with_codes(verdicts, lambda: (self.devices(run_id), self.stages(run_id), self.events(run_id)))

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

    def pending_requests(self, run_id: int) -> list[Request]:
        """Requests that have no answer yet, oldest first, the first hundred.

        Any program of the user's may have written them: they are read as bytes, bounded, and made text here.
        """
        rows = self._rows(
            "SELECT id, substr(CAST(kind AS BLOB), 1, ?1), substr(CAST(argument AS BLOB), 1, ?1) FROM requests "
            "WHERE run_id = ?2 AND answered_at IS NULL ORDER BY id LIMIT ?3",
            (MAX_REQUEST_BYTES + 1, run_id, MOST_REQUESTS),
        )
        return [Request(number, request_text(kind), request_text(argument)) for number, kind, argument in rows]

    def _run(self, row: tuple[Any, ...]) -> Run:
        """Its title is that of a profile; why it was cut short is a sentence of the run."""
        run = run_of(row)
        cut_short = run.cut_short and self._sentences.translated(run.id, run.cut_short)
        return replace(run, title=translated(run.title), cut_short=cut_short)

    def _reason(self, run_id: int, recorded: dict[str, Any]) -> Reason:
        text, source = self._sentences.translated(run_id, [recorded["text"], recorded.get("source", "")])
        return Reason(**{**recorded, "text": text, "source": source, "outcome": Outcome(recorded["outcome"])})

    def _translated(self, run_id: int, rows: list[tuple[Any, ...]], *columns: int) -> list[tuple[Any, ...]]:
        """The rows with these columns in the language that is spoken now."""
        if not rows:
            return []
        with explained(self.path):
            values = self._sentences.translated(run_id, [[row[column] for column in columns] for row in rows])
        for column, place in zip(columns, range(len(columns)), strict=True):
            rows = [(*row[:column], one[place], *row[column + 1 :]) for row, one in zip(rows, values, strict=True)]
        return rows

    def _of(self, run_id: int, table: str, columns: str, order: str = "1") -> list[tuple[Any, ...]]:
        """What a table holds of a run."""
        return self._rows(f"SELECT {columns} FROM {table} WHERE run_id = ? ORDER BY {order}", (run_id,))

    def _rows(self, sql: str, values: tuple[Any, ...] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
        with explained(self.path):
            return list(self._db.execute(sql, values).fetchall())
