"""The sources from which figures were taken in bulk, with the terms that they state (assets/attribution.toml)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from core.parts.part import Part, Source
from core.parts.values import Several, Value
from core.platform.foreign import read_text, read_toml
from core.platform.paths import ASSETS
from core.words import Worded, trc

FILE = ASSETS / "attribution.toml"


class Terms(Worded):
    """How free its data are, by what it states itself."""

    OPEN = "open", trc("terms of a source", "open")
    CONDITIONS = "conditions", trc("terms of a source", "with conditions")
    UNSTATED = "unstated", trc("terms of a source", "none stated")
    RESTRICTED = "restricted", trc("terms of a source", "restricted")


class Attribution(Value):
    """A source used in bulk."""

    title: str
    url: Annotated[str, Field(pattern=r"^https?://")]
    places: Annotated[Several[str], Field(min_length=1)]
    """Its web sites, or repositories at GitHub, copies by others included."""
    licence: str
    """As it states it."""
    licence_url: Annotated[str, Field(pattern=r"^https?://")] | None = None
    terms: Terms
    taken: str
    """Which figures."""
    notice: str = ""
    """The sentence that its licence asks for."""

    @property
    def words(self) -> str:
        """Title and licence, as a list of sources has them."""
        return f"{self.title} ({self.licence})"


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the catalogue comes from a source."""

    attribution: Attribution
    parts: int
    figures: int


@cache
def attributions() -> tuple[Attribution, ...]:
    """All of them, in the order of the file."""
    return tuple(map(Attribution.model_validate, read_toml(read_text(FILE))["source"]))


def attribution_of(source: Source) -> Attribution | None:
    """The bulk source that a source of a part is of."""
    place = place_of(source)
    return next((one for one in attributions() if any(_within(place, own) for own in one.places)), None)


def place_of(source: Source) -> str:
    """ "kakaku.com/item/K0000991096/spec/": its address without what differs between two links to one site."""
    address = urlsplit(source.url or "")
    return address.netloc.removeprefix("www.") + address.path


def due_for(parts: Iterable[Part]) -> list[Attribution]:
    """The bulk sources of these parts whose licences ask to be named wherever their figures show."""
    used = {one.title for part in parts for source in part.sources if (one := attribution_of(source))}
    return [one for one in attributions() if one.title in used and one.terms in (Terms.OPEN, Terms.CONDITIONS)]


def shares(parts: Iterable[Part]) -> list[Share]:
    """What comes from each bulk source, in the order of the list."""
    ids: dict[str, set[str]] = {one.title: set() for one in attributions()}
    figures = dict.fromkeys(ids, 0)
    for part in parts:
        for source in part.sources:
            if one := attribution_of(source):
                ids[one.title].add(part.id)
                figures[one.title] += len(source.covered)
    return [Share(one, len(ids[one.title]), figures[one.title]) for one in attributions()]


def _within(place: str, site: str) -> bool:
    return place == site or place.startswith(f"{site}/")
