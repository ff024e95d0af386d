"""What a release of the data set would change: against the import before, and against our confirmed figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.lab.opendb.load import Tell, read_opendb, tell_nobody
from core.parts.catalogue import Catalogue
from core.parts.identity import Exact, Identities
from core.parts.part import Evidence, Origin, Part
from core.parts.vocabulary import Category
from core.platform.spreadsheet import write_table
from core.words import Worded, tr

TOLERANCE = 0.01
"""Numbers that differ by less than this share are the same figure, rounded otherwise."""
IDENTITY = ("maker", "name", "year", "part_numbers")


class DifferenceKind(Worded):
    """What is different."""

    NEW = "new", tr("New parts")
    GONE = "gone", tr("Gone parts")
    CHANGED = "changed", tr("Figures changed since the previous import")
    DISAGREES = "disagrees", tr("Figures that disagree with our confirmed ones")
    """With a figure of ours that a source confirms."""


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    """One part that came or went, or one figure of it that differs."""

    kind: DifferenceKind
    category: Category
    part_id: str
    """Of the data set; of ours where it disagrees."""
    title: str
    field: str = ""
    before: Any = None
    """In the import before, or in our catalogue. As JSON has it."""
    after: Any = None
    """In the release."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release held against what there is."""

    parts: Mapping[Category, int]
    """How many it has."""
    before: Mapping[Category, int]
    """How many the import before had; all zero where there was none."""
    differences: tuple[ReleaseDifference, ...]

    @property
    def first(self) -> bool:
        """Whether there is no import before, so that nothing is new or gone."""
        return not any(self.before.values())

    def count(self, kind: DifferenceKind, category: Category) -> int:
        """How many differences of a kind a category has."""
        return sum(row.kind is kind and row.category is category for row in self.differences)


def compare_release(catalogue: Catalogue, path: Path, tell: Tell = tell_nobody) -> Release:
    """Holds the data set at `path` against the catalogue, which stays as it is. Raises BadInput as an import does."""
    release = {category: {part.id: part for part in parts} for category, parts in read_opendb(path, tell).items()}
    ours = {part.id: part for part in catalogue.parts(origin=Origin.SHIPPED)}
    identities = Identities.of(ours.values())
    imported = {category: _imported(catalogue, category) for category in release}
    first = not any(imported.values())
    differences: list[ReleaseDifference] = []
    for category, parts in release.items():
        differences += [] if first else _changes(category, imported[category], parts)
        differences += _disagreements(parts.values(), identities)
    return Release(
        {category: len(parts) for category, parts in release.items()},
        {category: len(parts) for category, parts in imported.items()},
        tuple(differences),
    )


def _imported(catalogue: Catalogue, category: Category) -> dict[str, Part]:
    """The parts of the import before, those beneath corrections among them."""
    parts = {part.id: part for part in catalogue.parts(origin=Origin.IMPORTED, category=category)}
    for part_id in catalogue.corrections():
        under = catalogue.beneath(part_id)
        if under is not None and under.origin is Origin.IMPORTED and under.category is category:
            parts[part_id] = under
    return parts


def _changes(category: Category, before: Mapping[str, Part], after: Mapping[str, Part]) -> Iterator[ReleaseDifference]:
    for part_id in sorted(after.keys() - before.keys()):
        yield ReleaseDifference(DifferenceKind.NEW, category, part_id, after[part_id].title)
    for part_id in sorted(before.keys() - after.keys()):
        yield ReleaseDifference(DifferenceKind.GONE, category, part_id, before[part_id].title)
    for part_id in sorted(after.keys() & before.keys()):
        old, new = _figures(before[part_id]), _figures(after[part_id])
        for field in sorted(old.keys() | new.keys()):
            if old.get(field) != new.get(field):
                title = after[part_id].title
                yield ReleaseDifference(
                    DifferenceKind.CHANGED, category, part_id, title, field, old.get(field), new.get(field)
                )


def _disagreements(parts: Iterable[Part], identities: Identities) -> Iterator[ReleaseDifference]:
    """Figures that both know, of a part that both have, and ours is confirmed."""
    for part in parts:
        own = _same(part, identities)
        if own is None or own.category is not part.category:
            continue
        theirs, confirmed = _figures(part), _figures(own)
        for field in sorted(theirs.keys() & confirmed.keys() - {*IDENTITY, "product"}):
            if own.evidence(field) is Evidence.CONFIRMED and not _agree(confirmed[field], theirs[field]):
                values = (confirmed[field], theirs[field])
                yield ReleaseDifference(DifferenceKind.DISAGREES, own.category, own.id, own.title, field, *values)


def _same(part: Part, identities: Identities) -> Part | None:
    """Our part with one of its numbers, or with its maker and name; None where several could be meant."""
    by_number = (identities.numbered(number) for number in part.part_numbers)
    answers = (*by_number, identities.called(part.title, part.category))
    return next((answer.part for answer in answers if isinstance(answer, Exact)), None)


def _figures(part: Part) -> dict[str, Any]:
    """What is known of a part, as JSON has it."""
    spec = part.spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    stored = part.model_dump(mode="json", include=set(IDENTITY), exclude_none=True)
    return {field: value for field, value in (spec | stored).items() if value not in ([], "") and field != "category"}


def _agree(one: Any, other: Any) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)) and not isinstance(one, bool):
        return bool(abs(one - other) <= TOLERANCE * max(abs(one), abs(other)))
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        return sorted(map(repr, one)) == sorted(map(repr, other))
    return bool(one == other)


COLUMNS = ("kind", "category", "id", "title", "field", "before", "after")


def write_differences(path: Path, release: Release) -> None:
    """Writes all differences as CSV. Raises BadInput."""
    rows = [
        (row.kind.value, row.category.value, row.part_id, row.title, row.field, _cell(row.before), _cell(row.after))
        for row in release.differences
    ]
    write_table(path, (COLUMNS, *rows))


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
