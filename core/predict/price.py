"""What the parts of a build cost: a range of what is known and estimated, with the number of parts left out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from math import fsum
from typing import Any

from core.build.build import Build
from core.build.line import Line
from core.language import joined, plain, tr, trn
from core.parts.money import MoneyTerms
from core.parts.part import Part, Price
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.parts.price_today import YEAR, past_price, uncounted
from core.units import number, span


@dataclass(frozen=True, slots=True)
class CurrencyTotal:
    """The sums in one currency: of known prices, and of the ends of the ranges of those that are estimated."""

    currency: str
    amount: float
    parts: int
    low: float = 0.0
    high: float = 0.0
    estimated: int = 0

    @property
    def range(self) -> tuple[float, float]:
        """Known and estimated prices together, at least and at most."""
        return self.amount + self.low, self.amount + self.high

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        low, high = self.range
        return {
            "currency": self.currency,
            "low": round(low, 2),
            "high": round(high, 2),
            "known": {"amount": round(self.amount, 2), "parts": self.parts},
            "estimated": {
                "low": round(self.low, 2),
                "high": round(self.high, 2),
                "parts": self.estimated,
                "share": round(self.estimated_share, 3),
            },
        }

    @property
    def estimated_share(self) -> float:
        """How much of the money is estimated, by the middle of the ranges; 0 to 1."""
        about = (self.low + self.high) / 2
        return about / (self.amount + about) if about else 0.0

    @property
    def estimated_percent(self) -> int:
        """That, for people; never 0 where something is estimated."""
        return max(1 if self.estimated else 0, round(100 * self.estimated_share))

    @property
    def words(self) -> str:
        """ "1200 to 3700 USD, 71 % estimated"; without estimates only "700 USD"."""
        low, high = self.range
        if not self.estimated:
            return plain("{amount} {currency}", amount=number(self.amount, 0), currency=self.currency)
        prices = span(low, high, self.currency)
        return tr("{prices}, {share} % estimated", prices=prices, share=self.estimated_percent)


@dataclass(frozen=True, slots=True)
class PriceTotal:
    """Counts are of parts, not of lines. `unpriced` have neither a price nor an estimate."""

    totals: tuple[CurrencyTotal, ...]
    estimates: tuple[tuple[str, Estimate], ...]
    """By part id, for one part each."""
    unpriced: int
    unpriced_ids: tuple[str, ...]
    since: date | None
    until: date | None
    """The first and the last day of the parts' own prices, those among them that were brought to today."""
    notes: tuple[str, ...] = ()
    """How they were converted, and what was done about VAT."""
    oldest: str = ""
    """The part that the first day is of."""
    aged: int = 0
    """How many parts have a price over a year old."""
    own: int = 0
    """How many parts have a price of their own, of whatever age."""
    past: tuple[tuple[Part, Price], ...] = ()
    """What makers asked for parts that are no longer sold, one each: not in the total."""

    @property
    def estimated(self) -> int:
        """How many parts are estimated."""
        return sum(row.estimated for row in self.totals)

    @property
    def estimated_percent(self) -> int:
        """How much of the money in the first currency is estimated."""
        return self.totals[0].estimated_percent if self.totals else 0

    @property
    def known(self) -> bool:
        """Whether every part has a price."""
        return not self.unpriced and not self.estimated

    @property
    def words(self) -> str:
        """In one line: "1200 to 3700 USD, 71 % estimated, plus 2 parts without a price"."""
        sums = joined([row.words for row in self.totals], " + ") or tr("unknown")
        if not self.unpriced:
            return sums
        if self.estimated:
            return trn(
                "{sums}, plus {count} part without a price",
                "{sums}, plus {count} parts without a price",
                sums=sums,
                count=self.unpriced,
            )
        return trn(
            "{sums} plus {count} part without a price",
            "{sums} plus {count} parts without a price",
            sums=sums,
            count=self.unpriced,
        )

    @property
    def dated(self) -> str:
        """ "Prices are of 2026-11.", else the oldest and how many are over a year old; empty without any."""
        if self.since is None or self.until is None:
            return ""
        month = f"{self.since:%Y-%m}"
        if self.aged:
            return tr(
                "The oldest price is of {month} ({part}); over a year old: {count} of {parts}.",
                month=month,
                part=self.oldest,
                count=self.aged,
                parts=self.own,
            )
        if month == f"{self.until:%Y-%m}":
            return tr("Prices are of {month}.", month=month)
        return tr("The oldest price is of {month} ({part}).", month=month, part=self.oldest)

    @property
    def dated_words(self) -> str:
        """The line with the age of what it rests on, where nothing else stands beside it."""
        return joined((tr("{total}.", total=self.words), self.dated)) if self.dated else self.words

    @property
    def basis(self) -> tuple[str, ...]:
        """What the total rests on, a sentence each."""
        return (*filter(None, (self.dated, uncounted(self.past))), *self.notes)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "totals": [row.as_dict() for row in self.totals],
            "estimates": {part_id: estimate.as_dict() for part_id, estimate in self.estimates},
            "unpriced": self.unpriced,
            "unpriced_ids": list(self.unpriced_ids),
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "over_a_year_old": self.aged,
            "not_counted": {part.id: price.model_dump(mode="json", exclude_none=True) for part, price in self.past},
            "notes": list(self.notes),
        }


