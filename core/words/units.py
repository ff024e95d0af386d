"""The units of the whole program: how each is printed, which one a name carries, and how a value is written with one.

Every name of a figure ends in its unit (`power_limit_w`); nowhere else is a unit spelled out for people.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from core.words import plain, tr, trn
from core.words.catalog import GROUPED

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


@dataclass(frozen=True, slots=True)
class Measure:
    """Another unit for a metric one: shown = metric * factor + offset, with `finer` more decimals."""

    unit: str
    factor: float
    offset: float = 0.0
    finer: int = 0

    def shown(self, metric: float) -> float:
        """The metric figure in this unit."""
        return metric * self.factor + self.offset

    def metric(self, shown: float) -> float:
        """A figure of this unit as the metric one."""
        return (shown - self.offset) / self.factor


US_MEASURES: dict[str, Measure] = {
    "°C": Measure("°F", 1.8, 32.0),
    "K": Measure("°F", 1.8),
    "mm": Measure("in", 1 / 25.4, finer=2),
    "m": Measure("ft", 1 / 0.3048),
    "g": Measure("lb", 1 / 453.59237, finer=2),
    "kg": Measure("lb", 1 / 0.45359237),
    "m³": Measure("ft³", 1 / 0.3048**3),
    "m³/h": Measure("CFM", 1 / (0.3048**3 * 60)),
}
"""By the metric unit as printed, that of the United States. A K is a difference of temperatures, so is its °F."""
SPELLINGS: dict[str, tuple[str, ...]] = {
    "°C": ("c", "°c", "celsius"),
    "°F": ("f", "°f", "fahrenheit"),
    "K": ("k", "kelvin"),
    "mm": ("mm", "millimetre", "millimetres", "millimeter", "millimeters"),
    "cm": ("cm",),
    "m": ("m", "metre", "metres", "meter", "meters"),
    "in": ("in", "inch", "inches", '"', "″", "”"),
    "ft": ("ft", "foot", "feet", "'", "′", "’"),
    "g": ("g", "gram", "grams"),
    "kg": ("kg",),
    "lb": ("lb", "lbs", "pound", "pounds"),
    "oz": ("oz", "ounce", "ounces"),
    "m³/h": ("m³/h", "m3/h"),
    "CFM": ("cfm", "ft³/min", "ft3/min"),
    "m³": ("m³", "m3"),
    "ft³": ("ft³", "ft3"),
}
"""How units are typed, in small letters."""
UNKNOWN = tr("unknown")
_ENDING = re.compile(rf"_({'|'.join(sorted(UNITS, key=len, reverse=True))})$")
_COUNTED = re.compile(r"([A-Za-z0-9]+ )?[A-Za-z]{3,}s")
"""Units that are things to count: slots, PSUs."""
_WITHIN_NAMES = frozenset({"slots"})
"""Units without which a name would not say what is meant: the width in slots."""


def unit_of(name: str) -> str:
    """The unit that a name ends in, as printed; empty for a count, a word or a yes or no."""
    match = _ENDING.search(name)
    return UNITS[match[1]] if match else ""


def without_unit(name: str) -> str:
    """A name without its unit: "power_limit_w" is "power_limit"."""
    match = _ENDING.search(name)
    return name[: match.start()] if match and match[1] not in _WITHIN_NAMES else name


def as_printed(unit: str) -> str:
    """A recorded unit in the spelling of today."""
    return FORMER_SPELLINGS.get(unit, unit)


def number(value: float, decimals: int | None = None) -> str:
    """A figure without needless digits; three or four significant ones unless `decimals` says otherwise."""
    if not math.isfinite(value):
        return str(value)
    if decimals is None:
        places = min(max(0, 2 - math.floor(math.log10(abs(value)))) if 0 < abs(value) < 100 else 0, 8)
        text = f"{value:.{places}f}"
        decimals = len(text.rstrip("0").partition(".")[2])
    return plain(f"{{value:{',' if abs(value) >= GROUPED else ''}.{decimals}f}}", value=value)


def quantity(value: float | None, unit: str, *, decimals: int | None = None, missing: str = UNKNOWN) -> str:
    """A figure with its unit, or the word for a missing one."""
    if value is None or math.isnan(value):
        return missing
    unit = counted(value, unit)
    if not unit:
        return number(value, decimals)
    return plain("{number}\N{NO-BREAK SPACE}{unit}", number=number(value, decimals), unit=unit)


def span(low: float, high: float, unit: str) -> str:
    """Both ends without decimals: "120 to 360 USD"."""
    return tr("{low} to {high} {unit}", low=number(low, 0), high=number(high, 0), unit=unit)


def decimals_between(low: float, high: float, unit: str) -> int:
    """Decimals of a figure that lies between two: one below 20, none above nor for a count or per cents."""
    return int(high < 20 and unit != "%" and not (low == high and float(high).is_integer()))


def counted(value: float, unit: str) -> str:
    """The unit behind a value: 1 slot, 2 slots."""
    thing = _THINGS.get(unit)
    if thing is not None:
        return thing(1 if abs(value) == 1 else 2)
    return unit.removesuffix("s") if abs(value) == 1 and _COUNTED.fullmatch(unit) else unit


def stated(value: float, unit: str) -> str:
    """A figure of a part with its unit, all its digits as its maker gives them: "2.7 slots", "350 W"."""
    if not unit:
        return plain("{value:g}", value=value)
    return plain("{value:g} {unit}", value=value, unit=counted(value, unit))


_THINGS: dict[str, Callable[[int], str]] = {
    "CPUs": lambda n: trn("CPU", "CPUs", count=n),
    "GPUs": lambda n: trn("GPU", "GPUs", count=n),
    "PSUs": lambda n: trn("PSU", "PSUs", count=n),
    "blocks": lambda n: trn("block", "blocks", count=n),
    "bridges": lambda n: trn("bridge", "bridges", count=n),
    "cables": lambda n: trn("cable", "cables", count=n),
    "cards": lambda n: trn("card", "cards", count=n),
    "channels": lambda n: trn("channel", "channels", count=n),
    "circuits": lambda n: trn("circuit", "circuits", count=n),
    "coolers": lambda n: trn("cooler", "coolers", count=n),
    "cores": lambda n: trn("core", "cores", count=n),
    "drives": lambda n: trn("drive", "drives", count=n),
    "fans": lambda n: trn("fan", "fans", count=n),
    "generation": lambda _: tr("generation"),
    "lanes": lambda n: trn("lane", "lanes", count=n),
    "modules": lambda n: trn("module", "modules", count=n),
    "openings": lambda n: trn("opening", "openings", count=n),
    "pairs": lambda n: trn("pair", "pairs", count=n),
    "plugs": lambda n: trn("plug", "plugs", count=n),
    "products": lambda n: trn("product", "products", count=n),
    "pumps": lambda n: trn("pump", "pumps", count=n),
    "radiators": lambda n: trn("radiator", "radiators", count=n),
    "risers": lambda n: trn("riser", "risers", count=n),
    "slots": lambda n: trn("slot", "slots", count=n),
}
"""The units of findings that are things to count, in words."""
