"""Lists of prices from anywhere, as tables, JSON or lines: what stands in their rows, by the names of their columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import BadInput
from core.foreign import Unreadable, read_json
from core.language import tr
from core.parts.price_columns import NAMES, OF_A_TABLE, column, names_part, price_cells, price_column
from core.parts.spread_name import category_of, category_of_row, spread_name
from core.parts.vocabulary import Category
from core.shown import visible
from core.spreadsheet import plain

_DELIMITERS = ",;\t|"
_HEAD = 20
"""So many lines may stand above the columns."""
_TEXTS = ("id", "part_number", "maker", "name", "currency", "date", "condition")
_LINE = re.compile(
    r"(?P<name>.*[^\W_].*?)[\s,，:;–—-]+"
    r"(?P<amount>(?:NT|US|C|A|HK)?[$€£¥￥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|£|円|元|zł|USD|EUR|GBP))(?:\s.*)?"
)
""" "- ASUS ROG Astral RTX 5090, $129990 ◆": a name, and an amount with its sign."""
_LEAST_LINES, _LONGEST = 3, 400
_Row = tuple[int, dict[str, Any], Category | None]


@dataclass(frozen=True, slots=True)
class PriceRow:
    """A row as it stands in the file; what it lacks is empty. A number of a JSON file stays one."""

    number: int
    """Its line, or its place in a JSON list, from 1."""
    id: str = ""
    part_number: str = ""
    maker: str = ""
    name: str = ""
    full_name: str = ""
    """The name with what other columns say of the part."""
    category: Category | None = None
    amount: str | float = ""
    what: str = "amount"
    """What its column of prices has: see `price_columns.PRICES`."""
    currency: str = ""
    date: str = ""
    condition: str = ""

    @property
    def named(self) -> str:
        """What it says of the part."""
        return f"{self.maker} {self.name}".strip() or self.part_number or self.id


def price_rows(file: str, text: str) -> Iterator[PriceRow]:
    """The rows with an amount. Raises BadInput where it is no list of prices."""
    rows = _json_rows(file, text) if text.lstrip()[:1] in ("[", "{") else _table_rows(file, text)
    for number, cells, category in rows:
        yield from _priced(number, cells, category)


def _priced(number: int, cells: Mapping[str, Any], category: Category | None) -> Iterator[PriceRow]:
    prices = list(price_cells(cells))
    if not prices:
        return
    found = {what: next((cells[name] for name in NAMES[what] if cells.get(name) not in (None, "")), "")
             for what in _TEXTS}  # fmt: skip
    texts = {what: visible(str(value)).strip() for what, value in found.items()}
    category = category_of_row(cells, category)
    full_name = visible(spread_name(texts["name"], cells, category).text)
    for cell in prices:
        amount = float(cell.amount) if isinstance(cell.amount, (int, float)) else visible(str(cell.amount)).strip()
        own = texts | {"currency": texts["currency"] or cell.currency}
        yield PriceRow(number, full_name=full_name, category=category, amount=amount, what=cell.what, **own)


def _is_heading(columns: Sequence[str]) -> bool:
    return names_part(columns) and any(map(price_column, columns))


def _refuse(file: str) -> BadInput:
    return BadInput(
        tr(
            "{path}: the first line must name a price column (amount, price) and a part column: id, "
            "part_number or name.",
            path=file,
        )
    )


def _table_rows(file: str, text: str) -> Iterator[_Row]:
    """The columns may stand below a title, or Excel's "sep=;"."""
    lines = text.splitlines()
    for above, line in enumerate(lines[:_HEAD]):
        if len(line) > csv.field_size_limit():
            continue
        delimiter = max(_DELIMITERS, key=line.count)
        columns = [column(cell) for cell in next(csv.reader([line], delimiter=delimiter), [])]
        if _is_heading(columns):
            yield from _csv_rows(file, text, above, delimiter)
            return
    short = ((number, line.strip()) for number, line in enumerate(lines, 1) if len(line) <= _LONGEST)
    listed = [(number, found) for number, line in short if (found := _LINE.fullmatch(line))]
    if len(listed) < _LEAST_LINES:
        raise _refuse(file)
    yield from ((number, {"name": line["name"].strip(" -*•◎"), "price": line["amount"]}, None)
                for number, line in listed)  # fmt: skip


