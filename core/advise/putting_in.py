"""How a part comes into a build: in the place of another, or beside it."""

from __future__ import annotations

from core.build.build import Build
from core.build.edits import AddPart, Edit, SwapPart
from core.parts.part import Part
from core.parts.vocabulary import Category

ONCE = (Category.CPU, Category.MOTHERBOARD, Category.RAM, Category.CASE, Category.CPU_COOLER, Category.PSU)
"""Of these a machine has one kind: another one takes its place."""


def putting_in(build: Build, part: Part, selected: tuple[str, ...] = ()) -> Edit | None:
    """For the selected line of its category, for the only one where a machine has one kind, or beside the others.

    `selected` are ids of the build's parts. None if the part is in already.
    """
    if build.line(part.id) is not None:
        return None
    replaced = replaced_by(build, part.category, selected)
    return AddPart(part) if replaced is None else SwapPart(replaced, part)


def replaced_by(build: Build, category: Category, selected: tuple[str, ...] = ()) -> str | None:
    """The id of the part that another one of this category would replace; None if it would stand beside."""
    lines = build.of(category)
    chosen = next((line.part.id for line in lines if line.part.id in selected), None)
    if chosen is not None or category not in ONCE or len(lines) != 1:
        return chosen
    return lines[0].part.id
