"""Which columns of a table say when, and what they say: a date, a clock, seconds that passed, or a row's number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from core.machine.tables.column_cells import ColumnCells, figure, name_and_unit
from core.machine.tables.written_times import (
    DAY_S,
    Clockwork,
    TimeKind,
    are_dotted_clocks,
    day_order,
    epoch_seconds,
    is_spelled,
    kind_of,
    sheet_seconds,
)

_Rows = Sequence[Sequence[str]]
_HALF = re.compile(r"[ap]\.?\s?m\.?", re.I)
"""AM or PM in a column of its own."""
_PASSED = re.compile(
    r"elapsed|duration|relative|since|timer|running|run time|runtime|laufzeit|dauer|vergangen|écoulé", re.I
)
_TIME = re.compile(
    r"^t$|time|elapsed|duration|second|\bsec\b|^s$|^ms$|stamp|epoch|zeit|temps|heure|dur[ée]e|tiempo|hora|tempo|\bora\b|時間|时间",
    re.I,
)
_OF_DAY = re.compile(r"time|zeit|uhr|\bora\b|hora|heure|tid|klo|czas|tijd|時刻|时间|時間", re.I)
_SHEET_DATE = re.compile(r"date|stamp|datum", re.I)
_DATE_KEY = re.compile(r"date|datum|fecha|data\b|start|begin|record|measure|messung|aufnahme|日期", re.I)
_START_KEY = re.compile(r"start|begin|anfang|début|inicio", re.I)
_END_KEY = re.compile(r"\bend\b|ende|stop|\bfin\b", re.I)
_NO_START = re.compile(r"calib|kalib|\bend\b|ende|stop|print|export|firmware|birth|version|due|last", re.I)
_ZONE_KEY = re.compile(r"time ?zone|utc|gmt|zeitzone|fuseau", re.I)
_OFFSET = re.compile(r"^(?:UTC|GMT)?\s?([+-]\d\d:?\d\d)$", re.I)
_INTERVAL_KEY = re.compile(r"interval|intervall|period|sampling|sample rate|rate|resolution|log time|abtast|takt", re.I)
_PARTS_S: Mapping[str, float] = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "msec": 1e-3,
    "millis": 1e-3,
    "milliseconds": 1e-3,
    "min": 60.0,
    "mins": 60.0,
    "minutes": 60.0,
    "h": 3600.0,
    "hours": 3600.0,
}
_LATE_S = 60.0
"""A clock that begins before is one of seconds that passed."""


class NoTimes(Exception):
    """No row of the table has a time."""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above the figures of a table, and the first of its rows, all as wide as its heading."""

    heading: Sequence[str]
    units: Sequence[str]
    body: list[list[str]]
    header: Mapping[str, str]


