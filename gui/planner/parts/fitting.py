"""Which parts fit into the present build, added or in the place of another: asked beside the window, the first
screenful first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from core.advise.add_or_replace import ALONE, usually_replaced
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.missing import still_missing
from core.plan.templates import usual_parts
from core.platform.errors import RigwrightError
from core.predict.budget import LeftForOne, left_for_one
from core.words import tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument
from gui.widgets.background import pause

if TYPE_CHECKING:
    from core.advise.fit_verdict import FitVerdict
    from core.advise.fits import PartRank, WhatFits
    from core.parts.catalogue import Catalogue
    from core.parts.query import Hit

PAUSE_MS = 150
SCREENFUL = 30
"""Parts that are judged before the list is told the first time."""
BATCH_S = 0.4
"""How long the thread beside the window judges before it tells what it found."""
Key = tuple[Category, str | None, int]
"""A category, the id of the part that would be replaced, None where parts would be added, and how many of them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts and ranks by part id, found for one build, and what only the thread beside the window touches."""

    verdicts: dict[str, FitVerdict] = field(default_factory=dict)
    ranks: dict[str, PartRank] = field(default_factory=dict)
    what_fits: list[WhatFits] = field(default_factory=list)


class Fitting(QObject):
    """`judged` when more is known; `failed(error)` when it cannot be; `replaced_changed` when parts would replace
    another one, or none; `inside_changed` when the build has other parts; `money_changed` when another sum may be left.

    Verdicts hold until build or catalogue change.
    """

    judged = Signal()
    failed = Signal(object)
    replaced_changed = Signal()
    inside_changed = Signal()
    money_changed = Signal()

    def __init__(self, document: PlanDocument, connection: CatalogueConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._connection = connection
        self._build = _what_counts(document.build)
        self._judged: dict[Key, Judged] = {}
        self._stale: dict[Key, Judged] = {}
        self._listed: dict[Category, list[str]] = {}
        self._useful = True
        self._quantity = 1
        self._chosen: dict[Category, str | None] = {}
        self._selected: tuple[str, ...] = ()
        self._question: tuple[Build, Key, Judged] | None = None
        self._pause = pause(self, self._ask, PAUSE_MS)
        document.changed.connect(self._follow)
        connection.changed.connect(self._forget)

    # -- how a part comes in --------------------------------------------------------------------------------------

    def replaceable(self, category: Category) -> list[Part | None]:
        """The parts that another of the category can replace, and None, first, where one can be added."""
        inside: list[Part | None] = [line.part for line in self._document.build.of(category)]
        return inside if inside and category in ALONE else [None, *inside]

    def replaced(self, category: Category) -> str | None:
        """The id of the part that one of the category would replace; None where it would be added."""
        build = self._document.build
        inside = [line.part.id for line in build.of(category)]
        if category not in self._chosen or not inside:
            return usually_replaced(build, category)
        chosen = self._chosen[category]
        if chosen is None:
            return inside[0] if category in ALONE else None
        selected = [part_id for part_id in inside if part_id in self._selected]
        return next(iter(selected), chosen if chosen in inside else inside[0])

    def is_inside(self, part_id: str) -> bool:
        """Whether the build has the part."""
        return self._document.build.line(part_id) is not None

    def inside(self) -> frozenset[str]:
        """The ids of all parts that the build has."""
        return frozenset(line.part.id for line in self._document.build.lines)

    def lacking(self) -> frozenset[Category]:
        """The categories that a machine needs and the build has no part of."""
        return frozenset(still_missing(self._document.build))

    def usual(self) -> frozenset[str]:
        """What to begin an empty build with: the parts of the templates of today."""
        return frozenset() if self._document.build.lines else usual_parts()

    def left_for(self, category: Category | None, quantity: int) -> LeftForOne | None:
        """What the budget leaves for each of so many parts of a category; None without a budget."""
        assessment = self._document.assessment
        replaced = self.replaced(category) if category else None
        return left_for_one(assessment.build, assessment.guide, replaced, quantity)

    def set_replaced(self, category: Category, replaced: str | None) -> None:
        """Parts of the category are to replace this one, or, None, to be added."""
        self._chosen[category] = replaced
        self._selected = tuple(own for own in self._selected if own == replaced or not self._is_of(own, category))
        self.replaced_changed.emit()
        self._start()
        self.judged.emit()

    def select(self, part_ids: list[str]) -> None:
        """These lines are chosen in the build: where parts replace one of several, they replace the chosen one."""
        before = {category: self.replaced(category) for category in self._chosen}
        self._selected = tuple(part_ids)
        if before != {category: self.replaced(category) for category in self._chosen}:
            self.replaced_changed.emit()
            self._start()
            self.judged.emit()

    def _is_of(self, part_id: str, category: Category) -> bool:
        line = self._document.build.line(part_id)
        return line is not None and line.part.category is category

    # -- what is known --------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a wanted part is not judged yet."""
        return bool(self._missing())

    def verdict(self, category: Category, part_id: str) -> FitVerdict | None:
        """Whether the part fits; None as long as nobody knows. While a new answer is on its way the last one holds."""
        key = self._key(category)
        verdict = self._judged.get(key, _NOTHING).verdicts.get(part_id)
        return verdict or self._stale.get(key, _NOTHING).verdicts.get(part_id)

    def judged_of(self, category: Category) -> Judged:
        """All that is known of the parts of a category: as `verdict` of each, and how soon it is worth looking at."""
        key = self._key(category)
        before, now = self._stale.get(key, _NOTHING), self._judged.get(key, _NOTHING)
        return Judged({**before.verdicts, **now.verdicts}, {**before.ranks, **now.ranks})

    def want(self, hits: Iterable[Hit], *, useful: bool, quantity: int = 1) -> None:
        """These parts are listed, so many of each would be added: two small PSUs may do where one does not.

        `useful`: those worth looking at first are judged first, else in the order given.
        """
        self._listed, self._quantity = {}, quantity
        self._useful = useful
        for hit in hits:
            self._listed.setdefault(hit.category, []).append(hit.id)
        self._start()

    def _key(self, category: Category) -> Key:
        replaced = self.replaced(category)
        return category, replaced, self._quantity if replaced is None else 1

    def _missing(self) -> dict[Key, list[str]]:
        """Wanted parts without a verdict."""
        if not self._build.lines:
            return {}
        missing = {}
        for category, ids in self._listed.items():
            verdicts = self._judged.get(self._key(category), _NOTHING).verdicts
            if left := [part_id for part_id in ids if part_id not in verdicts]:
                missing[self._key(category)] = left
        return missing

    # -- asking ---------------------------------------------------------------------------------------------------

    @Slot()
    def _follow(self) -> None:
        build = _what_counts(self._document.build)
        if build != self._build:
            self._build = build
            self._forget()
            self.replaced_changed.emit()
            self.inside_changed.emit()
        self.money_changed.emit()

    @Slot()
    def _forget(self) -> None:
        self._stale = {**self._stale, **self._judged} if self._build.lines else {}
        self._judged = {}
        self._start()
        if not self._build.lines:
            self.judged.emit()

    def _start(self) -> None:
        if self._missing():
            self._pause.start()

    @Slot()
    def _ask(self) -> None:
        missing = self._missing()
        if not missing or self._question is not None or not self._connection.open:
            return
        key, ids = next(iter(missing.items()))
        judged = self._judged.get(key) or Judged()
        self._question = self._build, key, judged
        work = partial(judge_some, self._build, key, judged.what_fits, ids, self._useful)
        self._connection.adviser.ask(self, work, self._take, self._fail)

    def _take(self, answer: Judged) -> None:
        assert self._question is not None
        build, key, judged = self._question
        self._question = None
        if build is self._build:
            judged.verdicts.update(answer.verdicts)
            judged.ranks.update(answer.ranks)
            self._judged[key] = judged
            if key not in self._missing():
                judged.what_fits.clear()
                self._stale.pop(key, None)
            self.judged.emit()
        self._ask()

    def _fail(self, error: Exception) -> None:
        self._question = None
        if not isinstance(error, RigwrightError):
            raise error
        self._listed = {}
        self.failed.emit(error)


