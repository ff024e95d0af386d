"""Which column of a meter's file tells the power at the wall: by its unit, else by the words of its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from core.machine.tables.time_table import TimeColumn, TimeTable
from core.words import plain, shown, tr

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
    "kwhs": 1000.0,
    "mwh": 0.001,
    "j": 1 / 3600,
    "kj": 1000 / 3600,
}
_MEGA = ("MW", "MWh")
"""Only so: mw is milliwatts."""
VOLTS = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 0.001}
AMPERES = {"a": 1.0, "amp": 1.0, "amps": 1.0, "ampere": 1.0, "ma": 0.001}
_LOAD = {"%", "percent", "pct"}
_NO_WATTS = re.compile(
    r"factor|reactive|apparent|\baprt\b|returned|watt ?h(ou)?rs?|"
    r"\bvar\b|\bkvar\b|\bvah?\b|\bkvah?\b|scheinleistung|blindleistung|"
    r"leistungsfaktor|"
    r"limit|threshold|rated|rating|nominal|\bnom ?power|"
    r"(^| )(state|status|on|off)$|cost|price|kosten|(voltage|current)$"
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
HALF = 0.5
_BARE_LOAD = re.compile(r"^(?!.*(power|watt)).*\bload\b")
"""Mostly in per cent, where nobody says of what."""
_NO_USE = re.compile(r"returned|\bret\b|react|apparent|\bfund")
"""Energy that went back, or is a share of all."""
_ONE_PEAK = re.compile(r"\b(max|min|peak|maximum|minimum|highest|lowest)\b")
POWER_FACTOR = re.compile(r"power ?factor|leistungsfaktor|^pf$|cos ?(phi|φ)|factor$")
VA = re.compile(r"apparent|scheinleistung|\bk?va\b")
_ENTITIES = ("entity_id", "sensor_id", "entity", "sensor")
"""Home Assistant writes a row for each change of one."""
_KEYS = frozenset((
    *_ENTITIES, "statistic_id", "series", "metric", "field", "_field", "name", "tags", "device", "device_name", "topic",
    "item", "measurement", "_measurement", "parameter", "channel", "plug", "outlet", "socket", "alias", "host", "event",
))  # fmt: skip
"""Columns that say of what or of which device a row is."""
_VALUES = ("state", "value", "_value", "mean", "reading", "wert")
_UNITS_AS_KEYS = frozenset(("W", "kW", "mW", "Wh", "kWh", "V", "A", "mA", "VA", "%"))
_UNITS_OF_ROWS = frozenset(("unit", "units", "einheit", "unit_of_measurement"))


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
            return WallForm.COUNTER if not _NO_USE.search(words) else None
        if unit in _LOAD and re.search(r"\bload( ?pct)?\b|\bwout\b|\boutput (active )?(power|watts)", words):
            return WallForm.LOAD
        if unit:
            return None
        if ENERGY_WORDS.search(words):
            return WallForm.COUNTER if not _NO_USE.search(words) and not re.search("cost|price|power", words) else (
                WallForm.POWER if "power" in words and not _NO_WATTS.search(words) else None
            )  # fmt: skip
        return WallForm.POWER if _POWER.search(words) and not _NO_WATTS.search(words) else None


def readings_of(table: TimeTable) -> Iterator[Reading]:
    """Each column of numbers; of a table with rows of several things or devices, those of each."""
    keys = [column for column in table.columns if column.name.casefold() in _KEYS and column.texts]
    values = [column for name in _VALUES for column in table.columns if column.name.casefold() == name]
    value = next((column for column in values if np.isfinite(column.numbers).any()), None)
    several = [key for key in keys if len(set(key.texts)) > 1 and (value is not None or _takes_turns(table, key))]
    if value is None and not several:
        for number, column in enumerate(table.columns, start=1):
            if len(column.numbers):
                yield _reading(table, column, column.name or str(number), np.ones(len(table.times_s), dtype=bool))
        return
    columns = [value] if value is not None else [column for column in table.columns if not column.texts]
    if value is not None and not keys:
        several, columns = [], [column for column in table.columns if not column.texts]
    telling_keys = several or keys
    numbers: dict[tuple[str, ...], int] = {}
    names = zip(*(key.texts for key in telling_keys), strict=True) if telling_keys else (() for _ in table.times_s)
    codes = np.fromiter((numbers.setdefault(key, len(numbers)) for key in names), dtype=np.int64)
    on_change = any(column.name.casefold() in _ENTITIES for column in keys) and value is not None
    for key, code in numbers.items():
        rows = codes == code
        unit = _unit_of_rows(table, keys, rows)
        for column in columns:
            own = [] if column is value and key else [column.name or str(column.place)]
            yield _reading(table, column, " ".join([*key, *own]), rows, on_change=on_change, unit=unit)


def _takes_turns(table: TimeTable, key: TimeColumn) -> bool:
    """Whether rows of several devices come by turns, or one device after the other from the beginning: not so where a
    column remarks on a few rows."""
    changes = np.array([before != after for before, after in pairwise(key.texts)])
    return all(key.texts) and bool(changes.mean() >= HALF or (np.diff(table.times_s)[changes] < 0).any())


def _unit_of_rows(table: TimeTable, keys: Sequence[TimeColumn], rows: NDArray[np.bool_]) -> str:
    """What a column of units says of some rows, or one of keys, as a measurement called W."""
    first = int(np.flatnonzero(rows)[0])
    units = (one.texts[first] for one in table.columns if one.texts and one.name.casefold() in _UNITS_OF_ROWS)
    of_keys = (column.texts[first] for column in keys if column.texts[first] in _UNITS_AS_KEYS)
    return next(chain(filter(None, units), of_keys), "")


def _unit(text: str) -> str:
    """As tables know it: "en Kw" is kW, "m.W." is mW."""
    return re.sub(r"^(in|en) |(?<!\d)\.|\s", "", text.strip())


def _reading(
    table: TimeTable, column: TimeColumn, name: str, rows: NDArray[np.bool_], *, on_change: bool = False, unit: str = ""
) -> Reading:
    unit_alone = _unit(name)
    unit = unit or column.unit or (unit_alone if unit_alone.casefold() in (*FACTORS, *ENERGY) else "")
    return Reading(name, _unit(unit), column.numbers[rows], table.times_s[rows], on_change)


def is_called(reading: Reading, name: str) -> bool:
    word = name.strip().casefold()
    return word in (reading.name.casefold(), reading.title.casefold())


def likeliest(readings: Sequence[Reading]) -> list[Reading]:
    """Watts before energy before volts and amperes before a load in per cent; peaks only where nothing else is."""
    with_figures = [reading for reading in readings if np.isfinite(reading.numbers).any()]
    for form in (WallForm.POWER, WallForm.COUNTER):
        of_form = [reading for reading in with_figures if reading.kind() is form]
        of_form = [reading for reading in of_form if reading.says_unit] or of_form
        of_form = [reading for reading in of_form if not _BARE_LOAD.search(reading.words)] or of_form
        plain_ones = [reading for reading in of_form if not _ONE_PEAK.search(reading.words)]
        totals = [reading for reading in plain_ones if re.search(r"\b(total|sum|gesamt|all)\b", reading.words)]
        if plain_ones:
            return totals if len(totals) == 1 and len(plain_ones) > 2 and form is WallForm.POWER else plain_ones
    peaks = [reading for reading in with_figures if reading.kind() is WallForm.POWER]
    if peaks:
        return peaks
    amperes = [reading for reading in with_figures if is_of(reading, AMPERES, AMPERE_WORDS)]
    volts = [reading for reading in with_figures if is_of(reading, VOLTS, VOLT_WORDS)]
    if amperes and len(volts) == 1:
        return amperes
    loads = [reading for reading in with_figures if reading.kind() is WallForm.LOAD]
    return [
        reading for reading in loads if re.search("watts?|wout", reading.words)
    ] or loads  # others are of the rated VA


def is_of(reading: Reading, units: dict[str, float], words: re.Pattern[str]) -> bool:
    unit = reading.unit.casefold()
    return unit in units or (not unit and bool(words.search(reading.words)))
