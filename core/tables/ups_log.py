"""What `upslog` of NUT writes: columns parted by blanks, without a heading, with a date and a clock or epoch seconds.

Its usual format (upslog(8)): date, time, battery charge, input voltage, load in %, status in brackets, temperature,
frequency. Another format may be ordered; its columns have numbers for names then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

import numpy as np

from core.errors import BadInput
from core.language import tr
from core.tables.time_table import LeftOut, TimeColumn, TimeTable
from core.text_file import open_file, read_text

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
