"""How figures, times and missing things are written in reports."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from core.predict.band import Band
from core.present.report.document import Badge, BandBar, Cell, Figure, Nothing, Tone, Words
from core.words import english, joined, lowered, tr
from core.words import plain as figures
from core.words.units import UNKNOWN, counted, decimals_between, number, quantity, unit_of, without_unit

NOT_MEASURED = tr("not measured")
DASH = "–"
BULLET = "•  "
"""Before each item of a list."""
SHORT_HEADING = 8
"""Letters up to which a heading stands in one line."""


def cell_text(cell: Cell) -> str:
    """What a cell says where there is no more than text."""
    match cell:
        case Badge(word):
            return word
        case Words(text, below):
            return joined((text, below), "\n")
        case Figure(band):
            return UNKNOWN if band is None else band_text(band)
        case BandBar():
            return ""
        case Nothing():
            return DASH
        case _:
            return cell


def cell_tone(cell: Cell) -> Tone:
    """How a cell is meant."""
    return cell.tone if isinstance(cell, Badge | Words | Figure) else Tone.PLAIN


def utc_now() -> str:
    """The time as reports carry it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def stamp(iso: str | None) -> str:
    """An ISO 8601 stamp to the second, for people."""
    return iso[:19].replace("T", " ") + " UTC" if iso else UNKNOWN


def band_text(band: Band) -> str:
    """ "1290 W (1180 to 1420)", which breaks before the bracket alone; one figure where nothing is uncertain."""
    decimals = decimals_between(band.low, band.high, band.unit)
    if band.width == 0:
        return quantity(band.expected, band.unit, decimals=decimals)
    low, expected, high = (number(value, decimals) for value in band.triple)
    if not band.unit:
        fields = {"low": low, "expected": expected, "high": high}
        return tr("{expected} ({low}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{high})", **fields)
    fields = {"expected": expected, "unit": counted(band.expected, band.unit), "low": low, "high": high}
    return tr("{expected}\N{NO-BREAK SPACE}{unit} ({low}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{high})", **fields)


def percent(share: Band | None, about: str = "", tone: Tone = Tone.PLAIN) -> Figure:
    """A share as per cents."""
    return Figure(share.times(100).measured_in("%") if share else None, about, tone)


def counted_title(count: int, title: str) -> str:
    """ "4 × Maker X"; one of a thing by its name alone."""
    return figures("{count} × {part}", count=count, part=title) if count > 1 else title


def two_lines(heading: str) -> str:
    """A heading over a narrow column, broken where its halves are most alike; in Chinese before its unit."""
    if "，" in heading:
        return heading.replace("，", "，\n", 1)
    breaks = [at for at, letter in enumerate(heading) if letter == " "]
    if len(heading) <= SHORT_HEADING or not breaks:
        return heading
    middle = min(breaks, key=lambda at: abs(2 * at - len(heading)))
    return f"{heading[:middle]}\n{heading[middle + 1 :]}"


def bullets(lines: Iterable[str]) -> str:
    """Sentences as a list."""
    return joined((figures("{mark}{line}", mark=BULLET, line=line) for line in lines), "\n")


def within(title: str) -> str:
    """A title in the middle of a sentence: small in English, unless it is an abbreviation."""
    return lowered(title) if english(title)[1:2].islower() else title


def commas(items: Iterable[str]) -> str:
    """a, b, c: items of a list, without an "and"; "" where there is none."""
    first, *rest = [item for item in items if item] or [""]
    for item in rest:
        first = tr("{items}, {item}", items=first, item=item)
    return first


def semicolons(items: Iterable[str]) -> str:
    """a; b; c: clauses one after the other."""
    first, *rest = [item for item in items if item] or [""]
    for item in rest:
        first = tr("{items}; {item}", items=first, item=item)
    return first


def both(first: str, second: str) -> str:
    """Two facts of one thing: "CUDA 12.8, driver 570"."""
    return tr("{first}, {second}", first=first, second=second)


def named(name: str, value: str) -> str:
    """A figure behind its name: "Checks: 80"."""
    return tr("{name}: {value}", name=name, value=value)


def duration(seconds: float | None, *, missing: str = UNKNOWN) -> str:
    """Seconds as h, min and s: "26 s", "4 min 10 s", "23 h 59 min"."""
    if seconds is None:
        return missing
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return tr("{hours} h {minutes} min", hours=hours, minutes=minutes)
    if minutes and rest:
        return tr("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    if minutes:
        return tr("{minutes} min", minutes=minutes)
    if 0 < seconds < 10 and seconds != whole:
        return tr("{seconds:.2g} s", seconds=seconds)
    return tr("{seconds:.0f} s", seconds=whole)


def clock(seconds: float) -> str:
    """A time since the start of the run, h:mm:ss."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def labelled(name: str) -> tuple[str, str]:
    """The words and the unit in a name that carries its unit: "first_c" is ("First", "°C")."""
    return _sentence_case(without_unit(name)), unit_of(name)


def plain(value: Any) -> str:
    """A recorded value in words: yes and no, figures without a tail, lists with commas."""
    match value:
        case None:
            return UNKNOWN
        case bool():
            return tr("yes") if value else tr("no")
        case int() | float():
            return number(float(value)) if isinstance(value, float) else number(value, 0)
        case list() | tuple():
            return commas(plain(item) for item in value) or tr("none")
        case dict():
            entries = (figures("{key} {value}", key=key, value=plain(item)) for key, item in value.items())
            return commas(entries) or tr("none")
        case str():
            return value
        case _:
            return str(value)


def _sentence_case(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
