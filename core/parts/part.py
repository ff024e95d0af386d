"""A part: identity, figures and where each figure comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from datetime import date
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from core.language import tr
from core.parts.specs import Spec, Value
from core.parts.values import MAX_NAMES, Several
from core.parts.vocabulary import Category
from core.shown import visible
from core.units import span


class Origin(StrEnum):
    """Who brought a row into the catalogue; only shipped rows are replaced by an upgrade."""

    SHIPPED = "shipped"
    USER = "user"
    IMPORTED = "imported"


class Evidence(StrEnum):
    """How far a figure can be trusted."""

    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"
    UNKNOWN = "unknown"


class Source(Value):
    """Where figures come from.

    They are confirmed when the source has an address and was read for this part. Without `url` it is general knowledge.
    """

    title: Annotated[str, Field(min_length=3)]
    url: Annotated[str, Field(pattern=r"^https?://")] | None = None
    fields: Several[str] = ()
    """Names of the spec fields it covers ("price" for the price); empty covers all that no other source names."""
    says: Annotated[dict[str, int | float | bool | str], Field(max_length=MAX_NAMES)] | None = None
    """What it says of single figures, which it covers: `says = { length_mm = 313 }`, or in its own words."""
    read: bool = True
    """Whether somebody read the figures there; those of an imported data set nobody did."""

    @property
    def covered(self) -> tuple[str, ...]:
        """The figures that it names, those that it says something of among them; empty covers what no other names."""
        return self.fields if self.says is None else tuple(dict.fromkeys((*self.fields, *self.says)))

    def without(self, names: Container[str]) -> Source | None:
        """The source without what it says of these figures; None where it named no others."""
        if not self.covered:
            return self
        fields = tuple(name for name in self.fields if name not in names)
        says = {name: value for name, value in (self.says or {}).items() if name not in names}
        return self.model_copy(update={"fields": fields, "says": says or None}) if fields or says else None

    @property
    def confirms(self) -> bool:
        """Whether it makes figures confirmed."""
        return self.url is not None and self.read


IMPORTED_ID = "opendb-"
"""How the ids of parts begin that come from the data set."""


class Price(Value):
    """What the part cost, where and when."""

    amount: Annotated[float, Field(gt=0, le=1e12)]
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    as_of: date
    kind: Annotated[str, Field(pattern=r"^(launch|list|street|own)$")] = "launch"
    """At launch, on the maker's list of a later day, in shops, or paid by the user."""
    low: Annotated[float, Field(gt=0, le=1e12)] | None = None
    high: Annotated[float, Field(gt=0, le=1e12)] | None = None
    """The lowest and the highest of several prices, whose middle one is the amount; None where there is one price."""

    @property
    def range_words(self) -> str:
        """ "120 to 180 USD" where there are several prices, else empty."""
        return "" if self.low is None or self.high is None else span(self.low, self.high, self.currency)

    def times(self, factor: float, currency: str) -> Price:
        """The price in another currency, or with VAT."""
        ends = {name: end * factor for name, end in (("low", self.low), ("high", self.high)) if end is not None}
        return self.model_copy(update={"amount": self.amount * factor, "currency": currency, **ends})


class Part(Value):
    """One thing that can be bought and built in."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
    maker: Annotated[str, Field(min_length=1, max_length=80)]
    name: Annotated[str, Field(min_length=1, max_length=160)]
    part_numbers: Several[str] = ()
    year: Annotated[int, Field(ge=1995, le=2100)] | None = None
    spec: Spec
    sources: Annotated[Several[Source], Field(min_length=1)]
    price: Price | None = None
    note: str = ""
    origin: Origin = Origin.SHIPPED

    @model_validator(mode="after")
    def _sources_name_real_fields(self) -> Part:
        named = {field for source in self.sources for field in source.covered}
        if not named:
            return self
        known = set(type(self.spec).model_fields) | {"price", "year", "part_numbers"}
        for source in self.sources:
            unknown = set(source.covered) - known
            if unknown:
                raise ValueError(
                    tr("source {source!r} covers unknown fields {fields}", source=source.title, fields=sorted(unknown))
                )
        return self

    @property
    def came_from(self) -> Origin:
        """Whose it is before what the user corrected or priced: a row of a data set stays one in what names say."""
        return Origin.IMPORTED if self.id.startswith(IMPORTED_ID) else self.origin

    @property
    def category(self) -> Category:
        """The category of the spec."""
        return self.spec.category

    @property
    def title(self) -> str:
        """Maker and name, as shown to people."""
        return visible(f"{self.maker} {self.name}")

    def evidence(self, field: str) -> Evidence:
        """How well the spec's `field` is supported."""
        if getattr(self.spec, field) is None:
            return Evidence.UNKNOWN
        by_field, others = self.confirmations()
        return Evidence.CONFIRMED if by_field.get(field, others) else Evidence.UNCONFIRMED

    def confirming_places(self, field: str) -> frozenset[str]:
        """The web sites, and at GitHub the repositories, of the sources that confirm a figure."""
        naming = [source for source in self.sources if field in source.covered]
        covering = naming or [source for source in self.sources if not source.covered]
        return frozenset(_place(source.url) for source in covering if source.url and source.confirms)

    def confirmations(self) -> tuple[dict[str, bool], bool]:
        """Whether a source confirms each field that sources name, and whether one confirms all others."""
        by_field: dict[str, bool] = {}
        for source in self.sources:
            for field in source.covered:
                by_field[field] = by_field.get(field, False) or source.confirms
        return by_field, any(source.confirms for source in self.sources if not source.covered)


_SHARED_HOST = "github.com"
"""A web site of many: each repository is a place of its own."""


def _place(url: str) -> str:
    address = urlsplit(url)
    owner_and_name = "/".join(address.path.split("/")[:3]) if address.netloc == _SHARED_HOST else ""
    return address.netloc + owner_and_name


FORMER_NAMES = {"max_power_w": "sustained_power_w", "connectors": "cables"}
"""Figures that were called otherwise, in builds, own parts and corrections."""


def with_present_names(stored: str) -> str:
    """The JSON of parts with today's names of figures; nothing but a name stands in quotes by itself."""
    for former, present in FORMER_NAMES.items():
        stored = stored.replace(f'"{former}"', f'"{present}"')
    return stored


def repeated_id(parts: Iterable[Part]) -> str | None:
    """An id that two of these parts have, None if each has its own."""
    counts = Counter(part.id for part in parts)
    return next((part_id for part_id, count in counts.items() if count > 1), None)