def price_of(build: Build, guide: PriceGuide = NO_GUIDE, into: str | None = None) -> PriceTotal:
    """What all lines of a build cost."""
    return price_of_lines(build.lines, guide, into)


def price_of_lines(lines: Iterable[Line], guide: PriceGuide = NO_GUIDE, into: str | None = None) -> PriceTotal:
    """Sums price x quantity, known and estimated apart, in one currency: else in that of most parts. Pure; the order of
    the lines means nothing. What no rate is known for is summed by itself."""
    lines = sorted(lines, key=lambda line: line.part.id)
    found = [(line, guide.price(line.part)) for line in lines]
    known = [(line, price) for line, price in found if isinstance(price, Price)]
    ranges = [(line, price) for line, price in found if isinstance(price, Estimate)]
    lacking = [line for line, price in found if price is None]
    own = [(line, price.since) for line, price in ranges if price.basis is Basis.OWN_PRICE]
    own = sorted([*((line, price.as_of) for line, price in known), *own], key=lambda one: one[1])
    totals = list(_totals(known, ranges))
    main = (into or totals[0].currency) if totals else None
    listed_prices = [line.part.price for line, _ in own if line.part.price]
    return PriceTotal(
        tuple(_in_one(totals, guide.terms, main)),
        tuple((line.part.id, estimate) for line, estimate in ranges),
        _count(lacking),
        tuple(line.part.id for line in lacking),
        own[0][1] if own else None,
        own[-1][1] if own else None,
        guide.terms.notes(listed_prices, main),
        own[0][0].part.title if own else "",
        _count([line for line, day in own if guide.today - day > YEAR]),
        _count([line for line, _ in own]),
        tuple((line.part, price) for line in lines if (price := past_price(line.part, guide.today))),
    )


def _in_one(totals: list[CurrencyTotal], terms: MoneyTerms, currency: str | None) -> Iterator[CurrencyTotal]:
    """All added up in one currency, where a rate is known."""
    if currency is None:
        return
    main, apart = next((row for row in totals if row.currency == currency), CurrencyTotal(currency, 0, 0)), []
    for other in totals:
        if other is main:
            continue
        rate = terms.rate(other.currency, main.currency)
        if rate is None:
            apart.append(other)
            continue
        main = CurrencyTotal(
            main.currency,
            main.amount + other.amount * rate.value,
            main.parts + other.parts,
            main.low + other.low * rate.value,
            main.high + other.high * rate.value,
            main.estimated + other.estimated,
        )
    yield from ((main, *apart) if main.parts or main.estimated else apart)


def _totals(known: list[tuple[Line, Price]], ranges: list[tuple[Line, Estimate]]) -> Iterator[CurrencyTotal]:
    """By currency, that of most parts first."""
    parts: Counter[str] = Counter()
    parts.update(price.currency for line, price in known for _ in range(line.quantity))
    parts.update(price.currency for line, price in ranges for _ in range(line.quantity))
    for code in sorted(parts, key=lambda code: (-parts[code], code)):
        here = [(line, price) for line, price in known if price.currency == code]
        about = [(line, price) for line, price in ranges if price.currency == code]
        yield CurrencyTotal(
            code,
            fsum(price.amount * line.quantity for line, price in here),
            _count([line for line, _ in here]),
            fsum(price.low * line.quantity for line, price in about),
            fsum(price.high * line.quantity for line, price in about),
            _count([line for line, _ in about]),
        )


def _count(lines: list[Line]) -> int:
    return sum(line.quantity for line in lines)
