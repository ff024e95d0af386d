"""What a suggested fix is: a change that makes a finding go away, and its consequences in figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from math import fsum
from typing import Any, Protocol

from core.build.build import Build
from core.build.edits import Edit
from core.language import english, lowered, plain, tr
from core.parts.condition import Condition
from core.parts.hit import Hit
from core.parts.money import AS_THEY_ARE
from core.parts.part import Part, Price
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide
from core.parts.price_today import month_of
from core.parts.query import Query
from core.phrasing import enumerated
from core.predict.band import Band
from core.units import number


class PartSource(Protocol):
    """The catalogue, as far as fixes need it."""

    def find(self, query: Query) -> list[Hit]: ...

    def part(self, part_id: str) -> Part | None: ...


VAGUE = 0.5
"""A band of speed wider than this tells nobody anything."""


@dataclass(frozen=True, slots=True)
class PriceChange:
    """What the machine costs more (or less, below zero) with a fix."""

    amount: float
    currency: str
    month: str = ""
    """ "2022-11": of the oldest price in it, where that is over three months old."""
    estimated: bool = False
    """Whether a price in it is an estimate, of which it takes the middle."""

    @property
    def age(self) -> str:
        """ " (2022-11)", to be put behind the amount; else empty."""
        return f" ({self.month})" if self.month else ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON; `oldest` is the month of an old price."""
        return {
            "amount": round(self.amount, 2),
            "currency": self.currency,
            "oldest": self.month or None,
            "estimated": self.estimated,
        }


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that makes a finding go away, and makes nothing fail that did not fail before.

    `buys` are titles of parts that must be bought; `price` is None where nothing is bought or saved, a price is unknown
    or in a currency without a rate. `speed` is that of training over the speed before, `wall_w` and `noise_db` are the
    changes in training, of the wall power and of the level; all three None where nothing changes. `remains` are the
    sentences of what still fails or warns, the most urgent first, and `brings` those of rules that say more than
    before. `eased`: the finding failed and still warns, or warned of more than the limit and still warns. `cost` orders
    fixes, see `core.advise.fix_cost`.
    """

    edit: Edit
    title: str
    buys: tuple[str, ...] = ()
    price: PriceChange | None = None
    speed: Band | None = None
    wall_w: float | None = None
    noise_db: float | None = None
    remains: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    eased: bool = False
    cost: float = 0.0

    @property
    def sentence(self) -> str:
        """The change, and what it costs and brings in figures."""
        words = enumerated(list(_consequences(self)))
        if not words:
            return tr("{title}.", title=self.title)
        return tr("{title}: {consequences}.", title=self.title, consequences=words)

    @property
    def in_all(self) -> tuple[str, ...]:
        """What several changes together cost, buy and bring, a sentence each."""
        effects = enumerated(list(_consequences(self))) or tr("no change of speed, power, noise or price")
        return (
            *((tr("To buy: {parts}.", parts=enumerated(self.buys)),) if self.buys else ()),
            tr("Effects: {effects}.", effects=effects),
            *(tr("New: {sentence}", sentence=sentence) for sentence in self.brings),
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in English; keys are stable."""
        told: dict[str, Any] = english(self._told())
        return told

    def _told(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "sentence": self.sentence,
            "buys": list(self.buys),
            "price": self.price.as_dict() if self.price else None,
            "speed": self.speed.as_dict() if self.speed else None,
            "wall_w_change": None if self.wall_w is None else round(self.wall_w, 1),
            "noise_db_change": None if self.noise_db is None else round(self.noise_db, 1),
            "eased": self.eased,
            "remains": list(self.remains),
            "brings": list(self.brings),
        }


def _consequences(fix: Fix) -> Iterator[str]:
    if fix.speed is not None:
        low, expected, high = (100 * share for share in (fix.speed.low, fix.speed.expected, fix.speed.high))
        if fix.speed.high - fix.speed.low < VAGUE:
            yield tr("{share:.0f} % of the speed ({low:.0f} to {high:.0f} %)", share=expected, low=low, high=high)
        else:
            yield tr("about {share:.0f} % of the speed", share=expected)
    if fix.wall_w is not None:
        watts = abs(fix.wall_w)
        more = fix.wall_w > 0
        yield (
            tr("{watts:.0f} W more at the wall", watts=watts)
            if more
            else tr("{watts:.0f} W less at the wall", watts=watts)
        )
    if fix.noise_db is not None:
        level, louder = abs(fix.noise_db), fix.noise_db > 0
        yield tr("{level:.0f} dB louder", level=level) if louder else tr("{level:.0f} dB quieter", level=level)
    if fix.price is not None:
        sign = ("≈ " if fix.price.estimated else "") + ("-" if fix.price.amount < 0 else "+")
        amount = number(abs(fix.price.amount), 0)
        currency, age = fix.price.currency, fix.price.age
        yield plain("{sign}{amount} {currency}{age}", sign=sign, amount=amount, currency=currency, age=age)
    elif fix.buys:
        yield tr("price unknown")
    if fix.eased:
        yield tr("a warning remains")


def bought(before: Build, after: Build) -> tuple[tuple[Part, int], ...]:
    """Parts that a change adds, and takes out (below zero), with their number."""
    counts: dict[str, int] = {}
    parts: dict[str, Part] = {}
    for build, sign in ((after, 1), (before, -1)):
        for line in build.lines:
            parts.setdefault(line.part.id, line.part)
            counts[line.part.id] = counts.get(line.part.id, 0) + sign * line.quantity
    return tuple((parts[part_id], count) for part_id, count in counts.items() if count)


def paid(before: Build, changes: Iterable[tuple[Part, int]], today: date) -> Iterator[tuple[Part, int]]:
    """Those of the changes that money is paid or saved for: to take out what is owned saves nothing."""
    for part, count in changes:
        line = before.line(part.id) if count < 0 else None
        if line is None or before.condition_of(line, today) is not Condition.OWNED:
            yield part, count


def price_change(changes: Iterable[tuple[Part, int]], guide: PriceGuide) -> PriceChange | None:
    """The difference in price, in one currency; None where a price or a rate is unknown, or nothing is bought."""
    changes, as_listed = list(changes), replace(guide, terms=AS_THEY_ARE)
    told = [price for part, _ in changes if (price := as_listed.price(part))]
    prices = guide.terms.in_one(price if isinstance(price, Price) else price.as_price for price in told)
    if not prices or len(prices) < len(changes):
        return None
    amount = fsum(price.amount * count for price, (_, count) in zip(prices, changes, strict=True))
    oldest = min(price.as_of for price in prices)
    estimated = any(isinstance(price, Estimate) for price in told)
    return PriceChange(amount, prices[0].currency, month_of(oldest, guide.today), estimated)


def and_then(first: str, second: str) -> str:
    """The title of two changes together."""
    return tr("{first}, and {second}", first=first, second=lowered(second))
