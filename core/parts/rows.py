"""Rows of the table of parts: how a part is stored, indexed and taken out again, and which row of an id holds.

Every function here is called within a transaction.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from core.parts.compute import GpuSpec
from core.parts.facets import PRICE_FIGURES, NamedValue, searchable
from core.parts.figure import short_line_in_english
from core.parts.figures import must_have
from core.parts.money import MoneyTerms
from core.parts.part import Origin, Part
from core.parts.price_ageing import ListedPrice
from core.parts.search import category_word, number_words, spec_words, title_words
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import tr
from core.words.refusal import refused_as

if TYPE_CHECKING:
    from core.platform.database import Database

INDEX_VERSION = "12"
"""To be raised when words, figures or columns of a part change: all rows are then written anew."""

PRECEDENCE = {Origin.USER: 0, Origin.SHIPPED: 1, Origin.IMPORTED: 2}
_COLUMNS = (
    *("number", "holds", "id", "origin", "precedence", "category", "maker", "name", "part_numbers", "year"),
    *("title", "summary", "price", "part", "title_words", "number_words", "words", "category_word"),
    *("product", "lacking"),
)
_ROUNDING = 1e-9
"""By no more do two ways to the same amount differ."""
_LAST = PRECEDENCE[Origin.IMPORTED]
_INSERT = f"INSERT INTO parts ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_WORDS = "title_words, number_words, words, category_word"

_HAS_BETTER = "EXISTS (SELECT 1 FROM parts AS b WHERE b.id = parts.id AND b.precedence < parts.precedence)"


def replace(db: Database, condition: str, values: tuple[Any, ...], parts: Iterable[Part]) -> None:
    """Puts parts in the place of the rows that meet a condition. What is stored just so already stays untouched."""
    parts = list(parts)
    stored = {row[0]: row for row in db.execute(f"SELECT id, number, part FROM parts WHERE {condition}", values)}
    same = {part.id for part in parts if part.id in stored and stored[part.id][2] == _stored(part)}
    gone = json.dumps([number for part_id, number, _ in stored.values() if part_id not in same])
    remove(db, "number IN (SELECT value FROM json_each(?))", (gone,))
    add(db, [part for part in parts if part.id not in same])


def add(db: Database, parts: list[Part]) -> None:
    """Stores and indexes parts; rows of the same ids that come after them in precedence hold no more."""
    if not parts:
        return
    ((last,),) = db.execute("SELECT coalesce(max(number), 0) FROM parts").fetchall()
    # Asked for by precedence, which an index has, and not by origin, for which SQLite would read all rows.
    better = f"SELECT id, min(precedence) FROM parts WHERE precedence < {_LAST} GROUP BY id"
    before = dict(db.execute(better).fetchall())
    rows = (
        (number, PRECEDENCE[part.origin] <= before.get(part.id, _LAST), *_row(part))
        for number, part in enumerate(parts, start=last + 1)
    )
    db.conn.executemany(_INSERT, rows)
    _file(db, parts, last + 1)
    if any(PRECEDENCE[part.origin] < _LAST for part in parts):  # the last hide nothing
        new = "(SELECT id FROM parts WHERE number > ?)"
        _hide(db, f"number <= ? AND holds AND id IN {new} AND {_HAS_BETTER}", (last, last))
    _enter_index(db, "number > ? AND holds", (last,))


def _file(db: Database, parts: list[Part], first: int) -> None:
    """Files figures: one statement for all parts that have a value, since one for each part takes six times as long.

    In the order of the table's key, so that SQLite need not seek the place of each row.
    """
    having: dict[Category, dict[NamedValue, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, part in enumerate(parts, start=first):
        filed = having[part.category]
        for figure in searchable(part):
            filed[figure].append(number)
    for category, filed in having.items():
        in_order = sorted(filed, key=lambda figure: (figure[0], isinstance(figure[1], str), figure[1]))
        db.conn.executemany(
            "INSERT INTO figures SELECT ?, ?, ?, value FROM json_each(?)",
            [(category.value, *figure, json.dumps(filed[figure])) for figure in in_order],
        )


def file_prices(db: Database, terms: MoneyTerms) -> None:
    """Files all figures of prices as they are in these terms: `add` has filed those of the parts that it added in
    dollars. What is filed so already stays untouched."""
    among = f"category IN ({', '.join(repr(str(one)) for one in Category)})"
    filed = f"SELECT number, value FROM figures WHERE {among} AND field = ?"
    amounts, currencies = (dict(db.execute(filed, (field,)).fetchall()) for field in ("price", "currency"))
    factors: dict[int, tuple[float, str]] = {}
    for number, stored in db.execute("SELECT number, price FROM parts WHERE price IS NOT NULL"):
        amount = amounts.get(number)
        shown = terms.shown(stored_price(stored).counted) if amount else None
        if amount and shown and (currencies[number] != shown.currency or abs(shown.amount / amount - 1) > _ROUNDING):
            factors[number] = shown.amount / amount, shown.currency
    if not factors:
        return
    fields = ", ".join(repr(field) for field in (*PRICE_FIGURES, "currency"))
    due = f"{among} AND field IN ({fields}) AND number IN (SELECT value FROM json_each(?))"
    numbers = (json.dumps([*factors]),)
    before = db.execute(f"SELECT category, field, value, number FROM figures WHERE {due}", numbers).fetchall()
    db.execute(f"DELETE FROM figures WHERE {due}", numbers)
    db.conn.executemany(
        "INSERT INTO figures VALUES (?, ?, ?, ?)",
        (
            (category, field, factors[number][1] if field == "currency" else value * factors[number][0], number)
            for category, field, value, number in before
        ),
    )


@lru_cache(maxsize=10_000)
def stored_price(stored: str) -> ListedPrice:
    """Read once: every search lists the same parts again."""
    return ListedPrice.model_validate_json(stored)


def remove(db: Database, condition: str, values: tuple[Any, ...]) -> int:
    """Takes out the rows that meet a condition on the table of parts; how many. What they hid holds again."""
    gone = db.execute(f"SELECT number, category FROM parts WHERE {condition}", values).fetchall()
    numbers = json.dumps([number for number, _ in gone])
    these = "number IN (SELECT value FROM json_each(?))"
    _leave_index(db, f"holds AND {these}", (numbers,))
    # The category leads the key: with it the rows of figures are found without reading all of them.
    categories = json.dumps(sorted({category for _, category in gone}))
    db.execute(
        f"DELETE FROM figures WHERE category IN (SELECT value FROM json_each(?)) AND {these}", (categories, numbers)
    )
    db.execute(f"DELETE FROM parts WHERE {these}", (numbers,))
    due = f"NOT holds AND NOT {_HAS_BETTER}"
    _enter_index(db, due, ())
    db.execute(f"UPDATE parts SET holds = 1 WHERE {due}")
    return len(gone)


def rebuild(db: Database) -> None:
    """Writes all rows but the shipped ones with the words and figures of this program.

    A part that this program cannot read stays as it is stored: it is the user's.
    """
    db.execute("INSERT INTO part_words (part_words) VALUES ('delete-all')")
    db.execute("DELETE FROM figures")
    db.execute("UPDATE parts SET holds = 0")
    stored = db.execute("SELECT id, part, origin FROM parts WHERE origin <> ?", (Origin.SHIPPED,)).fetchall()
    readable = [part for row in stored if (part := _if_readable(*row)) is not None]
    db.conn.executemany("DELETE FROM parts WHERE id = ? AND origin = ?", ((part.id, part.origin) for part in readable))
    add(db, readable)


@lru_cache(maxsize=4_000)
def restored(part_id: str, stored: str, origin: str) -> Part:
    """A part from its stored text. Raises BadInput when it does not fit the models of this program.

    Read once: every connection to the catalogue, and every list of prices, asks for the same parts again.
    """
    with refused_as(
        lambda place, reason: tr(
            "The {origin} part {part_id!r} does not match this version of Rigwright ({field}: "
            "{reason}). Save it again, or remove it from your catalogue.",
            origin=origin,
            part_id=part_id,
            field=place,
            reason=reason,
        )
    ):
        return Part.model_validate_json(stored)


def _if_readable(part_id: str, stored: str, origin: str) -> Part | None:
    try:
        return restored(part_id, stored, origin)
    except BadInput:
        return None


def _hide(db: Database, condition: str, values: tuple[Any, ...]) -> None:
    _leave_index(db, condition, values)
    db.execute(f"UPDATE parts SET holds = 0 WHERE {condition}", values)


def _enter_index(db: Database, condition: str, values: tuple[Any, ...]) -> None:
    db.execute(f"INSERT INTO part_words (rowid, {_WORDS}) SELECT number, {_WORDS} FROM parts WHERE {condition}", values)


def _leave_index(db: Database, condition: str, values: tuple[Any, ...]) -> None:
    db.execute(
        f"INSERT INTO part_words (part_words, rowid, {_WORDS}) SELECT 'delete', number, {_WORDS} "
        f"FROM parts WHERE {condition}",
        values,
    )


def _row(part: Part) -> tuple[Any, ...]:
    """The columns of a part, in the order of `_COLUMNS`, after its number and whether it holds."""
    line, category, listed = short_line_in_english(part.spec), part.category, ListedPrice.of(part, date.today())
    return (
        *(part.id, str(part.origin), PRECEDENCE[part.origin], str(category), part.maker, part.name),
        *(to_json(part.part_numbers).decode(), part.year, part.title, line),
        *(listed.model_dump_json(exclude_none=True) if listed else None, _stored(part)),
        *(title_words(part), number_words(part), spec_words(part, line), category_word(category)),
        part.spec.product if isinstance(part.spec, GpuSpec) else "",
        sum(getattr(part.spec, figure) is None for figure in must_have(part)),
    )


def _stored(part: Part) -> str:
    return to_json(part, exclude_none=True).decode()
