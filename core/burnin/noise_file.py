"""Readings of a sound level meter from its file, held against the stages of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.burnin.level_columns import LEVELS_DBA, LevelColumn, LevelColumns, Weighting, level_columns
from core.burnin.meter_clock import has_pauses, start_on_clock, times_near
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import StageRow
from core.burnin.verdict.noise import Values, steady_levels
from core.errors import BadInput
from core.language import tr, trn
from core.predict.conditions import LoadCase
from core.shown import shown
from core.tables.time_table import LeftOut, TimeTable, read_time_table

_NAMED = 12
"""So many columns are named."""


class SeveralLevels(BadInput):
    """A file has several columns that may be the level. Carries their names, for somebody to choose one."""

    def __init__(self, file: str, names: Sequence[str]) -> None:
        super().__init__(
            tr(
                "{file} has several levels: {columns}. Choose one with {--column}.",
                file=file,
                columns=", ".join(map(shown, names)),
            )
        )
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
    levels_by_field = _levels(store.stages(run_id), times, np.where(shown_by_meters, numbers, np.nan))
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
            raise BadInput(
                tr(
                    "{file} has no level called {column}. It has: {columns}.",
                    file=file,
                    column=shown(name),
                    columns=_listed([level.name for level in columns.likely or columns.possible] or columns.names),
                )
            )
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


def _levels(stages: Sequence[StageRow], times: Values, levels: Values) -> dict[str, float]:
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
        notes.append(
            trn(
                "{count} row left out, line {line}: {text}",
                "{count:,} rows left out, the first is line {line}: {text}",
                count=count,
                line=first.line,
                text=shown(first.text),
            )
        )
    return notes
