"""Rows and files of measured cases for tests."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.lab.validation.cases import COLUMNS, Measured, described

HEADER = ",".join(COLUMNS)


def case(configuration: str, quantity: str, condition: str, value: float, **changes: object) -> Measured:
    fields = {"unit": "C", "distance_m": None, "source": "a snapshot", "trust": "B"} | changes
    fields["facts"] = described(configuration, condition)
    return Measured("X1", configuration, quantity, condition, value, **fields)  # type: ignore[arg-type]


def rows_file(folder: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    """A file with these rows by column, of which the first has every one."""
    path = folder / "cases.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
