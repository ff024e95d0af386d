"""Prices of many parts at once: out for purchasing, in from a shop's list, a public data set or a folder of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from core.parts.identity import Exact, Identities, Similar
from core.parts.money import written
from core.parts.part import Part, Price, Source
from core.parts.price_columns import amount_and_currency, currency_of, day_of
from core.parts.price_files import PriceText, RefusedFile, price_texts
from core.parts.price_match import Matches, kind_of
from core.parts.price_table import PriceRow, price_rows
from core.platform.errors import BadInput
from core.platform.spreadsheet import write_table
from core.words import Worded, listed, shown, tr, trc

COLUMNS = ("id", "part_number", "maker", "name", "category", "amount", "currency", "date")
ASIDE = ("id", "line", "part_number", "maker", "name", "condition", "amount", "currency", "date", "reason")
NAMED = 4
"""So many of the parts that a row may mean are named."""
STEP = 200
"""Rows between two words of progress."""


@dataclass(frozen=True, slots=True)
class ListTerms:
    """What holds for the rows of a list that do not say it themselves."""

    today: date
    currency: str = ""
    kind: str = "own"
    """As of `Price`: "own" are the user's, "street" those of a shop or a data set, "used" of what is sold used. A row
    of these two that says its condition counts as that."""
    source: Source | None = None
    """Where the prices come from; None: the user's own word."""
    day: date | None = None
    """Of rows without one; None: as the name of their file says, else when it was written."""


@dataclass(frozen=True, slots=True)
class Priced:
    """A part of the catalogue, and what a price list says that it costs."""

    part_id: str
    price: Price
    place: str
    """The file, if there are several, and the line."""


