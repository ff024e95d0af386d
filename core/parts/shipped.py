"""Reads the shipped catalogue: assets/catalogue/<category>/<family>.toml, a list of [[part]] tables each.

What several rows have in common they may leave to others (`core/parts/row_form.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.errors import BadInput
from core.language import tr
from core.parts.part import Origin, Part
from core.parts.row_form import SOURCES, Common, Known, known_sources, toml_of, whole_row
from core.parts.vocabulary import Category
from core.paths import ASSETS
from core.refusal import refusals
from core.shown import shown
from core.version import __version__

CATALOGUE = ASSETS / "catalogue"


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
    for path in (*catalogue_files(folder), *folder.glob(SOURCES)):
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
    rows, shared, series = _rows(path)
    known = known_sources(path.parent.parent)
    for row in rows:
        yield _part(row, shared, series, known, category, path)


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


def _rows(path: Path) -> tuple[list[dict[str, Any]], Common, dict[str, Common]]:
    content = toml_of(path)
    rows, shared, series = content.pop("part", []), content.pop("shared", {}), content.pop("series", {})
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
    if not isinstance(series, dict):
        raise BadInput(tr("{path}: 'series' is not a table of tables, each a [series.NAME].", path=path))
    return rows, _common(shared, "shared", path), {n: _common(one, f"series.{n}", path) for n, one in series.items()}


def _common(table: Any, name: str, path: Path) -> Common:
    try:
        return Common.model_validate(table)
    except ValidationError as error:
        raise BadInput("\n".join(f"{path}, {name}.{field}: {reason}." for field, reason in refusals(error))) from error


def _part(
    row: dict[str, Any], shared: Common, series: dict[str, Common], known: Known, category: Category, path: Path
) -> tuple[Part | None, list[str]]:
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
    line = row.get("series")
    if line is not None and (not isinstance(line, str) or line not in series):
        return None, [tr("{where}: the file has no [series.{series}].", where=where, series=shown(line))]
    layers = (shared,) if line is None else (series[line], shared)
    try:
        whole = whole_row(row, layers, known)
        made = Part.model_validate(whole | {"spec": {**whole["spec"], "category": category}, "origin": Origin.SHIPPED})
    except ValidationError as error:
        return None, [f"{where}, {field}: {reason}." for field, reason in refusals(error)]
    except BadInput as error:
        return None, [f"{where}, sources: {error}."]
    return made, []


def program() -> str:
    """Changes with the program, since stored parts and words follow its models.

    While the sources lie beside this file their text counts as well: a developer's version number stays for long.
    """
    digest = sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
