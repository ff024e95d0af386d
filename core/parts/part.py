"""A part: identity, figures and where each figure comes from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from datetime import date
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from core.parts.figure import figures_of_chip
from core.parts.specs import Spec, Value
from core.parts.values import MAX_NAMES, Several
from core.parts.vocabulary import Category
from core.words import Worded, joined, tr, trc, visible
from core.words.units import span


class Origin(Worded):
    """Who brought a row into the catalogue; only shipped rows are replaced by an upgrade."""

    SHIPPED = "shipped", tr("Rigwright's own")
    USER = "user", tr("your own")
    IMPORTED = "imported", tr("imported")


class Evidence(Worded):
    """How far a figure can be trusted."""

    CONFIRMED = "confirmed", tr("confirmed")
    UNCONFIRMED = "unconfirmed", tr("unconfirmed")
    UNKNOWN = "unknown", tr("unknown")


class About(Worded):
    """What a source speaks of. It confirms figures of that alone, however many of its parts share them as a rule."""

    PART = "part"
    """The part by its name, or all models of the line that it belongs to, each of them meant."""
    CHIP = "chip", tr("from the chip")
    """The chip or its reference card, of which partners make other cards."""
    PLATFORM = "platform", tr("from the platform")
    """Another CPU or board of the same socket."""
    SERIES = "series", tr("from the series")
    """Another part of the product line, or the line in general."""


class Source(Value):
    """Where figures come from.

    They are confirmed when the source has an address that leads to them, and was read for this part. Without `url` it
    is general knowledge.
    """

    title: Annotated[str, Field(min_length=3)]
    url: Annotated[str, Field(pattern=r"^https?://")] | None = None
    fields: Several[str] = ()
    """Names of the spec fields it covers ("price" for the price); empty covers all that no other source names."""
    says: Annotated[dict[str, int | float | bool | str], Field(max_length=MAX_NAMES)] | None = None
    """What it says of single figures, which it covers: `says = { length_mm = 313 }`, or in its own words."""
    read: bool = True
    """Whether what somebody read there may count. Nobody read an imported data set; a page that was generated, or
    copied without saying from where, is hearsay."""
    about: About = About.PART

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
        """Whether it makes figures confirmed of what it is about."""
        return self.read and self.url is not None and leads_to_figure(self.url)


IMPORTED_ID = "opendb-"
"""How the ids of parts begin that come from the data set."""


class Price(Value):
    """What the part cost, where and when."""

    amount: Annotated[float, Field(gt=0, le=1e12)]
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    as_of: date
    kind: Annotated[str, Field(pattern=r"^(launch|list|street|used|own)$")] = "launch"
    """At launch, on the maker's list of a later day, in shops, of a used one, or paid by the user."""
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


PRICES = ("price", "used_price")
"""What a part costs, and what a used one does."""
BESIDE = (*PRICES, "year", "part_numbers")
"""What a source may cover beside the figures of the spec."""


