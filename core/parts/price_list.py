"""Price lists as CSV: what parts cost, out for purchasing and in from a shop's list."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from core.errors import BadInput
from core.os_reasons import reason_of
from core.parts.part import Part, Price
from core.text_file import read_text
from core.whole_file import write_whole

COLUMNS = ("id", "part_number", "maker", "name", "category", "amount", "currency", "date")
_FORMULA = ("=", "+", "-", "@", "\t")
_DELIMITERS = ",;\t"
_DECIMAL_COMMA = re.compile(r"^\d{1,3}([. ]?\d{3})*,\d{1,2}$")


@dataclass(frozen=True, slots=True)
class Priced:
    """A line of a price list that names a part of the catalogue."""

    part_id: str
    price: Price


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was not taken."""

    number: int
    reason: str


def write_price_list(path: Path, parts: Iterable[Part]) -> int:
    """Writes the parts with their prices, unknown prices empty; how many.

    Raises BadInput when it cannot be written; an older list then stays as it was.
    """
    rows = [_cells(part) for part in parts]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows((COLUMNS, *rows))
    try:
        write_whole(path.resolve(), text.getvalue().encode("utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {reason_of(error)}.") from error
    return len(rows)


def read_price_list(
    path: Path, find: Callable[[str, str], str | None], today: date
) -> tuple[list[Priced], list[BadLine]]:
    """The prices of a list, and the lines that could not be taken, with their reasons.

    `find` gives the id of a part by its id and part number. Needs a heading with "amount", "currency" and one
    of "id" and "part_number"; lines without an amount are skipped. Raises BadInput when the file is no such list.
    """
    priced, bad = [], []
    for number, row in _rows(path):
        amount = row.get("amount", "")
        if not amount:
            continue
        part_id = find(row.get("id", ""), row.get("part_number", ""))
        if part_id is None:
            wanted = f"id {row.get('id', '')!r} or number {row.get('part_number', '')!r}"
            bad.append(BadLine(number, f"no part, or more than one, has the {wanted}"))
            continue
        try:
            as_of = date.fromisoformat(row["date"]) if row.get("date") else today
            cost = Price(amount=_number(amount), currency=row["currency"].upper(), as_of=as_of, kind="own")
        except (ValueError, ValidationError):
            bad.append(BadLine(number, f"{amount!r} {row['currency']!r} {row.get('date', '')!r} is no price"))
            continue
        priced.append(Priced(part_id, cost))
    return priced, bad


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    text = read_text(path)
    heading = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter)
    try:
        columns = [cell.strip().lower() for cell in next(reader, [])]
        if not {"amount", "currency"} <= set(columns) or not {"id", "part_number"} & set(columns):
            raise BadInput(f"{path}: the first line must name the columns amount, currency, and id or part_number.")
        for cells in reader:
            row = dict(zip(columns, map(_plain, cells), strict=False))
            yield reader.line_num, {column: row.get(column, "") for column in columns}
    except csv.Error as error:
        raise BadInput(f"{path}, line {reader.line_num}: {error}.") from error


def _cells(part: Part) -> tuple[str, ...]:
    number = part.part_numbers[0] if part.part_numbers else ""
    cost = (f"{part.price.amount:.12g}", part.price.currency, part.price.as_of.isoformat()) if part.price else ("",) * 3
    return (*map(_harmless, (part.id, number, part.maker, part.name, part.category.value)), *cost)


def _number(text: str) -> float:
    """An amount with a point or a comma before its cents."""
    text = text.replace("\u00a0", " ").replace("'", "")
    if _DECIMAL_COMMA.match(text):
        text = text.replace(".", "").replace(" ", "").replace(",", ".")
    return float(text.replace(",", "").replace(" ", ""))


def _harmless(cell: str) -> str:
    """A cell that a spreadsheet does not take for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _plain(cell: str) -> str:
    cell = cell.strip()
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA else cell
