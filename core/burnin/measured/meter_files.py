"""Files of meters held against a run: sound levels and watts at the wall, by its stages or by the file alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np

from core.burnin.measured.level_columns import LEVELS_DBA, LevelColumn, LevelColumns, Weighting, level_columns
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import InterruptionKind, StageRow
from core.burnin.record.run_facts import WallFacts
from core.burnin.record.store import RunStore
from core.burnin.verdict.noise import LEFT_OUT_S, Values, steady_levels
from core.burnin.verdict.predicted import LOADS
from core.burnin.verdict.wall import AT_REST, COVERED
from core.machine.tables.time_table import LeftOut, TimeTable, read_time_table
from core.machine.tables.wall_table import WallTable, read_wall_table
from core.platform.errors import BadInput
from core.platform.foreign import read_bytes
from core.predict.conditions import LoadCase
from core.words import joined, shown, tr, trn

DAY_S = 86_400.0


def times_near(store: RunReader, run_id: int) -> datetime:
    """When a meter's file of a run may have been recorded: for dates that may be read in two ways."""
    start = datetime.fromisoformat(store.run(run_id).started_at)
    return (start + timedelta(days=1)).astimezone().replace(tzinfo=None)


def has_pauses(store: RunReader, run_id: int) -> bool:
    """Whether a run was interrupted: then times of a clock do not match its seconds."""
    interruptions = store.interruptions(run_id)
    return any(interruption.kind is not InterruptionKind.SHORTENED for interruption in interruptions)


def start_on_clock(
    store: RunReader, run_id: int, *, dated: bool, of_day: bool, last_s: float, offset_s: float = 0.0
) -> float:
    """The start of a run in the seconds of a table whose last time is `last_s`: since 1970 if `dated`, since midnight
    if `of_day`, else since its own beginning, which is the run's.

    `offset_s` is by how much the table's times are shifted.
    """
    start = datetime.fromisoformat(store.run(run_id).started_at)
    if dated:
        return start.timestamp() - offset_s
    if not of_day:
        return -offset_s
    midnight = start.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    start_s = (start - midnight).total_seconds() - offset_s
    return start_s if last_s >= start_s else start_s - DAY_S  # the table begins after midnight


_NAMED = 12
"""So many columns are named."""


class SeveralLevels(BadInput):
    """A file has several columns that may be the level. Carries their names, for somebody to choose one."""

    def __init__(self, file: str, names: Sequence[str]) -> None:
        fields = {"file": file, "columns": ", ".join(map(shown, names))}
        super().__init__(tr("{file} has several levels: {columns}. Choose one with {--column}.", **fields))
        self.names = tuple(names)


@dataclass(frozen=True, slots=True)
class MeterReading:
    """What the file of a meter says of a run."""

    levels: dict[str, float]
    """The fields of NoiseFacts that the file has levels for."""
    column: str
    """The heading of the level, or "column 2" where the file has none."""
    notes: tuple[str, ...]
    """What is to be told of how the file was read: a sentence each."""


def read_noise_file(path: Path, store: RunReader, run_id: int, column: str | None = None) -> MeterReading:
    """The levels at rest and in training that a meter's file has. `column` is the one to take, by its heading.

    Raises SeveralLevels where there are several, and BadInput saying why there is none.
    """
    table = read_time_table(path, near=times_near(store, run_id))
    level = _chosen(path.name, level_columns(table), column)
    times = _seconds_of_run(table, store, run_id)
    numbers = level.column.numbers
    shown_by_meters = (numbers >= LEVELS_DBA[0]) & (numbers <= LEVELS_DBA[1])
    levels_by_field = _levels_by_field(store.stages(run_id), times, np.where(shown_by_meters, numbers, np.nan))
    if not levels_by_field:
        raise BadInput(
            tr(
                "{file} has no level in the last third of an idle stage of 20 s, nor of a training or "
                "product stage of 5 min, of run {run_id}. Are its times from this run?",
                file=path.name,
                run_id=run_id,
            )
        )
    beyond = np.flatnonzero(np.isfinite(numbers) & ~shown_by_meters)
    left_out = [LeftOut(int(table.lines[at]), f"{numbers[at]:g}") for at in beyond.tolist()]
    return MeterReading(levels_by_field, level.name, tuple(_notes(level, table, [*table.left_out, *left_out])))


