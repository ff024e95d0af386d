"""The units of the whole program: how each is printed, which one a name carries, and how a value is written with one.

Every name of a figure ends in its unit (`power_limit_w`); nowhere else is a unit spelled out for people.
"""

from __future__ import annotations

import math
import re

UNITS: dict[str, str] = {
    "k_per_w": "K/W",
    "per_s": "per s",
    "tflops": "TFLOPS",
    "gbps": "GB/s",
    "gbit": "Gbit/s",
    "mts": "MT/s",
    "bits": "bit",
    "kb": "kB",
    "mb": "MB",
    "gb": "GB",
    "tb": "TB",
    "mhz": "MHz",
    "rpm": "rpm",
    "dba": "dBA",
    "pct": "%",
    "m3h": "m³/h",
    "mmh2o": "mmH₂O",
    "pa": "Pa",
    "lph": "l/h",
    "ml": "ml",
    "mm": "mm",
    "m": "m",
    "g": "g",
    "kw": "kW",
    "kwh": "kWh",
    "wh": "Wh",
    "va": "VA",
    "w": "W",
    "v": "V",
    "a": "A",
    "j": "J",
    "c": "°C",
    "k": "K",
    "us": "µs",
    "ms": "ms",
    "s": "s",
    "min": "min",
    "h": "h",
    "slots": "slots",
}
"""By the end of a name, the unit as printed."""
FORMER_SPELLINGS = {"TFLOP/s": "TFLOPS", "m3/h": "m³/h", "mmH2O": "mmH₂O"}
"""Units as files and recordings of version 0.1 have them."""
UNKNOWN = "unknown"
_ENDING = re.compile(rf"_({'|'.join(sorted(UNITS, key=len, reverse=True))})$")
_COUNTED = re.compile(r"([A-Za-z0-9]+ )?[A-Za-z]{3,}s")
"""Units that are things to count: slots, PSUs."""
_WITHIN_NAMES = frozenset({"slots"})
"""Units without which a name would not say what is meant: the width in slots."""


def unit_of(name: str) -> str:
    """The unit that a name ends in, as printed; empty for a count, a word or a yes or no."""
    found = _ENDING.search(name)
    return UNITS[found[1]] if found else ""


def without_unit(name: str) -> str:
    """A name without its unit: "power_limit_w" is "power_limit"."""
    found = _ENDING.search(name)
    return name[: found.start()] if found and found[1] not in _WITHIN_NAMES else name


def as_printed(unit: str) -> str:
    """A recorded unit in the spelling of today."""
    return FORMER_SPELLINGS.get(unit, unit)


def number(value: float, decimals: int | None = None) -> str:
    """A figure without needless digits; three or four significant ones unless `decimals` says otherwise."""
    if not math.isfinite(value):
        return str(value)
    if decimals is not None:
        text = f"{value:,.{decimals}f}"
    else:
        places = max(0, 2 - math.floor(math.log10(abs(value)))) if 0 < abs(value) < 100 else 0
        text = f"{value:,.{min(places, 8)}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(",", "\N{NARROW NO-BREAK SPACE}" if abs(value) >= 10_000 else "")


def quantity(value: float | None, unit: str, *, decimals: int | None = None, missing: str = UNKNOWN) -> str:
    """A figure with its unit, or the word for a missing one."""
    if value is None or math.isnan(value):
        return missing
    unit = counted(value, unit)
    return f"{number(value, decimals)}\N{NO-BREAK SPACE}{unit}" if unit else number(value, decimals)


def span(low: float, high: float, unit: str) -> str:
    """Both ends without decimals: "120 to 360 USD"."""
    return f"{number(low, 0)} to {number(high, 0)} {unit}"


def counted(value: float, unit: str) -> str:
    """The unit behind a value: 1 slot, 2 slots."""
    return unit.removesuffix("s") if abs(value) == 1 and _COUNTED.fullmatch(unit) else unit


def stated(value: float, unit: str) -> str:
    """A figure of a part with its unit, all its digits as its maker gives them: "2.7 slots", "350 W"."""
    return f"{value:g} {unit if abs(value) != 1 else counted(value, unit)}" if unit else f"{value:g}"
