"""What a check says as a list: its findings, or what it could not answer and which figures would settle it.

Rows are as high as their text needs, with icon and word in their colour and figures above the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QObject, QRect, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.parts.figures import field_words
from core.plan.build import Build
from core.present.report.build_findings import finding_badge, finding_figures
from core.rules.engine import not_checked
from core.rules.finding import Finding, Status
from core.rules.registry import RULES
from core.words import joined, tr
from gui.planner.document import PlanDocument
from gui.widgets.table import Index, Role, TableColumn, TableModel
from gui.widgets.text import bold
from gui.widgets.theme import theme
from gui.widgets.units import local
from gui.widgets.views import paint_focus, paint_ground

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


class FindingsModel(TableModel[FindingRow]):
    """The rows that `rows` makes of the document's findings; those that are settled are left out on demand."""

    def __init__(self, document: PlanDocument, rows: Rows, parent: QObject | None = None) -> None:
        column: TableColumn[FindingRow] = TableColumn(
            "",
            lambda row: row.message,
            tip=lambda row: local(row.figures),
            spoken=lambda row: f"{row.head}: {local(row.message)} {local(row.figures)}".strip(),
            roles={
                HEAD_ROLE: lambda row: row.head,
                TONE_ROLE: lambda row: row.tone,
                FIGURES_ROLE: lambda row: local(row.figures),
            },
        )
        super().__init__((column,), lambda row: row.key, parent)
        self._document = document
        self._rows_of = rows
        self._hide_settled = True
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
        self.show_rows(row for row in rows if not (self._hide_settled and row.settled))


def found_in(document: PlanDocument) -> tuple[Finding, ...]:
    """What the check of the open build found; nothing of an empty one."""
    return document.assessment.findings if document.build.lines else ()


def finding_rows(_build: Build, findings: tuple[Finding, ...]) -> Iterator[FindingRow]:
    """The findings, the most urgent first."""
    for finding in findings:
        tone = finding.status.value if finding.checked else "muted"
        figures = finding_figures(finding)
        yield FindingRow(finding_key(finding), finding_badge(finding).word, finding.message, tone, figures, finding)


def finding_key(finding: Finding) -> tuple[object, ...]:
    """What stays of a finding after an edit."""
    return finding.rule, finding.parts, finding.slots


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


@cache
def _title(rule_id: str) -> str:
    return next((rule.title for rule in RULES if rule.id == rule_id), rule_id)


PAD = 8
ICON = 18
WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class FindingDelegate(QStyledItemDelegate):
    """One row of a list whose model has these roles; the message is what it displays."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = self._view.viewport().width()
        metrics, room = option.fontMetrics, QRect(0, 0, max(80, width - 3 * PAD - ICON), 10_000)
        message = metrics.boundingRect(room, WRAP, index.data())
        head = QFontMetrics(bold(option.font)).boundingRect(room, WRAP, index.data(HEAD_ROLE))
        return QSize(width, 2 * PAD + head.height() + 2 + message.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, tone = theme(), index.data(TONE_ROLE)
        painter.save()
        paint_ground(painter, option)
        paint_focus(painter, option)
        area = option.rect.adjusted(PAD, PAD, -PAD, -PAD)
        icon = colours.icon("note", "muted") if tone == "muted" else colours.status_icon(tone)
        icon.paint(painter, QRect(area.left(), area.top(), ICON, ICON))
        text = area.adjusted(ICON + PAD, 0, 0, 0)
        strong = bold(option.font)
        painter.setFont(strong)
        painter.setPen(colours.color(tone))
        head = index.data(HEAD_ROLE)
        taken = QFontMetrics(strong).boundingRect(QRect(0, 0, text.width(), 10_000), WRAP, head)
        painter.drawText(text, WRAP, head)
        painter.setFont(option.font)
        painter.setPen(colours.color("muted"))
        figures = text.adjusted(taken.width() + PAD, 0, 0, 0)
        room = max(0, figures.width())
        shown = option.fontMetrics.elidedText(index.data(FIGURES_ROLE), Qt.TextElideMode.ElideRight, room)
        painter.drawText(figures, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, shown)
        painter.setPen(colours.color("text"))
        painter.drawText(text.adjusted(0, taken.height() + 2, 0, 0), WRAP, index.data())
        painter.restore()


class WrappedList(QListView):
    """For models with the roles of `FindingDelegate`."""

    def __init__(self, model: FindingsModel, name: str, meaning: str, parent: QWidget | None = None) -> None:
        """`name` and `meaning` are spoken."""
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(FindingDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setAccessibleDescription(meaning)
        theme().changed.connect(self.viewport().update)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 96)