def _chosen(file: str, columns: LevelColumns, name: str | None) -> LevelColumn:
    """Raises SeveralLevels and BadInput."""
    if name is not None:
        matches = [level for level in (*columns.possible, *columns.not_a_weighted) if _is_called(level, name)]
        if not matches:
            fields = {
                "file": file,
                "column": shown(name),
                "columns": _listed([level.name for level in columns.likely or columns.possible] or columns.names),
            }
            raise BadInput(tr("{file} has no level called {column}. It has: {columns}.", **fields))
        if matches[0].weighting is Weighting.OTHER:
            raise _not_a_weighted(file, matches)
        return matches[0]
    if len(columns.likely) == 1:
        return columns.likely[0]
    if columns.likely:
        raise SeveralLevels(file, [level.name for level in columns.likely])
    if columns.not_a_weighted:
        raise _not_a_weighted(file, columns.not_a_weighted)
    raise BadInput(
        tr(
            "{file} has no column that says it is a level in dBA (dBA, LAeq, LAF, LAS). It has: {columns}. "
            "Choose one with {--column}.",
            file=file,
            columns=_listed(columns.names),
        )
    )


def _not_a_weighted(file: str, levels: Sequence[LevelColumn]) -> BadInput:
    return BadInput(
        tr(
            "{file}: {columns} is not A-weighted and cannot be compared with the prediction. Set the meter to dBA.",
            file=file,
            columns=_listed([level.name for level in levels]),
        )
    )


def _is_called(level: LevelColumn, name: str) -> bool:
    names = (level.name, level.column.name, f"{level.column.name} ({level.column.unit})")
    return "".join(name.casefold().split()) in {"".join(spelling.casefold().split()) for spelling in names}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names[:_NAMED])) + ("…" if len(names) > _NAMED else "")


def _seconds_of_run(table: TimeTable, store: RunReader, run_id: int) -> Values:
    """Times as seconds since the start of the run. Raises BadInput for a clock time of a run that was interrupted."""
    if (table.dated or table.of_day) and has_pauses(store, run_id):
        raise BadInput(
            tr(
                "Run {run_id} was interrupted, so clock times do not match it. Give seconds since its "
                "start, pauses left out.",
                run_id=run_id,
            )
        )
    last_s = float(table.times_s.max())
    return table.times_s - start_on_clock(store, run_id, dated=table.dated, of_day=table.of_day, last_s=last_s)


def _levels_by_field(stages: Sequence[StageRow], times: Values, levels: Values) -> dict[str, float]:
    names = {LoadCase.IDLE: "idle_dba", LoadCase.TRAINING: "load_dba"}
    return {names[load]: round(level, 1) for load, level in steady_levels(stages, times, levels).items()}


def _notes(level: LevelColumn, table: TimeTable, left_out: Sequence[LeftOut]) -> list[str]:
    notes: list[str] = []
    if level.by_figures:
        notes.append(tr("No heading says what the figures are: they are taken as dBA."))
    elif level.weighting is Weighting.UNSAID:
        notes.append(tr("{column} does not say its weighting: it is taken as dBA.", column=shown(level.name)))
    if not table.dated and not table.of_day:
        notes.append(tr("Its times are taken as seconds since the start of the run."))
    if left_out:
        first, count = min(left_out, key=lambda row: row.line), len({row.line for row in left_out})
        fields = {"count": count, "line": first.line, "text": shown(first.text)}
        notes.append(
            trn(
                "{count} row left out, line {line}: {text}",
                "{count:,} rows left out, the first is line {line}: {text}",
                **fields,
            )
        )
    return notes


UNDER_LOAD = ("soak", "resnet", "transformer", "gemm", "whole-system")
"""In this order: the stage whose load is the steadiest first."""
SHORTEST_S = 20.0
PARTS = (1 / 3, 2 / 3, 0.9)
"""Of a stage, its last ones: the shortest in which the file has two readings."""
PHASE_S = 60.0
STEADY_PCT, STEADY_W = 5.0, 5.0
"""A phase is steady where its readings deviate by less than this from its mean."""
APART = 1.25
"""By how much a load must be above idle to be another phase."""
NAME_LETTERS = 80


@dataclass(frozen=True, slots=True)
class Phases:
    """The lowest and the highest steady phase of a file; one of None where it has only one."""

    idle_w: float | None
    load_w: float | None


@dataclass(frozen=True, slots=True)
class MeterFile:
    """A meter's file, and how it is to be read."""

    path: Path
    column: str | None
    rated_w: float | None
    offset_s: float

    def attach(self, store: RunStore, run_id: int) -> WallTable:
        """Keeps with the run what it tells of it. Raises BadInput."""
        table = read_wall_table(self.path, self.column, self.rated_w, near=times_near(store, run_id))
        store.set_facts(run_id, facts_of_run(self.path, table, store, run_id, self.offset_s).changes())
        return table


