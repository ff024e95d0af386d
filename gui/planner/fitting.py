"""Which of the found parts would do in the build as it stands, and why another would not."""

from __future__ import annotations

from collections import Counter
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from core.build.build import Build
from core.build.edits import AddPart, Edit, SwapPart
from core.errors import BadInput, RigwrightError
from core.parts.part import Part
from core.parts.vocabulary import Category
from core.rules.engine import check
from core.rules.finding import Finding, Status
from gui.planner.document import PlanDocument
from gui.planner.shelf import Shelf

ONCE = (Category.CPU, Category.MOTHERBOARD, Category.RAM, Category.CASE, Category.CPU_COOLER, Category.PSU)
"""Of these a machine has one kind: another one takes its place."""
SLICE_S = 0.006


def putting_in(build: Build, part: Part, selected: tuple[str, ...]) -> Edit | None:
    """How the part would come into the build: for the selected line, for the only one of its kind, or beside others.

    None if it is in already.
    """
    if build.line(part.id) is not None:
        return None
    lines = build.of(part.category)
    chosen = [line for line in lines if line.part.id in selected]
    if chosen:
        return SwapPart(chosen[0].part.id, part)
    return SwapPart(lines[0].part.id, part) if part.category in ONCE and len(lines) == 1 else AddPart(part)


def obstacles(build: Build, edit: Edit, failing: Counter[str]) -> tuple[str, ...]:
    """What would fail with the edit that does not fail without it: sentences of the rules.

    `failing` counts the failed findings of the present build by rule.
    """
    try:
        after = edit.apply(build)
    except BadInput as error:
        return (str(error),)
    failed = [finding for finding in check(after) if finding.status is Status.FAIL]
    counts = failures(failed)
    return tuple(finding.message for finding in failed if counts[finding.rule] > failing[finding.rule])


def failures(findings: list[Finding] | tuple[Finding, ...]) -> Counter[str]:
    """How often each rule fails."""
    return Counter(finding.rule for finding in findings if finding.status is Status.FAIL)


class Fitting(QObject):
    """Tries one part after the other in the pauses of the window; `judged(part id, sentences)` for each."""

    judged = Signal(str, tuple)

    def __init__(self, document: PlanDocument, shelf: Shelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._shelf = shelf
        self._wanted: list[str] = []
        self._waiting: list[str] = []
        self._selected: tuple[str, ...] = ()
        self._failing: Counter[str] = Counter()
        self._pause = QTimer(self)
        self._pause.setInterval(0)
        self._pause.timeout.connect(self._judge_some)
        document.changed.connect(self._again)

    @property
    def busy(self) -> bool:
        """Whether some parts are not judged yet."""
        return bool(self._waiting)

    def judge(self, part_ids: list[str]) -> None:
        """Judges these parts, in their order."""
        self._wanted = part_ids
        self._again()

    def select(self, part_ids: list[str]) -> None:
        """These lines would be replaced by a part of their category."""
        if tuple(part_ids) != self._selected:
            self._selected = tuple(part_ids)
            self._again()

    @Slot()
    def _again(self) -> None:
        self._waiting = list(self._wanted) if self._document.build.lines else []
        for part_id in self._wanted if not self._waiting else ():
            self.judged.emit(part_id, ())
        self._failing = failures(self._document.assessment.findings)
        if self._waiting:
            self._pause.start()

    @Slot()
    def _judge_some(self) -> None:
        begun = perf_counter()
        while self._waiting and perf_counter() - begun < SLICE_S:
            part_id = self._waiting.pop(0)
            self.judged.emit(part_id, self._obstacles_of(part_id))
        if not self._waiting:
            self._pause.stop()

    def _obstacles_of(self, part_id: str) -> tuple[str, ...]:
        try:
            part = self._shelf.find_part(part_id)
        except RigwrightError as error:
            return (str(error),)
        if part is None:
            return ()
        edit = putting_in(self._document.build, part, self._selected)
        return obstacles(self._document.build, edit, self._failing) if edit is not None else ()
