"""The parts of a category that a build lacks; those alike in every figure, which also come in alike, are one row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.advise.alike import PLACING, PLACING_RULE, places
from core.advise.putting_in import putting_in, replaced_by
from core.advise.seen import Seen
from core.advise.stand_in import stand_in
from core.build.build import Build
from core.parts.columns import Numbers
from core.parts.part import Part
from core.parts.vocabulary import Category


class Candidates:
    """Rows count from 0."""

    def __init__(self, build: Build, category: Category, selected: tuple[str, ...], seen: Seen) -> None:
        self._build, self._category, self._selected, self._seen = build, category, selected, seen
        self._columns = columns = seen.columns
        replaced = replaced_by(build, category, selected)
        lines = [line.part.id for line in build.lines]
        self._at = lines.index(replaced) if replaced else len(lines)
        """Where the part stands among the lines: of the one it replaces, or behind all."""
        inside = {*lines}
        numbers = places(build, category, replaced, columns.ids)
        self._places = max(numbers, default=0) + 1
        place = np.array([-1 if own in inside else number for own, number in zip(columns.ids, numbers, strict=True)])
        outside = np.flatnonzero(place >= 0)
        kinds = np.array(columns.kinds, dtype=np.int64)[outside]
        self._builds: list[Build] = []
        """With such a part, by the slots that it comes into."""
        seats = self._slots(outside, kinds) * self._places + place[outside]
        _, first, rows = np.unique(seats * columns.count + kinds, return_index=True, return_inverse=True)
        self.rows = np.full(len(columns.ids), -1)
        """Of each part of the category its row; -1 where the build has it."""
        self.rows[outside] = rows
        self.kinds = kinds[first]
        """Of each row its number in the columns."""
        self.seats = seats[first]
        """Equal where parts come into the same slots, and to the same place in the order of the build's lines."""
        self._first = outside[first]

    def with_one(self, row: int, fields: tuple[str, ...]) -> tuple[Build, set[str]]:
        """The build with a stand-in of which these figures are known, and what of it was looked at."""
        part, looked = self._stand_in(int(self._first[row]), int(self.kinds[row]), fields)
        lines = list(self._builds[self.seats[row] // self._places].lines)
        lines[self._at] = replace(lines[self._at], part=part)
        lines.sort(key=lambda line: line.part.id)  # as a machine wants them
        looked.clear()
        return self._build.with_lines(tuple(lines)), looked

    def _slots(self, parts: Numbers, kinds: Numbers) -> Numbers:
        """Of each part the place of its build: one is put in for all that an edit puts into the same slots."""
        shapes = self._seen.groups(PLACING_RULE, PLACING.get(self._category, ()))[kinds]
        _, first, which = np.unique(shapes, return_index=True, return_inverse=True)
        numbers: dict[tuple[int, ...], int] = {}
        found = []
        for at in first.tolist():
            part, _ = self._stand_in(int(parts[at]), int(kinds[at]), ())
            edit = putting_in(self._build, part, self._selected)
            assert edit is not None  # only parts that the build lacks are asked about
            build = edit.apply(self._build)
            slots = build.lines[self._at].slots
            if slots not in numbers:
                numbers[slots] = len(numbers)
                self._builds.append(build)
            found.append(numbers[slots])
        return np.array(found, dtype=np.int64)[which]

    def _stand_in(self, at: int, kind: int, fields: tuple[str, ...]) -> tuple[Part, set[str]]:
        wanted = (*PLACING.get(self._category, ()), *fields)
        figures = {name: self._columns.value(name, kind) for name in wanted}
        return stand_in(self._category, self._columns.ids[at], figures)
