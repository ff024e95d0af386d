"""What parts fetch used: dated bands by chip and memory, by part, or by module of memory (assets/prices/used.toml).

A row of that file is a band with low, middle and high, the month that it is of, and sources that anybody can read: sold
prices, guides, what builders say they paid. Without a source there is no band.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from core.parts.part import Part, Price, Source
from core.parts.price_today import USED
from core.parts.specs import spec_model
from core.parts.values import Several, Value
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_text, read_toml
from core.platform.paths import ASSETS
from core.words import tr
from core.words.refusal import refusals

FILE = ASSETS / "prices" / "used.toml"
MAX_BYTES = 1_000_000
Amount = Annotated[float, Field(gt=0, le=1e9)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class UsedSource(Value):
    """Where used prices were read."""

    id: Id
    title: Annotated[str, Field(min_length=3)]
    url: Annotated[str, Field(pattern=r"^https?://")]


class UsedBand(Value):
    """What one of these parts fetched in that month."""

    category: Category
    parts: Several[str] = ()
    """Ids of the parts that it holds for; else `figures` says so."""
    figures: Annotated[dict[str, str | float], Field(default_factory=dict)]
    """What the figures of a part are for which it holds: product, memory and form of a GPU."""
    each: Literal["part", "module"] = "part"
    """What the amounts are for: the part, or one module of memory of it."""
    low: Amount
    middle: Amount
    high: Amount
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    month: Annotated[str, Field(pattern=r"^20\d\d-(0[1-9]|1[0-2])$")]
    observations: Annotated[int, Field(ge=1)] | None = None
    """How many sales it rests on; None: guides, which do not count them."""
    sources: Annotated[Several[Id], Field(min_length=1)]

    @model_validator(mode="after")
    def _makes_sense(self) -> UsedBand:
        if not self.low <= self.middle <= self.high:
            raise ValueError(
                tr(
                    "the middle price {middle:g} is not between {low:g} and {high:g}",
                    middle=self.middle,
                    low=self.low,
                    high=self.high,
                )
            )
        if bool(self.parts) is bool(self.figures):
            raise ValueError(tr("it names either parts or figures"))
        unknown = sorted(set(self.figures) - set(spec_model(self.category).model_fields))
        if unknown:
            raise ValueError(tr("{category} has no figures {figures}", category=self.category, figures=unknown))
        return self

    @property
    def since(self) -> date:
        """The first day of its month."""
        return date.fromisoformat(f"{self.month}-01")

    def holds_for(self, part: Part) -> bool:
        """Whether it tells a price of this part: one for each module does not where their number is unknown."""
        if self._count(part) is None:
            return False
        if self.parts:
            return part.id in self.parts
        return all(getattr(part.spec, name) == value for name, value in self.figures.items())

    def price(self, part: Part) -> Price:
        """For one part that it holds for, with the ends of the band."""
        count = self._count(part)
        assert count is not None
        return Price(
            amount=self.middle * count,
            low=self.low * count,
            high=self.high * count,
            currency=self.currency,
            as_of=self.since,
            kind=USED,
        )

    def _count(self, part: Part) -> int | None:
        """How many of what it is the price of a part has."""
        return getattr(part.spec, "modules", 1) if self.each == "module" else 1


class _UsedFile(Value):
    source: Several[UsedSource]
    band: Several[UsedBand]


@dataclass(frozen=True, slots=True)
class UsedPrices:
    """The bands by category, and the sources that they name; empty knows none."""

    bands: Mapping[Category, tuple[UsedBand, ...]] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)

    def band(self, part: Part) -> UsedBand | None:
        """The band of a part: that which names it before one of its figures."""
        holding = [band for band in self.bands.get(part.category, ()) if band.holds_for(part)]
        return max(holding, key=lambda band: bool(band.parts), default=None)

    def sources_of(self, band: UsedBand) -> tuple[Source, ...]:
        """Where its prices were read."""
        return tuple(self.sources[name] for name in band.sources)


@cache
def shipped_used_prices() -> UsedPrices:
    """Those of the program; read when the first price is asked for."""
    return read_used_prices(FILE)


def read_used_prices(path: Path) -> UsedPrices:
    """Those of a file. Raises BadInput with all faults, one a line."""
    try:
        content = _UsedFile.model_validate(read_toml(read_text(path, MAX_BYTES)))
    except Unreadable as error:
        raise BadInput(tr("{path} is not valid TOML: {reason}.", path=path, reason=error.args[0])) from error
    except ValidationError as error:
        raise BadInput("\n".join(f"{path}, {place}: {reason}." for place, reason in refusals(error))) from error
    if faults := [f"{path}, {fault}" for fault in _faults(content)]:
        raise BadInput("\n".join(faults))
    return UsedPrices(
        {category: tuple(band for band in content.band if band.category is category) for category in Category},
        {one.id: Source(title=one.title, url=one.url) for one in content.source},
    )


def _faults(content: _UsedFile) -> Iterator[str]:
    """What its shape allows and nothing can be done with."""
    ids = {one.id for one in content.source}
    named = {name for band in content.band for name in band.sources}
    for number, band in enumerate(content.band):
        for name in band.sources:
            if name not in ids:
                yield tr("band.{number}: no [[source]] has the id {source!r}.", number=number, source=name)
    for one in content.source:
        if one.id not in named:
            yield tr("source {source!r}: no band names it.", source=one.id)
