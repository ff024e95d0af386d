"""Times as instruments, loggers and people write them: columns of cells as seconds.

A date is read in the order that all of its column allow: 28/11 tells that the day comes first, for 05/06 too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.machine.tables.spelled_times import MONTHS, plain_time, year_of

DAY_S = 86_400.0
LEAP_YEAR = 2000
"""Has every day that a date without a year may say."""
_CLOCK = (
    r"(?P<hour>\d{1,3}):(?P<minute>\d\d|\d(?=:\d))(?::(?P<second>\d\d?(?:[.,:]\d+)?))?\s*(?P<half>[AaPp]\.?\s?[Mm]\.?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?"
)
_DATES = (
    r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\.?",
    r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)",
    r"(?P<one>\d{1,2})[-/.](?P<two>\d{1,2})[-/.](?P<y>\d{4}|\d\d)\.?",
    r"(?P<d>\d{1,2})\.?[-/ ]?(?P<name>[^\W\d_]{3,9})\.?[-/, ]{1,2}(?P<y>\d{4}|\d\d)",
    r"(?:[^\W\d_]{2,9},?\s+)?(?P<name>[^\W\d_]{3,9})\.?\s+(?P<d>\d{1,2}),?\s+(?P<y>\d{4})",
)
_BETWEEN = r"(?:T|\s*,\s*|\s+-\s+|\s+at\s+|\s+|_)"
_DATE_FORMS = tuple(re.compile(form) for form in _DATES)
_CLOCK_FORM = re.compile(_CLOCK)
_MOMENT_FORMS = (
    *(re.compile(form + _BETWEEN + _CLOCK) for form in _DATES),
    *(re.compile(_CLOCK + r",?\s+" + form) for form in _DATES),
    re.compile(r"(?:[^\W\d_]{2,9},?\s+)?(?P<name>[^\W\d_]{3})\s+(?P<d>\d{1,2})\s+" + _CLOCK + r"\s+(?P<y>\d{4})"),
)
_DOTTED = re.compile(r"(\d{1,2})\.(\d\d)\.(\d\d(?:,\d+)?)")
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?")
_SECONDS = re.compile(r":(\d\d?(?:[.,:]\d+)?)")
_SECONDS_OF_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}:\d\d):(\d\d(?:[.,]\d+)?)(?!:)")
_MOST_KEPT = 100_000
_EPOCHS = ((1e18, 1e9), (1e15, 1e6), (1e12, 1e3), (1e9, 1.0))
"""From this figure on it is so many a second, since 1970: from 2001 on."""
_SHEET_DAYS = (36_526.0, 73_050.0)
"""Days of a spreadsheet's date, since 1899-12-30: 2000 to 2100."""


class TimeKind(Enum):
    """What the cells of a column of times say."""

    MOMENT = "date and time"
    DATE = "date"
    CLOCK = "clock"
    EPOCH = "epoch"


def kind_of(cells: Sequence[str]) -> TimeKind | None:
    """What at least four in five of some cells are; None where they are no times, or plain numbers."""
    present = [cell for cell in cells if cell]
    kinds = Counter(map(_kind, present))
    if kinds[TimeKind.CLOCK] and kinds[TimeKind.DATE] and all(map(_is_dotted_clock, present)):
        return TimeKind.CLOCK
    for kind in (TimeKind.MOMENT, TimeKind.CLOCK, TimeKind.DATE):
        if kinds[kind] and kinds[kind] >= 0.8 * len(present):
            return kind
    numbers = [value for cell in present if (value := _number(cell)) is not None]
    if len(numbers) >= 0.8 * len(present) and numbers and all(1e9 <= value < 1e20 for value in numbers):
        return TimeKind.EPOCH
    return None


@lru_cache(maxsize=4096)
def _kind(cell: str) -> TimeKind | None:
    if _PLAIN.fullmatch(cell) and len(cell) not in (len("20261128"), len("20261128180320")):
        return None
    kind = _kind_of_form(cell)
    if kind is None and (spelled := plain_time(cell, LEAP_YEAR)) != cell:
        kind = _kind_of_form(spelled)
    return TimeKind.CLOCK if kind is None and _is_dotted_clock(cell) else kind


def _kind_of_form(cell: str) -> TimeKind | None:
    for kind, forms in (
        (TimeKind.MOMENT, _MOMENT_FORMS),
        (TimeKind.CLOCK, (_CLOCK_FORM,)),
        (TimeKind.DATE, _DATE_FORMS),
    ):
        if any(_dated(form.fullmatch(cell)) for form in forms):
            return kind
    return None


