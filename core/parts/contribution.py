"""A file of parts as a contribution: its JSON Schema, the check that it must pass, and how much is known by now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import create_model

from core.errors import BadInput
from core.parts.figures import field_words, figure_heading, figures_of, implausible, must_have
from core.parts.part import Evidence, Part, repeated_id
from core.parts.shipped import parts_of
from core.parts.specs import spec_model
from core.parts.values import Value
from core.parts.vocabulary import Category

ADDRESS = "https://json-schema.org/draft/2020-12/schema"


def file_schema(category: Category | None = None) -> dict[str, Any]:
    """The JSON Schema of a part file of a category, or of any; the folder says the category, so a spec need not."""
    part = (
        Part if category is None else create_model(f"{category.label}", __base__=Part, spec=(spec_model(category), ...))
    )
    model = create_model("PartFile", __base__=Value, part=(tuple[part, ...], ...))  # type: ignore[valid-type]
    schema = model.model_json_schema()
    for definition in schema["$defs"].values():
        definition.get("properties", {}).pop("origin", None)
    for one in Category if category is None else (category,):
        _explain(schema["$defs"].get(spec_model(one).__name__, {}).get("properties", {}), one)
    what = "parts" if category is None else f"parts of the category {category.label}"
    return {"$schema": ADDRESS, **schema, "title": f"Rigwright {what}"}


def _explain(properties: dict[str, Any], category: Category) -> None:
    """Adds what the model knows of each figure: its name for people, and the range that `read_contribution` holds."""
    for field, figure in figures_of(category).items():
        if field in properties:
            properties[field]["title"] = figure_heading(field)
            if figure.within is not None:
                properties[field] |= {"minimum": figure.within[0], "maximum": figure.within[1]}


def read_contribution(path: Path) -> list[Part]:
    """The parts of a file, which lies in a folder named by its category.

    Raises BadInput for the first fault: of form, of a figure that cannot be, of a figure without any source.
    """
    made = list(parts_of(path.resolve()))
    if twice := repeated_id(made):
        raise BadInput(f"{path} has two parts with the id {twice}. Give one another id.")
    for part in made:
        for field, value, (low, high) in implausible(part):
            raise BadInput(
                f"{path}, part {part.id}: {field_words(field)} ({field}) is {value:g}, outside {low:g} to {high:g}. "
                f"Check the unit."
            )
        bare = unsourced(part)
        if bare:
            raise BadInput(f"{path}, part {part.id}: no source covers {', '.join(bare)}. Name one, or leave them out.")
    return made


def unsourced(part: Part) -> tuple[str, ...]:
    """The figures of a part that no source covers, not even general knowledge."""
    covered = {field for source in part.sources for field in source.fields}
    if any(not source.fields for source in part.sources):
        return ()
    stated = part.spec.model_fields_set - {"category"} - covered
    return tuple(sorted(field for field in stated if part.evidence(field) is not Evidence.UNKNOWN))


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """One deciding figure over the parts of a category that should have it."""

    category: Category
    field: str
    parts: int
    known: int
    confirmed: int
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


def coverage(parts: Iterable[Part]) -> list[FieldCoverage]:
    """Per category and deciding figure, in the order of both lists; without those that no part should have."""
    evidence: dict[tuple[Category, str], dict[str, Evidence]] = defaultdict(dict)
    for part in parts:
        for field in must_have(part):
            evidence[part.category, field][part.id] = part.evidence(field)
    order = list(Category)
    rows = (_row(category, field, found) for (category, field), found in evidence.items())
    return sorted(rows, key=lambda row: order.index(row.category))


def _row(category: Category, field: str, found: dict[str, Evidence]) -> FieldCoverage:
    lacking = tuple(part_id for part_id, evidence in found.items() if evidence is Evidence.UNKNOWN)
    confirmed = sum(evidence is Evidence.CONFIRMED for evidence in found.values())
    return FieldCoverage(category, field, len(found), len(found) - len(lacking), confirmed, lacking)