def facts_of_run(path: Path, table: WallTable, store: RunReader, run_id: int, offset_s: float = 0.0) -> WallFacts:
    """What the file tells of a run. Raises BadInput saying why it tells nothing: both spans where they do not meet."""
    begins_s = _begin(path, table, store, run_id, offset_s)
    stages = store.stages(run_id)
    _require_overlap(path, table, store, run_id, begins_s)
    idle, load = (_steady_watts(table, stages, kinds, begins_s) for kinds in (AT_REST, UNDER_LOAD))
    if idle is None and load is None:
        fields = {"file": path.name, "run_id": run_id, "step": table.step_s}
        raise BadInput(
            tr(
                "{file} covers no steady part of an idle or loaded stage of run {run_id}: its readings are {step:.0f} "
                "s apart, and two of them must fall into the end of such a stage.",
                **fields,
            )
        )
    return WallFacts(
        idle_w=idle and round(idle[1], 1),
        load_w=load and round(load[1], 1),
        load=LOADS[load[0].kind] if load else None,
        file=path.name[:NAME_LETTERS],
        sha256=sha256(read_bytes(path)).hexdigest(),
        column=table.column[:NAME_LETTERS],
        form=table.form.value,
        offset_s=offset_s,
    )


def phases_of(path: Path, table: WallTable) -> Phases:
    """By the file alone. Raises BadInput where nothing in it is steady."""
    window_s = max(PHASE_S, 3 * table.step_s)
    means = np.array(list(_steady_means(table, window_s)))
    if not len(means):
        raise BadInput(
            tr(
                "{file} has no phase of {seconds:.0f} s in which the power is steady: idle and load cannot be told "
                "apart.",
                file=path.name,
                seconds=window_s,
            )
        )
    low = float(means[means <= means.min() * 1.1 + STEADY_W].mean())
    high = float(means[means >= means.max() * (1 - STEADY_PCT / 100)].mean())
    return Phases(low, high) if high > APART * low else Phases(None, high)


def _steady_means(table: WallTable, window_s: float) -> Iterator[float]:
    first_s, last_s = table.span_s
    for start_s in np.arange(first_s, last_s - window_s + 1e-6, window_s / 2):
        mean = table.mean_w(float(start_s), float(start_s + window_s), COVERED)
        if mean is None:
            continue
        here = table.within(float(start_s), float(start_s + window_s))
        spread = float(np.abs(table.watts[here] - mean).max())
        if spread <= max(STEADY_W, mean * STEADY_PCT / 100):
            yield mean


def _begin(path: Path, table: WallTable, store: RunReader, run_id: int, offset_s: float) -> float:
    """Which time of the table, in its own seconds, is the start of the run."""
    if (table.dated or table.of_day) and has_pauses(store, run_id):
        raise BadInput(
            tr("Run {run_id} was interrupted, so the clock times of {file} do not match it.", run_id=run_id,
               file=path.name)
        )  # fmt: skip
    return start_on_clock(
        store, run_id, dated=table.dated, of_day=table.of_day, last_s=table.span_s[1], offset_s=offset_s
    )


def _require_overlap(path: Path, table: WallTable, store: RunReader, run_id: int, begins_s: float) -> None:
    first_s, last_s = (moment - begins_s for moment in table.span_s)
    lasted_s = store.last_time_s(run_id)
    if first_s < lasted_s and last_s > 0:
        return
    started = datetime.fromisoformat(store.run(run_id).started_at).timestamp()
    do_not_meet = (
        tr(
            "{file} tells of {file_from} to {file_to}, run {run_id} went from {run_from} to {run_to}: they do not "
            "meet. If the meter's clock is off or tells UTC, shift its times: {--offset} 1h, {--offset} -90m.",
            file=path.name,
            file_from=_moment(started + first_s),
            file_to=_moment(started + last_s),
            run_id=run_id,
            run_from=_moment(started),
            run_to=_moment(started + lasted_s),
        ),
        "" if table.day_sure else tr("Day and month of its dates cannot be told apart."),
    )
    raise BadInput(joined(do_not_meet))


def _moment(epoch_s: float) -> str:
    return datetime.fromtimestamp(epoch_s).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _steady_watts(
    table: WallTable, stages: Sequence[StageRow], kinds: Sequence[str], begins_s: float
) -> tuple[StageRow, float] | None:
    """The mean in the last part of the first stage that is long enough for the file's step."""
    ours = [stage for stage in stages if stage.kind in kinds and stage.lasted_s >= SHORTEST_S]
    for stage in sorted(ours, key=lambda stage: (kinds.index(stage.kind), -stage.lasted_s)):
        end_s = begins_s + (stage.ended_s or 0.0)
        for part in PARTS:
            length_s = part * stage.lasted_s
            if length_s - LEFT_OUT_S < 2 * table.step_s:
                continue
            if (mean := table.mean_w(end_s - length_s, end_s - LEFT_OUT_S, COVERED)) is not None:
                return stage, mean
    return None
