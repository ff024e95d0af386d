"""What was typed about a part, and what that makes of it: a part of one's own, or a correction of one that ships."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from core.parts.own import OWN_WORD, Correction, checked, corrected, correction, source_of_new
from core.parts.part import Origin, Part, Price, Source
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import tr

MAX_ID = 80


@dataclass(frozen=True, slots=True)
class Entered:
    """All fields of the editor. Figures are plain values; None is unknown."""

    category: Category
    part_id: str
    maker: str
    name: str
    part_numbers: tuple[str, ...] = ()
    year: int | None = None
    figures: dict[str, Any] = field(default_factory=dict)
    source: str = ""
    address: str = ""
    note: str = ""
    price: Price | None = None


def plain_figures(part: Part) -> dict[str, Any]:
    """The figures of a part as an editor handles them."""
    figures: dict[str, Any] = part.spec.model_dump(mode="json", exclude={"category"})
    return figures


def slug(maker: str, name: str) -> str:
    """An id made of maker and name; empty where they have no Latin letter or figure."""
    bare = unicodedata.normalize("NFKD", f"{maker} {name}").encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", bare)[:MAX_ID].strip("-")


def free_id(wished: str, taken: Callable[[str], bool]) -> str:
    """The id, with a number behind it if another part has it."""
    number, part_id = 2, wished
    while part_id and taken(part_id):
        part_id = f"{wished[: MAX_ID - 4]}-{number}"
        number += 1
    return part_id


def source_of(part: Part, earlier: Correction | None) -> tuple[str, str]:
    """Title and address that stand in the editor at first: of the user's own figures, if they have one source."""
    sources = earlier.sources if earlier is not None else part.sources if part.origin is Origin.USER else ()
    first = next(iter(sources), None)
    if first is None or first.title == OWN_WORD:
        return "", first.url or "" if first else ""
    return first.title, first.url or ""


def own_part(entered: Entered, before: Part | None = None) -> Part:
    """A part of the user's own, as it was typed; `before` is the same part as it was. Raises BadInput."""
    figures = {name: value for name, value in entered.figures.items() if value is not None}
    return checked(
        {
            "id": entered.part_id,
            "maker": entered.maker,
            "name": entered.name,
            "part_numbers": list(entered.part_numbers),
            "year": entered.year,
            "spec": figures | {"category": entered.category.value},
            "sources": [source.model_dump() for source in _sources(entered, before)],
            "price": entered.price,
            "note": entered.note,
            "origin": Origin.USER,
        }
    )


def full_correction(entered: Entered, *, shown: Part, beneath: Part, earlier: Correction | None) -> Correction:
    """All that differs from the part beneath. Figures corrected earlier keep their source, unless it was changed.

    `shown` is the part as the editor showed it first. Raises BadInput when the part would not be valid.
    """
    shipped, before = plain_figures(beneath), plain_figures(shown)
    changed = {name: value for name, value in entered.figures.items() if value != shipped[name]}
    fresh = {name: value for name, value in changed.items() if value != before[name]}
    if not fresh and (entered.source, entered.address) != source_of(shown, earlier):
        fresh = changed
    whole = (earlier or Correction()).then(_correction(fresh, entered))
    price = None if entered.price == beneath.price else entered.price
    if entered.price is None and beneath.price is not None:
        raise BadInput(tr("The price cannot be left empty: enter another one, or keep the shipped one."))
    made = Correction(
        spec={name: value for name, value in whole.spec.items() if name in changed},
        sources=_only(whole.sources, changed),
        price=price,
        note=None if entered.note == beneath.note else entered.note,
    )
    corrected(beneath, made)
    return made


def nothing_changed(change: Correction) -> bool:
    """Whether the correction leaves the part as it is."""
    return not change.spec and change.price is None and change.note is None


def _correction(figures: dict[str, Any], entered: Entered) -> Correction:
    try:
        return correction(figures, title=entered.source, url=entered.address or None)
    except ValidationError as error:
        raise BadInput(tr("The source needs a title of three letters or more, and a web address.")) from error


def _only(sources: tuple[Source, ...], names: dict[str, Any]) -> tuple[Source, ...]:
    covering = (source.without([name for name in source.covered if names.get(name) is None]) for source in sources)
    return tuple(source for source in covering if source is not None and source.covered)


def _sources(entered: Entered, before: Part | None) -> list[Source]:
    """The typed source for all figures of a new part; of a known one for what was changed, if the source differs."""
    try:
        typed = source_of_new(entered.source, entered.address, _touched(entered))
    except ValidationError as error:
        raise BadInput(tr("The source needs a title of three letters or more, and a web address.")) from error
    if before is None:
        return [typed]
    old = plain_figures(before)
    fresh = {name for name, value in entered.figures.items() if value != old[name]}
    same = (entered.source, entered.address) == source_of(before, None)
    if not fresh:
        return list(before.sources) if same else [typed, *before.sources[1:]]
    left = [left for source in before.sources if (left := source.without(fresh)) is not None]
    named = tuple(sorted(name for name in fresh if entered.figures[name] is not None))
    if same and left and not left[0].covered:
        return left
    return [*([typed.model_copy(update={"fields": named})] if named else []), *left] or [typed]


def _touched(entered: Entered) -> Iterator[str]:
    """The figures that differ from those of an empty form."""
    empty = spec_model(entered.category).model_construct().model_dump(mode="json")
    return (name for name, value in entered.figures.items() if value is not None and value != empty.get(name))
