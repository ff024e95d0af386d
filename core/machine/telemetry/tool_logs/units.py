"""Figures of a log in another unit than ours: 0.3 kW, 140 °F, 2 GiB."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.machine.tables.column_cells import ratio
from core.machine.telemetry.tool_logs.fields import MIB
from core.words import tr
from core.words.shown import shown

CELSIUS = frozenset(("°c", "c", "℃", "캜"))
"""The last is what a Korean Windows makes of the third."""
FAHRENHEIT = frozenset(("°f", "f", "℉"))
_KELVIN = frozenset(("k", "°k"))
_BYTES = frozenset(("b", "byte", "bytes"))
_OWN: Mapping[str, str] = {"w": "W", "mhz": "MHz", "mb": "MiB", "pct": "%", "c": "°C"}
"""Our unit by how the name of a metric ends."""
_SPELLINGS: Mapping[str, frozenset[str]] = {
    "W": frozenset(("w", "watt", "watts")),
    "MHz": frozenset(("mhz",)),
    "MiB": frozenset(("mib", "mb")),
    "%": frozenset(("%", "pct", "percent")),
    "°C": CELSIUS,
}
"""Tools say MB and mean MiB."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a figure is multiplied by, and what is then added."""

    factor: float = 1.0
    offset: float = 0.0


AS_IT_IS = Conversion()
_TO_CELSIUS = {
    **dict.fromkeys(FAHRENHEIT, Conversion(1 / 1.8, -32 / 1.8)),
    **dict.fromkeys(_KELVIN, Conversion(offset=-273.15)),
}


@lru_cache(maxsize=1024)
def conversion(metric: str, unit: str) -> Conversion | None:
    """From a unit to that of the metric; None where it is of another kind, or not a unit that we know."""
    own = _OWN.get(metric.rpartition("_")[2])
    spelling = unit.strip().casefold().replace("\ufffd", "°")
    if own is None or not spelling or spelling in _SPELLINGS[own]:
        return AS_IT_IS
    if own == "MiB" and spelling in _BYTES:
        return Conversion(1 / MIB)
    if own == "°C":
        return _TO_CELSIUS.get(spelling)
    factor = ratio(unit.strip(), own)
    return None if math.isnan(factor) else Conversion(factor)


def not_converted(field: str, unit: str) -> str:
    """The remark on a column that is left out for its unit."""
    return tr("{column} is left out: its unit ({unit}) cannot be converted.", column=shown(field), unit=shown(unit))
