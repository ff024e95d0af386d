"""Several edits as one, for undo."""

from __future__ import annotations

from dataclasses import dataclass

from core.build.build import Build
from core.build.edits import Edit


@dataclass(frozen=True, slots=True)
class Several:
    """Applies its edits one after the other, all or none."""

    title: str
    edits: tuple[Edit, ...]

    def apply(self, build: Build) -> Build:
        for edit in self.edits:
            build = edit.apply(build)
        return build

    def inverse(self, before: Build) -> Edit:
        back: list[Edit] = []
        for edit in self.edits:
            back.insert(0, edit.inverse(before))
            before = edit.apply(before)
        return Several(self.title, tuple(back))
