"""Prices of many parts at once: out for purchasing, in from a shop's list or a public data set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from core.errors import BadInput
from core.language import tr
from core.parts.amount import SIGNS, typed_amount, written
from core.parts.identity import Exact, Identities, Similar
from core.parts.part import Part, Price, Source
from core.parts.price_match import part_of_row
from core.parts.price_table import PriceRow, price_rows
from core.parts.price_today import STREET, USED
from core.phrasing import listed
from core.shown import shown
from core.spreadsheet import write_table

COLUMNS = ("id", "part_number", "maker", "name", "category", "amount", "currency", "date")
ASIDE = ("line", "part_number", "maker", "name", "amount", "currency", "date", "reason")
USED_WORDS = frozenset({"used", "owned", "refurbished", "refurb", "renewed", "hand", "gebraucht", "refurbed", "二手"})
"""What lists call used: pre-owned and second hand, too."""
NEW_WORDS = frozenset({"new", "street", "retail", "neu", "全新"})
_WORD = re.compile(r"\w+")
NAMED = 4
"""So many of the parts that a row may mean are named."""


@dataclass(frozen=True, slots=True)
class ListTerms:
    """What holds for the rows of a list that do not say it themselves."""

    day: date
    currency: str = ""
    kind: str = "own"
    """As of `Price`: "own" are the user's, "street" those of a shop or a data set, "used" of what is sold used. A row
    of these two that says its condition counts as that."""
    source: Source | None = None
    """Where the prices come from; None: the user's own word."""


@dataclass(frozen=True, slots=True)
class Priced:
    """A line of a price list that names a part of the catalogue."""

    part_id: str
    price: Price


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was not taken."""

    row: PriceRow
    reason: str

    @property
    def number(self) -> int:
        """Its line."""
        return self.row.number

    @property
    def place(self) -> str:
        """ "12", or in an archive "memory.csv, 12"."""
        return f"{self.row.file}, {self.row.number}" if self.row.file else str(self.row.number)

    @property
    def named(self) -> str:
        """What it says of the part."""
        return self.row.id or self.row.part_number or f"{self.row.maker} {self.row.name}".strip()

    @property
    def said(self) -> str:
        """What it says of the price."""
        return " ".join(filter(None, (str(self.row.amount), self.row.currency, self.row.date)))

    @property
    def cells(self) -> tuple[str, ...]:
        """What the line says, and the reason, as in `ASIDE`."""
        row = self.row
        known = (row.part_number or row.id, row.maker, row.name, str(row.amount), row.currency, row.date)
        return (self.place, *known, self.reason)


def write_price_list(path: Path, parts: Iterable[Part]) -> int:
    """Writes the parts with their prices, unknown prices empty; how many.

    Raises BadInput when it cannot be written; an older list then stays as it was.
    """
    rows = [_cells(part) for part in parts]
    write_table(path, (COLUMNS, *rows))
    return len(rows)


def write_aside(path: Path, bad: Iterable[BadLine]) -> None:
    """Writes the lines that were not taken, as they stand in the list, with the reason. Raises BadInput."""
    write_table(path, (ASIDE, *(line.cells for line in bad)))


def read_price_list(path: Path, identities: Identities, terms: ListTerms) -> tuple[list[Priced], list[BadLine]]:
    """The prices of a list, and the lines that could not be taken, with their reasons.

    Lines without an amount are skipped. Raises BadInput when the file is no such list, or says no currency at all.
    """
    priced: dict[tuple[str, str], list[tuple[int, Price]]] = {}
    """By part and kind: new and used ones are not mixed."""
    bad = []
    rows = list(price_rows(path))
    if rows and not terms.currency and not any(map(_currency, rows)):
        raise BadInput(
            tr(
                "{path} does not say which currency it is in. Add a column currency, or set it with --currency.",
                path=path,
            )
        )
    for row in rows:
        try:
            part_id, price = _part_id(row, identities), _price(row, terms)
        except ValueError as error:
            bad.append(BadLine(row, error.args[0]))
            continue
        same = priced.setdefault((part_id, price.kind), [(row.number, price)])
        line, first = same[0]
        if price == first:
            continue
        if terms.kind == "own" or price.currency != first.currency:
            bad.append(BadLine(row, tr("line {line} has a different price for {part_id}", line=line, part_id=part_id)))
        else:
            same.append((row.number, price))
    taken = [
        Priced(part_id, _of_several([price for _, price in rows]))
        for (part_id, kind), rows in priced.items()
        if kind != USED or (part_id, STREET) not in priced  # a part has one price
    ]
    return taken, bad


def _of_several(prices: Sequence[Price]) -> Price:
    """The middle one, with the range of all; of one price that one."""
    amounts = sorted(price.amount for price in prices)
    if amounts[0] == amounts[-1]:
        return prices[0]
    last = max(price.as_of for price in prices)
    middle = amounts[(len(amounts) - 1) // 2]
    return prices[0].model_copy(update={"amount": middle, "low": amounts[0], "high": amounts[-1], "as_of": last})


def _part_id(row: PriceRow, identities: Identities) -> str:
    """Raises ValueError with the reason where the row names no part, or several."""
    answer = part_of_row(row, identities)
    if isinstance(answer, Exact):
        return answer.part.id
    said = row.id or row.part_number or f"{row.maker} {row.name}".strip()
    if not said:
        raise ValueError(tr("it does not name a part"))
    if not isinstance(answer, Similar):
        raise ValueError(tr("no part matches {said}", said=shown(said)))
    names, more = listed([part.id for part in answer.parts[:NAMED]]), len(answer.parts) - NAMED
    if more > 0:
        raise ValueError(tr("{said} may be {parts} and {more} more", said=shown(said), parts=names, more=more))
    raise ValueError(tr("{said} may be {parts}", said=shown(said), parts=names))


def _price(row: PriceRow, terms: ListTerms) -> Price:
    """Raises ValueError with the reason."""
    try:
        return Price(
            amount=row.amount if isinstance(row.amount, float) else typed_amount(_bare(row.amount)),
            currency=_currency(row) or terms.currency,
            as_of=date.fromisoformat(row.date[:10]) if row.date else terms.day,
            kind=_kind(row, terms.kind),
        )
    except (ValueError, ValidationError):
        said = " ".join(filter(None, (str(row.amount), row.currency, row.date)))
        raise ValueError(tr("{said} is not a price with currency and date", said=shown(said))) from None


def _kind(row: PriceRow, kind: str) -> str:
    """What kind of price a row gives: as it says, else as the list does; the user's own stay so."""
    words = set(_WORD.findall(row.condition.casefold()))
    if kind == "own" or not words & (USED_WORDS | NEW_WORDS):
        return kind
    return USED if words & USED_WORDS else STREET


def _currency(row: PriceRow) -> str:
    """The currency that a row says, in its own cell or with the amount."""
    signs = (code for sign, code in SIGNS.items() if isinstance(row.amount, str) and sign in row.amount)
    return SIGNS.get(row.currency, row.currency.upper()) or next(signs, "")


def _bare(amount: str) -> str:
    return amount.strip("".join(SIGNS) + " \u00a0")


def _cells(part: Part) -> tuple[str, ...]:
    number = part.part_numbers[0] if part.part_numbers else ""
    cost = (written(part.price.amount), part.price.currency, part.price.as_of.isoformat()) if part.price else ("",) * 3
    return (part.id, number, part.maker, part.name, part.category.value, *cost)
