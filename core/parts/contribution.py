"""A file of parts as a contribution: its JSON Schema, the check that it must pass, and how much is known by now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import create_model

from core.errors import BadInput
from core.language import english, spoken, tr
from core.parts.figures import deciding, figure_heading, figures_of, must_have
from core.parts.part import Evidence, Part, Source
from core.parts.part_faults import faults_of
from core.parts.row_form import Common, NamedSource
from core.parts.shipped import each_part_of
from core.parts.specs import spec_model
from core.parts.values import Several, Value
from core.parts.vocabulary import Category

ADDRESS = "https://json-schema.org/draft/2020-12/schema"


def file_schema(category: Category | None = None) -> dict[str, Any]:
    """The JSON Schema of a part file of a category, or of any; the folder says the category, so a spec need not."""
    fields: dict[str, Any] = {"series": (str | None, None), "sources": (Several[Source | NamedSource], ())}
    if category is not None:
        fields["spec"] = (spec_model(category), ...)
    name = "PartRow" if category is None else english(category.label)
    rows: Any = tuple[create_model(name, __base__=Part, **fields), ...]  # type: ignore[misc]
    whole: dict[str, Any] = {"part": (rows, ...), "shared": (Common, Common()), "series": (dict[str, Common], {})}
    model = create_model("PartFile", __base__=Value, **whole)
    schema = model.model_json_schema()
    for definition in schema["$defs"].values():
        definition.get("properties", {}).pop("origin", None)
    for one in Category:
        schema["$defs"].get(spec_model(one).__name__, {}).pop("required", None)  # a series may state it
    for one in Category if category is None else (category,):
        _explain(schema["$defs"].get(spec_model(one).__name__, {}).get("properties", {}), one)
    what = "parts" if category is None else f"parts of the category {english(category.label)}"
    return {"$schema": ADDRESS, **schema, "title": f"Rigwright {what}"}


def _explain(properties: dict[str, Any], category: Category) -> None:
    """Adds what the model knows of each figure: its name for people, and the range that `read_contribution` holds."""
    for field, figure in figures_of(category).items():
        if field in properties:
            with spoken("en"):
                properties[field]["title"] = figure_heading(field)
            if figure.within is not None:
                properties[field] |= {"minimum": figure.within[0], "maximum": figure.within[1]}


def read_contributions(paths: Iterable[Path]) -> dict[str, list[Part]]:
    """The parts of several files by their names. Raises BadInput with all faults of all files."""
    made, faults = dict[str, list[Part]](), list[str]()
    ids: dict[str, Path] = {}
    for path in paths:
        try:
            parts, wrong = _parts_and_faults(path, ids)
        except BadInput as error:
            faults.append(error.args[0])
            continue
        made[str(path)] = parts
        faults += wrong
    if faults:
        raise BadInput("\n".join(faults))
    return made


def read_contribution(path: Path) -> list[Part]:
    """The parts of a file, which lies in a folder named by its category.

    Raises BadInput with all faults, one a line: of form, of a figure that cannot be, of a figure without any source.
    """
    return read_contributions((path,))[str(path)]


def _parts_and_faults(path: Path, ids: dict[str, Path]) -> tuple[list[Part], list[str]]:
    """`ids` are those of the files before, and take in those of this one."""
    made, faults = list[Part](), list[str]()
    for row in each_part_of(path.resolve()):
        made += [row.part] if row.part is not None else []
        faults += row.faults
        if not row.raw:
            continue
        part_id = row.raw.get("id")
        if isinstance(part_id, str) and part_id in ids:
            faults.append(_twice(path, part_id, ids[part_id]))
        elif isinstance(part_id, str):
            ids[part_id] = path
        faults += (tr("{where}: {fault}", where=row.where, fault=fault) for fault in faults_of(row, path.parent.name))
    return made, faults


def _twice(path: Path, part_id: str, other: Path) -> str:
    if other == path:
        return tr(
            "{path} has two parts with the id {part_id}. Give one of them another id.", path=path, part_id=part_id
        )
    return tr(
        "{path}: the id {part_id} is already used in {file}. Give one of them another id.",
        path=path,
        part_id=part_id,
        file=other,
    )


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """One deciding figure over the parts of a category that should have it."""

    category: Category
    field: str
    parts: int
    known: int
    confirmed: int
    twice: int
    """By two sources of different places."""
    lacking: tuple[str, ...]
    """Ids of the parts of which it is unknown."""

    @property
    def known_share(self) -> float:
        """0 to 1."""
        return self.known / self.parts

    @property
    def confirmed_share(self) -> float:
        """0 to 1."""
        return self.confirmed / self.parts

    @property
    def twice_share(self) -> float:
        """0 to 1."""
        return self.twice / self.parts


def coverage(parts: Iterable[Part]) -> list[FieldCoverage]:
    """Per category and deciding figure, in the order of both lists; without those that no part should have."""
    due: dict[tuple[Category, str], list[Part]] = defaultdict(list)
    for part in parts:
        for field in must_have(part):
            due[part.category, field].append(part)
    order = [(category, field) for category in Category for field in deciding(category)]
    return [_row(category, field, due[category, field]) for category, field in order if (category, field) in due]


def _row(category: Category, field: str, parts: list[Part]) -> FieldCoverage:
    evidence = [part.evidence(field) for part in parts]
    lacking = tuple(part.id for part, one in zip(parts, evidence, strict=True) if one is Evidence.UNKNOWN)
    twice = sum(
        one is Evidence.CONFIRMED and len(part.confirming_places(field)) > 1
        for part, one in zip(parts, evidence, strict=True)
    )
    known = len(parts) - len(lacking)
    return FieldCoverage(category, field, len(parts), known, evidence.count(Evidence.CONFIRMED), twice, lacking)
