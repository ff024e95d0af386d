"""What loops around nvidia-smi --query-gpu leave: its CSV without a timestamp, often a heading before every round.

    Sun Mar  1 10:00:05 UTC 2026
    index, utilization.gpu [%], temperature.gpu, power.draw [W]
    0, 90 %, 60, 200.00 W

The time is on a line of its own, or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite, isnan, nan

from core.machine.tables.written_times import Clockwork, TimeKind, kind_of
from core.machine.telemetry.tool_logs.fields import (
    BUS_IDS,
    INDEX,
    NAMES,
    SMI,
    UUIDS,
    conversion,
    not_converted,
    number,
    state_or_mask,
)
from core.machine.telemetry.tool_logs.value import CardIdentity, Gathered, IntervalNeeded, Tool, ToolLog, left_out

_UNIT = re.compile(r"\s*\[(?P<unit>[^\]]*)\]\s*$")


def heading_of(line: str) -> list[str] | None:
    """The fields of a line that names them, with points in most."""
    names = [_UNIT.sub("", cell).strip().casefold() for cell in line.split(",")]
    return names if any("." in name and name in SMI for name in names) else None


def read_blocks(lines: Iterable[str], needs_interval: str, interval_s: float | None = None) -> ToolLog:
    """Raises IntervalNeeded with that sentence where no line tells a time."""
    blocks = _Blocks()
    for line in lines:
        blocks.take(line.strip())
    if not blocks.timed and blocks.tick > 0 and interval_s is None:
        raise IntervalNeeded(needs_interval)
    return blocks.log(interval_s or 0.0)


class _Blocks:
    """Takes line after line."""

    def __init__(self) -> None:
        self.timed, self.tick = True, -1
        self._dated = False
        self._clock = Clockwork()
        self._heading: list[str] = []
        self._units: list[str] = []
        self._stamp: float | None = None
        self._place = 0
        """Of the row since the heading: cards that nothing else tells apart stand in their order."""
        self._cards_of_tick: set[str] = set()
        self._rows: list[tuple[int, float | None, CardIdentity, list[tuple[str, float]]]] = []
        self._bad = 0
        self._not_converted: dict[str, None] = {}
        """Remarks, each once."""

    def take(self, line: str) -> None:
        """A heading, a time, or a row."""
        if not line:
            return
        if (heading := heading_of(line)) is not None:
            self._heading, self._place = heading, 0
            self._units = [match["unit"] if (match := _UNIT.search(cell)) else "" for cell in line.split(",")]
            return
        cells = [cell.strip() for cell in line.split(",")]
        alone = len(cells) == 1 and ":" in line  # a time, where a query of one field has rows of one cell
        if len(cells) == len(self._heading) and not alone:
            self._add(cells)
        elif (kind := kind_of([line])) in (TimeKind.MOMENT, TimeKind.CLOCK):
            self._dated = kind is TimeKind.MOMENT
            self._stamp = float(self._clock.seconds([line])[0])
            self._place = 0
        else:
            self._bad += bool(self._heading)

    def _add(self, cells: Sequence[str]) -> None:
        identity = self._identity(cells)
        if identity.key in self._cards_of_tick or not self._cards_of_tick:
            self.tick += 1
            self._cards_of_tick.clear()
        self._cards_of_tick.add(identity.key)
        self._place += 1
        row = [
            (SMI[name][0], value)
            for name, unit, cell in zip(self._heading, self._units, cells, strict=True)
            if name in SMI and not isnan(value := self._value(name, unit, cell))
        ]
        self.timed = self.timed and self._stamp is not None
        self._rows.append((self.tick, self._stamp, identity, row))

    def _value(self, field: str, unit: str, cell: str) -> float:
        """ "65 %", "P8", "0x4", "[N/A]" in the unit of the metric; the cell's own unit goes before the heading's."""
        if (state := state_or_mask(cell)) is not None:
            return state
        text, _, own_unit = cell.partition(" ")
        value = number(text)
        if isnan(value):
            return value
        metric, factor = SMI[field]
        converted = conversion(metric, own_unit or unit)
        if converted is None:
            self._not_converted[not_converted(field, own_unit or unit)] = None
            return nan
        return (value * converted.factor + converted.offset) * factor

    def _identity(self, cells: Sequence[str]) -> CardIdentity:
        by_field = dict(zip(self._heading, cells, strict=True))
        index = by_field.get(INDEX, "")
        name, uuid, bus_id = (
            next((by_field[field] for field in fields if field in by_field), "") for fields in (NAMES, UUIDS, BUS_IDS)
        )
        if index.isdecimal():
            return CardIdentity(int(index), name, uuid, bus_id)
        return CardIdentity(None if uuid or bus_id else self._place, name, uuid, bus_id)

    def log(self, interval_s: float) -> ToolLog:
        """All rounds, by the time before each or by their count."""
        gathered = Gathered()
        for tick, stamp, identity, row in self._rows:
            stamped = self.timed and stamp is not None and isfinite(stamp)
            gathered.add(identity, stamp if stamped and stamp is not None else tick * interval_s, row)
        remarks = [*([left_out(self._bad)] if self._bad else []), *self._not_converted]
        return gathered.log(Tool.NVIDIA_SMI, dated=self.timed and self._dated, remarks=remarks)