@dataclass(slots=True)
class TimeColumns:
    """The columns that say when; takes the rows block by block."""

    sample: list[list[str]]
    clock: Clockwork | None
    """None: numbers."""
    kind: TimeKind | None
    scale_s: float
    base_s: float | None
    """What is added, since 1970: a day, or a start that the header says."""
    passed: bool
    """Whether the times are since the beginning of the record."""
    at: tuple[int, ...] = ()
    """Columns of the time itself; none: rows at an interval."""
    sheet: bool = False
    dotted: frozenset[int] = frozenset()
    """Columns whose clocks have points between hours, minutes and seconds."""
    day_sure: bool = True
    """Whether day and month of the dates can be told apart."""
    span_s: float | None = None
    """From the first row to the last, where the header says that alone."""
    _blocks: list[NDArray[np.float64]] = field(default_factory=list)
    _count: int = 0

    @classmethod
    def of(cls, head: Head, written: datetime, interval_s: float | None) -> TimeColumns:
        """Raises NoTimes."""
        names, body = [clean_heading(name) for name in head.heading], head.body
        cells = [[row[at] for row in body] for at in range(len(names))]
        dotted = {at for at, column in enumerate(cells) if are_dotted_clocks(column, of_day=_of_day(names[at]))}
        kinds = [TimeKind.CLOCK if at in dotted else kind_of(column) for at, column in enumerate(cells)]
        at = _places(kinds, cells, names)
        if not at:
            return cls._numbered(head, names, cells, written, interval_s)
        kind = kinds[at[0]]
        if kind is TimeKind.EPOCH:
            return cls(body, None, kind, 1.0, 0.0, False, at)
        texts = [
            " ".join(row[place].replace(".", ":") if place in dotted else row[place] for place in at) for row in body
        ]
        order = day_order(texts, written, continental=_commas(body))
        clock = Clockwork(order.day_first, _zone(head.header), written, is_spelled(texts))
        dated = any(kinds[place] in (TimeKind.MOMENT, TimeKind.DATE) for place in at)
        first = next(filter(math.isfinite, clock.seconds(texts).tolist()), 0.0)
        passed = not dated and (bool(_PASSED.search(names[at[0]])) or first < _LATE_S)
        short = passed and all(text.count(":") == 1 for text in texts if text)
        base = None if dated else _start(head.header, clock, day_only=not passed)
        return cls(
            body, clock, TimeKind.MOMENT if dated else kind, 1 / 60 if short else 1.0, base, passed, at,
            dotted=frozenset(dotted), day_sure=order.sure,
        )  # fmt: skip

    @classmethod
    def _numbered(
        cls,
        head: Head,
        names: Sequence[str],
        cells: Sequence[Sequence[str]],
        written: datetime,
        interval_s: float | None,
    ) -> TimeColumns:
        """Seconds in numbers, or rows at an interval."""
        rising = [at for at in range(len(names)) if _rises(cells[at])]
        titled_time = [at for at in rising if _TIME.search(name_and_unit(names[at])[0])]
        plain = [at for at in rising if at == 0 and not any(names) and (len(cells[at]) < 2 or len(set(cells[at])) > 1)]
        order = day_order(head.header.values(), written, continental=_commas(head.body))
        clock = Clockwork(order.day_first, _zone(head.header), written)
        start = _start(head.header, clock, day_only=False)
        for at in (at for at in rising if _SHEET_DATE.search(names[at]) or (at in titled_time and _of_days(cells[at]))):
            if sheet_seconds(_numbers(cells[at])) is not None:
                return cls(head.body, None, None, 1.0, 0.0, True, (at,), sheet=True)
        for at in (*titled_time, *plain)[:1]:
            unit = next((figure(cell)[1] for cell in cells[at] if cell), "")
            return cls(head.body, None, None, _scale(f"{names[at]} {head.units[at]} {unit}"), start, True, (at,))
        apart = interval_s or _interval(head.header)
        ends = [end for _, end in _headed(head.header, clock, _END_KEY, TimeKind.MOMENT)]
        if apart is None and (start is None or not ends):
            raise NoTimes
        span = ends[0] - start if apart is None and start is not None else None
        return cls(head.body, None, None, apart or 1.0, start, True, span_s=span)

    @property
    def dated(self) -> bool:
        """Whether the times are since 1970."""
        return self.kind in (TimeKind.MOMENT, TimeKind.EPOCH) or self.base_s is not None

    @property
    def of_day(self) -> bool:
        """Whether they are of a clock, on a day that nobody says."""
        return not self.dated and not self.passed

    def seconds(self, columns: Sequence[Sequence[str]], count: int) -> NDArray[np.float64]:
        """Times of a block of so many rows, given as columns; NaN where a row has none."""
        if not self.at:
            rows = np.arange(self._count, self._count + count, dtype=np.float64)
            self._count += count
            return rows * self.scale_s
        if self.clock is not None:
            first, *rest_of_time = (self._texts(columns[at], at) for at in self.at)
            texts = map(" ".join, zip(first, *rest_of_time, strict=True)) if rest_of_time else first
            return self.clock.seconds(texts) * self.scale_s
        cells = ColumnCells.of([row[self.at[0]] for row in self.sample])
        cells.take(columns[self.at[0]])
        return cells.numbers() * self.scale_s

    def _texts(self, cells: Sequence[str], at: int) -> Iterator[str]:
        stripped = map(str.strip, cells)
        return (cell.replace(".", ":") for cell in stripped) if at in self.dotted else stripped

    def take(self, seconds: NDArray[np.float64]) -> None:
        """Adds the times of a block."""
        self._blocks.append(seconds[np.isfinite(seconds)])

    def all_seconds(self) -> NDArray[np.float64]:
        """The times of all rows. A clock that goes back by hours went past midnight."""
        times = np.concatenate(self._blocks) if self._blocks else np.empty(0)
        if self.kind is TimeKind.EPOCH:
            return epoch_seconds(times)
        if self.sheet:
            days = sheet_seconds(times)
            return times if days is None else days
        if self.kind is TimeKind.CLOCK and times.size:
            times = times + DAY_S * np.concatenate(([0], np.cumsum(np.diff(times) < -DAY_S / 2)))
        if self.span_s is not None and times.size > 1:
            times = times * (self.span_s / times[-1])
        return times + (self.base_s or 0.0)


def _of_day(name: str) -> bool:
    """Whether a heading says that its cells are clocks, not dates."""
    return bool(_OF_DAY.search(name)) and not re.search(r"date|datum|fecha|\bdata\b|tag\b|stamp", name, re.I)