_NOTHING = Judged()


def judge_some(
    build: Build, key: Key, begun: list[WhatFits], ids: list[str], useful: bool, catalogue: Catalogue
) -> Judged:
    """As many of these parts as are judged in a moment; `begun` keeps what was found out for the others."""
    from core.advise.fit_verdict import refused
    from core.advise.fits import WhatFits, collector_at_rest

    with collector_at_rest():
        first = not begun
        if first:
            begun.append(WhatFits(build, key[0], catalogue, *key[1:]))
        what_fits, judged, today = begun[0], Judged(), datetime.now(UTC).date()
        here = [part_id for part_id in ids if part_id in what_fits]
        judged.ranks.update({part_id: what_fits.rank(part_id, today) for part_id in here})
        if useful:
            here.sort(key=judged.ranks.__getitem__)
        gone = refused(tr("The catalogue does not have this part any more."))
        judged.verdicts.update({part_id: gone for part_id in ids if part_id not in what_fits})
        end = monotonic() + BATCH_S
        for number, part_id in enumerate(here):
            if number >= SCREENFUL and (first or monotonic() > end):
                break
            judged.verdicts[part_id] = what_fits.verdict(part_id)
        return judged


def _what_counts(build: Build) -> Build:
    """The build without what no rule reads."""
    return replace(build, name="-", notes="", budget=None)
