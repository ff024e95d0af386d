"""What the search chooses from: priced parts of today that a wish allows, each in the numbers that make sense of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from math import ceil
from typing import Any, Protocol

from core.find.allowed import Lack, lack_of, stand_in
from core.find.wish import MOST_CARDS, Wish
from core.parts.figures import deciding
from core.parts.part import Condition, Part, Price, no_longer_sold
from core.parts.price_estimate import Estimate
from core.parts.price_guide import PriceGuide
from core.parts.specs import CpuCoolerSpec, CpuSpec, GpuSpec, PsuSpec, RamSpec
from core.parts.vocabulary import Category
from core.plan.line import Line
from core.platform.errors import BadInput
from core.predict.noise.noise import NOISE_READS
from core.rules.registry import RULES
from core.words import listed, tr

CATEGORIES = (
    Category.GPU,
    Category.MOTHERBOARD,
    Category.CPU,
    Category.RAM,
    Category.PSU,
    Category.STORAGE,
    Category.CASE,
    Category.CPU_COOLER,
)
"""What every machine of the search has one kind of."""
LIMITS = (1.0, 0.8, 0.65)
"""Power limits that are tried, as shares of a card's own: the last is near the most work per watt."""
MOST_PSUS = 3
MOST_CPUS = 2
KITS = (1, 2, 3, 4, 6, 8)
"""Kits of RAM of one kind."""
MOST_MODULES = 16
BESIDE_RULES = ("cpu.boost_clock_mhz", "cpu.cores", "ram.speed_mts", "storage.capacity_gb")
"""Figures that speed and wish read and no rule."""


class PartSource(Protocol):
    """The catalogue, as far as this needs it."""

    def parts(self, *, category: Category | None = None) -> Iterable[Part]: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """So many of a part, as they would stand in a build, and what they cost."""

    line: Line
    cents: int
    """Hundredths of the wish's currency, of all of them: the high end of an estimate."""
    estimated: bool
    since: date
    """Of the price; for owned parts today."""
    unknown: int
    """Deciding figures of the part that nobody knows."""
    real: Part
    """What is bought: `part` may stand in for it, with the unfavourable side of what nobody knows."""

    @property
    def part(self) -> Part:
        """What it is."""
        return self.line.part

    @property
    def spec(self) -> Any:
        """Its figures."""
        return self.line.part.spec

    @property
    def label(self) -> str:
        """Tells it from all other choices."""
        line = self.line
        return f"{line.part.id} x{line.quantity}" + (f" at {line.power_limit_w:g} W" if line.power_limit_w else "")

    @property
    def order(self) -> tuple[int, int, int, str, int, float]:
        """The better of equals comes first: cheaper, better known, more newly priced, then by id."""
        limit = self.line.power_limit_w or 0.0
        return self.cents, self.unknown, -self.since.toordinal(), self.part.id, self.line.quantity, -limit


@dataclass(frozen=True, slots=True)
class Candidates:
    """By category what may be chosen, in `Choice.order`, and how many parts were left out, by what they lack."""

    choices: Mapping[Category, tuple[Choice, ...]]
    left_out: Mapping[Category, Mapping[Lack, int]]

    @property
    def unpriced(self) -> Mapping[Category, int]:
        """How many parts had to be left out for lack of a price alone."""
        return {category: lacks.get(Lack.PRICE, 0) for category, lacks in self.left_out.items()}


@dataclass(frozen=True, slots=True)
class Offer:
    """A part with the price of one today, new, or used where nobody sells it new; None without."""

    part: Part
    price: Price | Estimate | None
    gone: bool
    """Nobody is known to sell it new."""


@dataclass(frozen=True, slots=True)
class Offers:
    """What a catalogue has of each category, with prices in one currency: read once for many wishes."""

    by_category: Mapping[Category, tuple[Offer, ...]]
    currency: str
    today: date


def read_offers(catalogue: PartSource, guide: PriceGuide, currency: str) -> Offers:
    """All parts of the search's categories. A price that no rate brings into the currency is none."""
    guide = replace(guide, terms=guide.terms.model_copy(update={"currency": currency}))
    offers = {
        category: tuple(_offer(part, guide, currency) for part in catalogue.parts(category=category))
        for category in CATEGORIES
    }
    return Offers(offers, currency, guide.today)


def _offer(part: Part, guide: PriceGuide, currency: str) -> Offer:
    new = None if no_longer_sold(part, guide.today) else guide.price(part)
    price = new or guide.price(part, Condition.USED)
    return Offer(part, price if price is not None and price.currency == currency else None, gone=new is None)


