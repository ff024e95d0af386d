"""How figures, times and missing things are written in reports."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from core.language import english, joined, lowered, tr
from core.language import plain as figures
from core.predict.band import Band
from core.report.document import Badge, Bar, Cell, Figure, Tone, Words
from core.units import UNKNOWN, number, quantity, unit_of, without_unit

NOT_MEASURED = tr("not measured")


def cell_text(cell: Cell) -> str:
    """What a cell says where there is no more than text."""
    match cell:
        case Badge(word):
            return word
        case Words(text, below):
            return joined((text, below), "\n")
        case Figure(band):
            return UNKNOWN if band is None else band_text(band)
        case Bar():
            return ""
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
    """ "1290 W (1180 to 1420)"; the figure alone where nothing is uncertain. One place below 20, none above."""
    decimals = 1 if band.high < 20 and band.width > 0 else 0
    figure = quantity(band.expected, band.unit, decimals=decimals)
    if band.width == 0:
        return figure
    return tr("{figure} {span}", figure=figure, span=span_text(band.low, band.high, decimals))


def span_text(low: float, high: float, decimals: int = 0) -> str:
    """ "(1180 to 1420)", which never breaks over two lines."""
    return tr(
        "({low}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{high})", low=number(low, decimals), high=number(high, decimals)
    )


def share_text(band: Band, whole: float) -> str:
    """A band in per cent of a whole: "62 % (55 to 70)"."""
    low, expected, high = (100 * value / whole for value in (band.low, band.expected, band.high))
    return tr("{share:.0f}\N{NO-BREAK SPACE}% {span}", share=expected, span=span_text(low, high))


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
            told = (figures("{key} {value}", key=key, value=plain(item)) for key, item in value.items())
            return commas(told) or tr("none")
        case str():
            return value
        case _:
            return str(value)


def _sentence_case(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
