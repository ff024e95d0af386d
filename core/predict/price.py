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
from core.parts.price_estimate import Estimate
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.parts.price_today import YEAR, price_today, uncounted
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
            "estimated": {"low": round(self.low, 2), "high": round(self.high, 2), "parts": self.estimated},
        }

    @property
    def words(self) -> str:
        """ "1200 to 3700 USD (700 known, 5 parts estimated)"; without estimates only "700 USD"."""
        low, high = self.range
        if not self.estimated:
            return plain("{amount} {currency}", amount=number(self.amount, 0), currency=self.currency)
        prices = span(low, high, self.currency)
        if not self.parts:
            return trn(
                "{prices} ({count} part estimated)",
                "{prices} ({count} parts estimated)",
                prices=prices,
                count=self.estimated,
            )
        return trn(
            "{prices} ({known} known, {count} part estimated)",
            "{prices} ({known} known, {count} parts estimated)",
            prices=prices,
            known=number(self.amount, 0),
            count=self.estimated,
        )


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
    """The first and the last day of the known prices."""
    notes: tuple[str, ...] = ()
    """How they were converted, and what was done about VAT."""
    oldest: str = ""
    """The part that the first day is of."""
    aged: int = 0
    """How many parts have a price over a year old."""
    past: tuple[tuple[Part, Price], ...] = ()
    """What makers asked for parts that are no longer sold, one each, as it is shown: not in the total."""

    @property
    def estimated(self) -> int:
        """How many parts are estimated."""
        return sum(row.estimated for row in self.totals)

    @property
    def known(self) -> bool:
        """Whether every part has a price."""
        return not self.unpriced and not self.estimated

    @property
    def words(self) -> str:
        """In one line: "1200 to 3700 USD (700 known, 5 parts estimated) plus 2 parts without a price"."""
        sums = joined([row.words for row in self.totals], " + ") or tr("unknown")
        if not self.unpriced:
            return sums
        return trn(
            "{sums} plus {count} part without a price",
            "{sums} plus {count} parts without a price",
            sums=sums,
            count=self.unpriced,
        )

    @property
    def dated(self) -> str:
        """ "Prices are of 2026-03 to 2026-11.", else the oldest and how many are old; empty without a known price."""
        if self.since is None or self.until is None:
            return ""
        if self.aged:
            return tr(
                "The oldest price is of {month} ({part}); over a year old: {count} of {parts}.",
                month=f"{self.since:%Y-%m}",
                part=self.oldest,
                count=self.aged,
                parts=sum(row.parts for row in self.totals),
            )
        months = sorted({f"{self.since:%Y-%m}", f"{self.until:%Y-%m}"})
        if len(months) == 1:
            return tr("Prices are of {month}.", month=months[0])
        return tr("Prices are of {first} to {last}.", first=months[0], last=months[1])

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
            "not_counted": {
                part.id: part.price.model_dump(mode="json", exclude_none=True) for part, _ in self.past if part.price
            },
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
    first = min(known, key=lambda one: one[1].as_of, default=None)
    totals = list(_totals(known, ranges))
    main = (into or totals[0].currency) if totals else None
    listed_prices = [price for line in lines if (price := price_today(line.part, guide.today))]
    return PriceTotal(
        tuple(_in_one(totals, guide.terms, main)),
        tuple((line.part.id, estimate) for line, estimate in ranges),
        _count(lacking),
        tuple(line.part.id for line in lacking),
        first[1].as_of if first else None,
        max((price.as_of for _, price in known), default=None),
        guide.terms.notes(listed_prices, main),
        first[0].part.title if first else "",
        _count([line for line, price in known if guide.today - price.as_of > YEAR]),
        tuple((line.part, price) for line in lines if (price := guide.past(line.part))),
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
