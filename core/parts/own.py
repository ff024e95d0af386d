"""What the user knows better: parts of one's own, corrections that outlast upgrades, and both as a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from core.parts.figures import field_words, implausible
from core.parts.former_names import with_present_names
from core.parts.part import PRICES, Origin, Part, Price, Source, repeated_id
from core.parts.specs import spec_model
from core.parts.values import Value
from core.parts.vocabulary import Category
from core.platform.errors import BadInput, reason_of
from core.platform.foreign import Unreadable, read_json, read_text
from core.platform.whole_file import write_whole
from core.words import joined, shown, tr
from core.words.refusal import first_refusal, refused_as

OWN_WORD = "Own figure, no source given"
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that turn the direction of text, half characters."""
_HIDDEN_IN_NOTE = re.compile(rf"(?![\n\t]){_HIDDEN.pattern}")


class Correction(Value):
    """Figures, price and note that replace those of a shipped or imported part."""

    spec: dict[str, Any] = Field(default_factory=dict)
    """Figures by name as in a part file; None makes one unknown."""
    sources: tuple[Source, ...] = ()
    """Where those figures come from; each names its fields."""
    price: Price | None = None
    used_price: Price | None = None
    note: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that it replaces, the prices among them."""
        return (*self.spec, *(name for name in PRICES if getattr(self, name)))

    @property
    def of_price(self) -> Correction:
        """What it says of the prices alone."""
        return Correction(price=self.price, used_price=self.used_price, sources=_of_price(self.sources))

    def with_price_of(self, other: Correction) -> Correction:
        """This correction with the prices of another, or with none."""
        return self.model_copy(update=_prices_of(other, self.sources))

    def then(self, later: Correction) -> Correction:
        """This correction and a later one, whose figures win."""
        return Correction(
            spec=self.spec | later.spec,
            sources=(*later.sources, *_without(self.sources, later.names)),
            price=later.price or self.price,
            used_price=later.used_price or self.used_price,
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
    """A correction of figures that all come from one source; with an address they count as confirmed.

    Raises BadInput when title, address or note cannot be one.
    """
    fields = tuple(sorted(field for field, value in figures.items() if value is not None))
    with refused_as(
        lambda place, reason: tr(
            "The {place} of the correction: {reason}. Nothing was saved.", place=place, reason=reason
        )
    ):
        sources = (Source(title=title or OWN_WORD, url=url or None, fields=fields),) if fields else ()
        return Correction(spec=figures, sources=sources, price=price, note=note)


def source_of_new(title: str, url: str | None, entered: Iterable[str]) -> Source:
    """Where the figures of a new part come from: it speaks of those that were entered, not of what was left as it is.

    Raises ValidationError.
    """
    names = tuple(sorted(entered))
    return Source(title=title or OWN_WORD, url=url or None, fields=names, read=bool(names))


def corrected(part: Part, change: Correction) -> Part:
    """The part as the user has it. Raises BadInput naming the figure that does not fit."""
    _require_figures(part.category, change.spec)
    spec = part.spec.model_dump(mode="json", exclude_none=True) | change.spec
    sources = (*change.sources, *_without(part.sources, change.names))
    made = {
        **part.model_dump(mode="json", exclude={"spec", "sources", *PRICES, "note", "origin"}),
        "spec": {field: value for field, value in spec.items() if value is not None} | {"category": part.category},
        "sources": [source.model_dump() for source in sources] or [{"title": OWN_WORD}],
        "price": change.price or part.price,
        "used_price": change.used_price or part.used_price,
        "note": part.note if change.note is None else change.note,
        "origin": Origin.USER,
    }
    return checked(made)


def checked(made: dict[str, Any]) -> Part:
    """A part of the user's own. Raises BadInput in words for the first figure that cannot be."""
    spec = made.get("spec")
    category = spec.get("category") if isinstance(spec, dict) else None
    if category in list(Category):
        _require_figures(Category(category), made["spec"])
    try:
        part = Part.model_validate(made)
    except ValidationError as error:
        place, reason = first_refusal(error, without=("spec", category))
        if place == "id" and "id" in made:
            typed = shown(made["id"])
            reason = tr(
                "{typed!r} is not an id; use lowercase letters, digits and single hyphens, such as card-2", typed=typed
            )
        raise BadInput(
            tr("{place}: {reason}. Nothing was saved.", place=place or tr("The part"), reason=reason)
        ) from error
    if any(map(_HIDDEN.search, _texts(part.model_dump(exclude={"note"})))) or _HIDDEN_IN_NOTE.search(part.note):
        raise BadInput(
            tr("The part has a text with characters that cannot be shown. Write it again. Nothing was saved.")
        )
    for field, value, (low, high) in implausible(part):
        raise BadInput(
            tr(
                "{figure} of {value:g} cannot be right: it must be between {low:g} and {high:g} "
                "({field}). Check the unit. Nothing was saved.",
                figure=field_words(field),
                value=value,
                low=low,
                high=high,
                field=field,
            )
        )
    return part


