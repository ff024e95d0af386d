"""The build file `*.rig.json`: self-contained, versioned, and easy to write by hand.

A line names a part by id; `parts` carries the full specs, so that a build opens on a machine whose catalogue lacks
them. A hand-written file may leave `parts` out for everything the catalogue knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.build.build import MAX_NAME, MAX_NOTES, MAX_POSITION, MAX_QUANTITY, Build, Line, is_card
from core.build.mains import DEFAULT_REGION
from core.errors import BadInput, EnvironmentProblem
from core.parts.part import Part
from core.whole_file import write_whole

VERSION = 1
SUFFIX = ".rig.json"
MAX_BYTES = 20_000_000

FindPart = Callable[[str], Part | None]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")
    part: str
    quantity: Annotated[int, Field(ge=1, le=MAX_QUANTITY)] = 1
    slots: tuple[Annotated[int, Field(ge=1, le=MAX_POSITION)], ...] = ()


class _BuildFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    format: Literal["rigwright-build"]
    version: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    region: str = DEFAULT_REGION
    notes: Annotated[str, Field(max_length=MAX_NOTES)] = ""
    lines: tuple[_Line, ...] = ()
    parts: dict[str, Part] = {}


def load_build(path: Path, find_part: FindPart) -> Build:
    """Opens a build file; parts that it does not carry are looked up with `find_part`.

    Raises BadInput with a sentence that names the file and the place.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise BadInput(
                f"{path} is larger than {MAX_BYTES / 1e6:.0f} MB, too large for a build. Is it the right file?"
            )
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"{path} cannot be opened: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not a build file: it is not UTF-8 text.") from error
    return parse_build(text, find_part, str(path))


def parse_build(text: str, find_part: FindPart, where: str = "The build") -> Build:
    """Reads the text of a build file; `where` names it in error sentences. Raises BadInput."""
    stored = _validated(_json(text, where), where)
    lines = tuple(_line(line, stored, find_part, where) for line in stored.lines)
    try:
        return Build(stored.name, lines, stored.region, stored.notes)
    except ValueError as error:
        raise BadInput(f"{where}: {error}.") from error


def dump_build(build: Build) -> str:
    """The text of the build file, with the specs of all its parts."""
    stored = {
        "format": "rigwright-build",
        "version": VERSION,
        "name": build.name,
        "region": build.region,
        "notes": build.notes,
        "lines": [_dump_line(line) for line in build.lines],
        "parts": {
            line.part.id: line.part.model_dump(mode="json", exclude_defaults=True)
            | {"spec": _dump_spec(line.part), "origin": line.part.origin.value}
            for line in build.lines
        },
    }
    return json.dumps(stored, ensure_ascii=False, indent=1) + "\n"


def save_build(build: Build, path: Path) -> None:
    """Writes the file whole or not at all. Raises EnvironmentProblem when it cannot; the old file stays."""
    content = dump_build(build).encode("utf-8", errors="replace")  # half a surrogate pair, pasted, must not stop a save
    try:
        write_whole(path.resolve(), content)
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} could not be saved: {error.strerror}. The build is still open; save it elsewhere."
        ) from error


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{where} is damaged: line {error.lineno}, column {error.colno}: {error.msg}.") from error
    except RecursionError as error:
        raise BadInput(f"{where} is not a build file: it is nested too deeply.") from error
    except ValueError as error:
        raise BadInput(f"{where} is damaged: {error}.") from error


def _validated(raw: Any, where: str) -> _BuildFile:
    if not isinstance(raw, dict) or raw.get("format") != "rigwright-build":
        raise BadInput(f'{where} is not a Rigwright build: it does not say "format": "rigwright-build".')
    version = raw.get("version")
    if isinstance(version, int) and version > VERSION:
        raise BadInput(f"{where} has version {version}, this program reads up to {VERSION}. Update Rigwright.")
    try:
        return _BuildFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise BadInput(f"{where} cannot be read at {place}: {first['msg']}.") from error


def _line(line: _Line, stored: _BuildFile, find_part: FindPart, where: str) -> Line:
    part = stored.parts.get(line.part) or find_part(line.part)
    if part is None:
        raise BadInput(
            f"{where} names the part {line.part!r}, which is neither in the file nor in the catalogue. "
            f"Correct the id, or find the right one with: rigwright parts search."
        )
    if part.id != line.part:
        raise BadInput(f"{where}: the part stored under {line.part!r} calls itself {part.id!r}.")
    if line.slots and not is_card(part):
        raise BadInput(f"{where}: {part.title} does not sit in an expansion slot, but has slots {list(line.slots)}.")
    if len(set(line.slots)) != len(line.slots):
        raise BadInput(f"{where}: {part.title} names a slot twice: {list(line.slots)}.")
    if len(line.slots) > line.quantity:
        raise BadInput(f"{where}: {part.title} has {len(line.slots)} slots for {line.quantity} cards.")
    return Line(part, line.quantity, line.slots)


def _dump_line(line: Line) -> dict[str, Any]:
    stored: dict[str, Any] = {"part": line.part.id, "quantity": line.quantity}
    return stored | ({"slots": list(line.slots)} if line.slots else {})


def _dump_spec(part: Part) -> dict[str, Any]:
    known = part.spec.model_dump(mode="json", exclude_defaults=True)
    return {"category": part.category.value, **known}
