"""Takes the prices of lists into the catalogue: what the user entered stays, no older price replaces a newer one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from core.parts.catalogue import Catalogue
from core.parts.money import COMPARED
from core.parts.own import Correction
from core.parts.part import Part, Price, Source, no_longer_sold
from core.parts.price_files import RefusedFile
from core.parts.price_list import BadLine, Doubt, ListTerms, read_price_lists
from core.parts.price_today import OF_THE_MAKER, STREET, USED, price_today
from core.words import Worded, english, joined, plain, tr, trc, trn
from core.words.refusal import refused_as
from core.words.units import number

_SOLD_NEW, _SOLD_USED = (STREET, "maker", USED), (USED, STREET, "maker")
DOUBTFUL = 10.0
"""So many times the price known, or so little of it, and a person decides."""


class Outcome(Worded):
    """What became of a price."""

    reason: str
    """Why a price was not taken; empty where it was."""

    NEW = "new", trc("price update", "new"), ""
    CHANGED = "changed", trc("price update", "changed"), ""
    SAME = "same", trc("price update", "unchanged"), ""
    OLDER = "older", trc("price update", "older"), tr("The known price is newer.")
    OWN = "own", trc("price update", "yours stays"), tr("You entered a price yourself.")
    BETTER = (
        "better",
        trc("price update", "better one stays"),
        tr("A price of shops counts more than the maker's; used ones count for parts that are no longer sold."),
    )
    DOUBTFUL = (
        "doubtful",
        trc("price update", "check"),
        tr("Ten times the known price or a tenth of it. Choose it if it is right."),
    )

    @property
    def taken(self) -> bool:
        """Whether the price is in the catalogue now."""
        return self in (Outcome.NEW, Outcome.CHANGED, Outcome.SAME)


@dataclass(frozen=True, slots=True)
class PriceChange:
    """What a list says of the price of a part, and what became of it."""

    part: Part
    """As it was before."""
    price: Price
    outcome: Outcome
    place: str
    beside: bool = False
    """Whether it is of a used one, and kept beside what shops ask for it new."""

    @property
    def before(self) -> Price | None:
        """What it cost before the update."""
        return self.part.used_price if self.beside else self.part.price

    @property
    def times(self) -> float | None:
        """The price in terms of the one before; None where there was none, or no rate is known between them."""
        return _times(self.price, self.before) if self.before else None

    @property
    def reason(self) -> str:
        """Why the price was not taken, or empty."""
        return self.outcome.reason

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        before = self.before.model_dump(mode="json", exclude_none=True) if self.before else None
        price = self.price.model_dump(mode="json", exclude_none=True)
        ids = {"id": self.part.id, "title": self.part.title, "outcome": self.outcome.value, "place": self.place}
        return ids | {"before": before, "price": price, "times": self.times}


@dataclass(frozen=True, slots=True)
class PriceUpdate:
    """What became of the lists: all their prices, lines that mean no part or no price, files that are no list."""

    changes: tuple[PriceChange, ...]
    bad: tuple[BadLine, ...] = ()
    refused: tuple[RefusedFile, ...] = ()

    @property
    def taken(self) -> tuple[PriceChange, ...]:
        """The prices that are in the catalogue now."""
        return tuple(change for change in self.changes if change.outcome.taken)

    @property
    def counts(self) -> dict[str, int]:
        """How many prices of each outcome, and lines of each doubt, none left out."""
        outcomes = Counter(change.outcome for change in self.changes)
        doubts = Counter(line.doubt for line in self.bad)
        return {one.value: outcomes[one] for one in Outcome} | {one.value: doubts[one] for one in Doubt}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        bad = [
            {"place": line.place, "number": line.number, "doubt": line.doubt.value, "reason": english(line.reason)}
            | {"similar": [part.id for part in line.similar]}
            for line in self.bad
        ]
        refused = [{"file": one.file, "reason": english(one.reason)} for one in self.refused]
        changes = [change.as_dict() for change in self.changes]
        return {"taken": len(self.taken), "counts": self.counts, "changes": changes, "bad": bad, "refused": refused}


def take_prices(
    catalogue: Catalogue, path: Path, terms: ListTerms, tell: Callable[[int], None] = lambda _: None
) -> PriceUpdate:
    """Lays the prices upon the parts, all or none; they outlast upgrades and imports, and can be taken back.

    Raises BadInput.
    """
    lists = read_price_lists(path, catalogue.identities(), terms, tell)
    changes = []
    for one in lists.priced:
        part = catalogue.require(one.part_id)
        beside = _is_beside(part, one.price, terms.today)
        outcome = _beside(part, one.price) if beside else _outcome(part, one.price, terms.today)
        changes.append(PriceChange(part, one.price, outcome, one.place, beside))
    update = PriceUpdate(_one_each(changes, terms.today), lists.bad, lists.refused)
    put = [change for change in update.taken if change.price != change.before]
    if put:
        corrections: dict[str, Correction] = {}
        for change in put:
            made = _correction(change.price, terms.source, beside=change.beside)
            corrections[change.part.id] = corrections.get(change.part.id, Correction()).then(made)
        catalogue.update_prices(corrections)
    return update


def take_chosen(catalogue: Catalogue, part_id: str, price: Price, source: Source | None) -> None:
    """Lays a price upon the part that a person chose for it, as a part of the last update."""
    beside = _is_beside(catalogue.require(part_id), price, date.today())
    catalogue.update_prices({part_id: _correction(price, source, beside=beside)}, further=True)


def price_source(title: str, url: str | None) -> Source:
    """Where the prices of a data set come from; nobody read them there one by one. Raises BadInput."""
    with refused_as(lambda place, reason: tr("The {place} of the source: {reason}.", place=place, reason=reason)):
        return Source(title=title, url=url, fields=("price",), read=False)


def _correction(price: Price, source: Source | None, *, beside: bool = False) -> Correction:
    sources = (source,) if source else ()
    if not beside:
        return Correction(price=price, sources=sources)
    of_used = tuple(one.model_copy(update={"fields": ("used_price",)}) for one in sources)
    return Correction(used_price=price, sources=of_used)


def _one_each(changes: Sequence[PriceChange], today: date) -> tuple[PriceChange, ...]:
    """Of a part that is no longer sold only one is taken of a new and a used price."""
    best: dict[tuple[str, bool], PriceChange] = {}
    for change in changes:
        key = change.part.id, change.beside
        other = best.get(key)
        if change.outcome.taken and (other is None or _counts_more(change.part, change.price, other.price, today)):
            best[key] = change
    return tuple(
        change if best.get((change.part.id, change.beside), change) is change or not change.outcome.taken
        else replace(change, outcome=Outcome.BETTER)
        for change in changes
    )  # fmt: skip


def _is_beside(part: Part, price: Price, today: date) -> bool:
    return price.kind == USED and not no_longer_sold(part, today)


def _beside(part: Part, price: Price) -> Outcome:
    """What becomes of a used price of a part that is still sold."""
    if part.price is not None and part.price.kind == "own":
        return Outcome.OWN
    return Outcome.NEW if part.used_price is None else _compared(part.used_price, price)


def _outcome(part: Part, price: Price, today: date) -> Outcome:
    listed = part.price
    if listed is None:
        return Outcome.NEW
    if listed.kind == "own" and price.kind != "own":
        return Outcome.OWN
    if price.kind != "own" and _stays(part, listed, price, today):
        return Outcome.BETTER
    of_maker = listed.kind in OF_THE_MAKER
    if price.as_of < listed.as_of and (price.kind == listed.kind or price.kind != "own") and not of_maker:
        return Outcome.OLDER
    if of_maker and price.kind not in OF_THE_MAKER:
        return Outcome.NEW
    return _compared(listed, price, doubt=not of_maker)


def _compared(listed: Price, price: Price, *, doubt: bool = True) -> Outcome:
    """Of a price that may take the place of the known one."""
    if price.as_of < listed.as_of and price.kind == listed.kind:
        return Outcome.OLDER
    times = _times(price, listed)
    if doubt and times is not None and price.kind != "own" and not 1 / DOUBTFUL < times < DOUBTFUL:
        return Outcome.DOUBTFUL
    same = (price.amount, price.currency, price.kind) == (listed.amount, listed.currency, listed.kind)
    return Outcome.SAME if same else Outcome.CHANGED


def _stays(part: Part, listed: Price, price: Price, today: date) -> bool:
    """Whether the listed price says more, and is still of today, or the other would not be."""
    if not _counts_more(part, listed, price, today):
        return False
    of_today = price_today(part.model_copy(update={"price": price}), today)
    return of_today is None or price_today(part, today) is not None


def _counts_more(part: Part, price: Price, other: Price, today: date) -> bool:
    """Whether a price says more of what a part costs than one of another kind, whichever is the newer."""
    return _rank(part, price, today) < _rank(part, other, today)


def _rank(part: Part, price: Price, today: date) -> int:
    """What shops ask comes before the maker's list; used ones count where a part is no longer sold."""
    if price.kind not in (STREET, USED, *OF_THE_MAKER):
        return 0
    kind = "maker" if price.kind in OF_THE_MAKER else price.kind
    order = _SOLD_USED if no_longer_sold(part, today) else _SOLD_NEW
    return 1 + order.index(kind)


