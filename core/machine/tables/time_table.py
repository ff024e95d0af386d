"""Tables of figures over time as meters, loggers and tools export them, whatever stands around their rows.

The rows tell where the heading is: it is the line of names above the first row of figures. What stands above it
are facts of the file, what stands between is a row of units.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.machine.tables.column_cells import ColumnCells, in_rows, is_figure, is_nothing, name_and_unit
from core.machine.tables.time_columns import Head, NoTimes, TimeColumns, clean_heading
from core.machine.tables.written_times import TimeKind, kind_of
from core.platform.errors import BadInput
from core.platform.foreign import encoding_of, read_bytes
from core.words import tr

_DELIMITERS = ("\t", ";", ",", "|", " ")
_SAMPLE = 240
"""Rows that a table is recognised by."""
_MOST_CELLS = 20_000
_BLOCK = 8192
_CELLS_AT_ONCE = 200_000
"""Each takes some sixty bytes until its column has it."""
_MOST_LISTED = 1000
_LONGEST = 200
"""Letters of a bad row that are kept."""
_Row = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row, or a cell among numbers, that could not be read."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """A column beside the time."""

    name: str
    """Its heading without the unit; empty where there is none."""
    unit: str
    """From brackets of the heading, a row of units, or its cells; empty where none is said."""
    numbers: NDArray[np.float64]
    """NaN where a cell is empty, says that it has nothing, or is no number."""
    texts: tuple[str, ...] = ()
    """The cells as they stand there; empty for a column of numbers."""
    place: int = 0
    """In the file, from 1."""


@dataclass(frozen=True, slots=True)
class TimeTable:
    """The rows of a table in the order of the file; several may be of one time."""

    times_s: NDArray[np.float64]
    """Since 1970 if `dated`; since midnight if `of_day`; else since the file's own beginning."""
    dated: bool
    of_day: bool
    lines: NDArray[np.int64]
    """Of the file, from 1."""
    columns: tuple[TimeColumn, ...]
    header: Mapping[str, str]
    """What the lines above the heading say: "Serial number" -> "1234"."""
    left_out: tuple[LeftOut, ...]
    """Rows without a time or with more cells than headings, and cells that are no number in a column of numbers."""
    day_sure: bool = True
    """Whether day and month of its dates can be told apart."""


def read_time_table(
    path: Path,
    *,
    near: datetime | None = None,
    interval_s: float | None = None,
    only: Callable[[str], bool] = lambda _: True,
) -> TimeTable:
    """A table of a file of at most 64 MB. Raises BadInput.

    `near` is when it may have been recorded, for dates such as 05/06 (None: when the file was written); `interval_s` is
    the time between rows that have none; `only` says by its heading whether a column beside the time is read.
    """
    content = read_bytes(path)
    encoding = encoding_of(content)
    text = _Text(in_rows(content, encoding), encoding)
    delimiter = _delimiter(text.lines(_SAMPLE))
    sample = _bounded(list(islice(text.rows(delimiter), _SAMPLE)))
    written = near or datetime.fromtimestamp(path.stat().st_mtime)
    try:
        layout = replace(_layout(sample, written, interval_s), delimiter=delimiter)
        return _read(text.rows(delimiter), layout, only)
    except (NoTimes, csv.Error, UnicodeError) as error:
        raise BadInput(
            tr(
                "{file} has no rows with a time that can be read. Export it as CSV or text with a time or date column.",
                file=path.name,
            )
        ) from error
    except _AmbiguousCommas as error:
        raise BadInput(
            tr(
                "{file}: commas separate both columns and decimals. Export it with semicolons or tabs between columns.",
                file=path.name,
            )
        ) from error
    except _MostlyBad as error:
        raise BadInput(
            tr(
                "{file}: {bad:,} of {count:,} rows cannot be read, the first is line {line}: {text}",
                file=path.name,
                bad=error.bad,
                count=error.count,
                line=error.first.line,
                text=repr(error.first.text),
            )
        ) from error


