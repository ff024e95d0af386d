"""The CSV of nvidia-smi --query-gpu: a row for each card at each time.

    timestamp, index, power.draw [W], temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%]
    2026/03/07 00:20:37.071, 0, 76.78 W, 30, 345 MHz, 0 %

Without a heading (noheader) the fields of the query must be given. Where no field tells the cards apart, rows that
come together in the same rhythm are those of several cards, in their order.

Loops around it leave the CSV without a timestamp, often with a heading before every round; the time is on a line of its
own, or nowhere:

    Sun Mar  1 10:00:05 UTC 2026
    index, utilization.gpu [%], temperature.gpu, power.draw [W]
    0, 90 %, 60, 200.00 W
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan

import numpy as np

from core.machine.tables.time_table import TimeColumn, TimeTable
from core.machine.tables.written_times import Clockwork, TimeKind, kind_of
from core.machine.telemetry.tool_logs.fields import (
    BUS_IDS,
    INDEX,
    NAMES,
    SMI,
    TIMESTAMP,
    UUIDS,
    conversion,
    not_converted,
    number,
    state_or_mask,
)
from core.machine.telemetry.tool_logs.value import (
    CardIdentity,
    Gathered,
    IntervalNeeded,
    Numbers,
    Tool,
    ToolLog,
    left_out,
    tool_log,
)
from core.platform.errors import BadInput
from core.words import tr

MOST_CARDS = 16
_APART = 5.0
"""How much longer the pause between two rounds is than within one."""
_QUERY_TIME = re.compile(r"(?:^|,)\s*\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}\s*(?:,|$)")
"""No other tool writes a time so."""


def is_query(names: Sequence[str]) -> bool:
    """By the names of its columns, which have points in them."""
    return any("." in name and name.casefold() in SMI for name in names)


def is_query_row(line: str) -> bool:
    """By the form of its time."""
    return _QUERY_TIME.search(line) is not None


def has_no_heading(table: TimeTable) -> bool:
    """Of a table that begins with figures."""
    return not any(column.name for column in table.columns)


def with_fields(table: TimeTable, fields: Sequence[str]) -> TimeTable:
    """The columns under the names of the query. Raises BadInput where there are more or fewer."""
    names = [name.strip() for name in fields if name.strip() and name.strip() != TIMESTAMP]
    if len(names) != len(table.columns):
        raise BadInput(
            tr(
                "{--fields} names {fields} fields besides the timestamp, the log has {columns} columns.",
                fields=len(names),
                columns=len(table.columns),
            )
        )
    columns = (replace(column, name=name) for column, name in zip(table.columns, names, strict=True))
    return replace(table, columns=tuple(columns))


def read_query(table: TimeTable, remarks: Sequence[str] = ()) -> ToolLog:
    """All cards of it."""
    columns = {column.name.casefold(): column for column in table.columns}
    cards, remarks_on_rows = _cards(columns, table.times_s)
    series: dict[str, Numbers] = {}
    remarks_on_rows += _unconvertible(columns)
    for metric, values in _series(columns):
        series.setdefault(metric, values)  # power.draw before its average
    devices = [
        (identity, table.times_s[rows], {metric: values[rows] for metric, values in series.items()})
        for identity, rows in cards
    ]
    return tool_log(Tool.NVIDIA_SMI, devices, dated=table.dated, remarks=[*remarks, *remarks_on_rows])


def _series(columns: Mapping[str, TimeColumn]) -> Iterator[tuple[str, Numbers]]:
    for name, (metric, factor) in SMI.items():
        if (column := columns.get(name)) is not None and (values := _numbers(metric, column)) is not None:
            yield metric, values * factor
    if not any(name in columns for name in ("clocks.sm", "clocks.current.sm")):
        graphics = columns.get("clocks.gr") or columns.get("clocks.current.graphics")
        if graphics is not None and (values := _numbers("clock_mhz", graphics)) is not None:
            yield "clock_mhz", values


def _numbers(metric: str, column: TimeColumn) -> Numbers | None:
    """In the unit of the metric; None where it cannot be converted. "P8" and "0x0000000000000004" are numbers, too."""
    if column.texts:
        values = {text: state_or_mask(text) for text in set(column.texts)}
        return np.array([values[text] for text in column.texts], dtype=np.float64)
    converted = conversion(metric, column.unit)
    return None if converted is None else column.numbers * converted.factor + converted.offset


def _unconvertible(columns: Mapping[str, TimeColumn]) -> Iterator[str]:
    for name, column in columns.items():
        if name in SMI and not column.texts and conversion(SMI[name][0], column.unit) is None:
            yield not_converted(name, column.unit)


@dataclass(frozen=True, slots=True)
class _CardColumn:
    """One column that tells cards apart, as a code for each row."""

    codes: np.ndarray[tuple[int], np.dtype[np.int64]]
    first: Sequence[int]
    """Of each card the first row."""


def _cards(
    columns: Mapping[str, TimeColumn], times: Numbers
) -> tuple[list[tuple[CardIdentity, np.ndarray[tuple[int], np.dtype[np.int64]]]], list[str]]:
    card_column = next(filter(None, (_card_column(columns, names) for names in (UUIDS, BUS_IDS, (INDEX,)))), None)
    remarks: list[str] = []
    if card_column is None:
        card_column, several = _by_rhythm(times)
        if several > 1:
            remarks.append(
                tr(
                    "The log does not tell its cards apart: rows that come together were taken for {count} cards.",
                    count=several,
                )
            )
    return [
        (_identity(columns, row), np.flatnonzero(card_column.codes == code))
        for code, row in enumerate(card_column.first)
    ], remarks


def _card_column(columns: Mapping[str, TimeColumn], names: Sequence[str]) -> _CardColumn | None:
    column = next((columns[name] for name in names if name in columns), None)
    if column is None:
        return None
    cells = np.array(column.texts) if column.texts else column.numbers
    _, first, codes = np.unique(cells, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return _CardColumn(place[codes.ravel()].astype(np.int64), [int(row) for row in first[order]])


def _by_rhythm(times: Numbers) -> tuple[_CardColumn, int]:
    """Rows of one round follow each other at once, then there is a pause."""
    count = next((count for count in range(2, MOST_CARDS + 1) if _is_rhythm(times, count)), 1)
    codes = (np.arange(len(times)) % count).astype(np.int64)
    return _CardColumn(codes, list(range(min(count, len(times))))), count


def _is_rhythm(times: Numbers, count: int) -> bool:
    rounds = len(times) // count
    if rounds < 2:
        return False
    gaps = np.diff(times[: rounds * count], prepend=times[0] - 1.0).reshape(rounds, count)
    within, between = gaps[:, 1:], gaps[1:, 0]
    return bool((within >= 0).all() and between.min() > _APART * max(float(within.max()), 1e-4))


def _identity(columns: Mapping[str, TimeColumn], row: int) -> CardIdentity:
    index = columns.get(INDEX)
    number = float(index.numbers[row]) if index is not None and not index.texts else float("nan")
    return CardIdentity(
        int(number) if isfinite(number) else None,
        _text(columns, NAMES, row),
        _text(columns, UUIDS, row),
        _text(columns, BUS_IDS, row),
    )


def _text(columns: Mapping[str, TimeColumn], names: Sequence[str], row: int) -> str:
    column = next((columns[name] for name in names if name in columns), None)
    return column.texts[row] if column is not None and column.texts else ""


_UNIT = re.compile(r"\s*\[(?P<unit>[^\]]*)\]\s*$")


def heading_of(line: str) -> list[str] | None:
    """The fields of a line that names them, with points in most."""
    names = [_UNIT.sub("", cell).strip().casefold() for cell in line.split(",")]
    return names if any("." in name and name in SMI for name in names) else None


def read_blocks(lines: Iterable[str], needs_interval: str, interval_s: float | None = None) -> ToolLog:
    """Raises IntervalNeeded with that sentence where no line tells a time."""
    blocks = _Blocks()
    for line in lines:
        blocks.take(line.strip())
    if not blocks.timed and blocks.tick > 0 and interval_s is None:
        raise IntervalNeeded(needs_interval)
    return blocks.log(interval_s or 0.0)


class _Blocks:
    def __init__(self) -> None:
        self.timed, self.tick = True, -1
        self._dated = False
        self._clock = Clockwork()
        self._heading: list[str] = []
        self._units: list[str] = []
        self._stamp: float | None = None
        self._place = 0
        """Of the row since the heading: cards that nothing else tells apart stand in their order."""
        self._cards_of_tick: set[str] = set()
        self._rows: list[tuple[int, float | None, CardIdentity, list[tuple[str, float]]]] = []
        self._bad = 0
        self._not_converted: dict[str, None] = {}
        """Remarks, each once."""

    def take(self, line: str) -> None:
        """A heading, a time, or a row."""
        if not line:
            return
        if (heading := heading_of(line)) is not None:
            self._heading, self._place = heading, 0
            self._units = [match["unit"] if (match := _UNIT.search(cell)) else "" for cell in line.split(",")]
            return
        cells = [cell.strip() for cell in line.split(",")]
        alone = len(cells) == 1 and ":" in line  # a time, where a query of one field has rows of one cell
        if len(cells) == len(self._heading) and not alone:
            self._add(cells)
        elif (kind := kind_of([line])) in (TimeKind.MOMENT, TimeKind.CLOCK):
            self._dated = kind is TimeKind.MOMENT
            self._stamp = float(self._clock.seconds([line])[0])
            self._place = 0
        else:
            self._bad += bool(self._heading)

    def _add(self, cells: Sequence[str]) -> None:
        identity = self._identity(cells)
        if identity.key in self._cards_of_tick or not self._cards_of_tick:
            self.tick += 1
            self._cards_of_tick.clear()
        self._cards_of_tick.add(identity.key)
        self._place += 1
        row = [
            (SMI[name][0], value)
            for name, unit, cell in zip(self._heading, self._units, cells, strict=True)
            if name in SMI and not isnan(value := self._value(name, unit, cell))
        ]
        self.timed = self.timed and self._stamp is not None
        self._rows.append((self.tick, self._stamp, identity, row))

    def _value(self, field: str, unit: str, cell: str) -> float:
        """ "65 %", "P8", "0x4", "[N/A]" in the unit of the metric; the cell's own unit goes before the heading's."""
        if (state := state_or_mask(cell)) is not None:
            return state
        text, _, own_unit = cell.partition(" ")
        value = number(text)
        if isnan(value):
            return value
        metric, factor = SMI[field]
        converted = conversion(metric, own_unit or unit)
        if converted is None:
            self._not_converted[not_converted(field, own_unit or unit)] = None
            return nan
        return (value * converted.factor + converted.offset) * factor

    def _identity(self, cells: Sequence[str]) -> CardIdentity:
        by_field = dict(zip(self._heading, cells, strict=True))
        index = by_field.get(INDEX, "")
        name, uuid, bus_id = (
            next((by_field[field] for field in fields if field in by_field), "") for fields in (NAMES, UUIDS, BUS_IDS)
        )
        if index.isdecimal():
            return CardIdentity(int(index), name, uuid, bus_id)
        return CardIdentity(None if uuid or bus_id else self._place, name, uuid, bus_id)

    def log(self, interval_s: float) -> ToolLog:
        """All rounds, by the time before each or by their count."""
        gathered = Gathered()
        for tick, stamp, identity, row in self._rows:
            stamped = self.timed and stamp is not None and isfinite(stamp)
            gathered.add(identity, stamp if stamped and stamp is not None else tick * interval_s, row)
        remarks = [*([left_out(self._bad)] if self._bad else []), *self._not_converted]
        return gathered.log(Tool.NVIDIA_SMI, dated=self.timed and self._dated, remarks=remarks)