def is_spelled(cells: Sequence[str]) -> bool:
    """Whether most cells are times only once they are brought into a usual form."""
    present = [cell for cell in cells if cell]
    return 2 * sum(_kind_of_form(cell) is None and _kind(cell) is not None for cell in present) > len(present)


def are_dotted_clocks(cells: Sequence[str], *, of_day: bool) -> bool:
    """Whether 18.03.20 is a time of day: one of its column is no date, or its heading says so (`of_day`)."""
    present = [cell for cell in cells if cell]
    return (
        bool(present)
        and all(map(_is_dotted_clock, present))
        and (of_day or any(_kind_of_form(cell) is None for cell in present))
    )


def _is_dotted_clock(cell: str) -> bool:
    match = _DOTTED.fullmatch(cell)
    return match is not None and int(match[1]) < 24 and int(match[2]) < 60 and float(match[3]) < 61


@dataclass(slots=True)
class Clockwork:
    """Reads the cells of one column or two as seconds: since 1970 with a date, since midnight without."""

    day_first: bool | None = None
    """Of dates such as 05/06/2026; None where the cells do not need to be asked."""
    zone: str | None = None
    """Of times that say none, as +01:00; None: this machine's."""
    near: datetime | None = None
    """When the times may be, for those without a year."""
    spelled: bool = False
    """Whether the cells are written in words or in an order that few use."""
    _minutes: dict[str, float] = field(default_factory=dict)
    _seconds: dict[str, tuple[float, str]] = field(default_factory=dict)

    def seconds(self, cells: Iterable[str]) -> NDArray[np.float64]:
        """NaN for what is no time. A minute is worked out once: cells of one differ in their seconds."""
        if self.spelled:
            return np.array([self._of_words(cell) for cell in cells], dtype=np.float64)
        times_s = []
        minutes, seconds = self._minutes, self._seconds
        for cell in cells:
            end = cell.find(":") + 3
            after_s, date_text = 0.0, ""
            if end > 3 and cell[end - 1 : end] != ":":  # not 9:5:3.250, as HWiNFO writes it
                split = seconds.get(cell[end:])
                after_s, date_text = self._split(cell[end:]) if split is None else split
                cell_of_minute = cell[:end] + date_text
            else:
                cell_of_minute = cell
            minute = minutes.get(cell_of_minute)
            times_s.append((self._minute(cell_of_minute) if minute is None else minute) + after_s)
        return np.array(times_s, dtype=np.float64)

    def _of_words(self, cell: str) -> float:
        """Its seconds are taken out, so that a minute is worked out once."""
        match = _SECONDS_OF_CLOCK.search(cell)
        minute = cell if match is None else f"{cell[: match.end(1)]}{cell[match.end(2) :]}"
        value = self._minutes.get(minute)
        after_s = float(match[2].replace(",", ".")) if match else 0.0
        return (self._minute(minute) if value is None else value) + after_s

    def _split(self, rest: str) -> tuple[float, str]:
        split = _split(rest)
        if len(self._seconds) < _MOST_KEPT:
            self._seconds[rest] = split
        return split

    def _minute(self, text: str) -> float:
        value = self._parsed(text)
        if len(self._minutes) < _MOST_KEPT:
            self._minutes[text] = value
        return value

    def _parsed(self, text: str) -> float:
        if self.spelled:
            text = plain_time(text, year_of(text, self.near))
        for form in (*_MOMENT_FORMS, _CLOCK_FORM, *_DATE_FORMS):
            if match := form.fullmatch(text):
                groups = match.groupdict()
                try:
                    clock = _clock(groups) if groups.get("hour") else 0.0
                    return _epoch(
                        _date(groups, day_first=self.day_first is not False), clock, groups.get("zone") or self.zone
                    )
                except (ValueError, OverflowError, OSError):
                    continue
        return math.nan


@dataclass(frozen=True, slots=True)
class DayOrder:
    """Whether in dates such as 05/06/2026 the day comes first, and whether anything tells so."""

    day_first: bool
    sure: bool = True


