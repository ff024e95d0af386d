"""Brings the parts of the open plan to what the catalogue knows now, as one edit that can be undone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from core.build.build import Build, Line, is_card
from core.build.edits import SetLines
from core.build.file import FindPart
from gui.planner.document import PlanDocument


def bring_up_to_date(document: PlanDocument, find: FindPart, title: str, only: Collection[str] | None = None) -> int:
    """Puts the catalogue's parts in the place of the plan's, all or `only` these ids; how many lines differ then.

    Parts that the catalogue does not have stay as the plan carries them. Raises RigwrightError.
    """
    before = document.build
    lines = tuple(_renewed(line, find) if only is None or line.part.id in only else line for line in before.lines)
    differing = sum(old != new for old, new in zip(before.lines, lines, strict=True))
    if differing:
        document.edit(SetLines(title, lines))
    return differing


def outdated(build: Build, find: FindPart) -> list[str]:
    """The titles of parts that the catalogue knows otherwise. Raises RigwrightError."""
    return [line.part.title for line in build.lines if _renewed(line, find) != line]


def _renewed(line: Line, find: FindPart) -> Line:
    part = find(line.part.id)
    if part is None or part.category is not line.part.category or part == line.part:
        return line
    return replace(line, part=part, slots=line.slots if is_card(part) else ())