def _require_figures(category: Category, names: Iterable[str]) -> None:
    fields = spec_model(category).model_fields
    for name in names:
        if name not in fields:
            close = get_close_matches(name, fields, n=1)
            missing = tr("{name}: there is no such figure.", name=name)
            hint = tr("Did you mean {close}?", close=close[0]) if close else ""
            raise BadInput(joined([missing, hint, tr("Nothing was saved.")]))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from _texts((*value, *value.values()))
        case list() | tuple():
            for member in value:
                yield from _texts(member)


def _without(sources: Iterable[Source], fields: Iterable[str]) -> list[Source]:
    """The sources without what they said of these fields. One that named nothing else goes."""
    gone = set(fields)
    return [left for source in sources if (left := source.without(gone)) is not None]


def _of_price(sources: Iterable[Source]) -> tuple[Source, ...]:
    covering = ((one, tuple(name for name in PRICES if name in one.covered)) for one in sources)
    return tuple(one.model_copy(update={"fields": names, "says": None}) for one, names in covering if names)


def _prices_of(other: Correction, sources: Iterable[Source]) -> dict[str, Any]:
    """What takes the place of prices, where the sources were these."""
    price = other.of_price
    return {**{name: getattr(price, name) for name in PRICES}, "sources": (*price.sources, *_without(sources, PRICES))}


def price_of(part: Part) -> Correction:
    """The prices of a part, and where they come from, as a correction."""
    return Correction(price=part.price, used_price=part.used_price, sources=_of_price(part.sources))


def with_price_of(part: Part, other: Correction) -> Part:
    """A part of the user's own with the prices of another time, or with none."""
    return part.model_copy(update=_prices_of(other, part.sources))


FORMAT, VERSION = "rigwright-parts", 1


def write_parts(path: Path, parts: Iterable[Part]) -> int:
    """Writes parts, whole or not at all; how many. Raises BadInput when the file cannot be written."""
    rows = [_as_row(part) for part in parts]
    text = json.dumps({"format": FORMAT, "version": VERSION, "parts": rows}, ensure_ascii=False, indent=2)
    try:
        write_whole(path.resolve(), f"{text}\n".encode())
    except OSError as error:
        raise BadInput(
            tr("{path} cannot be written: {reason}. Nothing was changed.", path=path, reason=reason_of(error))
        ) from error
    return len(rows)


def _as_row(part: Part) -> dict[str, Any]:
    row = part.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return row | {"spec": {"category": part.category.value, **row["spec"]}}


def read_parts(path: Path) -> list[Part]:
    """The parts of a file. Raises BadInput naming the part and figure that are wrong; then none are taken."""
    content = _content(path)
    if content.get("format") != FORMAT:
        raise BadInput(tr('{path} is not a parts file: its "format" is not {format!r}.', path=path, format=FORMAT))
    if content.get("version") != VERSION:
        raise BadInput(
            tr(
                "{path} has version {found}; this Rigwright reads version {version}. Update it.",
                path=path,
                found=shown(content.get("version")),
                version=VERSION,
            )
        )
    rows = content.get("parts")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(tr('{path}: "parts" is not a list of parts.', path=path))
    parts = [_part(row, path) for row in rows]
    if twice := repeated_id(parts):
        raise BadInput(
            tr("{path} has two parts with the id {part_id}. Give one of them another id.", path=path, part_id=twice)
        )
    return parts


def _part(row: dict[str, Any], path: Path) -> Part:
    try:
        return checked(row | {"origin": Origin.USER})
    except BadInput as error:
        raise BadInput(
            tr("{path}, part {part_id}: {reason}", path=path, part_id=shown(row.get("id", "?")), reason=error.args[0])
        ) from error


def _content(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        content = read_json(with_present_names(text))
    except Unreadable as error:
        raise BadInput(tr("{path} is not readable JSON: {reason}.", path=path, reason=error.args[0])) from error
    if not isinstance(content, dict):
        raise BadInput(tr("{path} is JSON, but not a parts file.", path=path))
    return content
