"""What an unknown price may be: the range of the prices of similar parts.

Never one figure, and nothing at all for parts that are only sold as a piece of a whole machine, nor where fewer than
`MIN_SIMILAR` similar parts have a price.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from math import ceil, floor, log10, prod
from types import MappingProxyType
from typing import Any

from core.parts.money import in_net_dollars
from core.parts.part import Part, Price, Source
from core.parts.price_index import PriceIndex
from core.parts.price_today import OF_THE_MAKER, full_words
from core.parts.vocabulary import CaseKind, Category, FormFactor
from core.words import listed, tr, trn
from core.words.units import number, span

MIN_SIMILAR = 3
MAKER = "maker"
YEARS_APART = 5
"""Of two generations; parts further apart than that say little of each other's price."""
MANY = 20
"""For each so many similar parts, the dearest and the cheapest are left out."""
FRESH_MONTHS, WIDER_A_MONTH, WIDEST = 3, 0.02, 0.3
"""For so long a used price holds; then its band gets wider each month by that share, up to that. Medians of what RTX
A6000, V100 and A100 were sold for on eBay moved by 11 % in three months, 15 % in six and 18 % in nine."""
SALES_APART = 1.6
"""Where sales were counted, the ends of a band are those of medians. Single sales lie further: on eBay in 2025 and 2026
four of five of V100, A100, L40S and RTX A6000 within this factor of their month's median."""
TOLD_SOURCES = 2
"""So many sources of a used price are named in a sentence; JSON and the file have all."""
MARGIN = 1.1
"""What the range is wider by at each end, as a factor: a few known prices never span all that there are. With it, about
four of five known prices lie in the range that the others give (a test holds it to that)."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Figures in which similar parts agree, and those that may differ by a factor."""

    same: tuple[str, ...]
    near: Mapping[str, float] = field(default_factory=dict)
    per: tuple[str, ...] = ()
    """Figures whose product the price goes with, such as gigabytes; none: prices compare as they are."""


LIKENESS: Mapping[Category, tuple[Likeness, ...]] = MappingProxyType(
    {
        Category.GPU: (
            Likeness(("product", "memory_gb", "form", "cooling")),
            Likeness(("product", "memory_gb", "form")),
            Likeness(("chip", "memory_gb", "form")),
        ),
        Category.CPU: (
            Likeness(("socket", "architecture"), {"cores": 1.0}),
            Likeness(("socket", "architecture"), {"cores": 1.35}),
            Likeness(("socket",), {"cores": 1.35}),
        ),
        Category.MOTHERBOARD: (Likeness(("socket", "cpu_sockets", "chipset")), Likeness(("socket", "cpu_sockets"))),
        Category.RAM: (
            Likeness(("ram_type", "kind", "modules", "module_gb")),
            Likeness(("ram_type", "kind", "modules"), {"module_gb": 1.5}),
            Likeness(("ram_type", "kind"), {"module_gb": 3.0}, ("modules", "module_gb")),
        ),
        Category.STORAGE: (
            Likeness(("kind", "form_factor", "pcie_generation"), {"capacity_gb": 1.1}),
            Likeness(("kind",), {"capacity_gb": 1.1}),
            Likeness(("kind",), {"capacity_gb": 2.0}, ("capacity_gb",)),
        ),
        Category.PSU: (
            Likeness(("form_factor", "efficiency_level"), {"power_w": 1.1}),
            Likeness(("form_factor",), {"power_w": 1.15}),
        ),
        Category.CASE: (
            Likeness(("kind", "expansion_slots", "rack_units")),
            Likeness(("kind",), {"expansion_slots": 1.2}),
        ),
        Category.SYSTEM: (Likeness(("product", "memory_gb"), {"capacity_gb": 1.5}), Likeness(("product", "memory_gb"))),
        Category.CPU_COOLER: (
            Likeness(("kind", "radiator_mm"), {"height_mm": 1.15}),
            Likeness(("kind", "radiator_mm")),
        ),
        Category.FAN: (Likeness(("maker", "size_mm", "thickness_mm")), Likeness(("size_mm", "thickness_mm"))),
        Category.RADIATOR: (Likeness(("length_mm", "fan_size_mm")),),
        Category.RISER: (Likeness(("kind", "generation"), {"length_mm": 1.5}), Likeness(("kind", "generation"))),
        Category.CARRIER: (Likeness(("kind", "generation", "host_lanes")), Likeness(("kind",))),
        Category.NVLINK_BRIDGE: (Likeness(("generation",)),),
        Category.NIC: (Likeness(("ports",), {"port_gbit": 1.0}),),
        Category.UPS: (Likeness((), {"apparent_va": 1.25}),),
        Category.PDU: (Likeness(("metering", "inlet")),),
    }
)
"""By category, what makes two parts similar, the closest likeness first. Other categories are not estimated."""


