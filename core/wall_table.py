"""Watts at the wall from the file of a metering plug, PDU or UPS: which column tells them, and how long each holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.language import plain, tr
from core.phrasing import listed
from core.shown import shown
from core.time_table import TimeColumn, TimeTable, read_time_table
from core.ups_log import is_ups_log, read_ups_log

Values = NDArray[np.float64]

HELD_TIMES = 10
"""A reading holds until the next, but no longer than this many usual steps: what comes after is a gap."""
HELD_S = 120.0
"""Or this long, where that is more."""
MOST_W = 30_000.0
"""No single machine draws more; a figure above it is in another unit, or of another thing."""
_FACTORS = {"w": 1.0, "watt": 1.0, "watts": 1.0, "kw": 1000.0, "kilowatt": 1000.0, "mw": 0.001, "milliwatt": 0.001}
_ENERGY = {"wh": 1.0, "whr": 1.0, "kwh": 1000.0, "kwhr": 1000.0, "mwh": 0.001, "j": 1 / 3600, "kj": 1000 / 3600}
_MEGA = ("MW", "MWh")
"""Only so: mw is milliwatts."""
_VOLTS = {"v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 0.001}
_AMPERES = {"a": 1.0, "amp": 1.0, "amps": 1.0, "ampere": 1.0, "ma": 0.001}
_LOAD = {"%"}
_NO_WATTS = re.compile(
    r"factor|reactive|apparent|returned|\bvar\b|\bkvar\b|\bvah?\b|\bkvah?\b|scheinleistung|blindleistung|"
    r"leistungsfaktor|\b[ci]?[cg]pu\b|\bdram\b|\bsoc\b|\bpackage\b|"
    r"limit|threshold|rated|rating|nominal|(^| )(state|status|on|off)$|cost|price|kosten|(voltage|current)$"
)
"""Names with a word for power that are something else."""
_POWER = re.compile(r"power|watt|leistung|puissance|potencia|potenza|vermogen|功率|電力|功耗|\bload\b|^p$|(^| )k?w$")
_ENERGY_WORDS = re.compile(
    r"energy|energie|energia|kwh|\bwh\b|consum(ption|ed)|usage|verbrauch|consommation|consumo|电量|電量|aenergy"
)
_VOLT_WORDS = re.compile(r"volt|spannung|tension|电压|電圧|^u$|^v$")
_AMPERE_WORDS = re.compile(r"current|amp|strom|courant|corriente|电流|電流|^i$|^a$")
_ONE_PEAK = re.compile(r"\b(max|min|peak|maximum|minimum|highest|lowest)\b")
_FACTOR = re.compile(r"power ?factor|leistungsfaktor|^pf$|cos ?(phi|φ)|factor$")
_VA = re.compile(r"apparent|scheinleistung|\bk?va\b")
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
class WallTable:
    """Pieces of time, each with the watts that held in it. Times as in `TimeTable`."""

    starts_s: Values
    ends_s: Values
    watts: Values
    dated: bool
    of_day: bool
    column: str
    form: WallForm
    left_out: int
    """Rows and cells that could not be read."""

    @property
    def step_s(self) -> float:
        """The usual length of a piece."""
        return float(np.median(self.ends_s - self.starts_s))

    @property
    def span_s(self) -> tuple[float, float]:
        """From the first reading to the end of the last."""
        return float(self.starts_s[0]), float(self.ends_s.max())

    def mean_w(self, from_s: float, to_s: float, covered: float) -> float | None:
        """Over a time; None where the readings cover less of it than this share."""
        held = np.clip(np.minimum(self.ends_s, to_s) - np.maximum(self.starts_s, from_s), 0.0, None)
        total = float(held.sum())
        return float((held * self.watts).sum() / total) if total > 0 and total >= covered * (to_s - from_s) else None


class SeveralColumns(BadInput):
    """Any of several columns may be the one; `columns` are their headings, for somebody to choose from."""

    def __init__(self, path: Path, readings: Sequence[_Reading]) -> None:
        super().__init__(
            tr(
                "{file} has several columns of power: {names}. Choose one with --column.",
                file=path.name,
                names=_names(readings),
            )
        )
        self.columns = tuple(one.title for one in readings)


def read_wall_table(
    path: Path, column: str | None = None, rated_w: float | None = None, *, near: datetime | None = None
) -> WallTable:
    """Raises BadInput naming the columns where several may be the one, or none is.

    `column` is a heading, with or without its unit; `rated_w` is what 100 % of a UPS's load are; `near` as in
    `read_time_table`.
    """
    table = read_ups_log(path) if is_ups_log(path) else read_time_table(path, near=near)
    readings = list(_readings(table))
    if column is not None:
        chosen = [one for one in readings if _is_called(one, column)]
        if not chosen:
            raise BadInput(
                tr("{file} has no column {column}. It has: {names}.", file=path.name, column=repr(column),
                   names=_names(readings))
            )  # fmt: skip
    else:
        chosen = _likeliest(readings)
    if len(chosen) > 1:
        raise SeveralColumns(path, chosen)
    if not chosen:
        raise BadInput(_nothing(path, readings))
    return _table(path, table, chosen[0], readings, rated_w, asked=column is not None)


@dataclass(frozen=True, slots=True)
class _Reading:
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

    def kind(self) -> WallForm | None:
        """What it may be; None: nothing of use."""
        unit, words = self.unit.casefold(), self.words
        if self.unit in _MEGA:
            return None
        if unit in _FACTORS:
            return WallForm.POWER if not _NO_WATTS.search(words) else None
        if unit in _ENERGY:
            return WallForm.COUNTER if not re.search("returned|reactive|apparent", words) else None
        if unit in _LOAD and re.search(r"\bload\b", words):
            return WallForm.LOAD
        if unit:
            return None
        if _ENERGY_WORDS.search(words):
            return WallForm.COUNTER if not re.search("returned|reactive|apparent|cost|price|power", words) else (
                WallForm.POWER if "power" in words and not _NO_WATTS.search(words) else None
            )  # fmt: skip
        return WallForm.POWER if _POWER.search(words) and not _NO_WATTS.search(words) else None


def _readings(table: TimeTable) -> Iterator[_Reading]:
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
    told = np.array(entity.texts)
    for name in dict.fromkeys(entity.texts):
        yield _reading(table, states, name, told == name, on_change=True)


def _unit(text: str) -> str:
    """As tables know it: "en Kw" is kW, "m.W." is mW."""
    return re.sub(r"^(in|en) |[.\s]", "", text.strip())


def _reading(
    table: TimeTable, column: TimeColumn, name: str, rows: NDArray[np.bool_], *, on_change: bool = False
) -> _Reading:
    bare = _unit(name)
    unit = column.unit or (bare if bare.casefold() in (*_FACTORS, *_ENERGY) else "")
    return _Reading(name, _unit(unit), column.numbers[rows], table.times_s[rows], on_change)


def _is_called(reading: _Reading, asked: str) -> bool:
    word = asked.strip().casefold()
    return word in (reading.name.casefold(), reading.title.casefold())


def _likeliest(readings: Sequence[_Reading]) -> list[_Reading]:
    """Watts before energy before volts and amperes before a load in per cent; peaks only where nothing else is."""
    told = [one for one in readings if np.isfinite(one.numbers).any()]
    for form in (WallForm.POWER, WallForm.COUNTER):
        of_form = [one for one in told if one.kind() is form]
        plain_ones = [one for one in of_form if not _ONE_PEAK.search(one.words)] or of_form
        totals = [one for one in plain_ones if re.search(r"\b(total|sum|gesamt|all)\b", one.words)]
        if plain_ones:
            return totals if len(totals) == 1 and len(plain_ones) > 2 and form is WallForm.POWER else plain_ones
    amperes = [one for one in told if _is_of(one, _AMPERES, _AMPERE_WORDS)]
    volts = [one for one in told if _is_of(one, _VOLTS, _VOLT_WORDS)]
    if amperes and len(volts) == 1:
        return amperes
    return [one for one in told if one.kind() is WallForm.LOAD]


def _is_of(reading: _Reading, units: dict[str, float], words: re.Pattern[str]) -> bool:
    unit = reading.unit.casefold()
    return unit in units or (not unit and bool(words.search(reading.words)))


def _nothing(path: Path, readings: Sequence[_Reading]) -> str:
    if any(_VA.search(one.words) or _VA.fullmatch(one.unit.casefold()) for one in readings):
        return tr(
            "{file} tells only apparent power in VA, which is not watts. It has: {names}.",
            file=path.name,
            names=_names(readings),
        )
    return tr(
        "{file} has no column that tells watts, energy, or volts and amperes. It has: {names}. If one of them is in "
        "watts, name it with --column.",
        file=path.name,
        names=_names(readings) or tr("none"),
    )


def _names(readings: Sequence[_Reading]) -> str:
    return listed([one.title for one in readings[:20]])


def _table(
    path: Path, table: TimeTable, chosen: _Reading, readings: Sequence[_Reading], rated_w: float | None, *, asked: bool
) -> WallTable:
    form = chosen.kind()
    unit = chosen.unit.casefold()
    if asked and (unit in ("va", "kva") or _VA.search(chosen.words)):
        raise BadInput(tr("{column} of {file} is apparent power, which is not watts.", file=path.name,
                          column=repr(chosen.title)))  # fmt: skip
    if form is None and unit and not (unit in _AMPERES or unit in _FACTORS):
        raise BadInput(tr("{column} of {file} is in {unit}, which is neither watts nor energy.",
                          column=repr(shown(chosen.name)), file=path.name, unit=shown(chosen.unit)))  # fmt: skip
    if form is None and _is_of(chosen, _AMPERES, _AMPERE_WORDS):
        watts, form = _of_amperes(path, chosen, readings)
    elif form is WallForm.LOAD:
        if rated_w is None:
            raise BadInput(
                tr("{column} of {file} is per cent of the watts that the UPS is rated for: give those with --rated.",
                   column=repr(chosen.title), file=path.name)
            )  # fmt: skip
        watts = chosen.numbers * rated_w / 100
    elif form is WallForm.COUNTER:
        return _of_energy(path, table, chosen)
    else:
        form = WallForm.POWER
        watts = chosen.numbers * _factor(chosen, _FACTORS)
    known = np.isfinite(watts)
    order = np.argsort(chosen.times_s, kind="stable")
    starts_s, watts, known = chosen.times_s[order], watts[order], known[order]
    if not known.any():
        raise BadInput(_no_figures(path, chosen))
    steps = np.diff(starts_s)
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    ends_s = np.append(starts_s[1:], starts_s[-1] + usual)
    if not chosen.on_change:
        ends_s = np.minimum(ends_s, starts_s + max(HELD_TIMES * usual, HELD_S))
    return _checked(path, WallTable(
        starts_s[known], ends_s[known], watts[known], table.dated, table.of_day, chosen.title, form,
        len(table.left_out),
    ))  # fmt: skip


def _factor(reading: _Reading, units: dict[str, float]) -> float:
    """Of its unit, or of one that its name ends with: power_kw, current_ma."""
    last = reading.words.split()[-1:] or [""]
    return units.get(reading.unit.casefold(), units.get(last[0], 1.0))


def _of_amperes(path: Path, chosen: _Reading, readings: Sequence[_Reading]) -> tuple[Values, WallForm]:
    volts = [one for one in readings if _is_of(one, _VOLTS, _VOLT_WORDS) and len(one.numbers) == len(chosen.numbers)]
    if len(volts) != 1:
        raise BadInput(
            tr("{column} of {file} is amperes, and no one column tells the volts: watts cannot be derived.",
               column=repr(chosen.title), file=path.name)
        )  # fmt: skip
    amperes = chosen.numbers * _factor(chosen, _AMPERES)
    apparent = amperes * volts[0].numbers * _factor(volts[0], _VOLTS)
    factors = [one for one in readings if _FACTOR.search(one.words) and len(one.numbers) == len(chosen.numbers)]
    if len(factors) != 1:
        return apparent, WallForm.APPARENT
    share = factors[0].numbers
    return apparent * np.where(share > 1.0, share / 100, share), WallForm.AMPERES


def _of_energy(path: Path, table: TimeTable, chosen: _Reading) -> WallTable:
    known = np.isfinite(chosen.numbers)
    order = np.argsort(chosen.times_s[known], kind="stable")
    times_s, energy = chosen.times_s[known][order], chosen.numbers[known][order] * _energy_wh(chosen)
    steps_s = np.diff(times_s)
    if len(times_s) < 2 or not (steps_s > 0).any():
        raise BadInput(_no_figures(path, chosen))
    rises = np.diff(energy)
    counted = bool((rises >= 0).mean() >= 0.95 and energy[-1] > energy[0]) or bool(
        re.search(r"\b(total|counter|lifetime|cumulative|gesamt)\b", chosen.words)
    )
    if counted:
        use = (steps_s > 0) & (rises >= 0)  # a counter that begins anew tells nothing of that step
        starts_s, ends_s, watts = times_s[:-1][use], times_s[1:][use], rises[use] * 3600 / steps_s[use]
        form = WallForm.COUNTER
    else:
        usual = float(np.median(steps_s[steps_s > 0]))
        starts_s, watts = times_s, energy * 3600 / usual
        ends_s, form = starts_s + usual, WallForm.INTERVALS
    return _checked(path, WallTable(
        starts_s, ends_s, watts, table.dated, table.of_day, chosen.title, form, len(table.left_out)
    ))  # fmt: skip


def _energy_wh(reading: _Reading) -> float:
    """kWh where nobody says: meters count in them."""
    units = [reading.unit.casefold(), *reversed(reading.words.split())]
    return next((_ENERGY[unit] for unit in units if unit in _ENERGY), 1000.0)


def _checked(path: Path, table: WallTable) -> WallTable:
    highest = float(np.max(table.watts, initial=0.0))
    if len(table.watts) and highest <= 0:
        raise BadInput(tr("{column} of {file} is 0 W all the time: the meter fed nothing, or it is another column.",
                          column=repr(table.column), file=path.name))  # fmt: skip
    if highest > MOST_W or not len(table.watts):
        raise BadInput(
            tr(
                "{column} of {file} goes up to {highest:,.0f} W: no machine draws that. Is it the right column?",
                column=repr(table.column),
                file=path.name,
                highest=highest,
            )
        )
    return table


def _no_figures(path: Path, chosen: _Reading) -> str:
    return tr("{column} of {file} has no figures over time.", column=repr(chosen.title), file=path.name)
