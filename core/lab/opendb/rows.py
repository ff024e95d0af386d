"""From a file of the data set to a part, or to the reason why there is none."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from core.lab.opendb.files import RawFile
from core.lab.opendb.reading import MAX_TEXT, RowReading, hides_something
from core.lab.opendb.specs import FOLDERS, figures_in
from core.parts.part import IMPORTED_ID, Origin, Part
from core.parts.quarantined import Quarantined
from core.words import shown, tr
from core.words.refusal import first_refusal

TITLE = "BuildCores OpenDB (ODC-By 1.0)"
"""Licence and attribution that the data set asks for, shown wherever its rows are."""
ADDRESS = "https://github.com/buildcores/buildcores-open-db/blob/main/open-db"
_IDENTITY = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(slots=True)
class Row:
    """What stays of a row of the data set beside its part: whose it is, and what was doubted in it."""

    folder: str
    identity: str
    name: Any
    """As in the data set; it need not be a text."""
    verified: bool
    """Whether the data set's people checked the row by hand."""
    doubts: list[Quarantined] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The row's name, for lists of what was not taken."""
        return shown(self.name) if isinstance(self.name, str) else self.identity

    def doubt(self, figure: str, value: Any, reason: str) -> None:
        """Notes a figure that is left out; an empty name means the whole row."""
        place = _place(self.folder, self.identity)
        self.doubts.append(Quarantined(place, self.title, figure, shown(value), reason))


def parsed(file: RawFile) -> dict[str, Any] | Quarantined:
    """The figures in a file. What is no JSON object with the name of an identity is refused."""
    if file.refused:
        return refused(file, file.refused)
    try:
        raw = _json(file.content)
    except (ValueError, RecursionError) as error:
        return refused(file, tr("is not readable JSON ({error})", error=type(error).__name__))
    if not isinstance(raw, dict):
        return refused(file, tr("is JSON, but not an object with figures"))
    if not _IDENTITY.fullmatch(file.name):
        return refused(file, tr("is not named after the identity of a part"))
    return raw


def _json(content: bytes) -> Any:
    """What JSON says. Raises ValueError or RecursionError.

    The fast reader refuses more than the standard one (half characters, deep nesting), which has the last word.
    """
    try:
        return from_json(content, cache_strings="keys")
    except ValueError:
        return json.loads(content)


def part_of(file: RawFile, raw: dict[str, Any]) -> tuple[Row, Part | None]:
    """The part in a file, with the figures that can be true. None, with the reason noted, if there is no part in it."""
    metadata = _metadata(raw)
    verified = bool(metadata.get("last_manually_spec_verified_at"))
    row = Row(file.folder, file.name, metadata.get("name"), verified)
    return row, _part(row, raw, metadata)


def _part(row: Row, raw: dict[str, Any], metadata: dict[str, Any]) -> Part | None:
    maker, name = _label(row, metadata, "manufacturer"), _label(row, metadata, "name")
    if maker is None or name is None:
        return None
    category, more = FOLDERS[row.folder]
    reading = RowReading(raw, category)
    figures = figures_in(reading, category, more)
    for figure, value, reason in reading.doubts:
        row.doubt(figure, value, reason)
    spec = {figure: value for figure, value in figures.items() if value is not None}
    spec["category"] = category
    year = metadata.get("releaseYear")
    try:
        return Part(
            id=f"{IMPORTED_ID}{row.identity}",
            maker=maker,
            name=_without_maker(name, maker),
            part_numbers=_part_numbers(metadata),
            year=year if isinstance(year, int) and 1995 <= year <= 2100 else None,
            spec=spec,
            sources=({"title": TITLE, "url": f"{ADDRESS}/{row.folder}/{row.identity}.json", "read": False},),
            origin=Origin.IMPORTED,
        )
    except ValidationError as error:
        where, reason = first_refusal(error, without=("spec", category.value))
        row.doubt("", where, tr("is not a valid part: {place}: {reason}", place=where or tr("the row"), reason=reason))
        return None


def _label(row: Row, metadata: dict[str, Any], key: str) -> str | None:
    value = metadata.get(key)
    label = " ".join(value.split()) if isinstance(value, str) else ""
    if not label:
        row.doubt("", value, tr("has no {key}", key=key))
    elif len(label) > (MAX_TEXT if key == "name" else MAX_TEXT // 2):
        row.doubt("", value, tr("has a {key} of {number} characters", key=key, number=len(label)))
    elif hides_something(label):
        row.doubt("", value, tr("has markup or a formula in its {key}", key=key))
    else:
        return label
    return None


def _without_maker(name: str, maker: str) -> str:
    shorter = name[len(maker) :].strip() if name.lower().startswith(f"{maker.lower()} ") else ""
    return shorter or name


def _part_numbers(metadata: dict[str, Any]) -> tuple[str, ...]:
    numbers = metadata.get("part_numbers")
    texts = [number.strip() for number in numbers if isinstance(number, str)] if isinstance(numbers, list) else []
    return tuple(dict.fromkeys([text for text in texts if 2 < len(text) <= 60 and not hides_something(text)]))


def _metadata(raw: dict[str, Any]) -> dict[str, Any]:
    metadata = raw.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def refused(file: RawFile, reason: str) -> Quarantined:
    """A file that is not taken, and why."""
    return Quarantined(_place(file.folder, file.name), shown(file.name), "", "", reason)


def _place(folder: str, identity: str) -> str:
    return f"{folder}/{shown(identity)}.json"
