"""Reads the shipped catalogue: assets/catalogue/<category>/<family>.toml, a list of [[part]] tables each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.errors import BadInput
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category
from core.paths import ASSETS

CATALOGUE = ASSETS / "catalogue"


def catalogue_files(folder: Path = CATALOGUE) -> list[Path]:
    """All part files, in a stable order."""
    return sorted(folder.glob("*/*.toml"))


def fingerprint(folder: Path = CATALOGUE) -> str:
    """Changes exactly when a shipped file changes."""
    digest = sha256()
    for path in catalogue_files(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def shipped_parts(folder: Path = CATALOGUE) -> Iterator[Part]:
    """All parts, validated. Raises BadInput naming file, part and field."""
    for path in catalogue_files(folder):
        yield from _parts_of(path)


def _parts_of(path: Path) -> Iterator[Part]:
    category = Category(path.parent.name)
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("part", [])
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} is not valid TOML: {error}.") from error
    for row in rows:
        yield _part(row, category, path)


def _part(row: dict[str, Any], category: Category, path: Path) -> Part:
    spec = {"category": category, **row.get("spec", {})}
    try:
        return Part.model_validate({**row, "spec": spec, "origin": Origin.SHIPPED})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"])
        raise BadInput(f"{path}, part {row.get('id', '?')}, {field}: {first['msg']}.") from error
