"""A file of parts as a contribution: its JSON Schema, the check that it must pass, and how much is known by now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import create_model

from core.errors import BadInput
from core.language import english, spoken, tr
from core.parts.figures import deciding, field_words, figure_heading, figures_of, implausible, must_have
from core.parts.links import leads_to_figure
from core.parts.part import About, Evidence, Part, repeated_id
from core.parts.shipped import SharedFigures, each_part_of
from core.parts.specs import spec_model
from core.parts.values import Value
from core.parts.vocabulary import Category

ADDRESS = "https://json-schema.org/draft/2020-12/schema"


def file_schema(category: Category | None = None) -> dict[str, Any]:
    """The JSON Schema of a part file of a category, or of any; the folder says the category, so a spec need not."""
    part = (
        Part
        if category is None
        else create_model(english(category.label), __base__=Part, spec=(spec_model(category), ...))
    )
    rows = tuple[part, ...]  # type: ignore[valid-type]
    model = create_model("PartFile", __base__=Value, part=(rows, ...), shared=(SharedFigures, SharedFigures()))
    schema = model.model_json_schema()
    for definition in schema["$defs"].values():
        definition.get("properties", {}).pop("origin", None)
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
    found, faults = dict[str, list[Part]](), list[str]()
    for path in paths:
        try:
            found[str(path)] = read_contribution(path)
        except BadInput as error:
            faults.append(str(error))
    if faults:
        raise BadInput("\n".join(faults))
    return found


def read_contribution(path: Path) -> list[Part]:
    """The parts of a file, which lies in a folder named by its category.

    Raises BadInput with all faults, one a line: of form, of a figure that cannot be, of a figure without any source.
    """
    made, faults = _parts_and_faults(path)
    if faults:
        raise BadInput("\n".join(faults))
    return made


def _parts_and_faults(path: Path) -> tuple[list[Part], list[str]]:
    made, faults = list[Part](), list[str]()
    for part, wrong in each_part_of(path.resolve()):
        made += [part] if part is not None else []
        faults += wrong
    if twice := repeated_id(made):
        faults.append(
            tr("{path} has two parts with the id {part_id}. Give one of them another id.", path=path, part_id=twice)
        )
    for part in made:
        faults += (
            tr("{path}, part {part_id}: {fault}", path=path, part_id=part.id, fault=fault) for fault in _faults(part)
        )
    return made, faults


def _faults(part: Part) -> Iterator[str]:
    for field, value, (low, high) in implausible(part):
        yield tr(
            "{figure} ({field}) is {value:g}, outside {low:g} to {high:g}. Check the unit.",
            figure=field_words(field),
            field=field,
            value=value,
            low=low,
            high=high,
        )
    for source in part.sources:
        if source.read and source.url and not leads_to_figure(source.url):
            yield tr(
                "{source!r} leads to {address}, which shows something else after the next change. Link the page or, at "
                "GitHub, the file at a commit; a source that cannot be linked so has read = false.",
                source=source.title,
                address=source.url,
            )
        if source.about is not About.PART and not source.covered:
            yield tr("{source!r} is not about the part itself. Name its figures.", source=source.title)
        for field, said in (source.says or {}).items():
            if (stated := _differing(part, field, said)) is not None:
                yield tr(
                    "{source!r} says {said} for {field}, the part has {stated}. Correct one, or quote in words.",
                    source=source.title,
                    said=said,
                    field=field,
                    stated=stated,
                )
    bare = unsourced(part)
    if bare:
        yield tr("no source covers {fields}. Name one, or leave them out.", fields=", ".join(bare))


def _differing(part: Part, field: str, said: float | bool | str) -> str | None:
    """The figure of a part, where a source gives another number; words of a source are its own."""
    beside = {"year": part.year, "price": part.price.amount if part.price else None}
    stated = beside[field] if field in beside else getattr(part.spec, field, None)
    if isinstance(said, str) or said == stated:
        return None
    return "none" if stated is None else str(stated)


def unsourced(part: Part) -> tuple[str, ...]:
    """The figures of a part that no source covers, not even general knowledge."""
    covered = {field for source in part.sources for field in source.covered}
    if any(not source.covered for source in part.sources):
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
