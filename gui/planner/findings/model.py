"""The findings as a list, the most urgent first, passed ones hidden on demand."""

from __future__ import annotations

from collections import Counter
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from core.rules.engine import not_checked
from core.rules.finding import SEVERITY, Finding, Status
from gui.planner.document import PlanDocument
from gui.planner.figures import number
from gui.planner.findings.finding_list import FIGURES_ROLE, HEAD_ROLE, TONE_ROLE
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class FindingsModel(QAbstractListModel):
    """Reads the document's assessment."""

    def __init__(self, document: PlanDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._hide_settled = True
        self._findings: tuple[Finding, ...] = ()
        document.changed.connect(self.refresh)
        self.refresh()

    @Slot(bool)
    def set_hide_settled(self, hide: bool) -> None:
        """Shows or hides what needs no attention."""
        self._hide_settled = hide
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Follows the document."""
        found = self._document.assessment.findings if self._document.build.lines else ()
        shown = tuple(finding for finding in found if not (self._hide_settled and settled(finding)))
        if shown == self._findings:
            return
        self.beginResetModel()
        self._findings = shown
        self.endResetModel()

    def finding(self, row: int) -> Finding:
        """The finding of a row."""
        return self._findings[row]

    def row_of(self, finding: Finding) -> int | None:
        """Where the same rule speaks about the same parts and slots now."""
        key = _identity(finding)
        return next((row for row, other in enumerate(self._findings) if _identity(other) == key), None)

    def counts(self) -> dict[Status, int]:
        """How many findings of each status the whole check has; what had nothing to check is not counted."""
        found = self._document.assessment.findings if self._document.build.lines else ()
        counted = Counter(finding.status for finding in found if finding.checked)
        return {status: counted[status] for status in SEVERITY}

    def unchecked(self) -> int:
        """How many questions have no answer."""
        return len(not_checked(self._document.assessment.findings)) if self._document.build.lines else 0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._findings)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        finding = self._findings[index.row()]
        match role:
            case Role.DisplayRole:
                return finding.message
            case Role.AccessibleTextRole:
                return f"{self.word(finding)}: {finding.message} {self.figures(finding)}".strip()
            case Role.ToolTipRole:
                return tip(self.figures(finding)) or None
            case _ if role == HEAD_ROLE:
                return self.word(finding)
            case _ if role == TONE_ROLE:
                return finding.status.value if finding.checked else "muted"
            case _ if role == FIGURES_ROLE:
                return self.figures(finding)
        return None

    def word(self, finding: Finding) -> str:
        """The status in a word."""
        if not finding.checked:
            return self.tr("Not checked")
        return {
            Status.PASS: self.tr("Pass"),
            Status.NOTE: self.tr("Note"),
            Status.WARN: self.tr("Warning"),
            Status.FAIL: self.tr("Fail"),
            Status.UNKNOWN: self.tr("Unknown"),
        }[finding.status]

    def figures(self, finding: Finding) -> str:
        """Measured against limit, as far as they are known."""
        if finding.measured is None:
            return ""
        measured = f"{number(finding.measured)} {_unit(finding)}".strip()
        if finding.limit is None:
            return measured
        return self.tr("{measured}, limit {limit}").format(measured=measured, limit=number(finding.limit))


def _unit(finding: Finding) -> str:
    """The unit; that of things to count in the singular where there is one."""
    counted = finding.measured == 1 and len(finding.unit) > 3 and finding.unit.isalpha()
    return finding.unit.removesuffix("s") if counted else finding.unit


def settled(finding: Finding) -> bool:
    """Whether it needs no attention here: what could not be checked has a list of its own."""
    return finding.status is Status.PASS or not finding.checked


def _identity(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.parts, finding.slots
