"""Figures of a part as they are typed behind `parts set` and `parts new`, and written so as to be typed again."""

from __future__ import annotations

import json
import shlex
from typing import Any

from core.parts.part import Part
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_json, read_toml
from core.words import shown, tr

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
