"""The texts of nvidia-smi dmon and dcgmi dmon: columns of figures under headings that come back every screen.

# gpu   pwr gtemp mtemp    sm   mem  mclk  pclk
# Idx     W     C     C     %     %   MHz   MHz
    0    70    48     -     5     1  7000  1350

#Entity   GPUTL   POWER   TMPTR
ID                W       C
GPU 0     75      185.3   68
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

import numpy as np

from core.machine.telemetry.tool_logs.fields import DCGMI, DMON, Field, number
from core.machine.telemetry.tool_logs.value import CardIdentity, Numbers, Tool, ToolLog, left_out, tool_log
from core.words import tr

USUAL_INTERVAL_S = 1.0
"""Both write a row a second where nothing else is asked for."""
BLOCK = 4096
"""Rows of a card that are kept as text."""
_HEAD = re.compile(r"^#\s*(?:Date[\s,]+)?(?:Time[\s,]+)?gpu\b[\s,]", re.IGNORECASE)
_OF_PROCESSES = re.compile(r"\bpid\b", re.IGNORECASE)
"""nvidia-smi pmon: its shares are those of programs, not of the card."""
_ENTITY = re.compile(r"^#?\s*Entity\b")
_DAY_S = 86_400.0


def is_dmon(line: str) -> Tool | None:
    """By a heading line."""
    if _HEAD.match(line) and not _OF_PROCESSES.search(line):
        return Tool.DMON
    return Tool.DCGMI if _ENTITY.match(line) else None


def read_dmon(lines: Iterable[str], tool: Tool, interval_s: float | None = None) -> ToolLog:
    """Rows of one screen of cards are of one time where the log has no times."""
    rows = _Rows(interval_s or USUAL_INTERVAL_S, DCGMI if tool is Tool.DCGMI else DMON)
    for line in lines:
        rows.take(line)
    remarks = []
    if rows.bad:
        remarks.append(left_out(rows.bad))
    assumed = not rows.timed and interval_s is None
    if assumed:
        remarks.append(tr("The log has no times: one row a second was assumed."))
    elif rows.timed and not rows.dated:
        remarks.append(tr("The log has times without a date."))
    return tool_log(tool, rows.devices(), dated=rows.dated, remarks=remarks, interval_assumed=assumed)


@dataclass(slots=True)
class _Card:
    """The rows of one card: the newest as cells, the others as numbers."""

    times: list[float] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)
    blocks: list[tuple[Numbers, dict[str, Numbers]]] = field(default_factory=list)


class _Rows:
    def __init__(self, interval_s: float, fields: dict[str, Field]) -> None:
        self.timed = self.dated = False
        self.bad = 0
        self._fields = fields
        self._interval_s = interval_s
        self._heading: list[str] = []
        self._at_index, self._at_stamp = 0, slice(0)
        self._cards: dict[str, _Card] = {}
        self._ticks = 0
        self._cards_of_tick: set[str] = set()
        self._last_s = 0.0
        self._days = 0

    def take(self, line: str) -> None:
        """A row, a heading that may be another than before, or what is neither."""
        line = line.replace(",", " ")  # --format csv
        cells = line.split()
        if not cells:
            return
        if line.lstrip().startswith(("#", "Entity")):
            if is_dmon(line.strip()):
                self._begin(line.strip().lstrip("# ").split())
        elif cells[0].upper() != "ID":
            self._add(cells)

    def _begin(self, heading: list[str]) -> None:
        if heading == self._heading:
            return
        self._fold_all()
        names = [name.lower() for name in heading]
        self._heading = heading
        if names[0] == "entity":  # "GPU 0" stands below it
            self._heading = ["GPU", *heading]
            self._at_index, self._at_stamp = 1, slice(0)
        else:
            self._at_index = names.index("gpu")
            self._at_stamp = slice(0, self._at_index)

    def _add(self, cells: list[str]) -> None:
        if self._at_index and self._heading[1:2] == ["Entity"] and cells[0] != "GPU":
            return  # a switch, a CPU, or a share of a card, numbered like the cards
        if len(cells) != len(self._heading) or not cells[self._at_index].isdecimal():
            self.bad += bool(self._heading)  # what stands above the first heading is no row
            return
        index = cells[self._at_index]
        stamp = cells[self._at_stamp]
        time_s = self._stamped(stamp) if stamp else self._counted(index)
        if time_s is None:
            self.bad += 1
            return
        card = self._cards.setdefault(index, _Card())
        card.times.append(time_s)
        card.cells.append(cells)
        if len(card.cells) >= BLOCK:
            self._fold(card)

    def _fold_all(self) -> None:
        for card in self._cards.values():
            self._fold(card)

    def _fold(self, card: _Card) -> None:
        if not card.cells:
            return
        series = {}
        for name, column in zip(self._heading, zip(*card.cells, strict=True), strict=True):
            if name in self._fields:
                metric, factor = self._fields[name]
                series[metric] = np.array([*map(number, column)]) * factor
        card.blocks.append((np.array(card.times), series))
        card.times, card.cells = [], []

    def devices(self) -> Iterator[tuple[CardIdentity, Numbers, dict[str, Numbers]]]:
        """All that was taken, by card."""
        self._fold_all()
        for index, card in self._cards.items():
            metrics = dict.fromkeys(metric for _, series in card.blocks for metric in series)
            yield (
                CardIdentity(int(index)),
                np.concatenate([times for times, _ in card.blocks]),
                {
                    metric: np.concatenate(
                        [series.get(metric, np.full(len(times), np.nan)) for times, series in card.blocks]
                    )
                    for metric in metrics
                },
            )

    def _counted(self, index: str) -> float:
        """The next tick when a card comes again."""
        if index in self._cards_of_tick:
            self._ticks += 1
            self._cards_of_tick.clear()
        self._cards_of_tick.add(index)
        return self._ticks * self._interval_s

    def _stamped(self, words: list[str]) -> float | None:
        self.timed = True
        try:
            clock = [int(part) for part in words[-1].split(":")]
            day = _day(words[0]) if len(words) > 1 else None
        except ValueError:
            return None
        if len(clock) != 3:
            return None
        second = clock[0] * 3600.0 + clock[1] * 60 + clock[2]
        if day is not None:
            self.dated = True
            return day + second
        if second + self._days * _DAY_S < self._last_s - _DAY_S / 2:
            self._days += 1  # midnight has passed
        self._last_s = second + self._days * _DAY_S
        return self._last_s


@lru_cache(maxsize=64)
def _day(text: str) -> float:
    """Midnight of "20240104" or "2024/01/04" where this program runs. Raises ValueError."""
    return datetime.strptime(text.replace("/", "").replace("-", ""), "%Y%m%d").astimezone().timestamp()