def _times(price: Price, other: Price) -> float | None:
    one, two = COMPARED.shown(price), COMPARED.shown(other)
    return one.amount / two.amount if one.currency == two.currency else None


def update_words(update: PriceUpdate) -> str:
    """ "Prices: 40 changed, 12 new, 5 unchanged. 3 known prices are newer." """
    counts = update.counts
    changed, new, same = (counts[one] for one in (Outcome.CHANGED, Outcome.NEW, Outcome.SAME))
    own, older, better = (counts[one] for one in (Outcome.OWN, Outcome.OLDER, Outcome.BETTER))
    check, similar, unmatched = (counts[one] for one in (Outcome.DOUBTFUL, Doubt.SIMILAR, Doubt.UNMATCHED))
    shares = _words_of_counts(
        (changed, trn("{count} changed", "{count:,} changed", count=changed)),
        (new, trn("{count} new", "{count:,} new", count=new)),
        (same, trn("{count} unchanged", "{count:,} unchanged", count=same)),
    )
    rest = _words_of_counts(
        (own, trn("{count} part kept your own price.", "{count:,} parts kept your own price.", count=own)),
        (older, trn("{count} known price is newer.", "{count:,} known prices are newer.", count=older)),
        (better, trn("{count} known price counts more.", "{count:,} known prices count more.", count=better)),
        (check, trn("{count} price is to be checked.", "{count:,} prices are to be checked.", count=check)),
        (similar, trn("{count} line may be several parts.", "{count:,} lines may be several parts.", count=similar)),
        (unmatched, trn("{count} line matches no part.", "{count:,} lines match no part.", count=unmatched)),
    )
    first = tr("Prices: {shares}.", shares=joined(shares, ", ")) if shares else tr("No price was updated.")
    return joined((first, *rest))


def _words_of_counts(*words: tuple[int, str]) -> list[str]:
    """The words for what there is any of."""
    return [text for count, text in words if count]


def factor_words(times: float | None) -> str:
    """ "+12 %", "× 4.2", "÷ 12": how a price changed; empty where it cannot be told."""
    if times is None:
        return ""
    if times >= 2:
        return plain("× {times}", times=number(times, 1))
    if times <= 0.5:
        return plain("÷ {times}", times=number(1 / times, 1))
    percent = round((times - 1) * 100)
    sign = "+" if percent > 0 else "−" if percent < 0 else "±"
    return plain("{sign}{percent} %", sign=sign, percent=abs(percent))
