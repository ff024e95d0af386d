"""What was typed about a part, and what that makes of it: a part of one's own, or a correction of one that ships."""

from __future__ import annotations

import json
import re
import shlex
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
from core.platform.foreign import Unreadable, read_json, read_toml
from core.words import shown, tr

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


UNKNOWN_WORDS = ("", "unknown", "none", "null")
_NESTED = ("[", "{")


def figure(text: str) -> Any:
    """A figure as typed: a number, true or false, a word, a list or table in JSON or TOML; "unknown" is None."""
    try:
        return _read(text)
    except Unreadable:
        return text.strip()


def figure_of(category: Category, field: str, text: str) -> Any:
    """A figure as typed, of a category: where its figure is a text, "8.6" stays one.

    Raises BadInput where a list or table is begun that is neither JSON nor TOML.
    """
    info = spec_model(category).model_fields.get(field)
    is_text = info is not None and info.annotation in (str, str | None)
    if not is_text and text.strip().startswith(_NESTED):
        try:
            return _read(text)
        except Unreadable as error:
            raise BadInput(
                tr(
                    "{field}: {text} is not a valid list or table in JSON or TOML: {reason}.",
                    field=field,
                    text=shown(text),
                    reason=error.args[0],
                )
            ) from error
    value = figure(text)
    return text.strip() if is_text and value is not None and not isinstance(value, str) else value


def as_typed(category: Category, field: str, value: Any) -> str:
    """`figure=value` as `figure_of` reads it back; None is written as nothing. `value` is as JSON has it."""
    if value is None:
        return f"{field}="
    if isinstance(value, str) and figure_of(category, field, value) == value:
        return f"{field}={value}"
    return f"{field}={json.dumps(value, ensure_ascii=False)}"


def new_command(part: Part, part_id: str) -> str:
    """The command that makes a part of one's own with the figures of this one; without its sources and its price."""
    spec = part.spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    head = ["--category", part.category.value, "--maker", part.maker, "--name", part.name]
    numbers = [word for number in part.part_numbers for word in ("--part-number", number)]
    year = [] if part.year is None else ["--year", str(part.year)]
    note = ["--note", part.note] if part.note else []
    figures = [as_typed(part.category, field, value) for field, value in spec.items() if field != "category"]
    return shlex.join(["rigwright", "parts", "new", part_id, *head, *numbers, *year, *note, "--", *figures])


def _read(text: str) -> Any:
    """Raises Unreadable where a list or table is neither JSON nor TOML; a single word is itself."""
    word = text.strip()
    if word.lower() in UNKNOWN_WORDS:
        return None
    if word.startswith((*_NESTED, '"')):
        try:
            return read_json(word)
        except Unreadable as not_json:
            try:
                return _toml_value(word)
            except Unreadable:
                raise not_json from None
    return _toml_value(word)


def _toml_value(word: str) -> Any:
    read = read_toml(f"figure = {word}")
    if len(read) != 1:
        raise Unreadable(tr("it is more than one value"))
    return read["figure"]
