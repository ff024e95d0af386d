"""Which parts would do in the build as it stands: asked for whole categories, beside the window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from core.build.build import Build
from core.errors import RigwrightError
from core.parts.vocabulary import Category
from gui.planner.document import PlanDocument
from gui.planner.shelf import Shelf

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

PAUSE_MS = 150
Key = tuple[Category, tuple[str, ...]]
"""A category, and which of its lines would be replaced."""


class Fitting(QObject):
    """`judged` when more is known; `failed(error)` when it cannot be. Verdicts hold until build or catalogue change."""

    judged = Signal()
    failed = Signal(object)

    def __init__(self, document: PlanDocument, shelf: Shelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._shelf = shelf
        self._build = _what_counts(document.build)
        self._known: dict[Key, Mapping[str, str]] = {}
        self._stale: dict[Category, Mapping[str, str]] = {}
        self._wanted: tuple[Category, ...] = ()
        self._selected: tuple[str, ...] = ()
        self._asked: tuple[Build, Key] | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        document.changed.connect(self._follow)
        shelf.changed.connect(self._forget)

    @property
    def busy(self) -> bool:
        """Whether a wanted category is not judged yet."""
        return bool(self._missing())

    def obstacle(self, category: Category, part_id: str) -> str:
        """What would fail with the part, in a sentence; empty if nothing would, or nothing is known yet.

        While a new answer is on its way the last one stands.
        """
        verdict = self._known.get(self._key(category), self._stale.get(category, {}))
        return verdict.get(part_id, "")

    def want(self, categories: Iterable[Category]) -> None:
        """These categories are listed."""
        self._wanted = tuple(dict.fromkeys(categories))
        self._start()

    def select(self, part_ids: list[str]) -> None:
        """These lines would be replaced by a part of their category."""
        if tuple(part_ids) != self._selected:
            before = [self._key(category) for category in self._wanted]
            self._selected = tuple(part_ids)
            if before != [self._key(category) for category in self._wanted]:
                self._start()
                self.judged.emit()

    @Slot()
    def _follow(self) -> None:
        build = _what_counts(self._document.build)
        if build != self._build:
            self._build = build
            self._forget()

    @Slot()
    def _forget(self) -> None:
        self._stale |= {category: verdict for (category, _), verdict in self._known.items()}
        if not self._build.lines:
            self._stale = {}
        self._known = {}
        self._start()
        if not self._build.lines:
            self.judged.emit()

    def _start(self) -> None:
        if self._missing():
            self._pause.start()

    def _missing(self) -> list[Key]:
        if not self._build.lines:
            return []
        return [key for key in map(self._key, self._wanted) if key not in self._known]

    def _key(self, category: Category) -> Key:
        lines = (line.part.id for line in self._build.of(category))
        return category, tuple(part_id for part_id in lines if part_id in self._selected)

    @Slot()
    def _ask(self) -> None:
        missing = self._missing()
        if not missing or self._asked is not None or not self._shelf.open:
            return
        self._asked = self._build, missing[0]
        self._shelf.adviser.ask(self, partial(obstacles, *self._asked), self._take, self._fail)

    def _take(self, verdict: Mapping[str, str]) -> None:
        assert self._asked is not None
        build, key = self._asked
        self._asked = None
        if build is self._build:
            self._known[key] = verdict
            self._stale.pop(key[0], None)
            self.judged.emit()
        self._ask()

    def _fail(self, error: Exception) -> None:
        self._asked = None
        if not isinstance(error, RigwrightError):
            raise error
        self._wanted = ()
        self.failed.emit(error)


def obstacles(build: Build, key: Key, catalogue: Catalogue) -> dict[str, str]:
    """The parts of a category that would not do, with what would fail."""
    from core.advise.fits import WhatFits
    from core.advise.putting_in import usually_replaced

    category, selected = key
    asked = WhatFits(build, category, catalogue, selected[0] if selected else usually_replaced(build, category))
    found = ((part_id, asked.verdict(part_id)) for part_id in asked.ids)
    return {own: one.reason.sentence("This part") for own, one in found if one.reason and not one.state.fits}


def _what_counts(build: Build) -> Build:
    """The build without what no rule reads."""
    return replace(build, name="-", notes="")
