"""Parts of one's own as a file, to keep or to hand on: JSON, one list of parts, each as in the catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.foreign import Unreadable, read_json
from core.parts.own import checked
from core.parts.part import Origin, Part, repeated_id, with_present_names
from core.shown import shown
from core.text_file import read_text
from core.whole_file import write_whole

FORMAT, VERSION = "rigwright-parts", 1


def write_parts(path: Path, parts: Iterable[Part]) -> int:
    """Writes parts, whole or not at all; how many. Raises BadInput when the file cannot be written."""
    rows = [_as_row(part) for part in parts]
    text = json.dumps({"format": FORMAT, "version": VERSION, "parts": rows}, ensure_ascii=False, indent=2)
    try:
        write_whole(path.resolve(), f"{text}\n".encode())
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}. Nothing was changed.") from error
    return len(rows)


def _as_row(part: Part) -> dict[str, Any]:
    row = part.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return row | {"spec": {"category": part.category.value, **row["spec"]}}


def read_parts(path: Path) -> list[Part]:
    """The parts of a file. Raises BadInput naming the part and figure that are wrong; then none are taken."""
    content = _content(path)
    if content.get("format") != FORMAT:
        raise BadInput(f'{path} is no file of parts: its "format" is not {FORMAT!r}.')
    if content.get("version") != VERSION:
        raise BadInput(
            f"{path} has version {shown(content.get('version'))}; this Rigwright reads version {VERSION}. Update it."
        )
    rows = content.get("parts")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f'{path}: "parts" is not a list of parts.')
    parts = [_part(row, path) for row in rows]
    if twice := repeated_id(parts):
        raise BadInput(f"{path} has two parts with the id {twice}. Give one another id.")
    return parts


def _part(row: dict[str, Any], path: Path) -> Part:
    try:
        return checked(row | {"origin": Origin.USER})
    except BadInput as error:
        raise BadInput(f"{path}, part {shown(row.get('id', '?'))}: {error}") from error


def _content(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        content = read_json(with_present_names(text))
    except Unreadable as error:
        raise BadInput(f"{path} is no JSON that can be read: {error}.") from error
    if not isinstance(content, dict):
        raise BadInput(f"{path} is JSON, but no file of parts.")
    return content
