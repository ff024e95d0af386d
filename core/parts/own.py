"""What the user knows better: corrections of a part that keep their place when the part under them is upgraded."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import date
from typing import Any

from pydantic import Field, ValidationError

from core.errors import BadInput
from core.parts.field_words import field_words
from core.parts.part import Origin, Part, Price, Source
from core.parts.plausible import implausible
from core.parts.values import Value

OWN_WORD = "Own figure, no source given"
UNKNOWN_WORDS = ("", "unknown", "none")


class Correction(Value):
    """Figures, price and note that replace those of a shipped or imported part."""

    spec: dict[str, Any] = Field(default_factory=dict)
    """Figures by name as in a part file; None makes one unknown."""
    sources: tuple[Source, ...] = ()
    """Where those figures come from; each names its fields."""
    price: Price | None = None
    note: str | None = None

    def then(self, later: Correction) -> Correction:
        """This correction and a later one, whose figures win."""
        return Correction(
            spec=self.spec | later.spec,
            sources=(*later.sources, *_without(self.sources, later.spec)),
            price=later.price or self.price,
            note=self.note if later.note is None else later.note,
        )


def correction(
    figures: dict[str, Any],
    *,
    title: str = "",
    url: str | None = None,
    price: Price | None = None,
    note: str | None = None,
) -> Correction:
    """A correction of figures that all come from one source; with an address they count as confirmed."""
    known = tuple(sorted(field for field, value in figures.items() if value is not None))
    sources = (Source(title=title or OWN_WORD, url=url or None, fields=known),) if known else ()
    return Correction(spec=figures, sources=sources, price=price, note=note)


def corrected(part: Part, change: Correction) -> Part:
    """The part as the user has it. Raises BadInput naming the figure that does not fit."""
    spec = part.spec.model_dump(mode="json", exclude_none=True) | change.spec
    sources = (*change.sources, *_without(part.sources, change.spec))
    made = {
        **part.model_dump(mode="json", exclude={"spec", "sources", "price", "note", "origin"}),
        "spec": {field: value for field, value in spec.items() if value is not None} | {"category": part.category},
        "sources": [source.model_dump() for source in sources] or [{"title": OWN_WORD}],
        "price": (change.price or part.price),
        "note": part.note if change.note is None else change.note,
        "origin": Origin.USER,
    }
    return checked(made)


def checked(made: dict[str, Any]) -> Part:
    """A part of the user's own. Raises BadInput in words for the first figure that cannot be."""
    try:
        part = Part.model_validate(made)
    except ValidationError as error:
        first = error.errors()[0]
        steps = [
            str(step) for step in first["loc"] if step != "spec" and str(step) != made.get("spec", {}).get("category")
        ]
        raise BadInput(f"{'.'.join(steps) or 'The part'}: {first['msg']}. Nothing was saved.") from error
    for field, value, (low, high) in implausible(part):
        raise BadInput(
            f"{field_words(field)} of {value:g} cannot be right: it lies between {low:g} and {high:g} ({field}). "
            f"Check the unit. Nothing was saved."
        )
    return part


def figure(text: str) -> Any:
    """A figure as typed: a number, true or false, a word, a list or table in TOML; "unknown" is None."""
    if text.strip().lower() in UNKNOWN_WORDS:
        return None
    try:
        return tomllib.loads(f"figure = {text}")["figure"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def price(text: str, today: date) -> Price:
    """A price as typed: "1499 USD", with a date behind it if it is not of today. Raises BadInput."""
    words = text.split()
    try:
        amount, currency = float(words[0].replace(",", "")), words[1].upper()
        as_of = date.fromisoformat(words[2]) if len(words) > 2 else today
        return Price(amount=amount, currency=currency, as_of=as_of, kind="own")
    except (IndexError, ValueError) as error:
        raise BadInput(f"{text!r} is no price. Write amount and currency, such as: 1499 USD 2026-05-31") from error


def _without(sources: Iterable[Source], fields: Iterable[str]) -> list[Source]:
    """The sources without what they said of these fields. One that named nothing else goes."""
    gone = set(fields)
    kept = []
    for source in sources:
        left = tuple(field for field in source.fields if field not in gone)
        if left or not source.fields:
            kept.append(source.model_copy(update={"fields": left}))
    return kept
