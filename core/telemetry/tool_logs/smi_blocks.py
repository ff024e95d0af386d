"""What loops around nvidia-smi --query-gpu leave: its CSV without a timestamp, often a heading before every round.

    Sun Mar  1 10:00:05 UTC 2026
    index, utilization.gpu [%], temperature.gpu, power.draw [W]
    0, 90 %, 60, 200.00 W

The time is on a line of its own, or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite, isnan

from core.tables.written_times import Clockwork, TimeKind, kind_of
from core.telemetry.tool_logs.fields import SMI, number
from core.telemetry.tool_logs.value import Gathered, IntervalNeeded, Named, Tool, ToolLog, left_out

_UNIT = re.compile(r"\s*\[[^\]]*\]\s*$")
_NAMES = ("name", "gpu_name")
_UUIDS = ("uuid", "gpu_uuid")
_BUS_IDS = ("pci.bus_id", "gpu_bus_id")
_STATE = re.compile(r"^P(\d+)$")
_MASK = re.compile(r"^0x[0-9a-f]+$", re.IGNORECASE)
TIMESTAMP = "timestamp"


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
        self._stamp: float | None = None
        self._place = 0
        """Of the row since the heading: cards that nothing else tells apart stand in their order."""
        self._met: set[str] = set()
        self._rows: list[tuple[int, float | None, Named, list[tuple[str, float]]]] = []
        self._bad = 0

    def take(self, line: str) -> None:
        """A heading, a time, or a row."""
        if not line:
            return
        if (heading := heading_of(line)) is not None:
            self._heading, self._place = heading, 0
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
        named = self._named(cells)
        if named.key in self._met or not self._met:
            self.tick += 1
            self._met.clear()
        self._met.add(named.key)
        self._place += 1
        row = [
            (metric, value * factor)
            for name, cell in zip(self._heading, cells, strict=True)
            if name in SMI and not isnan(value := _value(cell))
            for metric, factor in [SMI[name]]
        ]
        self.timed = self.timed and self._stamp is not None
        self._rows.append((self.tick, self._stamp, named, row))

    def _named(self, cells: Sequence[str]) -> Named:
        told = dict(zip(self._heading, cells, strict=True))
        index = told.get("index", "")
        name, uuid, bus_id = (
            next((told[one] for one in names if one in told), "") for names in (_NAMES, _UUIDS, _BUS_IDS)
        )
        if index.isdecimal():
            return Named(int(index), name, uuid, bus_id)
        return Named(None if uuid or bus_id else self._place, name, uuid, bus_id)

    def log(self, interval_s: float) -> ToolLog:
        """All rounds, by the time before each or by their count."""
        gathered = Gathered()
        for tick, stamp, named, row in self._rows:
            stamped = self.timed and stamp is not None and isfinite(stamp)
            gathered.add(named, stamp if stamped and stamp is not None else tick * interval_s, row)
        remarks = [left_out(self._bad)] if self._bad else []
        return gathered.log(Tool.NVIDIA_SMI, dated=self.timed and self._dated, remarks=remarks)


def _value(cell: str) -> float:
    """ "65 %", "P8", "0x4", "[N/A]"."""
    if match := _STATE.match(cell):
        return float(match[1])
    if _MASK.match(cell):
        return float(int(cell, 16))
    return number(cell.split(" ", 1)[0])
