"""Tables for spreadsheets: CSV that opens as it was meant."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.errors import BadInput
from core.language import tr
from core.os_reasons import reason_of
from core.whole_file import write_whole

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def write_table(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Writes rows of cells, whole or not at all, so that none becomes a formula. Raises BadInput."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([harmless(cell) for cell in row] for row in rows)
    try:
        write_whole(path.resolve(), text.getvalue().encode("utf-8-sig"))
    except OSError as error:
        raise BadInput(tr("{path} cannot be written: {reason}.", path=path, reason=reason_of(error))) from error


def harmless(cell: str) -> str:
    """A cell that a spreadsheet does not take for a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def plain(cell: str) -> str:
    """A cell as it was meant."""
    cell = cell.strip()
    return cell[1:] if cell[:1] == "'" and cell[1:2] in FORMULA else cell
