"""Lists of prices from anywhere, as tables, JSON or lines: what stands in their rows, by the names of their columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.parts.price_columns import NAMES, OF_A_TABLE, column, names_part, price_cells, price_column
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_json
from core.platform.spreadsheet import plain
from core.words import tr, visible

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
    values = {what: next((cells[name] for name in NAMES[what] if cells.get(name) not in (None, "")), "")
             for what in _TEXTS}  # fmt: skip
    texts = {what: visible(str(value)).strip() for what, value in values.items()}
    category = category_of_row(cells, category)
    full_name = visible(spread_name(texts["name"], cells, category).text)
    for cell in prices:
        amount = float(cell.amount) if isinstance(cell.amount, (int, float)) else visible(str(cell.amount)).strip()
        own = texts | {"currency": texts["currency"] or cell.currency}
        yield PriceRow(number, full_name=full_name, category=category, amount=amount, what=cell.what, **own)


def _is_heading(columns: Sequence[str]) -> bool:
    return names_part(columns) and any(map(price_column, columns))


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
    listed = [(number, match) for number, line in short if (match := _LINE.fullmatch(line))]
    if len(listed) < _LEAST_LINES:
        raise BadInput(
            tr(
                "{path}: the first line must name a price column (amount, price) and a part column: id, "
                "part_number or name.",
                path=file,
            )
        )
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


_PAIR = re.compile(r"\s*(\d+)\s*[,x×]\s*(\d+(?:\.\d+)?)\s*(?:gb)?\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_LARGEST = 1e6
"""No figure of a part is beyond it, in the units of these columns."""
Cells = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SpreadName:
    """What a row of a table calls its part, with what its other columns say."""

    text: str
    category: Category | None
    """Of all rows of the table, by the columns that it has."""


def category_of(columns: Collection[str]) -> Category | None:
    """What a table is about, by columns that only tables of one category have."""
    return next((category for category, needed, _ in _TABLES if needed <= set(columns)), None)


def category_of_row(cells: Cells, category: Category | None) -> Category | None:
    """What a row is about: nothing that its table says, where all columns of that category are empty in it."""
    needed = next((needed for one, needed, _ in _TABLES if one is category), frozenset())
    return category if any(_text(cells, column) for column in needed) else None


def spread_name(name: str, cells: Cells, category: Category | None) -> SpreadName:
    """The name with the words and figures of its row that it does not say itself."""
    words = next((words for one, _, words in _TABLES if one is category), None)
    own_words = _words(name)
    more = (text for text in (words(cells) if words and name else ()) if text and not _words(text) <= own_words)
    return SpreadName(" ".join(dict.fromkeys((name, *more))), category)


def _gpu(cells: Cells) -> Iterator[str]:
    yield _text(cells, "chipset")
    yield _figure(cells, "memory", "GB")
    yield _text(cells, "color")


def _ram(cells: Cells) -> Iterator[str]:
    speed = _PAIR.fullmatch(_text(cells, "speed"))
    yield f"DDR{speed[1]}-{speed[2]}" if speed else _text(cells, "speed")
    modules = _PAIR.fullmatch(_text(cells, "modules"))
    yield f"{modules[1]} x {modules[2]} GB" if modules else ""
    latency = _number(cells, "cas_latency")
    yield f"CL{latency:g}" if latency else ""
    yield _text(cells, "color")


def _storage(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "capacity", "GB")
    yield _figure(cells, "type", "rpm") or _text(cells, "type")
    yield _text(cells, "form_factor")
    yield _text(cells, "interface")


def _psu(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "wattage", "W")
    level = _text(cells, "efficiency")
    yield f"80+ {level}" if level.casefold() not in ("", "plus") else ""
    yield _text(cells, "type")
    yield "Non-Modular" if _text(cells, "modular").casefold() == "false" else ""
    yield _text(cells, "color")


def _ups(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "capacity_w", "W")
    yield _figure(cells, "capacity_va", "VA")


def _cooler(cells: Cells) -> Iterator[str]:
    yield _figure(cells, "size", "mm")
    yield _text(cells, "color")


def _of_colour(cells: Cells) -> Iterator[str]:
    yield _text(cells, "color")


_TABLES: tuple[tuple[Category, frozenset[str], Callable[[Cells], Iterator[str]]], ...] = (
    (Category.GPU, frozenset(("chipset", "memory")), _gpu),
    (Category.RAM, frozenset(("speed", "modules")), _ram),
    (Category.STORAGE, frozenset(("capacity", "type")), _storage),
    (Category.PSU, frozenset(("wattage", "efficiency")), _psu),
    (Category.UPS, frozenset(("capacity_va",)), _ups),
    (Category.MOTHERBOARD, frozenset(("socket", "memory_slots")), lambda _: iter(())),
    (Category.CPU, frozenset(("core_count", "tdp")), lambda _: iter(())),
    (Category.FAN, frozenset(("size", "airflow")), _cooler),
    (Category.CPU_COOLER, frozenset(("rpm", "noise_level", "size")), _cooler),
    (Category.CASE, frozenset(("side_panel", "external_volume")), _of_colour),
)
"""By category: columns that tell a table of it, and what they add to a name, the likeliest first."""


def _text(cells: Cells, column: str) -> str:
    value = cells.get(column)
    return "" if value is None else str(value).strip()


def _number(cells: Cells, column: str) -> float | None:
    try:
        value = float(_text(cells, column))
    except ValueError:
        return None
    return value if 0 < value < _LARGEST else None


def _figure(cells: Cells, column: str, unit: str) -> str:
    """A figure with its unit; as it stands where it has one."""
    value = _number(cells, column)
    if value is not None:
        return f"{value:g} {unit}"
    text = _text(cells, column)
    return text if any(letter.isdigit() for letter in text) and not text.replace(".", "").isdigit() else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
