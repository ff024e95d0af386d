"""The prices that the catalogue knows, and what it takes for an unknown one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from core.parts.catalogue import Catalogue
from core.parts.money import AS_THEY_ARE, MoneyTerms, read_terms
from core.parts.part import Condition, Part, Price, no_longer_sold
from core.parts.price_ageing import amount_today
from core.parts.price_estimate import Basis, Estimate, estimated, used_estimate
from core.parts.price_index import index_of, shipped_indices
from core.parts.price_today import OF_THE_MAKER, USED, age_words, brought_words, dated_words, month_of, past_price
from core.parts.query import Filter, Query
from core.parts.used_prices import UsedPrices, shipped_used_prices
from core.parts.vocabulary import CaseKind, Category
from core.words import joined, tr, trn
from core.words.units import number

Priced = tuple[tuple[Part, Price], ...]


@dataclass(frozen=True, slots=True)
class PriceGuide:
    """Known prices by category, brought to today. Without any, none is estimated from those of similar parts."""

    priced: Mapping[Category, Priced] = field(default_factory=dict)
    in_machines: frozenset[str] = frozenset()
    """Ids of parts that makers sell within a complete system: what they would cost alone means nothing."""

    used: UsedPrices = field(default_factory=UsedPrices)
    """What parts fetch used."""
    terms: MoneyTerms = AS_THEY_ARE
    today: date = field(default_factory=date.today)
    """Prices are that old or new as seen from this day."""

    def price(self, part: Part, condition: Condition = Condition.NEW) -> Price | Estimate | None:
        """Its price of today as it is shown, else a range; None where neither can be told, and for what is owned.

        A used part for which no used price can be told is counted at what shops ask for it new: it costs no more than
        that. What its maker asked says nothing of a used one.
        """
        if condition is Condition.OWNED:
            return None
        if condition is Condition.USED:
            return self.used_price(part) or self._of_shops(part)
        if own := amount_today(part, self.today):
            return _shown(own, self.terms)
        if part.id in self.in_machines:
            return None
        similar = estimated(part, self.priced.get(part.category, ()))
        if similar is None:
            return None
        return _shown(replace(similar, index=index_of(part, shipped_indices())), self.terms)

    def used_price(self, part: Part) -> Price | Estimate | None:
        """What it costs used: the user's own price, one that it was sold for, or a newer band of parts like it."""
        sold, band = self._sold_for(part), self.used.band(part)
        if sold is not None:
            return self.terms.shown(sold)
        if band is None:
            return None
        price, sources = self.terms.shown(band.price(part)), self.used.sources_of(band)
        return used_estimate(price, sources, band.observations or 0, self.today)

    def as_listed(self, part: Part, condition: Condition) -> Price | None:
        """The price that its amount rests on, before it is converted; None where none is known."""
        if condition is Condition.USED:
            band = self.used.band(part)
            if sold := self._sold_for(part) or (band.price(part) if band else None):
                return sold
        return part.price if amount_today(part, self.today) else None

    def _sold_for(self, part: Part) -> Price | None:
        """The user's own price, else one that it was sold for used, unless the band of such parts is newer."""
        sold = part.price if part.price is not None and part.price.kind in (USED, "own") else part.used_price
        if sold is None or sold.kind == "own":
            return sold
        band = self.used.band(part)
        return sold if band is None or sold.as_of >= band.since else None

    def counts_as_new(self, part: Part) -> bool:
        """Whether a used one is counted at its price new, for want of another."""
        return self.used_price(part) is None and self._of_shops(part) is not None

    def _of_shops(self, part: Part) -> Price | Estimate | None:
        own = amount_today(part, self.today)
        return _shown(own, self.terms) if own and part.price and part.price.kind not in OF_THE_MAKER else None

    def past(self, part: Part) -> Price | None:
        """What the maker asked for a part that is no longer sold, as it is shown; None where its price counts."""
        past = past_price(part, self.today)
        return self.terms.shown(past) if past else None

    def compared(self, part: Part) -> Price | Estimate | None:
        """What its own price says of today or, of a part no longer sold, what used ones fetch: in the currency in which
        prices are put in order, in its own where no rate is known."""
        if own := amount_today(part, self.today):
            return _shown(own, self.terms.compared)
        used = no_longer_sold(part, self.today)
        return replace(self, terms=self.terms.compared).used_price(part) if used else None


