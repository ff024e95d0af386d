"""Readings of a sound level meter from its file: a table of time and level, held against the stages of a run."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import InterruptionKind, StageRow
from core.burnin.verdict.noise import Values, steady_levels
from core.errors import BadInput
from core.language import tr
from core.predict.conditions import LoadCase
from core.text_file import read_text

MOST_ROWS = 1_000_000
LEVELS_DBA = (5.0, 140.0)
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
FORM = tr(
    "Each row is a time and a level in dBA: seconds since the start of the run, or 2026-05-31T14:03:20, then 44.2"
)


def read_noise_file(path: Path, store: RunReader, run_id: int) -> dict[str, float]:
    """The fields of NoiseFacts that the file has levels for. Raises BadInput saying which row is wrong, or why none is.

    A clock time without an offset is one of this machine's time zone.
    """
    try:
        rows = list(_rows(path, store, run_id))
    except csv.Error:
        raise BadInput(tr("{file} is not a text table. {form}.", file=path.name, form=FORM)) from None
    times, levels = (np.array(column) for column in zip(*rows, strict=True)) if rows else (np.empty(0), np.empty(0))
    found = _levels(store.stages(run_id), times, levels)
    if not found:
        raise BadInput(
            tr(
                "{file} has no level in the last third of an idle stage of 20 s, nor of a training or "
                "product stage of 5 min, of run {run_id}. Are its times from this run?",
                file=path.name,
                run_id=run_id,
            )
        )
    return found


def _levels(stages: Sequence[StageRow], times: Values, levels: Values) -> dict[str, float]:
    names = {LoadCase.IDLE: "idle_dba", LoadCase.TRAINING: "load_dba"}
    return {names[load]: round(level, 1) for load, level in steady_levels(stages, times, levels).items()}


def _rows(path: Path, store: RunReader, run_id: int) -> Iterator[tuple[float, float]]:
    """Times in s since the start of the run, and levels. The first row may be headings."""
    text = read_text(path)
    separator = ";" if ";" in text[:1000] else "\t" if "\t" in text[:1000] else ","
    clock = _Clock(store, run_id)
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=separator), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and not _is_time(cells[0])):
            continue
        if number > MOST_ROWS:
            raise BadInput(
                tr(
                    "{file} has more than {most:,} rows. Is it the right file?",
                    file=path.name,
                    most=MOST_ROWS,
                )
            )
        try:
            time_s, level = clock.seconds(cells[0]), _number(cells[1])
        except (ValueError, IndexError, OverflowError):
            raise BadInput(
                tr("Row {number} of {file} cannot be read. {form}.", number=number, file=path.name, form=FORM)
            ) from None
        if not LEVELS_DBA[0] <= level <= LEVELS_DBA[1]:
            raise BadInput(
                tr(
                    "Row {number} of {file} has {level:g} dBA: no meter shows that. Is it the right column?",
                    number=number,
                    file=path.name,
                    level=level,
                )
            )
        yield time_s, level


class _Clock:
    """Times of a file as seconds since the start of a run."""

    def __init__(self, store: RunReader, run_id: int) -> None:
        self._start = datetime.fromisoformat(store.run(run_id).started_at)
        self._paused = any(one.kind is not InterruptionKind.SHORTENED for one in store.interruptions(run_id))
        self._run_id = run_id

    def seconds(self, cell: str) -> float:
        """Raises ValueError for what is no time, BadInput for a clock time of a run that was interrupted."""
        if not _CLOCK.match(cell):
            return _number(cell)
        if self._paused:
            raise BadInput(
                tr(
                    "Run {run_id} was interrupted, so clock times do not match it. Give seconds since its "
                    "start, pauses left out.",
                    run_id=self._run_id,
                )
            )
        return (datetime.fromisoformat(cell).astimezone() - self._start).total_seconds()


def _is_time(cell: str) -> bool:
    try:
        _number(cell)
    except ValueError:
        return bool(_CLOCK.match(cell))
    return True


def _number(cell: str) -> float:
    value = float(cell.replace(",", "."))
    if not np.isfinite(value):
        raise ValueError(cell)
    return value
