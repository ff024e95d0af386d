"""How figures, times and missing things are written in reports."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from core.predict.band import Band
from core.units import UNKNOWN, number, quantity, unit_of, without_unit

NOT_MEASURED = "not measured"


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
    return figure if band.width == 0 else f"{figure} {span_text(band.low, band.high, decimals)}"


def span_text(low: float, high: float, decimals: int = 0) -> str:
    """ "(1180 to 1420)", which never breaks over two lines."""
    return f"({number(low, decimals)} to {number(high, decimals)})".replace(" ", "\N{NO-BREAK SPACE}")


def duration(seconds: float | None, *, missing: str = UNKNOWN) -> str:
    """Seconds as h, min and s: "26 s", "4 min 10 s", "23 h 59 min"."""
    if seconds is None:
        return missing
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    if minutes:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{seconds:.2g} s" if 0 < seconds < 10 and seconds != whole else f"{whole} s"


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
            return "yes" if value else "no"
        case int() | float():
            return number(float(value)) if isinstance(value, float) else number(value, 0)
        case list() | tuple():
            return ", ".join(plain(item) for item in value) or "none"
        case dict():
            return ", ".join(f"{key} {plain(item)}" for key, item in value.items()) or "none"
        case _:
            return str(value)


def _sentence_case(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