def covers_unknown(source: str, fields: Iterable[str]) -> str:
    """That a source names figures that there are not."""
    return tr("source {source!r} covers unknown fields {fields}", source=source, fields=sorted(fields))


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
    used_price: Price | None = None
    """What a used one was sold for, beside the price of a part that is still sold."""
    note: str = ""
    origin: Origin = Origin.SHIPPED

    @model_validator(mode="after")
    def _sources_name_real_fields(self) -> Part:
        names = {*type(self.spec).model_fields, *BESIDE}
        unknown = ((source.title, sorted({*source.covered} - names)) for source in self.sources)
        if faults := [covers_unknown(title, fields) for title, fields in unknown if fields]:
            raise ValueError(joined(faults, "; "))
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

    def sources_of(self, field: str) -> list[Source]:
        """The sources that cover a figure, or price, year and part numbers: those that name it, else the unspecific."""
        naming = [source for source in self.sources if field in source.covered]
        return naming or [source for source in self.sources if not source.covered]

    def is_confirmed_by(self, source: Source, field: str) -> bool:
        """Whether a source that covers a figure confirms it of this part: one about the chip those that it names."""
        if source.about is About.CHIP:
            return source.confirms and field in source.covered and field in figures_of_chip(type(self.spec))
        return source.about is About.PART and source.confirms

    def borrowed_from(self, field: str) -> About | None:
        """What a figure was read of where that is not this part; None where a source confirms it, or none has it."""
        covering = self.sources_of(field)
        if any(self.is_confirmed_by(source, field) for source in covering):
            return None
        return next((source.about for source in covering if source.confirms and source.about is not About.PART), None)

    def confirming_places(self, field: str) -> frozenset[str]:
        """Whose word the sources that confirm a figure are."""
        confirming = (source for source in self.sources_of(field) if self.is_confirmed_by(source, field))
        return frozenset(place_of(source.url) for source in confirming if source.url)

    def confirmations(self) -> tuple[dict[str, bool], bool]:
        """Whether a source confirms each field that sources name, and whether one confirms all others."""
        named, confirmed, others = set[str](), set[str](), False
        for source in self.sources:
            covered, confirms = source.covered, source.confirms
            named.update(covered)
            if confirms and source.about is About.PART:
                confirmed.update(covered)
                others = others or not covered
            elif confirms and source.about is About.CHIP:
                confirmed.update(figures_of_chip(type(self.spec)).intersection(covered))
        return dict.fromkeys(named, False) | dict.fromkeys(confirmed, True), others


def repeated_id(parts: Iterable[Part]) -> str | None:
    """An id that two of these parts have, None if each has its own."""
    counts = Counter(part.id for part in parts)
    return next((part_id for part_id, count in counts.items() if count > 1), None)


_COMMIT = r"[0-9a-f]{7,40}(?=[/?#]|$)"
_ROOT = re.compile(r"https?://(?:www\.)?(?:github|gitlab|bitbucket|codeberg)\.\w+/[^/?#]+(?:/[^/?#]+)?/?(?:[?#]|$)")
_BRANCH = re.compile(
    r"https?://(?:(?:www\.)?(?:github|gitlab|codeberg|bitbucket|huggingface)\.\w+/[^/?#]+/[^/?#]+(?:/-)?/"
    rf"(?:blob|tree|raw|src|resolve)/(?:commit/)?(?!{_COMMIT})"
    rf"|raw\.githubusercontent\.com/[^/?#]+/[^/?#]+/(?!{_COMMIT}))"
)
_SITE = re.compile(r"https?://[^/?#]+/?$")


def leads_to_figure(url: str) -> bool:
    """Whether an address is that of a page or of a file at a commit: no site, no repository, no branch."""
    return not (_SITE.match(url) or _ROOT.match(url) or _BRANCH.match(url))


_SHARED_HOST = "github.com"
"""A web site of many: each repository is a place of its own."""
_COPIES = {
    f"{_SHARED_HOST}/{repository}": "pcpartpicker.com"
    for repository in (
        *("docyx/pc-part-dataset", "ricathsb/CaritasRig"),
        *("JonathanVusich/pcpartpicker-scraper", "briancaffey/pcpartpicker-data"),
    )
}
"""Repositories that hold what another site says: two copies of one site are no second source."""


def place_of(url: str) -> str:
    """Whose word an address gives: its web site, at GitHub the repository, of a copy the site that was copied."""
    address = urlsplit(url)
    owner_and_name = "/".join(address.path.split("/")[:3]) if address.netloc == _SHARED_HOST else ""
    place = address.netloc + owner_and_name
    return _COPIES.get(place, place)


class Condition(Worded):
    """How a part comes into the machine: it decides the price alone, no check."""

    NEW = "new", trc("condition of a part", "new")
    USED = "used", trc("condition of a part", "used")
    OWNED = "owned", trc("condition of a part", "owned")
    """Costs nothing more."""


def no_longer_sold(part: Part, today: date) -> bool:
    """Whether its maker no longer sells it: what can be bought of it is used."""
    ended: int | None = getattr(part.spec, "discontinued", None)
    return ended is not None and ended <= today.year
