"""Watts at the wall from the file of a metering plug, PDU or UPS: what its column tells, and how long each holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.machine.tables.time_table import LeftOut, TimeColumn, TimeTable, read_time_table
from core.machine.tables.wall_columns import (
    AMPERE_WORDS,
    AMPERES,
    ENERGY,
    FACTORS,
    POWER_FACTOR,
    VA,
    VOLT_WORDS,
    VOLTS,
    Reading,
    WallForm,
    is_called,
    is_of,
    likeliest,
    readings_of,
)
from core.platform.errors import BadInput
from core.platform.foreign import open_file, read_text
from core.words import listed, shown, tr

Values = NDArray[np.float64]

HELD_TIMES = 10
"""A reading holds until the next, but no longer than this many usual steps: what comes after is a gap."""
HELD_S = 120.0
"""Or this long, where that is more."""
NEVER_FALLS, HALF, FEWEST_RISES = 0.95, 0.5, 8
_COUNTER_WORDS = re.compile(r"\b(total|counter|lifetime|cumulative|today|gesamt)\b")
MOST_W = 30_000.0
"""No single machine draws more; a figure above it is in another unit, or of another thing."""


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
    day_sure: bool = True
    """Whether day and month of its dates can be told apart."""

    @property
    def step_s(self) -> float:
        """The usual length of a piece."""
        return float(np.median(self.ends_s - self.starts_s))

    @property
    def span_s(self) -> tuple[float, float]:
        """From the first reading to the end of the last."""
        return float(self.starts_s[0]), float(self.ends_s.max())

    def within(self, from_s: float, to_s: float) -> slice:
        """The pieces that touch a time."""
        first, last = np.searchsorted(self.ends_s, from_s, "right"), np.searchsorted(self.starts_s, to_s, "left")
        return slice(int(first), int(last))

    def mean_w(self, from_s: float, to_s: float, covered: float) -> float | None:
        """Over a time; None where the readings cover less of it than this share."""
        here = self.within(from_s, to_s)
        held = np.clip(np.minimum(self.ends_s[here], to_s) - np.maximum(self.starts_s[here], from_s), 0.0, None)
        total = float(held.sum())
        return (
            float((held * self.watts[here]).sum() / total) if total > 0 and total >= covered * (to_s - from_s) else None
        )


class SeveralColumns(BadInput):
    """Any of several columns may be the one; `columns` are their headings, for somebody to choose from."""

    def __init__(self, path: Path, readings: Sequence[Reading]) -> None:
        super().__init__(
            tr(
                "{file} has several columns of power: {names}. Choose one with {--column}.",
                file=path.name,
                names=_names(readings),
            )
        )
        self.columns = tuple(reading.title for reading in readings)


def read_wall_table(
    path: Path, column: str | None = None, rated_w: float | None = None, *, near: datetime | None = None
) -> WallTable:
    """Raises BadInput naming the columns where several may be the one, or none is.

    `column` is a heading, with or without its unit; `rated_w` is what 100 % of a UPS's load are; `near` as in
    `read_time_table`.
    """
    table = read_ups_log(path) if is_ups_log(path) else read_time_table(path, near=near)
    readings = list(readings_of(table))
    if column is not None:
        chosen = [reading for reading in readings if is_called(reading, column)]
        if not chosen:
            raise BadInput(
                tr("{file} has no column {column}. It has: {names}.", file=path.name, column=repr(column),
                   names=_names(readings))
            )  # fmt: skip
    else:
        chosen = likeliest(readings)
    if len(chosen) > 1:
        raise SeveralColumns(path, chosen)
    if not chosen:
        raise BadInput(_nothing(path, readings))
    read = _table(path, table, chosen[0], readings, rated_w, chosen_by_name=column is not None)
    return replace(read, day_sure=table.day_sure)


def _nothing(path: Path, readings: Sequence[Reading]) -> str:
    if any(VA.search(reading.words) or VA.fullmatch(reading.unit.casefold()) for reading in readings):
        return tr(
            "{file} tells only apparent power in VA, which is not watts. It has: {names}.",
            file=path.name,
            names=_names(readings),
        )
    return tr(
        "{file} has no column that tells watts, energy, or volts and amperes. It has: {names}. If one of them is in "
        "watts, name it with {--column}.",
        file=path.name,
        names=_names(readings) or tr("none"),
    )


def _names(readings: Sequence[Reading]) -> str:
    return listed([reading.title for reading in readings[:20]])


def _table(
    path: Path,
    table: TimeTable,
    chosen: Reading,
    readings: Sequence[Reading],
    rated_w: float | None,
    *,
    chosen_by_name: bool,
) -> WallTable:
    form = chosen.kind()
    unit = chosen.unit.casefold()
    if chosen_by_name and (unit in ("va", "kva") or VA.search(chosen.words)):
        raise BadInput(tr("{column} of {file} is apparent power, which is not watts.", file=path.name,
                          column=repr(chosen.title)))  # fmt: skip
    if form is None and unit and not (unit in AMPERES or unit in FACTORS):
        raise BadInput(tr("{column} of {file} is in {unit}, which is neither watts nor energy.",
                          column=repr(shown(chosen.name)), file=path.name, unit=shown(chosen.unit)))  # fmt: skip
    if form is None and is_of(chosen, AMPERES, AMPERE_WORDS):
        watts, form = _of_amperes(path, chosen, readings)
    elif form is WallForm.LOAD:
        if rated_w is None:
            raise BadInput(
                tr("{column} of {file} is per cent of the watts that the UPS is rated for: give those with {--rated}.",
                   column=repr(chosen.title), file=path.name)
            )  # fmt: skip
        watts = chosen.numbers * rated_w / 100
    elif form is WallForm.COUNTER:
        return _of_energy(path, table, chosen)
    else:
        form = WallForm.POWER
        watts = chosen.numbers * _factor(chosen, FACTORS)
    is_known = np.isfinite(watts)
    order = np.argsort(chosen.times_s, kind="stable")
    starts_s, watts, is_known = chosen.times_s[order], watts[order], is_known[order]
    if not is_known.any():
        raise BadInput(_no_figures(path, chosen))
    steps = np.diff(starts_s)
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    ends_s = np.append(starts_s[1:], starts_s[-1] + usual)
    if not chosen.on_change:
        ends_s = np.minimum(ends_s, starts_s + max(HELD_TIMES * usual, HELD_S))
    return _checked(path, WallTable(
        starts_s[is_known], ends_s[is_known], watts[is_known], table.dated, table.of_day, chosen.title, form,
        len(table.left_out),
    ))  # fmt: skip


def _factor(reading: Reading, units: dict[str, float]) -> float:
    """Of its unit, or of one that its name ends with: power_kw, current_ma."""
    last = reading.words.split()[-1:] or [""]
    return units.get(reading.unit.casefold(), units.get(last[0], 1.0))


def _of_amperes(path: Path, chosen: Reading, readings: Sequence[Reading]) -> tuple[Values, WallForm]:
    volts = [one for one in readings if is_of(one, VOLTS, VOLT_WORDS) and len(one.numbers) == len(chosen.numbers)]
    if len(volts) != 1:
        raise BadInput(
            tr("{column} of {file} is amperes, and no one column tells the volts: watts cannot be derived.",
               column=repr(chosen.title), file=path.name)
        )  # fmt: skip
    amperes = chosen.numbers * _factor(chosen, AMPERES)
    apparent = amperes * volts[0].numbers * _factor(volts[0], VOLTS)
    factors = [one for one in readings if POWER_FACTOR.search(one.words) and len(one.numbers) == len(chosen.numbers)]
    if len(factors) != 1:
        return apparent, WallForm.APPARENT
    share = factors[0].numbers
    return apparent * np.where(share > 1.0, share / 100, share), WallForm.AMPERES


def _of_energy(path: Path, table: TimeTable, chosen: Reading) -> WallTable:
    is_known = np.isfinite(chosen.numbers)
    order = np.argsort(chosen.times_s[is_known], kind="stable")
    times_s, energy = chosen.times_s[is_known][order], chosen.numbers[is_known][order] * _energy_wh(chosen)
    steps_s = np.diff(times_s)
    if len(times_s) < 2 or not (steps_s > 0).any():
        raise BadInput(_no_figures(path, chosen))
    rises = np.diff(energy)
    if _is_counter(chosen, energy):
        use = (steps_s > 0) & (rises >= 0)  # a counter that begins anew tells nothing of that step
        starts_s, ends_s, watts = times_s[:-1][use], times_s[1:][use], rises[use] * 3600 / steps_s[use]
        form = WallForm.COUNTER
    else:
        usual = float(np.median(steps_s[steps_s > 0]))
        starts_s, watts = times_s, energy * 3600 / usual
        ends_s, form = starts_s + usual, WallForm.INTERVALS
    if not chosen.says_unit and len(watts) and MOST_W < float(watts.max()) <= 1000 * MOST_W:
        watts = watts / 1000  # a meter that counts in Wh
    return _checked(path, WallTable(
        starts_s, ends_s, watts, table.dated, table.of_day, chosen.title, form, len(table.left_out)
    ))  # fmt: skip


def _is_counter(chosen: Reading, energy: Values) -> bool:
    """It never falls but to begin anew, and has counted more before than within the file, or rises at every other row.

    Energy of each row may rise for a while, too: where a load sets in.
    """
    rises = np.diff(energy)
    falls = (rises < 0) & (energy[1:] > HALF * energy[:-1])  # a counter begins anew from nothing
    if _COUNTER_WORDS.search(chosen.words) and falls.mean() <= 1 - NEVER_FALLS:
        return True
    rise = float(energy[-1] - energy[0])
    if (rises >= 0).mean() < NEVER_FALLS or rise <= 0:
        return False
    return bool(energy[0] >= rise or (len(rises) >= FEWEST_RISES and (rises > 0).mean() >= HALF))


def _energy_wh(reading: Reading) -> float:
    """kWh where nobody says: meters count in them."""
    units = [reading.unit.casefold(), *reversed(reading.words.split())]
    return next((ENERGY[unit] for unit in units if unit in ENERGY), 1000.0)


def _checked(path: Path, table: WallTable) -> WallTable:
    highest = float(np.max(table.watts, initial=0.0))
    if len(table.watts) and highest <= 0:
        raise BadInput(
            tr(
                "{column} of {file} is never above 0 W: nothing was fed, the meter is turned round, or it is another "
                "column.",
                column=repr(table.column),
                file=path.name,
            )
        )
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


def _no_figures(path: Path, chosen: Reading) -> str:
    return tr("{column} of {file} has no figures over time.", column=repr(chosen.title), file=path.name)


# What `upslog` of NUT writes: columns parted by blanks, without a heading, with a date and a clock or epoch seconds.
#
# Its usual format (upslog(8)): date, time, battery charge, input voltage, load in %, status in brackets, temperature,
# frequency. Another format may be ordered; its columns have numbers for names then.

_LINE = re.compile(r"(?P<time>\d{8} \d{6}|1\d{9})[ \t]+(?P<rest>\S.*)")
_STATUS = re.compile(r"\[[^\]]*\]")
_USUAL = (("battery.charge", "%"), ("input.voltage", "V"), ("ups.load", "%"), ("ups.status", ""),
          ("ups.temperature", "°C"), ("input.frequency", "Hz"))  # fmt: skip
_SAMPLE_BYTES, _LONGEST = 4096, 200


def is_ups_log(path: Path) -> bool:
    """Whether most lines at its beginning are such a log's: it may tell of itself first.

    False for one that cannot be read: whoever reads it next says why."""
    try:
        with open_file(path) as stream:
            lines = stream.read(_SAMPLE_BYTES).decode("ascii", errors="replace").splitlines()[:20]
    except (OSError, BadInput):
        return False
    return sum(_LINE.fullmatch(line.strip()) is not None for line in lines) * 2 > len(lines)


def read_ups_log(path: Path) -> TimeTable:
    """Raises BadInput."""
    left_out: list[LeftOut] = []
    rows = list(_rows(read_text(path), left_out))
    if not rows:
        raise BadInput(tr("{file} has no rows with a time that can be read.", file=path.name))
    width = max(len(cells) for _, _, cells in rows)
    usual = any("[" in cell for _, _, cells in rows[:10] for cell in cells) and width == len(_USUAL)
    names = _USUAL if usual else tuple((str(number), "") for number in range(1, width + 1))
    columns = []
    for at, (name, unit) in enumerate(names):
        cells = [cells[at] if at < len(cells) else "" for _, _, cells in rows]
        numbers = np.array([_number(cell) for cell in cells])
        columns.append(TimeColumn(name, unit, numbers, () if np.isfinite(numbers).any() else tuple(cells)))
    return TimeTable(
        times_s=np.array([seconds for _, seconds, _ in rows]),
        dated=True,
        of_day=False,
        lines=np.array([line for line, _, _ in rows], dtype=np.int64),
        columns=tuple(columns),
        header=MappingProxyType({}),
        left_out=tuple(left_out),
    )


def _rows(text: str, left_out: list[LeftOut]) -> Iterator[tuple[int, float, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        matched = _LINE.fullmatch(line.strip())
        seconds = _seconds(matched["time"]) if matched else None
        if matched is None or seconds is None:
            if line.strip():
                left_out.append(LeftOut(number, line.strip()[:_LONGEST]))
            continue
        fields = _STATUS.sub(lambda status: status[0].replace(" ", "_"), matched["rest"])
        yield number, seconds, fields.split()


def _seconds(time: str) -> float | None:
    if " " not in time:
        return float(time)
    try:
        return datetime.strptime(time, "%Y%m%d %H%M%S").timestamp()  # in the time of this machine
    except ValueError:
        return None


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")
