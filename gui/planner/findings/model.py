"""What a check says as rows of a list: its findings, or what it could not answer and which figures would settle it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from core.advise.fit_verdict import compared
from core.build.build import Build
from core.language import joined, tr
from core.parts.figures import field_words
from core.rules.engine import not_checked
from core.rules.finding import Finding, Status
from core.rules.registry import RULES
from core.units import counted as unit_words
from gui.figures import number
from gui.planner.document import PlanDocument
from gui.units import local, unit_here, value_here
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
HEAD_ROLE = Role.UserRole + 10
"""The bold word or words."""
TONE_ROLE = Role.UserRole + 11
"""The colour of the theme for word and icon; "muted" has the icon of a note."""
FIGURES_ROLE = Role.UserRole + 12
"""What is shown at the right of the head."""


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One row. `key` finds the same row again after an edit."""

    key: tuple[object, ...]
    head: str
    message: str
    tone: str
    figures: str = ""
    finding: Finding | None = None
    """What a row of findings is made of."""
    part_id: str = ""
    field: str = ""
    """The figure of that part which is missing; empty where there is none to enter."""
    settles: int = 0
    """How many rules wait for the figure."""

    @property
    def settled(self) -> bool:
        """Whether it needs no attention here: what could not be checked has a list of its own."""
        return self.finding is not None and (self.finding.status is Status.PASS or not self.finding.checked)


Rows = Callable[[Build, tuple[Finding, ...]], Iterable[FindingRow]]


class FindingsModel(QAbstractListModel):
    """The rows that `rows` makes of the document's findings; those that are settled are left out on demand."""

    def __init__(self, document: PlanDocument, rows: Rows, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._rows_of = rows
        self._hide_settled = True
        self._rows: tuple[FindingRow, ...] = ()
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
        rows = self._rows_of(self._document.build, found_in(self._document))
        shown = tuple(row for row in rows if not (self._hide_settled and row.settled))
        if shown == self._rows:
            return
        self.beginResetModel()
        self._rows = shown
        self.endResetModel()

    def row(self, number: int) -> FindingRow:
        """What a row shows."""
        return self._rows[number]

    def row_of(self, row: FindingRow) -> int | None:
        """Where the same question is now."""
        return next((number for number, other in enumerate(self._rows) if other.key == row.key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Role.DisplayRole:
                return local(row.message)
            case Role.AccessibleTextRole:
                return f"{row.head}: {local(row.message)} {row.figures}".strip()
            case Role.ToolTipRole:
                return tip(row.figures) or None
            case _ if role == HEAD_ROLE:
                return row.head
            case _ if role == TONE_ROLE:
                return row.tone
            case _ if role == FIGURES_ROLE:
                return row.figures
        return None


def found_in(document: PlanDocument) -> tuple[Finding, ...]:
    """What the check of the open build found; nothing of an empty one."""
    return document.assessment.findings if document.build.lines else ()


def finding_rows(_build: Build, findings: tuple[Finding, ...]) -> Iterator[FindingRow]:
    """The findings, the most urgent first."""
    for finding in findings:
        tone = finding.status.value if finding.checked else "muted"
        key = finding.rule, finding.parts, finding.slots
        yield FindingRow(key, _status_word(finding), finding.message, tone, figures_of(finding), finding)


def figures_of(finding: Finding) -> str:
    """Measured against limit, as far as they are known: "2513 > 2200 W"."""
    if finding.measured is None:
        return ""
    if finding.limit is None or finding.limit == finding.measured:
        shown = value_here(finding.measured, finding.unit)
        return f"{number(shown)} {unit_words(shown, unit_here(finding.unit))}".strip()
    measured, limit = (value_here(value, finding.unit) for value in (finding.measured, finding.limit))
    return compared(measured, limit, unit_here(finding.unit))


def unchecked_rows(build: Build, findings: tuple[Finding, ...]) -> Iterator[FindingRow]:
    """Figures that rules wait for, those that settle the most first; then parts that are still to be chosen."""
    open_questions = not_checked(findings)
    waiting: dict[str, dict[str, None]] = {}
    for finding in open_questions:
        for figure in finding.missing:
            waiting.setdefault(figure, {}).update(dict.fromkeys(map(_title, finding.waiting)))
    figures = [_missing_figure(build, figure, list(rules)) for figure, rules in waiting.items()]
    yield from sorted(figures, key=lambda row: (-row.settles, row.head))
    for finding in open_questions:
        if not finding.missing:
            use = _use(map(_title, finding.waiting))
            yield FindingRow((finding.message, use), finding.message, use, "muted")


def _missing_figure(build: Build, figure: str, rules: list[str]) -> FindingRow:
    part_id, _, field = figure.rpartition(".")
    line = build.line(part_id)
    title = line.part.title if line else part_id
    head = tr("{part}: {figure}", part=title, figure=field_words(field))
    return FindingRow((part_id, field), head, _use(rules), "unknown", part_id=part_id, field=field, settles=len(rules))


def _use(rules: Iterable[str]) -> str:
    return tr("Needed by: {rules}", rules=joined(rules, ", "))


def _status_word(finding: Finding) -> str:
    if not finding.checked:
        return tr("Not checked")
    return finding.status.label


@cache
def _title(rule_id: str) -> str:
    return next((rule.title for rule in RULES if rule.id == rule_id), rule_id)
