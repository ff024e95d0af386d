"""Tables for spreadsheets: CSV that opens as it was meant."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.platform.errors import BadInput, reason_of
from core.platform.whole_file import write_whole
from core.words import tr

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for the beginning of a formula (OWASP, "CSV injection"), full-width signs included."""
_NUMBER = re.compile(r"[+-]\d+(\.\d+)?([eE][+-]?\d+)?")


def write_table(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Writes rows of cells, whole or not at all, so that none becomes a formula. Raises BadInput."""
    try:
        write_whole(path.resolve(), csv_text(rows).encode("utf-8-sig"))
    except OSError as error:
        raise BadInput(tr("{path} cannot be written: {reason}.", path=path, reason=reason_of(error))) from error


def csv_text(rows: Iterable[Sequence[str | int]], *, delimiter: str = ",", line_end: str = "\n") -> str:
    """Rows as CSV, none of whose cells becomes a formula. All CSV of the program is written here."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    writer.writerows([harmless(str(cell)) for cell in row] for row in rows)
    return text.getvalue()


def harmless(cell: str) -> str:
    """A cell that a spreadsheet takes for no formula, and a number for one: without the spaces between thousands."""
    cell = cell.replace("\N{NARROW NO-BREAK SPACE}", "")
    return f"'{cell}" if cell.startswith(FORMULA) and not _NUMBER.fullmatch(cell) else cell


def plain(cell: str) -> str:
    """A cell as it was meant."""
    cell = cell.strip()
    return cell[1:] if cell[:1] == "'" and cell[1:2] in FORMULA else cell
