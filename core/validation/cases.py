"""A file of measured cases: CSV in UTF-8 with a header row.

Columns: `id`, `configuration` (what was measured, in words: number, maker and product of the cards, cooling, room or
case), `quantity` (one of the quantities of `models.MODELS`), `condition` (load, watts, fan speed, power limit, room),
`value` (a number), `unit`, `distance_m` (of a microphone, may be empty), `source`, `trust` (A measured with its method
told, B measured, C a snapshot or claim, D unverified).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from math import isfinite
from pathlib import Path

from core.errors import BadInput
from core.text_file import read_text

COLUMNS = ("id", "configuration", "quantity", "condition", "value", "unit", "distance_m", "source", "trust")
TRUSTED = ("A", "B")


@dataclass(frozen=True, slots=True)
class Measured:
    """One row."""

    id: str
    configuration: str
    quantity: str
    condition: str
    value: float
    unit: str
    distance_m: float | None
    source: str
    trust: str

    @property
    def words(self) -> str:
        """Everything that is said of it, in lower case."""
        return f"{self.configuration} | {self.condition}".lower()

    @property
    def trusted(self) -> bool:
        """Whether it counts for the share inside the band."""
        return self.trust in TRUSTED


def read_cases(path: Path) -> list[Measured]:
    """All rows. Raises BadInput with the line that cannot be read."""
    rows = csv.DictReader(StringIO(read_text(path)))
    missing = sorted(set(COLUMNS) - set(rows.fieldnames or ()))
    if missing:
        raise BadInput(f"{path} is no file of measured cases: it lacks the columns {', '.join(missing)}.")
    return [_row(path, number, row) for number, row in enumerate(rows, 2)]


def _row(path: Path, number: int, row: dict[str, str | None]) -> Measured:
    texts = {name: (row[name] or "").strip() for name in COLUMNS}
    return Measured(
        texts["id"],
        texts["configuration"],
        texts["quantity"],
        texts["condition"],
        _number(path, number, "value", texts["value"]),
        texts["unit"],
        _distance_m(path, number, texts["distance_m"]) if texts["distance_m"] else None,
        texts["source"],
        texts["trust"].upper(),
    )


def _number(path: Path, number: int, column: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise BadInput(f"{path}, line {number}: {column} is {text!r}, which is no number.") from error
    if not isfinite(value):
        raise BadInput(f"{path}, line {number}: {column} is {text!r}, which is no number.")
    return value


def _distance_m(path: Path, number: int, text: str) -> float:
    distance_m = _number(path, number, "distance_m", text)
    if distance_m <= 0:
        raise BadInput(f"{path}, line {number}: distance_m is {text!r}. A microphone stands more than 0 m away.")
    return distance_m