def candidates(wish: Wish, offers: Offers) -> Candidates:
    """All choices that a wish allows. Pure, whatever the order of the offers, which are in the wish's currency.

    Of parts that are equal in every figure that a rule or a prediction reads only the best by `Choice.order` stays.
    Raises BadInput for a part that the machine must have and nobody offers.
    """
    every = {offer.part.id for group in offers.by_category.values() for offer in group}
    if missing := sorted({*wish.must} - every):
        raise BadInput(tr("The catalogue has no {parts} that a machine is searched with.", parts=listed(missing)))
    choices: dict[Category, tuple[Choice, ...]] = {}
    left_out: dict[Category, Mapping[Lack, int]] = {}
    for category, group in offers.by_category.items():
        must = [offer for offer in group if offer.part.id in wish.must]
        lacks: Counter[Lack] = Counter()
        some: list[Choice] = []
        for offer in must or group:
            price, lack = _price(offer, wish, offers.today), lack_of(offer.part, wish)
            if lack is None and price is not None:
                some += _choices(offer.part, price, wish)
            else:
                lacks[lack or Lack.PRICE] += 1
        choices[category] = tuple(_best_of_equals(some))
        left_out[category] = lacks
    sockets = max((board.spec.cpu_sockets for board in choices.get(Category.MOTHERBOARD, ())), default=1)
    for category in (Category.CPU, Category.CPU_COOLER):
        choices[category] = tuple(one for one in choices.get(category, ()) if one.line.quantity <= sockets)
    return Candidates(choices, left_out)


@dataclass(frozen=True, slots=True)
class _Priced:
    cents: int
    estimated: bool
    since: date
    condition: Condition | None = None
    """None is what the build takes it for by itself."""


def _price(offer: Offer, wish: Wish, today: date) -> _Priced | None:
    """Of one; None for what nobody can buy at a price that is known or estimated."""
    if offer.part.id in wish.owned:
        return _Priced(0, False, today, Condition.OWNED)
    price = offer.price
    if price is None or (offer.gone and not wish.used):
        return None
    condition = Condition.USED if offer.gone else None
    if isinstance(price, Price):
        return _Priced(ceil(100 * price.amount), False, price.as_of, condition)
    return _Priced(ceil(100 * price.high), True, price.since, condition)


def _choices(real: Part, price: _Priced, wish: Wish) -> Iterator[Choice]:
    part = stand_in(real, wish)
    unknown = sum(getattr(part.spec, field) is None for field in deciding(part.category)) + (part is not real)
    for quantity in _quantities(part.spec, wish):
        if part.id in wish.owned and quantity > wish.owned[part.id]:
            continue
        for limit_w in _limits(part.spec):
            line = Line(part, quantity, power_limit_w=limit_w, condition=price.condition)
            yield Choice(line, price.cents * quantity, price.estimated, price.since, unknown, real)


def _quantities(spec: Any, wish: Wish) -> Iterable[int]:
    match spec:
        case GpuSpec():
            return (wish.cards,) if wish.cards else range(1, MOST_CARDS + 1)
        case PsuSpec():
            return range(1, MOST_PSUS + 1)
        case CpuSpec():
            return range(1, min(spec.max_sockets or 1, MOST_CPUS) + 1)
        case CpuCoolerSpec():
            return range(1, MOST_CPUS + 1)
        case RamSpec():
            return [kits for kits in KITS if kits * (spec.modules or 1) <= MOST_MODULES]
    return (1,)


def _limits(spec: Any) -> Iterator[float | None]:
    """A card whose lowest limit is unknown may not be one that can be limited."""
    yield None
    if isinstance(spec, GpuSpec) and spec.power_limit_w and spec.power_limit_min_w:
        for share in LIMITS[1:]:
            watts = round(share * spec.power_limit_w)
            if watts >= spec.power_limit_min_w:
                yield float(watts)


def _best_of_equals(choices: Iterable[Choice]) -> Iterator[Choice]:
    best: dict[Any, Choice] = {}
    for choice in sorted(choices, key=lambda one: one.order):
        best.setdefault(_figures(choice), choice)
    yield from best.values()


def _figures(choice: Choice) -> Any:
    line, spec = choice.line, choice.spec
    figures = tuple(hashable(getattr(spec, name)) for name in figures_read(choice.part.category))
    return line.quantity, line.power_limit_w, figures


def hashable(value: Any) -> Any:
    """A figure as a key: tables of a board's lanes are written out."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


@cache
def figures_read(category: Category) -> tuple[str, ...]:
    """The figures of a category that rules, predictions or the search itself look at; of a GPU all but its names."""
    if category is Category.GPU:
        return tuple(name for name in GpuSpec.model_fields if name not in ("category", "discontinued"))
    read = [name for rule in RULES for name in rule.looks_at]
    every = (name.partition(".") for name in (*read, *NOISE_READS, *BESIDE_RULES))
    return tuple(sorted({field for whose, _, field in every if whose == category}))
