"""Which column of a meter's file tells the power at the wall: by its unit, else by the words of its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.language import plain, tr
from core.shown import shown
from core.time_table import TimeColumn, TimeTable

Values = NDArray[np.float64]

FACTORS = {
    "w": 1.0,
    "watt": 1.0,
    "watts": 1.0,
    "kw": 1000.0,
    "kwatts": 1000.0,
    "kilowatt": 1000.0,
    "mw": 0.001,
    "milliwatt": 0.001,
}
ENERGY = {
    "wh": 1.0,
    "whr": 1.0,
    "watthrs": 1.0,
    "watthours": 1.0,
    "kwh": 1000.0,
    "kwhr": 1000.0,
    "mwh": 0.001,
    "j": 1 / 3600,
    "kj": 1000 / 3600,
}
_MEGA = ("MW", "MWh")
"""Only so: mw is milliwatts."""
VOLTS = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 0.001}
AMPERES = {"a": 1.0, "amp": 1.0, "amps": 1.0, "ampere": 1.0, "ma": 0.001}
_LOAD = {"%"}
_NO_WATTS = re.compile(
    r"factor|reactive|apparent|\baprt\b|returned|watt ?h(ou)?rs?|"
    r"\bvar\b|\bkvar\b|\bvah?\b|\bkvah?\b|scheinleistung|blindleistung|"
    r"leistungsfaktor|"
    r"limit|threshold|rated|rating|nominal|(^| )(state|status|on|off)$|cost|price|kosten|(voltage|current)$"
)
"""Names with a word for power that are something else."""
_OF_A_PART = re.compile(r"\b(i?gpu|cpu|dram|soc|package)\b")
_AT_THE_WALL = re.compile(r"\b(plug|outlet|socket|pdu|ups|inlet|wall|rack|steckdose)\b")
"""A plug that somebody called GPU is one."""
_POWER = re.compile(r"power|watt|leistung|puissance|potencia|potenza|vermogen|功率|電力|功耗|\bload\b|^p$|(^| )k?w$")
ENERGY_WORDS = re.compile(
    r"energy|watt ?h(ou)?rs?|energie|energia|kwh|\bwh\b|consum(ption|ed)|usage|verbrauch|consommation|consumo|电量|電量"
)
VOLT_WORDS = re.compile(r"volt|spannung|tension|电压|電圧|^u$|^v$")
AMPERE_WORDS = re.compile(r"current|amp|strom|courant|corriente|电流|電流|^i$|^a$")
_ONE_PEAK = re.compile(r"\b(max|min|peak|maximum|minimum|highest|lowest)\b")
POWER_FACTOR = re.compile(r"power ?factor|leistungsfaktor|^pf$|cos ?(phi|φ)|factor$")
VA = re.compile(r"apparent|scheinleistung|\bk?va\b")
_ENTITIES = ("entity_id", "sensor_id", "entity", "sensor")


class WallForm(StrEnum):
    """How the file tells the watts."""

    POWER = "power"
    COUNTER = "counter"
    """An energy counter that rises: means between its readings."""
    INTERVALS = "intervals"
    """Energy of each row: means over the time to the next row."""
    AMPERES = "amperes"
    """Volts times amperes, with the power factor where the file has one."""
    APPARENT = "apparent"
    """The same without a power factor: too high by as much as that is below one."""
    LOAD = "load"
    """Per cent of what a UPS is rated for."""

    @property
    def words(self) -> str:
        """What a sentence adds to the figures; empty for plain watts."""
        return {
            WallForm.POWER: "",
            WallForm.COUNTER: tr("means between readings of an energy counter"),
            WallForm.INTERVALS: tr("means of the energy of each row"),
            WallForm.AMPERES: tr("volts times amperes times power factor"),
            WallForm.APPARENT: tr("volts times amperes, which is VA: too high where the power factor is below 1"),
            WallForm.LOAD: tr("load in per cent of the rated watts"),
        }[self]


@dataclass(frozen=True, slots=True)
class Reading:
    """One column, or what one device of a table of many says; `rows` are those with a reading."""

    name: str
    unit: str
    numbers: Values
    times_s: Values
    on_change: bool = False
    """Whether only changes are written: a reading holds until the next one, however late that is."""

    @property
    def title(self) -> str:
        name = shown(self.name)
        return plain("{name} ({unit})", name=name, unit=shown(self.unit)) if self.unit else name

    @property
    def words(self) -> str:
        return re.sub(r"[_./-]+", " ", self.name.casefold()).strip()

    @property
    def says_unit(self) -> bool:
        """Whether heading or name say what the figures are in."""
        last = self.words.split()[-1:] or [""]
        return any(word in FACTORS or word in ENERGY for word in (self.unit.casefold(), last[0]))

    def kind(self) -> WallForm | None:
        """What it may be; None: nothing of use."""
        unit, words = self.unit.casefold(), self.words
        if self.unit in _MEGA or (_OF_A_PART.search(words) and not _AT_THE_WALL.search(words)):
            return None
        if unit in FACTORS:
            return WallForm.POWER if not _NO_WATTS.search(words) else None
        if unit in ENERGY:
            return WallForm.COUNTER if not re.search("returned|reactive|apparent", words) else None
        if unit in _LOAD and re.search(r"\bload\b", words):
            return WallForm.LOAD
        if unit:
            return None
        if ENERGY_WORDS.search(words):
            return WallForm.COUNTER if not re.search("returned|reactive|apparent|cost|price|power", words) else (
                WallForm.POWER if "power" in words and not _NO_WATTS.search(words) else None
            )  # fmt: skip
        return WallForm.POWER if _POWER.search(words) and not _NO_WATTS.search(words) else None


def readings_of(table: TimeTable) -> Iterator[Reading]:
    """Each column of numbers; of a table with a row for each change of an entity, each entity."""
    entity = next((one for one in table.columns if one.name.casefold() in _ENTITIES and one.texts), None)
    if entity is None:
        for number, column in enumerate(table.columns, start=1):
            if len(column.numbers):
                yield _reading(table, column, column.name or str(number), np.ones(len(table.times_s), dtype=bool))
        return
    states = next((one for one in table.columns if one.name.casefold() in ("state", "value")), None)
    if states is None:
        return
    numbers: dict[str, int] = {}
    told = np.fromiter((numbers.setdefault(name, len(numbers)) for name in entity.texts), dtype=np.int64)
    for name, number in numbers.items():
        yield _reading(table, states, name, told == number, on_change=True)


def _unit(text: str) -> str:
    """As tables know it: "en Kw" is kW, "m.W." is mW."""
    return re.sub(r"^(in|en) |[.\s]", "", text.strip())


def _reading(
    table: TimeTable, column: TimeColumn, name: str, rows: NDArray[np.bool_], *, on_change: bool = False
) -> Reading:
    bare = _unit(name)
    unit = column.unit or (bare if bare.casefold() in (*FACTORS, *ENERGY) else "")
    return Reading(name, _unit(unit), column.numbers[rows], table.times_s[rows], on_change)


def is_called(reading: Reading, asked: str) -> bool:
    word = asked.strip().casefold()
    return word in (reading.name.casefold(), reading.title.casefold())


def likeliest(readings: Sequence[Reading]) -> list[Reading]:
    """Watts before energy before volts and amperes before a load in per cent; peaks only where nothing else is."""
    told = [one for one in readings if np.isfinite(one.numbers).any()]
    for form in (WallForm.POWER, WallForm.COUNTER):
        of_form = [one for one in told if one.kind() is form]
        of_form = [one for one in of_form if one.says_unit] or of_form
        plain_ones = [one for one in of_form if not _ONE_PEAK.search(one.words)] or of_form
        totals = [one for one in plain_ones if re.search(r"\b(total|sum|gesamt|all)\b", one.words)]
        if plain_ones:
            return totals if len(totals) == 1 and len(plain_ones) > 2 and form is WallForm.POWER else plain_ones
    amperes = [one for one in told if is_of(one, AMPERES, AMPERE_WORDS)]
    volts = [one for one in told if is_of(one, VOLTS, VOLT_WORDS)]
    if amperes and len(volts) == 1:
        return amperes
    return [one for one in told if one.kind() is WallForm.LOAD]


def is_of(reading: Reading, units: dict[str, float], words: re.Pattern[str]) -> bool:
    unit = reading.unit.casefold()
    return unit in units or (not unit and bool(words.search(reading.words)))
