"""Reads the shipped catalogue: assets/catalogue/<category>/<family>.toml, a list of [[part]] tables each.

A file of one product line may begin with a table [shared]: figures and sources of all its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from core.errors import BadInput
from core.foreign import Unreadable, read_toml
from core.language import joined, tr
from core.parts.part import Origin, Part, Source
from core.parts.values import Value
from core.parts.vocabulary import Category
from core.paths import ASSETS
from core.refusal import refusals
from core.shown import shown
from core.text_file import read_text
from core.version import __version__


class SharedFigures(Value):
    """What all parts of a file have in common: figures that a part may state otherwise, and where they come from."""

    spec: dict[str, Any] = Field(default_factory=dict)
    sources: tuple[Source, ...] = ()


CATALOGUE = ASSETS / "catalogue"
MAX_BYTES = 16_000_000
"""Of a part file; the largest that is shipped has 0.3 MB."""


def catalogue_files(folder: Path = CATALOGUE) -> list[Path]:
    """All part files, in a stable order."""
    return sorted(folder.glob("*/*.toml"))


def fingerprint(folder: Path = CATALOGUE) -> str:
    """Changes exactly when a shipped file changes; the program's own do not while it runs."""
    return _own_fingerprint() if folder == CATALOGUE else _fingerprint(folder)


@cache
def _own_fingerprint() -> str:
    return _fingerprint(CATALOGUE)


def _fingerprint(folder: Path) -> str:
    digest = sha256()
    for path in catalogue_files(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def shipped_parts(folder: Path = CATALOGUE) -> Iterator[Part]:
    """All parts, validated. Raises BadInput naming file, part and field."""
    seen: dict[str, Path] = {}
    for path in catalogue_files(folder):
        for part in parts_of(path):
            if part.id in seen:
                raise BadInput(
                    tr(
                        "{path}: the id {part_id} is already used in {file}. Give one of them another id.",
                        path=path,
                        part_id=part.id,
                        file=seen[part.id],
                    )
                )
            seen[part.id] = path
            yield part


def parts_of(path: Path) -> Iterator[Part]:
    """The parts of one file, whose folder is named by their category. Raises BadInput for the first fault."""
    for row in each_part_of(path):
        if row.part is None:
            raise BadInput(row.faults[0])
        yield row.part


@dataclass(frozen=True, slots=True)
class RowOfFile:
    """A part of a file or, where it is none, all that is wrong with its form."""

    part: Part | None
    faults: tuple[str, ...] = ()
    where: str = ""
    """The file and the part, for what else is wrong with it."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The row as it stands there, with what all parts of the file share."""
    refused: frozenset[str] = frozenset()
    """The places whose form is wrong, such as spec.length_mm; empty where the whole is."""


def each_part_of(path: Path) -> Iterator[RowOfFile]:
    """Each part of a file, and what is wrong with the file itself. Raises BadInput when it is no such file at all."""
    category = _category(path)
    rows, shared, faults = _rows(path)
    yield from (RowOfFile(None, (fault,)) for fault in faults)
    for row in rows:
        yield _row(row, shared, category, path)


def _category(path: Path) -> Category:
    try:
        return Category(path.parent.name)
    except ValueError as error:
        raise BadInput(
            tr(
                "{path} is in the folder {folder!r}, which is not a category. Known: {categories}.",
                path=path,
                folder=path.parent.name,
                categories=", ".join(Category),
            )
        ) from error


def _rows(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any], list[str]]:
    """The parts, what they share, and what is wrong with the file around them."""
    try:
        content = read_toml(read_text(path, MAX_BYTES))
    except Unreadable as error:
        raise BadInput(tr("{path} is not valid TOML: {reason}.", path=path, reason=error.args[0])) from error
    rows, shared = content.pop("part", []), content.pop("shared", {})
    faults: list[str] = [
        tr("{path} has the unknown key {key!r}; parts are [[part]] tables.", path=path, key=key) for key in content
    ]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        faults.append(tr("{path}: 'part' is not a list of tables. Write [[part]] before each part.", path=path))
        rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    try:
        SharedFigures.model_validate(shared)
    except ValidationError as error:
        faults += (f"{path}, shared.{place}: {reason}." for place, reason in refusals(error))
    return rows, shared if isinstance(shared, dict) else {}, faults


def _row(row: dict[str, Any], shared: Mapping[str, Any], category: Category, path: Path) -> RowOfFile:
    where = tr("{path}, part {part_id}", path=path, part_id=shown(row.get("id", "?")))
    faults: list[str] = []
    spec = row.get("spec")
    if not isinstance(spec, dict):
        faults.append(tr("{where} has no [part.spec] table.", where=where))
        spec = {}
    if (stated := spec.get("category", category)) != category:
        faults.append(
            tr("{where} says it is a {stated}, not a {category}.", where=where, stated=shown(stated), category=category)
        )
    of_all = shared.get("spec", {})
    own = {**row, "spec": {**(of_all if isinstance(of_all, dict) else {}), **spec, "category": category}}
    if isinstance(shared.get("sources"), list) and isinstance(row.get("sources"), list):
        own["sources"] = [*row["sources"], *shared["sources"]]
    try:
        made = Part.model_validate(own | {"origin": Origin.SHIPPED})
    except ValidationError as error:
        refused = refusals(error, without=(category.value,))
        untold = () if isinstance(row.get("spec"), dict) else ("spec",)
        told = ((place, reason) for place, reason in refused if not place.startswith(untold))
        faults += (f"{joined((where, place), ', ')}: {reason}." for place, reason in told)
        return RowOfFile(None, tuple(faults), where, own, frozenset(place for place, _ in refused))
    return RowOfFile(None if faults else made, tuple(faults), where, own)


def program() -> str:
    """Changes with the program, since stored parts and words follow its models.

    While the sources lie beside this file their text counts as well: a developer's version number stays for long.
    """
    digest = sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
