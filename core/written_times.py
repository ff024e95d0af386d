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

DAY_S = 86_400.0
_MONTHS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "jan januar january janv janvier ene enero gen",
            "feb februar february févr fév febrero",
            "mar märz mär march mrz mars marzo",
            "apr april avr avril abr abril",
            "may mai mayo mag",
            "jun juni june juin junio giu",
            "jul juli july juil juillet julio lug",
            "aug august août ago agosto",
            "sep sept september septembre septiembre set",
            "oct okt oktober october octobre octubre ott",
            "nov november novembre noviembre",
            "dec dez dezember december déc décembre dic diciembre",
        ),
        start=1,
    )
    for word in words.split()
}
_CLOCK = (
    r"(?P<hour>\d{1,3}):(?P<minute>\d\d)(?::(?P<second>\d\d(?:[.,:]\d+)?))?\s*(?P<half>[AaPp]\.?\s?[Mm]\.?)?"
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
    *(re.compile(_CLOCK + r",?\s+" + form) for form in _DATES[:3]),
    re.compile(r"(?:[^\W\d_]{2,9},?\s+)?(?P<name>[^\W\d_]{3})\s+(?P<d>\d{1,2})\s+" + _CLOCK + r"\s+(?P<y>\d{4})"),
)
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?")
_SECONDS = re.compile(r":(\d\d(?:[.,:]\d+)?)")
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
    for kind in (TimeKind.MOMENT, TimeKind.CLOCK, TimeKind.DATE):
        if kinds[kind] and kinds[kind] >= 0.8 * len(present):
            return kind
    numbers = [value for cell in present if (value := _number(cell)) is not None]
    if len(numbers) >= 0.8 * len(present) and numbers and all(1e9 <= value < 1e20 for value in numbers):
        return TimeKind.EPOCH
    return None


@lru_cache(maxsize=4096)
def _kind(cell: str) -> TimeKind | None:
    if _PLAIN.fullmatch(cell) and len(cell) != len("20261128"):
        return None
    for kind, forms in (
        (TimeKind.MOMENT, _MOMENT_FORMS),
        (TimeKind.CLOCK, (_CLOCK_FORM,)),
        (TimeKind.DATE, _DATE_FORMS),
    ):
        if any(_dated(form.fullmatch(cell)) for form in forms):
            return kind
    return None


@dataclass(slots=True)
class Clockwork:
    """Reads the cells of one column or two as seconds: since 1970 with a date, since midnight without."""

    day_first: bool | None = None
    """Of dates such as 05/06/2026; None where the cells do not need to be asked."""
    zone: str | None = None
    """Of times that say none, as +01:00; None: this machine's."""
    _minutes: dict[str, float] = field(default_factory=dict)
    _seconds: dict[str, tuple[float, str]] = field(default_factory=dict)

    def seconds(self, cells: Iterable[str]) -> NDArray[np.float64]:
        """NaN for what is no time. A minute is worked out once: cells of one differ in their seconds."""
        found = []
        minutes, seconds = self._minutes, self._seconds
        for cell in cells:
            end = cell.find(":") + 3
            after_s, rest = 0.0, ""
            if end > 3:
                known = seconds.get(cell[end:])
                after_s, rest = self._split(cell[end:]) if known is None else known
                cell_of_minute = cell[:end] + rest
            else:
                cell_of_minute = cell
            minute = minutes.get(cell_of_minute)
            found.append((self._minute(cell_of_minute) if minute is None else minute) + after_s)
        return np.array(found, dtype=np.float64)

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


def day_first(cells: Iterable[str], near: datetime, *, continental: bool) -> bool:
    """Whether in dates such as 05/06/2026 the day comes first.

    A part beyond 12 tells; else dots, and a half of the day for the other; else the order whose date lies before
    `near` and is closer to it, by more than a day; else `continental`.
    """
    pairs = [match for cell in dict.fromkeys(cells) if (match := _numbered(cell))]
    if any(int(match["one"]) > 12 for match in pairs):
        return True
    if any(int(match["two"]) > 12 for match in pairs):
        return False
    if not pairs or "." in pairs[0][0].split(":")[0]:
        return True
    if pairs[0].groupdict().get("half"):
        return False
    ages = [near.date() - _date(pairs[-1].groupdict(), day_first=first) for first in (True, False)]  # type: ignore[operator]
    late = timedelta(days=-1)
    if abs(ages[0] - ages[1]) > timedelta(days=1) and min(ages) < late <= max(ages):
        return ages[0] >= late
    return continental


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
        month = _MONTHS.get(name.casefold())
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
    if clock_s > DAY_S:
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