@dataclass(frozen=True, slots=True)
class _Text:
    """A file, decoded piece by piece: all its text at once would take four times its size."""

    content: bytes
    encoding: str

    def lines(self, count: int) -> list[str]:
        return list(islice(self._stream(), count))

    def rows(self, delimiter: str) -> Iterator[_Row]:
        """Raises csv.Error."""
        reader = csv.reader(self._stream(), delimiter=delimiter, skipinitialspace=True)
        for cells in reader:
            yield reader.line_num, cells

    def _stream(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(self.content), self.encoding, errors="replace")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where things stand in a file."""

    heading: list[str]
    """One text a column; empty ones where the file has no heading."""
    units: list[str]
    first: int
    """Index of the first row of figures."""
    header: dict[str, str]
    times: TimeColumns
    delimiter: str = ","


class _AmbiguousCommas(Exception):
    """Commas part the cells and their decimals."""


class _MostlyBad(Exception):
    def __init__(self, bad: int, count: int, first: LeftOut) -> None:
        super().__init__()
        self.bad, self.count, self.first = bad, count, first


def _delimiter(lines: Sequence[str]) -> str:
    """The one that parts most lines of the lower half alike; of equals the one that figures have no use for."""
    lower = [line for line in lines[len(lines) // 2 :] if line.strip()]
    delimiter_of_most, score = ",", 0.0
    for delimiter in _DELIMITERS if lower else ():
        if delimiter == " ":  # stands in every sentence
            score = max(score, 0.8)
        counts = Counter(len(row) for row in csv.reader(lower, delimiter=delimiter, skipinitialspace=True))
        counts.pop(1, None)
        if counts and (share := max(counts.values()) / len(lower)) > score + 0.05:
            delimiter_of_most, score = delimiter, share
    return delimiter_of_most


def _layout(sample: Sequence[_Row], written: datetime, interval_s: float | None) -> _Layout:
    """Raises NoTimes."""
    rows = [[cell.strip() for cell in cells] for _, cells in sample]
    widths = Counter(len(row) for row in rows[len(rows) // 3 :] if any(row))
    if not widths:
        raise NoTimes
    width = max(widths, key=lambda candidate: (widths[candidate] > 1, widths[candidate] * candidate))
    alike = [row for row in rows if len(row) == width]
    figures, clocks = _figure_columns(alike[len(alike) // 2 :])
    first = next((at for at, row in enumerate(rows) if _has_figures(row, figures) and _has_time(row, clocks)), None)
    if first is None:
        raise NoTimes
    width = max(width, len(rows[first]))
    above = [at for at in range(first) if any(rows[at])]
    at_heading, at_units = _heading_rows(rows, above, width)
    heading = _filled(rows, at_heading, width) if at_heading is not None else [""] * width
    units = [*(rows[at_units] if at_units is not None else []), *[""] * width][:width]
    if at_heading is not None and _commas_part_decimals(heading, rows[first:]):
        raise _AmbiguousCommas
    header = _header([rows[at] for at in above if at not in (at_heading, at_units)])
    body = [[*row, *[""] * width][:width] for row in rows[first:] if any(row)]
    times = TimeColumns.of(Head(heading, units, body, header), written, interval_s)
    return _Layout(heading, units, first, header, times)


def _figure_columns(rows: Sequence[Sequence[str]]) -> tuple[list[int], list[int]]:
    """Columns whose cells are figures in many rows, and those of them whose cells are dates or clocks."""
    columns = [[cell for cell in column if not is_nothing(cell)] for column in zip(*rows, strict=True)]
    figures = [at for at, cells in enumerate(columns) if cells and sum(map(is_figure, cells)) >= 0.4 * len(cells)]
    return figures, [at for at in figures if kind_of(columns[at]) not in (None, TimeKind.EPOCH)]


def _has_figures(row: Sequence[str], columns: Sequence[int]) -> bool:
    """Whether a row has figures where the table has them: a heading has none there, a line above it one by chance."""
    cells = [row[at] for at in columns if at < len(row) and not is_nothing(row[at])]
    return bool(cells) and sum(map(is_figure, cells)) * 3 >= 2 * len(cells) and len(cells) * 2 > len(columns)


def _has_time(row: Sequence[str], columns: Sequence[int]) -> bool:
    """Whether a row has a time where the table has them: a heading of bands (63, 125 Hz) has none."""
    return not columns or any(kind_of([row[at]]) is not None for at in columns if at < len(row))


def _heading_rows(rows: Sequence[Sequence[str]], above: Sequence[int], width: int) -> tuple[int | None, int | None]:
    """The rows of the headings, and of their units: the nearest above the figures that are as wide as they are."""
    wide = [at for at in above if sum(1 for cell in rows[at] if cell) * 2 > width or len(rows[at]) >= width]
    if not wide:
        return None, None
    if len(wide) > 1 and wide[-2] == above[-2] and _is_units(rows[wide[-1]]):
        return wide[-2], wide[-1]
    return wide[-1], None


def _filled(rows: Sequence[Sequence[str]], at: int, width: int) -> list[str]:
    """The headings of a row. What it leaves empty may stand in the rows right above it, as of groups of columns."""
    heading = [*rows[at], *[""] * width][:width]
    above = at - 1
    while above >= 0 and len([cell for cell in rows[above] if cell]) > 1 and len(rows[above]) * 2 > width:
        heading = [cell or next(iter(rows[above][place : place + 1]), "") for place, cell in enumerate(heading)]
        above -= 1
    return heading


def _commas_part_decimals(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows have cells of digits beyond the last heading: decimals, where both are parted by the same sign."""
    last = max((at for at, name in enumerate(heading) if name), default=len(heading))
    beyond = [row[-1] for row in rows if len(row) == len(heading) > last + 1 and row[-1]]
    return bool(beyond) and all(cell.isdigit() for cell in beyond)