def clean_heading(text: str) -> str:
    """A heading without the sign of a comment and doubled blanks."""
    return " ".join(text.strip().lstrip("#").rstrip(":").split())


def _places(kinds: Sequence[TimeKind | None], cells: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[int, ...]:
    """The columns of the time: a moment, or a date and a clock, or a clock."""

    def of(kind: TimeKind) -> list[int]:
        places = [at for at, kind_of_column in enumerate(kinds) if kind_of_column is kind]
        return sorted(places, key=lambda at: (bool(_PASSED.search(names[at])), len(set(cells[at])) < 2, at))

    moments, dates, clocks = of(TimeKind.MOMENT), of(TimeKind.DATE), of(TimeKind.CLOCK)
    halves = [at for at, column in enumerate(cells) if any(column) and all(map(_HALF.fullmatch, filter(None, column)))]
    if moments:
        return (moments[0], *halves[:1])
    if dates and clocks:
        return (dates[0], clocks[0], *halves[:1])
    return (*(of(TimeKind.EPOCH) or clocks or dates)[:1], *(halves[:1] if clocks else ()))


def _rises(cells: Sequence[str]) -> bool:
    values = _numbers(cells)
    values = values[np.isfinite(values)]
    return values.size >= max(1, 0.5 * len(cells)) and (values.size < 2 or bool((np.diff(values) >= 0).mean() >= 0.9))


def _of_days(cells: Sequence[str]) -> bool:
    """Whether figures lie so close together that they are days of a spreadsheet rather than seconds."""
    numbers = _numbers(cells)
    steps = np.diff(numbers[np.isfinite(numbers)])
    return steps.size > 0 and float(np.median(steps)) < 0.02


def _numbers(cells: Sequence[str]) -> NDArray[np.float64]:
    mark = _mark(cells)
    return np.array([figure(cell, mark)[0] for cell in cells])


def _mark(cells: Sequence[str]) -> str:
    return "," if any("," in cell for cell in cells) and not any("." in cell for cell in cells) else "."


def _commas(body: _Rows) -> bool:
    """Whether figures have a decimal comma, as where the day comes first."""
    return any(re.fullmatch(r"-?\d+,\d+", cell) for row in body for cell in row)


def _scale(heading: str) -> float:
    """Seconds of one unit of the heading."""
    words = re.findall(r"[^\W\d_]+", heading.casefold())
    return next((_PARTS_S[word] for word in words if word in _PARTS_S), 1.0)


def _start(header: Mapping[str, str], clock: Clockwork, *, day_only: bool) -> float | None:
    """The day, or the moment, at which the header says that the record begins."""
    days = dict(_headed(header, clock, _DATE_KEY, TimeKind.DATE))
    moments = [value for _, value in _headed(header, clock, _DATE_KEY, TimeKind.MOMENT)]
    if day_only:
        day = next(iter(days.values()), moments[0] if moments else None)
        return None if day is None else _midnight(day)
    starts = [value for _, value in _headed(header, clock, _START_KEY, TimeKind.MOMENT)]
    if starts or moments:
        return (starts or moments)[0]
    clocks = [value for _, value in _headed(header, clock, _START_KEY, TimeKind.CLOCK)]
    clocks += [value for key, value in _headed(header, clock, re.compile("time|zeit", re.I), TimeKind.CLOCK)]
    return next(iter(days.values())) + clocks[0] if days and clocks else None


def _headed(
    header: Mapping[str, str], clock: Clockwork, key_form: re.Pattern[str], kind: TimeKind
) -> Iterator[tuple[str, float]]:
    for key, text in header.items():
        fits = key_form.search(key) and (key_form is _END_KEY or not _NO_START.search(key))
        if fits and kind_of([text]) is kind and math.isfinite(seconds := float(clock.seconds([text])[0])):
            yield key, seconds


def _zone(header: Mapping[str, str]) -> str | None:
    """The offset that the header says of all times: "Time Zone: UTC+01:00"."""
    offsets = (_OFFSET.search(text) for key, text in header.items() if _ZONE_KEY.search(key))
    return next((match[1] for match in offsets if match), None)


def _midnight(epoch_s: float) -> float:
    return datetime.fromtimestamp(epoch_s).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _interval(header: Mapping[str, str]) -> float | None:
    """Seconds between rows, as the header says."""
    for key, text in header.items():
        if not _INTERVAL_KEY.search(key):
            continue
        name, unit = name_and_unit(key)
        if kind_of([text]) is TimeKind.CLOCK:
            value = float(Clockwork().seconds([text])[0])
        else:
            value, own = figure(text, _mark([text]))
            value *= _scale(f"{own} {unit}" if own or unit else "s")
        if value > 0 and "rate" not in name.casefold():
            return value
    return None
