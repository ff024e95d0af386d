"""What the parts of a build cost: a range of what is known and estimated, with the number of parts left out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from math import fsum
from typing import Any

from core.parts.money import MoneyTerms
from core.parts.part import Condition, Part, Price
from core.parts.price_estimate import Basis, Estimate, source_words
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.parts.price_today import YEAR, uncounted
from core.plan.build import Build
from core.plan.line import Line, paid_for
from core.platform.json_value import JsonValue
from core.words import joined, listed, plain, tr, trn
from core.words.units import number, span


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
class PriceTotal(JsonValue):
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
    """What makers asked for parts that are no longer sold, one each, as it is shown: not in the total."""
    used: int = 0
    """How many parts are bought used, those that are no longer sold among them."""
    owned: int = 0
    """How many are owned, and cost nothing."""
    used_as_new: tuple[Part, ...] = ()
    """Those bought used that are counted at their price new: no used price is known."""

    @property
    def estimated(self) -> int:
        """How many parts are estimated."""
        return sum(row.estimated for row in self.totals)

    @property
    def estimated_percent(self) -> int:
        """How much of the money in the first currency is estimated."""
        return self.totals[0].estimated_percent if self.totals else 0

    @property
    def all_priced(self) -> bool:
        """Whether every part has a price."""
        return not self.unpriced and not self.estimated

    @property
    def words(self) -> str:
        """In one line: "1200 to 3700 USD, 71 % estimated, plus 2 parts without a price"."""
        nothing = tr("nothing to buy") if self.owned and not self.unpriced else tr("unknown")
        sums = joined([row.words for row in self.totals], " + ") or nothing
        if not self.unpriced:
            return sums
        fields = {"sums": sums, "count": self.unpriced}
        if self.estimated:
            return trn(
                "{sums}, plus {count} part without a price", "{sums}, plus {count} parts without a price", **fields
            )
        return trn("{sums} plus {count} part without a price", "{sums} plus {count} parts without a price", **fields)

    @property
    def dated(self) -> str:
        """ "Prices are of 2026-11.", else the oldest and how many are over a year old; empty without any."""
        if self.since is None or self.until is None:
            return ""
        month = f"{self.since:%Y-%m}"
        if self.aged:
            fields = {"month": month, "part": self.oldest, "count": self.aged, "parts": self.own}
            return tr("The oldest price is of {month} ({part}); over a year old: {count} of {parts}.", **fields)
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
        return (*filter(None, (self.dated, *self.conditions, uncounted(self.past))), *self.notes)

    @property
    def conditions(self) -> tuple[str, ...]:
        """How many are used and owned, and which used ones are counted at a price new; a sentence each."""
        counted = (
            trn("{count} part used", "{count} parts used", count=self.used) if self.used else "",
            trn("{count} part owned", "{count} parts owned", count=self.owned) if self.owned else "",
        )
        as_new = [part.title for part in self.used_as_new]
        bands = [estimate for _, estimate in self.estimates if estimate.basis is Basis.USED_BAND]
        months = sorted({f"{band.until:%Y-%m}" for band in bands})
        sources = list({source.title: source for band in bands for source in band.sources}.values())
        sentences = (
            tr("{counts}.", counts=joined(counted, ", ")) if any(counted) else "",
            tr(
                "What used parts are sold for is as of {months}: {sources}.",
                months=months[0] if len(months) == 1 else tr("{first} to {last}", first=months[0], last=months[-1]),
                sources=source_words(sources),
            )
            if bands
            else "",
            tr("No used price is known, counted as new: {parts}.", parts=listed(as_new)) if as_new else "",
        )
        return tuple(filter(None, sentences))

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
            "used": self.used,
            "owned": self.owned,
            "used_counted_as_new": [part.id for part in self.used_as_new],
            "not_counted": {
                part.id: part.price.model_dump(mode="json", exclude_none=True) for part, _ in self.past if part.price
            },
            "notes": list(self.notes),
        }


def price_of(build: Build, guide: PriceGuide = NO_GUIDE, into: str | None = None) -> PriceTotal:
    """What all lines of a build cost."""
    return price_of_lines(build, build.lines, guide, into)


def price_of_lines(
    build: Build, lines: Iterable[Line], guide: PriceGuide = NO_GUIDE, into: str | None = None
) -> PriceTotal:
    """Sums price x quantity of all but what systems contain, known and estimated apart, in one currency: else in that
    of most parts. Pure; the order of the lines means nothing. What no rate is known for is summed by itself; what is
    owned costs nothing."""
    today = guide.today
    every = sorted(paid_for(lines), key=lambda line: line.part.id)
    conditions = {line.part.id: build.condition_of(line, today) for line in every}
    lines = [line for line in every if conditions[line.part.id] is not Condition.OWNED]
    used = [line for line in lines if conditions[line.part.id] is Condition.USED]
    priced = [(line, guide.price(line.part, conditions[line.part.id])) for line in lines]
    prices = [(line, price) for line, price in priced if isinstance(price, Price)]
    ranges = [(line, price) for line, price in priced if isinstance(price, Estimate)]
    lacking = [line for line, price in priced if price is None]
    own = [(line, price.since) for line, price in ranges if price.basis is Basis.OWN_PRICE]
    own = sorted([*((line, price.as_of) for line, price in prices), *own], key=lambda one: one[1])
    totals = list(_totals(prices, ranges))
    main = (into or totals[0].currency) if totals else None
    listed_prices = [price for line in lines if (price := guide.as_listed(line.part, conditions[line.part.id]))]
    bands = {line.part.id for line, price in ranges if price.basis is Basis.USED_BAND}
    return PriceTotal(
        tuple(_in_one(totals, guide.terms, main)),
        tuple((line.part.id, estimate) for line, estimate in ranges),
        _count(lacking),
        tuple(line.part.id for line in lacking),
        own[0][1] if own else None,
        own[-1][1] if own else None,
        guide.terms.notes(listed_prices, main),
        own[0][0].part.title if own else "",
        _count([line for line, day in own if today - day > YEAR]),
        _count([line for line, _ in own]),
        tuple((line.part, price) for line in lines if line.part.id not in bands and (price := guide.past(line.part))),
        _count(used),
        _count(every) - _count(lines),
        tuple(line.part for line in used if guide.counts_as_new(line.part)),
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


def _totals(prices: list[tuple[Line, Price]], ranges: list[tuple[Line, Estimate]]) -> Iterator[CurrencyTotal]:
    """By currency, that of most parts first; used ones, whose sources write in their own, count where no others do."""
    parts: Counter[str] = Counter()
    sold_used: Counter[str] = Counter()
    priced: list[tuple[Line, Price | Estimate]] = [*prices, *ranges]
    for line, price in priced:
        band = isinstance(price, Estimate) and price.basis is Basis.USED_BAND
        (sold_used if band else parts)[price.currency] += line.quantity
    for code in sorted(parts.keys() | sold_used.keys(), key=lambda code: (-parts[code], -sold_used[code], code)):
        here = [(line, price) for line, price in prices if price.currency == code]
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
