"""Reads the shipped catalogue: assets/catalogue/<category>/<family>.toml, a list of [[part]] tables each.

What several rows have in common they may leave to others (`core/parts/row_form.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.parts.part import Origin, Part
from core.parts.row_form import SOURCES, CommonOfFile, common_of, known_sources, toml_of
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.platform.paths import ASSETS
from core.version import __version__
from core.words import joined, shown, tr
from core.words.refusal import refusals

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
    """The row as it stands there, with what it leaves to its series and its file."""
    refused: frozenset[str] = frozenset()
    """The places whose form is wrong, such as spec.length_mm; empty where the whole is."""


def each_part_of(path: Path) -> Iterator[RowOfFile]:
    """Each part of a file, and what is wrong with the file itself. Raises BadInput when it is no such file at all."""
    category = _category(path)
    rows, common, faults = _rows(path)
    yield from (RowOfFile(None, (fault,)) for fault in faults)
    for row in rows:
        yield _row(row, common, category, path)


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


def _rows(path: Path) -> tuple[list[dict[str, Any]], CommonOfFile, list[str]]:
    """The parts, what they have in common, and what is wrong with the file around them."""
    content = toml_of(path)
    rows, shared, series = content.pop("part", []), content.pop("shared", {}), content.pop("series", {})
    faults: list[str] = [
        tr("{path} has the unknown key {key!r}; parts are [[part]] tables.", path=path, key=key) for key in content
    ]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        faults.append(tr("{path}: 'part' is not a list of tables. Write [[part]] before each part.", path=path))
        rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    common, wrong = common_of(shared, series, known_sources(path.parent.parent))
    return rows, common, [*faults, *(f"{path}, {place}: {reason}." for place, reason in wrong)]


def _row(row: dict[str, Any], common: CommonOfFile, category: Category, path: Path) -> RowOfFile:
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
    own, unknown = common.whole({**row, "spec": spec})
    faults += (tr("{where}: {fault}", where=where, fault=fault) for fault in unknown)
    own["spec"] |= {"category": category}
    try:
        made = Part.model_validate(own | {"origin": Origin.SHIPPED})
    except ValidationError as error:
        refused = refusals(error, without=(category.value,))
        untold = () if isinstance(row.get("spec"), dict) else ("spec",)
        reported = ((place, reason) for place, reason in refused if not place.startswith(untold))
        faults += (f"{joined((where, place), ', ')}: {reason}." for place, reason in reported)
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