class Doubt(Worded):
    """Why a line was not taken."""

    UNMATCHED = "unmatched", trc("price update", "no such part")
    SIMILAR = "similar", trc("price update", "similar: choose")
    NO_PRICE = "no price", trc("price update", "no price")
    TWICE = "twice", trc("price update", "said twice")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was not taken."""

    row: PriceRow
    file: str
    doubt: Doubt
    reason: str
    price: Price | None = None
    similar: tuple[Part, ...] = ()
    """The parts that it may mean, for a person to choose."""

    @property
    def number(self) -> int:
        """Its line."""
        return self.row.number

    @property
    def place(self) -> str:
        """ "12", or in a folder or archive "memory.csv, 12"."""
        return place_of(self.file, self.row)

    @property
    def named(self) -> str:
        """What it says of the part."""
        return self.row.named

    @property
    def price_text(self) -> str:
        """What it says of the price."""
        return _price_text(self.row)

    @property
    def cells(self) -> tuple[str, ...]:
        """What the line says, and the reason, as in `ASIDE`; the part to be chosen stands in the first one, empty."""
        row, price = self.row, self.price
        cost = (written(price.amount), price.currency, price.as_of.isoformat()) if price else (
            str(row.amount), row.currency, row.date)  # fmt: skip
        number = row.part_number or row.id
        return ("", self.place, number, row.maker, row.full_name or row.name, row.condition, *cost, self.reason)


@dataclass(frozen=True, slots=True)
class PriceLists:
    """What stands in a list of prices, or in all of a folder."""

    priced: tuple[Priced, ...]
    bad: tuple[BadLine, ...]
    refused: tuple[RefusedFile, ...] = ()


def place_of(file: str, row: PriceRow) -> str:
    """Where a row stands."""
    return f"{file}, {row.number}" if file else str(row.number)


def write_price_list(path: Path, parts: Iterable[Part]) -> int:
    """Writes the parts with their prices, unknown prices empty; how many.

    Raises BadInput when it cannot be written; an older list then stays as it was.
    """
    rows = [_cells(part) for part in parts]
    write_table(path, (COLUMNS, *rows))
    return len(rows)


def write_aside(path: Path, bad: Iterable[BadLine]) -> None:
    """Writes the lines that were not taken, with the reason: a price list again, once its ids are filled in.

    Raises BadInput.
    """
    write_table(path, (ASIDE, *(line.cells for line in bad)))


def read_price_lists(
    path: Path, identities: Identities, terms: ListTerms, tell: Callable[[int], None] = lambda _: None
) -> PriceLists:
    """The prices of a list or of all lists in a folder or .zip, and what could not be taken, with the reasons.

    Rows without an amount are skipped. Of several days the newest counts. `tell` hears now and then how many rows have
    been read, and may raise to end it. Raises BadInput when no file is such a list.
    """
    priced: dict[tuple[str, bool], list[tuple[Priced, PriceRow, str]]] = {}
    bad = dict[Hashable, BadLine]()
    """Of a product with many offers, or a history of prices, one is enough."""
    refused, lists, count = list[RefusedFile](), 0, 0
    matched = Matches(identities)
    for text in price_texts(path, terms.today):
        try:
            if isinstance(text, RefusedFile):
                refused.append(text)
                continue
            rows = _rows_of(path, text, terms)
        except BadInput as error:
            refused.append(RefusedFile(text.file, error.args[0]))
            continue
        lists += 1
        for row in rows:
            count += 1
            if count % STEP == 0:
                tell(count)
            answer = _read(row, text, matched, terms)
            if isinstance(answer, BadLine):
                bad.setdefault((answer.place, row.named, answer.doubt, answer.doubt is Doubt.NO_PRICE and row), answer)
            else:
                one = (answer, row, text.file)
                priced.setdefault((answer.part_id, answer.price.kind == "used"), []).append(one)
    if refused and not lists:
        raise BadInput("\n".join(one.reason for one in refused))
    lines = list(bad.values())
    taken = [_of_part(ones, lines, own=terms.kind == "own") for ones in priced.values()]
    return PriceLists(tuple(taken), tuple(lines), tuple(refused))


def _rows_of(path: Path, text: PriceText, terms: ListTerms) -> list[PriceRow]:
    """Raises BadInput where the file is no list, or says no currency at all."""
    file = f"{path}, {text.file}" if text.file else str(path)
    rows = list(price_rows(file, text.text))
    if rows and not terms.currency and not any(row.currency or _has_sign(row) for row in rows):
        raise BadInput(
            tr(
                "{path} does not say which currency it is in. Add a column currency, or set it with {--currency}.",
                path=file,
            )
        )
    return rows


def _read(row: PriceRow, text: PriceText, matched: Matches, terms: ListTerms) -> Priced | BadLine:
    """What a row says, or why it is not taken."""
    try:
        price = _price(row, text, terms)
    except ValueError as error:
        return BadLine(row, text.file, Doubt.NO_PRICE, error.args[0])
    answer = matched(row)
    if isinstance(answer, Exact):
        return Priced(answer.part.id, price, place_of(text.file, row))
    name = shown(row.named)
    if not row.named:
        return BadLine(row, text.file, Doubt.UNMATCHED, tr("it does not name a part"), price)
    if not isinstance(answer, Similar):
        return BadLine(row, text.file, Doubt.UNMATCHED, tr("no part matches {said}", said=name), price)
    names, more = listed([part.id for part in answer.parts[:NAMED]]), len(answer.parts) - NAMED
    reason = tr("{said} may be {parts}", said=name, parts=names)
    if more > 0:
        reason = tr("{said} may be {parts} and {more} more", said=name, parts=names, more=more)
    return BadLine(row, text.file, Doubt.SIMILAR, reason, price, answer.parts)


def _of_part(ones: Sequence[tuple[Priced, PriceRow, str]], bad: list[BadLine], *, own: bool) -> Priced:
    """The price of a part in all its rows: of the newest day the middle one, of one's own list the first.

    A row of that day that says another price of one's own, or one in another currency, is bad.
    """
    last = max(one.price.as_of for one, _, _ in ones)
    newest = [one for one in ones if one[0].price.as_of == last]
    first = newest[0][0]
    for one, row, file in newest:
        if one.price != first.price and (own or one.price.currency != first.price.currency):
            reason = tr("line {line} has a different price for {part_id}", line=first.place, part_id=one.part_id)
            bad.append(BadLine(row, file, Doubt.TWICE, reason, one.price))
    alike = [one.price for one, _, _ in newest if one.price.currency == first.price.currency]
    return Priced(first.part_id, first.price if own else _of_several(alike), first.place)


def _of_several(prices: Sequence[Price]) -> Price:
    """The middle one, with the range of all; of one price that one."""
    amounts = sorted(price.amount for price in prices)
    if amounts[0] == amounts[-1]:
        return prices[0]
    last = max(price.as_of for price in prices)
    middle = amounts[(len(amounts) - 1) // 2]
    return prices[0].model_copy(update={"amount": middle, "low": amounts[0], "high": amounts[-1], "as_of": last})


def _price(row: PriceRow, text: PriceText, terms: ListTerms) -> Price:
    """Raises ValueError with the reason."""
    try:
        kind = "used" if row.what == "used" else kind_of(row.condition, row.full_name or row.name)
    except ValueError:
        words = shown(row.condition or row.name)
        raise ValueError(tr("{said}: neither new nor used in working order", said=words)) from None
    if terms.kind == "own":
        kind = "own"
    elif row.what == "list" and not kind:
        kind = "list"
    try:
        amount, sign = _amount(row.amount, terms.currency)
        return Price(
            amount=amount,
            currency=(currency_of(row.currency, terms.currency) if row.currency else sign) or terms.currency,
            as_of=day_of(row.date, terms.today) if row.date else terms.day or text.day or terms.today,
            kind=kind or terms.kind,
        )
    except (ValueError, ValidationError):
        raise ValueError(tr("{said} is not a price with currency and date", said=shown(_price_text(row)))) from None


def _amount(cell: str | float, usual: str) -> tuple[float, str]:
    return (cell, "") if isinstance(cell, float) else amount_and_currency(cell, usual)


def _price_text(row: PriceRow) -> str:
    return " ".join(filter(None, (str(row.amount), row.currency, row.date)))


def _has_sign(row: PriceRow) -> bool:
    try:
        return bool(_amount(row.amount, "")[1])
    except ValueError:
        return False


def _cells(part: Part) -> tuple[str, ...]:
    number = part.part_numbers[0] if part.part_numbers else ""
    cost = (written(part.price.amount), part.price.currency, part.price.as_of.isoformat()) if part.price else ("",) * 3
    return (part.id, number, part.maker, part.name, part.category.value, *cost)