def _is_units(row: Sequence[str]) -> bool:
    """Whether most of its cells are units, or patterns of dates such as [hh:mm:ss]."""
    cells = [cell for cell in row if cell]
    return bool(cells) and sum(map(_unit_like, cells)) * 2 > len(cells)


def _unit_like(cell: str) -> bool:
    unbracketed = cell.strip("[]() ")
    lowered = unbracketed.casefold()
    return (
        (cell[:1] in "[(" and cell[-1:] in "])")
        or lowered in _UNITS
        or (bool(lowered) and set(lowered) <= set("ymdhms:-/. ") and ":" in lowered)
    )


_UNIT_HEADINGS = frozenset(("unit", "units", "einheit", "unité", "unidad", "unità", "单位"))
_UNIT_WORDS = """
db dba dbc dbz db(a) db(c) db(z) dbspl % %rh °c °f c f k pa hpa s sec ms min h w kw va kva wh kwh v a ma mv hz mhz ghz
rpm mb gb mib gib m/s m/s^2 lux ppm date time hh:mm:ss - yes/no text"""
_UNITS = frozenset(_UNIT_WORDS.split())


def _header(rows: Sequence[Sequence[str]]) -> dict[str, str]:
    header: dict[str, str] = {}
    for row in rows:
        cells = [cell for cell in row if cell]
        if cells:
            key, sign, value = cells[0].partition(":" if ":" in cells[0] else "=")
            cells = [key, *filter(None, (value.strip(),)), *cells[1:]] if sign else cells
        if len(cells) >= 2 and (value := " ".join(cells[1:]).strip()):
            header.setdefault(cells[0].strip(" :#="), value)
    return header