def _csv_rows(file: str, text: str, above: int, delimiter: str) -> Iterator[_Row]:
    stream = io.StringIO(text, newline=None)
    for _ in range(above):
        stream.readline()
    reader = csv.reader(stream, delimiter=delimiter)
    try:
        columns = [column(cell) for cell in next(reader, [])]
        category = category_of(columns)
        for cells in reader:
            named: dict[str, Any] = {}
            for name, cell in zip(columns, map(plain, cells), strict=False):
                named.setdefault(name, cell)
            yield above + reader.line_num, named, category
    except csv.Error as error:
        raise BadInput(
            tr("{path}, line {line}: {reason}.", path=file, line=above + reader.line_num, reason=str(error))
        ) from error


def _json_rows(file: str, text: str) -> Iterator[_Row]:
    try:
        content = read_json(_one_list(text))
    except Unreadable as error:
        raise BadInput(tr("{path} is not readable JSON: {reason}.", path=file, reason=error.args[0])) from error
    rows = list(_walk(content, {}, 0))
    if not rows and not _named_price(content):
        raise BadInput(
            tr("{path} has no list of rows with prices. Each row is a table with a price and a part number.", path=file)
        )
    yield from rows


def _walk(value: Any, around: Mapping[str, Any], number: int) -> Iterator[_Row]:
    """Every table with a price, however deep, with what the tables around it say: an offer is of its product."""
    if isinstance(value, list):
        for place, one in enumerate(_as_tables(value), 1):
            yield from _walk(one, around, number or place)
    if not isinstance(value, dict):
        return
    cells = {**around, **_flat(value)}
    if any(price_column(name) for name in cells) and names_part(cells):
        yield number or 1, cells, category_of(cells)
    beyond = {name: cell for name, cell in cells.items() if price_column(name) is None}
    for key, inner in value.items():
        if price_column(column(key)) or not isinstance(inner, (dict, list)):
            continue
        named = {OF_A_TABLE: key} if isinstance(inner, dict) and not names_part(beyond) else {}
        yield from _walk(inner, beyond | named, number)


def _as_tables(rows: list[Any]) -> list[Any]:
    """Rows that are lists, below a list of their columns, as tables."""
    if (
        len(rows) > 1
        and all(isinstance(row, list) for row in rows)
        and _is_heading([column(str(one)) for one in rows[0]])
    ):
        return [dict(zip(map(str, rows[0]), row, strict=False)) for row in rows[1:]]
    return rows


def _named_price(content: Any) -> bool:
    """Whether there is a list of tables that would name a part and a price, though all prices are empty."""
    rows = content if isinstance(content, list) else next((v for v in content.values() if isinstance(v, list)), [])
    tables = [{column(name) for name in row} for row in rows if isinstance(row, dict)]
    return not rows or any(names_part(names) and any(map(price_column, names)) for names in tables)


def _one_list(text: str) -> str:
    """Rows that are a JSON document each, one a line, as one list; a fault keeps its line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines[:2]):
        return text
    return "[" + ",\n".join(lines) + "]"


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A table within a row as columns of their own: price.amount is price_amount."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            cells |= {
                column(f"{name}_{inner}"): deep for inner, deep in value.items() if not isinstance(deep, (dict, list))
            }
        elif isinstance(value, list):
            if value and all(isinstance(one, int | float) for one in value):
                cells[column(name)] = ",".join(f"{one:g}" for one in value)
            elif value and isinstance(value[0], str):
                cells[column(name)] = value[0]
        else:
            cells.setdefault(column(name), value)
    return cells
