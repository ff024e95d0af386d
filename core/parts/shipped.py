"""Reads the shipped catalogue: assets/catalogue/<category>/<family>.toml, a list of [[part]] tables each.

A file of one product line may begin with a table [shared]: figures and sources of all its parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from core.errors import BadInput
from core.foreign import Unreadable, read_toml
from core.language import tr
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
    for part, faults in each_part_of(path):
        if part is None:
            raise BadInput(faults[0])
        yield part


def each_part_of(path: Path) -> Iterator[tuple[Part | None, list[str]]]:
    """Each part of a file or, where it is none, all that is wrong with it. Raises BadInput when the file is no such."""
    category = _category(path)
    rows, shared = _rows(path)
    for row in rows:
        yield _part(row, shared, category, path)


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


def _rows(path: Path) -> tuple[list[dict[str, Any]], SharedFigures]:
    try:
        content = read_toml(read_text(path, MAX_BYTES))
    except Unreadable as error:
        raise BadInput(tr("{path} is not valid TOML: {reason}.", path=path, reason=error.args[0])) from error
    rows, shared = content.pop("part", []), content.pop("shared", {})
    if content:
        raise BadInput(
            tr(
                "{path} has the unknown key {key!r}; parts are [[part]] tables.",
                path=path,
                key=next(iter(content)),
            )
        )
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(tr("{path}: 'part' is not a list of tables. Write [[part]] before each part.", path=path))
    try:
        return rows, SharedFigures.model_validate(shared)
    except ValidationError as error:
        raise BadInput("\n".join(f"{path}, shared.{field}: {reason}." for field, reason in refusals(error))) from error


def _part(row: dict[str, Any], shared: SharedFigures, category: Category, path: Path) -> tuple[Part | None, list[str]]:
    where = tr("{path}, part {part_id}", path=path, part_id=shown(row.get("id", "?")))
    spec = row.get("spec")
    if not isinstance(spec, dict):
        return None, [tr("{where} has no [part.spec] table.", where=where)]
    if spec.get("category", category) != category:
        return None, [
            tr(
                "{where} says it is a {stated}, not a {category}.",
                where=where,
                stated=shown(spec["category"]),
                category=category,
            )
        ]
    try:
        own = row | {"spec": {**shared.spec, **spec, "category": category}, "origin": Origin.SHIPPED}
        if shared.sources and isinstance(row.get("sources"), list):
            own["sources"] = [*row["sources"], *shared.sources]
        made = Part.model_validate(own)
    except ValidationError as error:
        return None, [f"{where}, {field}: {reason}." for field, reason in refusals(error)]
    return made, []


def program() -> str:
    """Changes with the program, since stored parts and words follow its models.

    While the sources lie beside this file their text counts as well: a developer's version number stays for long.
    """
    digest = sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