def _bounded(sample: list[_Row]) -> list[_Row]:
    """Of a table of hundreds of columns fewer rows tell what it is."""
    width = max((1, *(len(cells) for _, cells in sample)))
    return sample[: max(_SAMPLE // 4, min(_SAMPLE, _MOST_CELLS // width))]


def _read(rows: Iterator[_Row], layout: _Layout, only: Callable[[str], bool]) -> TimeTable:
    """Raises NoTimes, _MostlyBad and csv.Error."""
    width, times = len(layout.heading), layout.times
    at_columns = [at for at in range(width) if at not in times.at and only(layout.heading[at])]
    rows_at_once = max(_SAMPLE, min(_BLOCK, _CELLS_AT_ONCE // max(width, 1)))
    columns = [
        ColumnCells.of([row[at] for row in times.sample], commas_part_cells=layout.delimiter == ",")
        for at in at_columns
    ]
    lines: list[int] = []
    left_out: list[LeftOut] = []
    cells_left_out: list[LeftOut] = []
    body = islice(rows, layout.first, None)
    while block := list(islice(body, rows_at_once)):
        whole = []
        for line, cells in block:
            if cells and cells[0].startswith("#"):
                continue
            if len(cells) == width:
                whole.append((line, cells))
            elif any(cell.strip() for cell in cells[width:]):
                left_out.append(_left_out(line, cells))
            else:
                whole.append((line, [*cells, *[""] * width][:width]))
        if not whole:
            continue
        cells_of = list(zip(*(cells for _, cells in whole), strict=True))
        seconds = times.seconds(cells_of, len(whole))
        bad_rows = np.flatnonzero(~np.isfinite(seconds)).tolist()
        if bad_rows:
            left_out += _bad(layout, [whole[at] for at in bad_rows])
            whole = [row for row, second in zip(whole, seconds.tolist(), strict=True) if math.isfinite(second)]
            cells_of = list(zip(*(cells for _, cells in whole), strict=True)) or [()] * width
        times.take(seconds)
        lines += [line for line, _ in whole]
        for at, column in zip(at_columns, columns, strict=True):
            bad = column.take(cells_of[at])
            cells_left_out += [LeftOut(whole[row][0], text[:_LONGEST]) for row, text in bad[:_MOST_LISTED]]
    count = len(lines)
    if left_out and len(left_out) >= count:
        raise _MostlyBad(len(left_out), count + len(left_out), left_out[0])
    return TimeTable(
        times_s=times.all_seconds(),
        dated=times.dated,
        of_day=times.of_day,
        lines=np.array(lines, dtype=np.int64),
        columns=_with_units(
            [_column(layout, at, column) for at, column in zip(at_columns, columns, strict=True) if column.present]
        ),
        header=MappingProxyType(layout.header),
        left_out=tuple(sorted((*left_out, *cells_left_out), key=lambda row: row.line)[:_MOST_LISTED]),
        day_sure=times.day_sure or not times.dated,
    )


def _bad(layout: _Layout, rows: Sequence[_Row]) -> list[LeftOut]:
    """Rows without a time; neither empty ones nor the heading, which comes again where a program was started again."""
    stripped = ((line, [cell.strip() for cell in cells]) for line, cells in rows)
    return [_left_out(line, cells) for line, cells in stripped if any(cells) and cells != layout.heading]


def _column(layout: _Layout, at: int, cells: ColumnCells) -> TimeColumn:
    name, unit = name_and_unit(clean_heading(layout.heading[at]))
    below = layout.units[at].strip("[]() ") if not is_nothing(layout.units[at]) else ""
    unit = unit or _whole_unit(layout.units[at], below) or cells.unit
    return TimeColumn(name, unit, cells.numbers(), cells.texts(), at + 1)


def _with_units(columns: Sequence[TimeColumn]) -> tuple[TimeColumn, ...]:
    """A column of units says those of the numbers before it, where it says one."""
    with_units: list[TimeColumn] = []
    for column in columns:
        unit_texts = {text for text in column.texts if text}
        of_units = column.name.casefold() in _UNIT_HEADINGS or (
            not column.name and all(text.casefold() in _UNITS for text in unit_texts)
        )
        before = with_units[-1] if with_units else None
        if of_units and len(unit_texts) == 1 and before is not None and not before.unit and not before.texts:
            with_units[-1] = replace(with_units[-1], unit=unit_texts.pop())
        else:
            with_units.append(column)
    return tuple(with_units)


def _whole_unit(cell: str, unbracketed: str) -> str:
    """Brackets around a unit go, those within it stay: dB(A)."""
    return cell if cell.endswith(")") and not cell.startswith("(") else unbracketed


def _left_out(line: int, cells: Sequence[str]) -> LeftOut:
    return LeftOut(line, ", ".join(cell for cell in cells if cell)[:_LONGEST])
