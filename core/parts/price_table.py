"""Lists of prices from anywhere, CSV or JSON: their columns are found by the names that people give them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.foreign import Unreadable, read_json
from core.language import tr
from core.parts.price_texts import price_texts
from core.parts.spread_name import category_of, category_of_row, spread_name
from core.parts.vocabulary import Category
from core.shown import visible
from core.spreadsheet import plain

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "part_id"),
    "part_number": ("part_number", "mpn", "manufacturer_part_number", "part_no", "partno", "article_number", "sku"),
    "maker": ("maker", "manufacturer", "brand"),
    "name": ("name", "product", "product_name", "title", "part", "description", "model", "artikel", "bezeichnung"),
    "amount": (
        *("amount", "price", "unit_price", "price_amount", "price_value", "price_each", "current_price", "sale_price"),
        *("street_price", "retail_price", "preis", "prix", "precio", "list_price", "msrp", "rrp", "uvp"),
    ),
    "currency": ("currency", "currency_code", "price_currency"),
    "date": ("date", "as_of", "price_date", "updated", "updated_at", "timestamp"),
    "condition": ("condition", "item_condition", "kind", "price_kind", "zustand"),
}
"""By column, the names that it goes by, the likeliest first."""
NAMING = ("id", "part_number", "name")
"""One of these says which part is meant."""
_DELIMITERS = ",;\t"
_WORD = re.compile(r"[^a-z0-9]+")
_Row = tuple[int, dict[str, Any], Category | None]
_PRICE_IN = re.compile(r"(?:unit_|list_)?(?:price|amount|cost|msrp)_(?:in_)?([a-z]{3})")


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
    currency: str = ""
    date: str = ""
    condition: str = ""
    """New or used, in the words of the list."""
    file: str = ""
    """In an archive, the table that it is of."""


def price_rows(path: Path) -> Iterator[PriceRow]:
    """The rows with an amount of a file, or of all tables in a .zip. Raises BadInput where it is no list of prices.

    A table of an archive that has no prices is passed over, if another has some.
    """
    refused: BadInput | None = None
    read = False
    for member, text in price_texts(path):
        try:
            for row in _rows(Path(member) if member else path, text):
                yield replace(row, file=member) if member else row
            read = True
        except BadInput as error:
            if not member:
                raise
            refused = error
    if refused is not None and not read:
        raise refused


def _rows(path: Path, text: str) -> Iterator[PriceRow]:
    rows = _json_rows(path, text) if text.lstrip()[:1] in ("[", "{") else _csv_rows(path, text)
    for number, cells, category in rows:
        row = _row(number, cells, category)
        if row.amount != "":
            yield row


def _row(number: int, cells: Mapping[str, Any], category: Category | None) -> PriceRow:
    found: dict[str, Any] = {
        column: next((cells[name] for name in names if cells.get(name) not in (None, "")), "")
        for column, names in NAMES.items()
    }
    for name, value in cells.items():
        priced_in = _PRICE_IN.fullmatch(name)
        if priced_in and priced_in[1] != "each" and found["amount"] == "" and value not in (None, ""):
            found |= {"amount": value, "currency": found["currency"] or priced_in[1]}
    amount = found.pop("amount")
    number_given = isinstance(amount, (int, float)) and not isinstance(amount, bool)
    texts = {column: visible(str(value)).strip() for column, value in found.items()}
    category = category_of_row(cells, category)
    full = spread_name(texts["name"], cells, category)
    return PriceRow(
        number,
        amount=float(amount) if number_given else visible(str(amount)).strip(),
        full_name=visible(full.text),
        category=category,
        **texts,
    )


def _require_columns(path: Path, columns: Iterable[str]) -> None:
    present = set(columns)
    priced = present & set(NAMES["amount"]) or any(map(_PRICE_IN.fullmatch, present))
    if not priced or not present & {name for column in NAMING for name in NAMES[column]}:
        raise BadInput(
            tr(
                "{path}: the first line must name a price column (amount, price) and a part column: id, "
                "part_number or name.",
                path=path,
            )
        )


def _csv_rows(path: Path, text: str) -> Iterator[_Row]:
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter)
    try:
        columns = [_column(cell) for cell in next(reader, [])]
        _require_columns(path, columns)
        category = category_of(columns)
        for cells in reader:
            yield reader.line_num, dict(zip(columns, map(plain, cells), strict=False)), category
    except csv.Error as error:
        raise BadInput(
            tr("{path}, line {line}: {reason}.", path=path, line=reader.line_num, reason=str(error))
        ) from error


def _json_rows(path: Path, text: str) -> Iterator[_Row]:
    try:
        content = read_json(_one_list(text))
    except Unreadable as error:
        raise BadInput(tr("{path} is not readable JSON: {reason}.", path=path, reason=error.args[0])) from error
    rows = content if isinstance(content, list) else next((v for v in content.values() if isinstance(v, list)), None)
    if rows is None or not all(isinstance(row, dict) for row in rows):
        raise BadInput(
            tr("{path} has no list of rows with prices. Each row is a table with a price and a part number.", path=path)
        )
    flat = [_flat(row) for row in rows]
    if flat:
        _require_columns(path, {name for row in flat for name in row})
    category = category_of({name for row in flat for name in row})
    yield from ((number, row, category) for number, row in enumerate(flat, start=1))


def _one_list(text: str) -> str:
    """Rows that are a JSON document each, one a line, as one list; a fault keeps its line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines[:2]):
        return text
    return "[" + ",\n".join(lines) + "]"


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A table within a row as columns of their own: price.amount is price_amount."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found |= {_column(f"{name}_{inner}"): deep for inner, deep in value.items()}
        elif isinstance(value, list):
            figures = all(isinstance(one, int | float) for one in value)
            found[_column(name)] = ",".join(f"{one:g}" for one in value) if figures else value[0]
        else:
            found[_column(name)] = value
    return found


def _column(heading: str) -> str:
    return _WORD.sub("_", heading.lower()).strip("_")
