"""What a suggested fix is: a change that makes a finding go away, and its consequences in figures and money."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum
from typing import Annotated, Any, Protocol

from pydantic import Field, PlainSerializer, computed_field

from core.parts.part import Condition, Part, Price
from core.parts.price_guide import PriceGuide
from core.parts.price_today import month_of
from core.parts.query import Hit, Query
from core.plan.build import Build
from core.plan.edits import Edit
from core.plan.line import Line
from core.platform.json_value import Hundredths, JsonValue
from core.predict.band import Band
from core.words import english, enumerated, joined, lowered, plain, tr, trn
from core.words.units import number


@dataclass(frozen=True, slots=True)
class PriceChange(JsonValue):
    """What the machine costs more (or less, below zero) with a change: at least and at most."""

    low: Hundredths
    high: Hundredths
    currency: str
    month: Annotated[str, Field(serialization_alias="oldest"), PlainSerializer(lambda month: month or None)] = ""
    """ "2022-11": of the oldest price in it, where that is over three months old."""
    unpriced: int = 0
    """Parts that are bought or saved and of which no price is known: not in the amounts."""

    @computed_field
    @property
    def amount(self) -> Hundredths:
        """The middle of the band."""
        return (self.low + self.high) / 2

    @computed_field
    @property
    def estimated(self) -> bool:
        """Whether an estimate is in it."""
        return self.low < self.high

    @property
    def words(self) -> str:
        """ "+1200 USD (2022-11)", of estimates "+900 to +1400 USD"; and how many parts are left out of it."""
        ends = list(dict.fromkeys(map(_signed, (self.low, self.high))))
        if len(ends) == 1:
            amount = plain("{amount} {currency}", amount=ends[0], currency=self.currency)
        else:
            amount = tr("{low} to {high} {currency}", low=ends[0], high=ends[1], currency=self.currency)
        aged = f"{amount} ({self.month})" if self.month else amount
        if not self.unpriced:
            return aged
        apart = trn("{count} part without a price", "{count} parts without a price", count=self.unpriced)
        return joined((aged, apart), ", ")


def price_change(before: Build, changes: Iterable[tuple[Part, int]], guide: PriceGuide) -> PriceChange | None:
    """The difference in price; None where no price is known of what is bought or saved, or there is no such thing.

    Parts count new or used as their line does, or would; to take out what is owned saves nothing.
    """
    priced = []
    for part, count in changes:
        condition = before.condition_of(before.line(part.id) or Line(part), guide.today)
        if condition is Condition.OWNED and count < 0:
            continue
        priced.append((guide.price(part, Condition.NEW if condition is Condition.OWNED else condition), count))
    codes = Counter(price.currency for price, _ in priced if price)
    currency = guide.terms.currency or max(sorted(codes), key=lambda code: codes[code], default="")
    lows, highs, days, unpriced = [], [], [], 0
    for price, count in priced:
        factor = guide.terms.factor(price.currency, currency) if price else None
        if price is None or factor is None:
            unpriced += abs(count)
            continue
        days.append(price.as_of if isinstance(price, Price) else price.since)
        both = (price.amount, price.amount) if isinstance(price, Price) else (price.low, price.high)
        low, high = sorted(count * factor * end for end in both)
        lows.append(low)
        highs.append(high)
    if not days:
        return None
    return PriceChange(fsum(lows), fsum(highs), currency, month_of(min(days), guide.today), unpriced)


def _signed(amount: float) -> str:
    """ "+1200", "-300"."""
    sign = "-" if round(amount) < 0 else "+"
    return f"{sign}{number(abs(amount), 0)}"


class PartSource(Protocol):
    """The catalogue, as far as fixes need it."""

    def find(self, query: Query) -> list[Hit]: ...

    def part(self, part_id: str) -> Part | None: ...


EFFORT_CLASSES = (2.0, 6.0, 12.0, 25.0)
"""Where the next class of `cost` begins: a setting or a cable, a part that is soon fitted, one that the machine is
taken apart for, several of them or much of the speed, more than that. Within a class money decides."""
VAGUE = 0.5
"""A band of speed wider than this tells nobody anything."""


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that makes a finding go away, and makes nothing fail that did not fail before.

    `buys` are titles of parts that must be bought; `price` is None where nothing is bought or saved, or none of the
    prices is known. `speed` is that of training over the speed before, `wall_w` and `noise_db` are the
    changes in training, of the wall power and of the level; all three None where nothing changes. `remains` are the
    sentences of what still fails or warns, the most urgent first, and `brings` those of rules that say more than
    before. `eased`: the finding failed and still warns, or warned of more than the limit and still warns. `cost` is
    that without money, see `core.advise.consequences.fix_cost`.
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
    def order(self) -> tuple[int, bool, float, float]:
        """The cheapest first: of about as much work and loss, what costs the least money, a known price first."""
        money = self.price.amount if self.price else 0.0
        unknown = bool(self.price.unpriced if self.price else self.buys)
        return bisect(EFFORT_CLASSES, self.cost), unknown, money, self.cost

    @property
    def costs(self) -> tuple[str, ...]:
        """What it costs and brings in figures: speed, power, noise and money, and that a warning remains."""
        return tuple(_consequences(self))

    @property
    def effects(self) -> tuple[str, ...]:
        """What there is to know beside these figures, a sentence each: parts to buy, and what rules say more than
        before."""
        parts = (tr("To buy: {parts}.", parts=enumerated(self.buys)),) if self.buys else ()
        return (*parts, *(tr("New: {sentence}", sentence=sentence) for sentence in self.brings))

    @property
    def sentence(self) -> str:
        """The change, and what it costs and brings in figures."""
        if not self.costs:
            return tr("{title}.", title=self.title)
        return tr("{title}: {consequences}.", title=self.title, consequences=enumerated(self.costs))

    @property
    def in_all(self) -> tuple[str, ...]:
        """What several changes together cost, buy and bring, a sentence each."""
        costs = enumerated(self.costs) or tr("no change of speed, power, noise or price")
        return (tr("Effects: {effects}.", effects=costs), *self.effects)

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in English; keys are stable."""
        shown: dict[str, Any] = english(self._fields())
        return shown

    def _fields(self) -> dict[str, Any]:
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
        low, expected, high = (100 * share for share in fix.speed.triple)
        if fix.speed.high - fix.speed.low < VAGUE:
            yield tr("{share:.0f} % of the speed ({low:.0f} to {high:.0f} %)", share=expected, low=low, high=high)
        else:
            yield tr("about {share:.0f} % of the speed", share=expected)
    if fix.wall_w is not None:
        watts = abs(fix.wall_w)
        more = fix.wall_w > 0
        text = tr("{watts:.0f} W more at the wall", watts=watts)
        yield text if more else tr("{watts:.0f} W less at the wall", watts=watts)
    if fix.noise_db is not None:
        level, louder = abs(fix.noise_db), fix.noise_db > 0
        yield tr("{level:.0f} dB louder", level=level) if louder else tr("{level:.0f} dB quieter", level=level)
    if fix.price is not None:
        yield fix.price.words
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


def and_then(first: str, second: str) -> str:
    """The title of two changes together."""
    return tr("{first}, and {second}", first=first, second=lowered(second))