def day_order(cells: Iterable[str], near: datetime, *, continental: bool) -> DayOrder:
    """Of the dates of a column.

    A part beyond 12 tells, and dots; else the order in which they lie closer together; else that whose date is about
    `near`, or not later than it. Without any of these a half of the day is American, and a decimal comma is not.
    """
    pairs = [match for cell in dict.fromkeys(cells) if (match := _numbered(cell))]
    parts = {(int(match["one"]), int(match["two"])) for match in pairs}
    if any(first > 12 for first, _ in parts):
        return DayOrder(True)
    if any(two > 12 for _, two in parts):
        return DayOrder(False)
    if all(first == two for first, two in parts) or "." in pairs[0][0].split(":")[0]:
        return DayOrder(True)
    days = {first: [_day(match, day_first=first) for match in pairs] for first in (True, False)}
    spans = {first: max(dates) - min(dates) for first, dates in days.items()}
    if min(spans.values()) * 2 < max(spans.values()):
        return DayOrder(spans[True] < spans[False])
    ages = {first: near.date() - dates[-1] for first, dates in days.items()}
    about = [first for first, age in ages.items() if abs(age) <= _ABOUT]
    past = [first for first, age in ages.items() if age >= _LATE]
    for orders in (about, past):
        if len(orders) == 1:
            return DayOrder(orders[0])
    return DayOrder(continental and not pairs[0].groupdict().get("half"), sure=False)


_ABOUT, _LATE = timedelta(days=2), timedelta(days=-1)


def _day(match: re.Match[str], *, day_first: bool) -> date:
    day = _date(match.groupdict(), day_first=day_first)
    assert day is not None  # it has a year
    return day


def epoch_seconds(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seconds since 1970 of seconds, milliseconds, microseconds or nanoseconds since then."""
    largest = float(np.nanmax(numbers)) if np.isfinite(numbers).any() else 0.0
    return numbers / next((scale for least, scale in _EPOCHS if largest >= least), 1.0)


def sheet_seconds(numbers: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Seconds since 1970 of a spreadsheet's days; None where these are none."""
    finite = numbers[np.isfinite(numbers)]
    if not finite.size or finite.min() < _SHEET_DAYS[0] or finite.max() > _SHEET_DAYS[1]:
        return None
    first = datetime(1899, 12, 30)
    return np.array(
        [(first + timedelta(days=day)).timestamp() if math.isfinite(day) else math.nan for day in numbers.tolist()]
    )


def _split(rest: str) -> tuple[float, str]:
    """What follows the minutes: seconds, and a half of the day or a zone."""
    match = _SECONDS.match(rest)
    if match is None:
        return 0.0, rest
    whole, _, part = match[1].replace(",", ".").replace(":", ".").partition(".")
    value = float(f"{whole}.{part or 0}")
    return (value if value < 61 else math.nan), rest[match.end() :]


def _dated(match: re.Match[str] | None) -> bool:
    """Whether it is a time that a clock or a calendar has."""
    if match is None:
        return False
    groups = match.groupdict()
    try:
        if groups.get("hour"):
            _clock(groups)
        if groups.get("one") and max(int(groups["one"]), int(groups["two"])) > 12:
            return min(int(groups["one"]), int(groups["two"])) <= 12
        _date(groups, day_first=True)
    except ValueError:
        return False
    return True


def _numbered(cell: str) -> re.Match[str] | None:
    forms = (form for form in (*_MOMENT_FORMS, *_DATE_FORMS) if "one" in form.groupindex)
    return next((match for form in forms if (match := form.fullmatch(cell))), None)


def _clock(groups: Mapping[str, str | None]) -> float:
    """Raises ValueError where no clock shows it."""
    hour, minute = int(groups["hour"] or 0), int(groups["minute"] or 0)
    if half := groups.get("half"):
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    second, _ = _split(f":{groups['second']}") if groups.get("second") else (0.0, "")
    if minute > 59 or not second < 61:
        raise ValueError(minute)
    return hour * 3600.0 + minute * 60.0 + second


def _date(groups: Mapping[str, str | None], *, day_first: bool) -> date | None:
    """Raises ValueError where no calendar has it; None where there is none."""
    if not groups.get("y"):
        return None
    year = int(groups["y"] or 0)
    year += 2000 if year < 100 else 0
    if name := groups.get("name"):
        month = MONTHS.get(name.casefold())
        if month is None:
            raise ValueError(name)
        return date(year, month, int(groups["d"] or 0))
    if one := groups.get("one"):
        two = groups["two"] or ""
        return date(year, *((int(two), int(one)) if day_first else (int(one), int(two))))
    return date(year, int(groups["m"] or 0), int(groups["d"] or 0))


def _epoch(day: date | None, clock_s: float, zone: str | None) -> float:
    """A time without a zone is one of this machine's."""
    if day is None:
        return clock_s
    if clock_s > DAY_S:  # 24:00 is the end of a day
        raise ValueError(clock_s)
    moment = datetime(day.year, day.month, day.day) + timedelta(seconds=clock_s)
    return (moment.replace(tzinfo=_zone(zone)) if zone else moment).timestamp()


def _zone(zone: str) -> timezone:
    if zone[0] not in "+-":
        return UTC
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if zone[0] == "-" else offset)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