class Basis(StrEnum):
    """What an estimate rests on."""

    OWN_PRICE = "own_price"
    """An older price of the part, or its maker's, brought to today by the index of its class."""
    SIMILAR_PARTS = "similar_parts"
    """Prices of similar parts, each brought to today."""
    USED_BAND = "used_band"
    """What used ones of the kind are sold for."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A range of prices in one currency, and how many known ones it rests on, with their first and last day."""

    low: float
    high: float
    currency: str
    parts: int
    """Similar parts, or sales of a used one; 0 where a guide does not count them."""
    since: date
    until: date
    basis: Basis = Basis.SIMILAR_PARTS
    price: Price | None = None
    """The part's own, where it rests on that: in the currency and of the day of its source."""
    index: PriceIndex | None = None
    """What brought that to today; None where the class has none."""
    middle: float | None = None
    """What used ones usually fetch."""
    sources: tuple[Source, ...] = ()
    """Where used prices were read."""
    shown_price: Price | None = None
    """The part's own as it is shown."""

    @property
    def amount(self) -> float:
        """The middle of the range; of used ones what they usually fetch."""
        return (self.low + self.high) / 2 if self.middle is None else self.middle

    @property
    def own(self) -> Price | None:
        """The part's own price, where it rests on that, as it is shown."""
        return self.shown_price or self.price

    @property
    def share(self) -> float:
        """How far the range reaches to either side of its middle, as a share of that."""
        return (self.high - self.low) / (self.high + self.low)

    @property
    def as_price(self) -> Price:
        """Its middle, with its first day, where amounts are added up and compared."""
        return Price(amount=self.amount, currency=self.currency, as_of=self.since, kind="street")

    def times(self, factor: float, currency: str) -> Estimate:
        """The same in another currency, or with VAT."""
        middle = None if self.middle is None else self.middle * factor
        return replace(self, low=self.low * factor, middle=middle, high=self.high * factor, currency=currency)

    def span(self, count: int = 1) -> str:
        """ "250 to 620 USD", of so many."""
        return span(_rounded(self.low * count, floor), _rounded(self.high * count, ceil), self.currency)

    @property
    def words(self) -> str:
        """ "about 250 to 620 USD, estimated from 7 similar parts (prices of 2022 to 2025)"."""
        since, until = self.since.year, self.until.year
        prices, own = self.span(), self.own
        if own is not None and self.index is None:
            return tr(
                "about {prices}, estimated from {price}; no index of its class is known",
                prices=prices,
                price=full_words(own),
            )
        if own is not None and self.index is not None:
            return tr(
                "about {prices}, estimated from {price} and how prices of {index} moved until {month}",
                prices=prices,
                price=full_words(own),
                index=self.index.name,
                month=f"{self.index.until:%Y-%m}",
            )
        if self.basis is Basis.USED_BAND:
            return tr(
                "about {prices} used, usually {middle}, as of {month} ({sources})",
                prices=prices,
                middle=number(self.middle or self.low, 0),
                month=f"{self.until:%Y-%m}",
                sources=source_words(self.sources),
            )
        if since == until:
            return trn(
                "about {prices}, estimated from {count} similar part (prices of {year})",
                "about {prices}, estimated from {count} similar parts (prices of {year})",
                prices=prices,
                count=self.parts,
                year=str(since),
            )
        return trn(
            "about {prices}, estimated from {count} similar part (prices of {since} to {until})",
            "about {prices}, estimated from {count} similar parts (prices of {since} to {until})",
            prices=prices,
            count=self.parts,
            since=str(since),
            until=str(until),
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields: dict[str, Any] = {
            "low": round(self.low, 2),
            "high": round(self.high, 2),
            "currency": self.currency,
            "basis": self.basis.value,
            "similar_parts": self.parts if self.basis is Basis.SIMILAR_PARTS else 0,
            "prices_since": self.since.isoformat(),
            "prices_until": self.until.isoformat(),
            **(self._band() if self.basis is Basis.USED_BAND else {}),
        }
        if self.price is not None:
            fields["price"] = self.price.model_dump(mode="json", exclude_none=True)
        if self.index is not None:
            fields["index"] = {
                "name": self.index.name,
                "until": f"{self.index.until:%Y-%m}",
                "sources": [source.url for source in self.index.sources],
            }
        return fields

    def _band(self) -> dict[str, Any]:
        sources = [{"title": source.title, "url": source.url} for source in self.sources]
        return {"middle": self.middle, "sales": self.parts, "sources": sources}


def estimated(part: Part, priced: Iterable[tuple[Part, Price]]) -> Estimate | None:
    """The range of the prices of parts that are like this one; None where there are too few. Pure.

    The closest likeness that enough parts share decides; of their prices those of shops, if these are enough. All are
    compared in dollars, without the tax that is included where they were listed.
    """
    if sold_in_a_machine(part):
        return None
    others = [(other, price) for other, price in priced if other.id != part.id and other.category is part.category]
    for likeness in LIKENESS.get(part.category, ()):
        alike = [
            net.times(_amount(part, likeness) / _amount(other, likeness), net.currency)
            for other, price in others
            if _alike(part, other, likeness) and (net := in_net_dollars(price))
        ]
        if len(alike) >= MIN_SIMILAR:
            of_shops = [price for price in alike if price.kind not in OF_THE_MAKER]
            return _range(of_shops if len(of_shops) >= MIN_SIMILAR else alike)
    return None


def sold_in_a_machine(part: Part) -> bool:
    """Whether the part itself says that it is a piece of a complete system: a barebone, or its board."""
    kind, form = getattr(part.spec, "kind", None), getattr(part.spec, "form_factor", None)
    return kind is CaseKind.SYSTEM or form is FormFactor.PROPRIETARY


def _alike(part: Part, other: Part, likeness: Likeness) -> bool:
    if part.year is not None and other.year is not None and abs(part.year - other.year) > YEARS_APART:
        return False
    if not all(_figure(part, name) == _figure(other, name) for name in likeness.same):
        return False
    if any(_figure(one, name) is None for one in (part, other) for name in likeness.per):
        return False
    return all(_near(_figure(part, name), _figure(other, name), most) for name, most in likeness.near.items())


def _amount(part: Part, likeness: Likeness) -> float:
    """What the price goes with; of parts that are alike it is known."""
    return prod(float(_figure(part, name)) for name in likeness.per)


def _figure(part: Part, name: str) -> Any:
    return part.maker if name == MAKER else getattr(part.spec, name)


def _near(one: float | None, other: float | None, most: float) -> bool:
    return one is not None and other is not None and max(one, other) <= most * min(one, other)


def _range(prices: Sequence[Price]) -> Estimate:
    amounts = sorted(price.amount for price in prices)
    cut = len(amounts) // MANY
    low, high = amounts[cut] / MARGIN, amounts[-1 - cut] * MARGIN
    days = [price.as_of for price in prices]
    return Estimate(low, high, prices[0].currency, len(prices), min(days), max(days))


def used_estimate(price: Price, sources: tuple[Source, ...], observations: int, today: date) -> Estimate:
    """A dated band of used prices as it is today: wider, the older it is."""
    wider, apart = widening(price.as_of, today), SALES_APART if observations else 1.0
    low = min(price.low or price.amount, price.amount / apart) / wider
    high = max(price.high or price.amount, price.amount * apart) * wider
    ends = _rounded(low, floor), _rounded(high, ceil)
    as_of = price.as_of
    return Estimate(
        *ends, price.currency, observations, as_of, as_of, Basis.USED_BAND, middle=price.amount, sources=sources
    )


def source_words(sources: Sequence[Source]) -> str:
    """The first two titles, and how many more there are."""
    names, more = [source.title for source in sources[:TOLD_SOURCES]], len(sources) - TOLD_SOURCES
    if more > 0:
        names.append(trn("{count} more source", "{count} more sources", count=more))
    return listed(names)


def widening(as_of: date, today: date) -> float:
    """The factor by which a band of that day is wider today at each end: none for three months."""
    months = max((today - as_of).days / 30.44 - FRESH_MONTHS, 0.0)
    return 1 + min(months * WIDER_A_MONTH, WIDEST)


def _rounded(amount: float, to_whole: Callable[[float], int]) -> float:
    """To two figures, outwards: an estimate is no price."""
    step = 10.0 ** (floor(log10(amount)) - 1)
    return float(to_whole(round(amount / step, 6)) * step)
