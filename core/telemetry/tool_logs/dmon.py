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
from collections.abc import Iterable
from datetime import UTC, datetime
from math import isnan

from core.language import tr
from core.telemetry.tool_logs.fields import DCGMI, DMON, Field, number
from core.telemetry.tool_logs.value import Gathered, Named, Tool, ToolLog

USUAL_INTERVAL_S = 1.0
"""Both write a row a second where nothing else is asked for."""
_DATE, _TIME = "date", "time"
_HEAD = re.compile(r"^#\s*(?:Date\s+)?(?:Time\s+)?gpu\b", re.IGNORECASE)
_ENTITY = re.compile(r"^#?\s*Entity\b")
_ROW_OF_ENTITY = re.compile(r"^GPU\s+(?P<index>\d+)\s+(?P<rest>.*)$")
_DAY_S = 86_400.0


def is_dmon(line: str) -> Tool | None:
    """By a heading line."""
    if _HEAD.match(line):
        return Tool.DMON
    return Tool.DCGMI if _ENTITY.match(line) else None


def read_dmon(lines: Iterable[str], tool: Tool, interval_s: float | None = None) -> ToolLog:
    """Rows of one screen of cards are of one time where the log has no times."""
    rows = _Rows(interval_s or USUAL_INTERVAL_S, DCGMI if tool is Tool.DCGMI else DMON)
    for line in lines:
        rows.take(line.strip())
    remarks = list(rows.remarks())
    if not rows.timed and interval_s is None:
        remarks.append(tr("The log has no times: one row a second was assumed. Give another interval with --interval."))
    elif rows.timed and not rows.dated:
        remarks.append(tr("The log has times without a date."))
    return rows.gathered.log(tool, dated=rows.dated, remarks=remarks)


class _Rows:
    """Takes line after line."""

    def __init__(self, interval_s: float, fields: dict[str, Field]) -> None:
        self.gathered = Gathered()
        self.timed = self.dated = False
        self._fields = fields
        self._interval_s = interval_s
        self._heading: list[str] = []
        self._ticks = 0
        self._seen: set[str] = set()
        self._last_s = 0.0
        self._days = 0
        self._bad = 0

    def remarks(self) -> Iterable[str]:
        if self._bad:
            yield tr("{count} lines could not be read and were left out.", count=self._bad)

    def take(self, line: str) -> None:
        if not line:
            return
        if is_dmon(line):
            self._heading = line.lstrip("# ").split()
            return
        if line.startswith("#") or line.split()[0] == "ID":
            return
        if match := _ROW_OF_ENTITY.match(line):
            self._add(match["index"], self._heading[1:], match["rest"].split(), "")
            return
        cells = line.split()
        if not self._heading or len(cells) != len(self._heading):
            self._bad += 1
            return
        told = dict(zip((name.lower() for name in self._heading), cells, strict=True))
        stamp = f"{told.get(_DATE, '')} {told.get(_TIME, '')}".strip()
        self._add(told.get("gpu", ""), self._heading, cells, stamp)

    def _add(self, index: str, heading: list[str], cells: list[str], stamp: str) -> None:
        time_s = self._stamped(stamp) if stamp else self._counted(index)
        if not index.isdecimal() or time_s is None or len(cells) != len(heading):
            self._bad += 1
            return
        row = [
            (metric, value * factor)
            for name, cell in zip(heading, cells, strict=True)
            if name in self._fields and not isnan(value := number(cell))
            for metric, factor in [self._fields[name]]
        ]
        self.gathered.add(Named(int(index)), time_s, row)

    def _counted(self, index: str) -> float:
        """The next tick when a card comes again."""
        if index in self._seen:
            self._ticks += 1
            self._seen.clear()
        self._seen.add(index)
        return self._ticks * self._interval_s

    def _stamped(self, stamp: str) -> float | None:
        self.timed = True
        words = stamp.replace("/", "").replace("-", "").split()
        for form, dated in (("%Y%m%d %H:%M:%S", True), ("%H:%M:%S", False)):
            try:
                moment = datetime.strptime(" ".join(words), form).replace(tzinfo=UTC)
            except ValueError:
                continue
            self.dated = dated
            if dated:
                return moment.timestamp()
            second = moment.hour * 3600.0 + moment.minute * 60 + moment.second
            if second + self._days * _DAY_S < self._last_s - _DAY_S / 2:
                self._days += 1  # midnight has passed
            self._last_s = second + self._days * _DAY_S
            return self._last_s
        return None