def _shown(price: Price | Estimate, terms: MoneyTerms) -> Price | Estimate:
    if isinstance(price, Price):
        return terms.shown(price)
    one = terms.shown(Price(amount=1.0, currency=price.currency, as_of=price.until, kind="street"))
    return replace(price.times(one.amount, one.currency), shown_price=price.price and terms.shown(price.price))


def age_of(price: Price | Estimate | None, today: date) -> str:
    """ "2025-07", "launch 2025-01" of the price, or of that which an estimate rests on; empty where it is recent."""
    if isinstance(price, Estimate) and price.basis is Basis.USED_BAND:
        return month_of(price.until, today)
    own = price.price if isinstance(price, Estimate) else price
    return age_words(own, today) if own else ""


def today_words(price: Price | Estimate | None, today: date, quantity: int = 1) -> str:
    """ "1199 USD", of so many, with its age; "≈ 4780 USD (launch 2025-01)" of an estimate, "≈ 650 USD used"; empty
    without any."""
    if price is None:
        return ""
    if isinstance(price, Price):
        return dated_words(price, today, quantity)
    if price.basis is Basis.USED_BAND:
        amount = number(price.amount * quantity, 0)
        words = tr("≈ {amount} {currency} used", amount=amount, currency=price.currency)
        return joined((words, month_of(price.until, today)), ", ")
    middle = {"amount": price.amount * quantity, "currency": price.currency}
    return brought_words((price.price or price.as_price).model_copy(update=middle), today)


NO_GUIDE = PriceGuide()


def read_guide(catalogue: Catalogue, parts: Iterable[Part]) -> PriceGuide:
    """What the catalogue knows of the prices of parts like these, in the currency that is set in its folder.

    No part is read where the own price of each says something of today. Raises BadInput where what is set cannot be
    read.
    """
    terms = read_terms(catalogue.path.parent)
    categories = lacking_prices(parts)
    if not categories:
        return PriceGuide(used=shipped_used_prices(), terms=terms)
    priced = {category: priced_parts(catalogue, category) for category in sorted(categories)}
    return PriceGuide(priced, parts_in_machines(catalogue), shipped_used_prices(), terms)


def advice_guide(catalogue: Catalogue) -> PriceGuide:
    """As `read_guide`, of whatever part may be suggested: a category is read when a part of it has no price.

    For the thread of the catalogue alone. Raises BadInput where what is set cannot be read.
    """
    guide = read_guide(catalogue, ())
    return replace(guide, priced=_Priced(catalogue), in_machines=parts_in_machines(catalogue))


class _Priced(Mapping[Category, Priced]):
    """The priced parts of each category, read once when it is asked for."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._read: dict[Category, Priced] = {}

    def __getitem__(self, category: Category) -> Priced:
        if category not in self._read:
            self._read[category] = priced_parts(self._catalogue, category)
        return self._read[category]

    def __iter__(self) -> Iterator[Category]:
        return iter(Category)

    def __len__(self) -> int:
        return len(Category)


def lacking_prices(parts: Iterable[Part]) -> frozenset[Category]:
    """The categories in which the own prices of some of these parts say nothing of today."""
    today = date.today()
    return frozenset(part.category for part in parts if amount_today(part, today) is None)


def priced_parts(catalogue: Catalogue, category: Category) -> Priced:
    """The parts of a category whose own prices say something of today, with them, brought there."""
    today = date.today()
    return tuple(
        (
            part,
            part.price.model_copy(update={"amount": own.amount, "currency": own.currency, "low": None, "high": None}),
        )
        for part in catalogue.parts(category=category, priced=True)
        if part.price and (own := amount_today(part, today))
    )


def count_unpriced(catalogue: Catalogue, query: Query) -> int:
    """How many parts a limit on prices leaves out because nobody knows what they cost today."""
    wide = query.without("price")
    priced = replace(wide, filters=(*wide.filters, Filter("price", low=0.0)))
    return catalogue.count(wide) - catalogue.count(priced)


def unpriced_words(count: int) -> str:
    """That so many are left out; empty for none."""
    if not count:
        return ""
    return trn(
        "{count} part without a price of today is left out.",
        "{count} parts without a price of today are left out.",
        count=count,
    )


def parts_in_machines(catalogue: Catalogue) -> frozenset[str]:
    """Ids of all that complete systems are made of."""
    systems = catalogue.find(Query(category=Category.CASE, filters=(Filter("kind", (CaseKind.SYSTEM,)),)))
    chassis = (catalogue.part(hit.id) for hit in systems)
    return frozenset(part_id for part in chassis if part for part_id in getattr(part.spec, "sold_with", ()))
