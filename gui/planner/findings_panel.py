"""What the rules found: counts, the list, and beneath it the reasons and mends of the selected finding."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.build.edits import Edit, title_in
from core.rules.finding import Finding, Status
from core.rules.words import figure_phrase
from gui.planner.document import PlanDocument
from gui.planner.finding_delegate import FindingDelegate
from gui.planner.findings_model import FindingsModel
from gui.theme import theme
from gui.widgets.empty import EmptyState
from gui.widgets.tally import Tally


class FindingsPanel(QWidget):
    """`parts_picked` says which parts the selected finding is about; `mended` carries a fix to apply."""

    parts_picked = Signal(tuple, tuple)
    mended = Signal(object)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FindingsModel(document, self)
        self._document = document
        self._picked: Finding | None = None
        self.view = _FindingsList(self.model, self)
        self.tally = Tally(self)
        self.hide_settled = QCheckBox(self.tr("Hide passed"), self)
        self.hide_settled.setToolTip(self.tr("Leaves out what passed and what has nothing to check yet"))
        self.hide_settled.setChecked(True)
        self.hide_settled.toggled.connect(self.model.set_hide_settled)
        self._rest = QLabel(self)
        self._rest.setForegroundRole(self._rest.palette().ColorRole.PlaceholderText)
        self._rest.setWordWrap(True)
        self.reasons = Reasons(document, self)
        self.reasons.mended.connect(self.mended)
        self._empty = EmptyState(self.tr("What does not fit, is not fed or not cooled will stand here."), parent=self)
        self._lay_out()
        self.model.modelReset.connect(self._follow)
        document.changed.connect(self._follow)
        self.view.selectionModel().currentChanged.connect(self._pick)
        self._follow()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 8, 8, 4)
        head.addWidget(self.tally, 1)
        head.addWidget(self.hide_settled)
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.view)
        self.split.addWidget(self.reasons)
        self.split.setSizes([360, 200])
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.split, 1)
        column.addWidget(self._empty, 1)
        column.addWidget(self._rest)
        self._rest.setContentsMargins(8, 4, 8, 4)

    @Slot()
    def _follow(self) -> None:
        counts, has_parts = self.model.counts(), bool(self._document.build.lines)
        self.tally.show_counts({status.value: counts[status] for status in counts if status is not Status.PASS})
        self.split.setVisible(has_parts)
        self._empty.setVisible(not has_parts)
        self._rest.setVisible(has_parts)
        self._rest.setText(self._rest_words(counts[Status.PASS], self.model.unasked()))
        row = self.model.row_of(self._picked) if self._picked else None
        if row is None:
            self._picked = None
            self.reasons.show_finding(None)
        elif self.view.currentIndex().row() != row:
            self.view.setCurrentIndex(self.model.index(row))
        else:
            self.reasons.show_finding(self.model.finding(row))

    def _rest_words(self, passed: int, unasked: int) -> str:
        words = self.tr("{count} passed").format(count=passed)
        return f"{words}, {self.tr('{count} not checked yet').format(count=unasked)}" if unasked else words

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not current.isValid():
            return
        self._picked = self.model.finding(current.row())
        self.reasons.show_finding(self._picked)
        self.parts_picked.emit(self._picked.parts, self._picked.slots)


class _FindingsList(QListView):
    """Rows as high as their text needs at the present width."""

    def __init__(self, model: FindingsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(FindingDelegate(model, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Findings"))
        self.setAccessibleDescription(self.tr("What the rules say about the build, the most urgent first"))
        theme().changed.connect(self.viewport().update)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 96)


BESIDE_TEXT = 24
"""What a button needs at the sides of icon and text."""


class Reasons(QScrollArea):
    """Why a finding says what it says, and buttons that mend it."""

    mended = Signal(object)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self._text.setOpenExternalLinks(True)
        self._buttons: list[FixButton] = []
        content = QWidget(self)
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(8)
        self._column.addWidget(self._text)
        self._column.addStretch(1)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Reasons and mends"))

    @property
    def fix_buttons(self) -> list[FixButton]:
        """One button per mend."""
        return self._buttons

    def show_finding(self, finding: Finding | None) -> None:
        """Shows the basis, source and gaps of a finding; None says how to choose one."""
        for button in self._buttons:
            self._column.removeWidget(button)
            button.hide()  # it may be the sender of the click that led here
            button.deleteLater()
        self._buttons = []
        if finding is None:
            self._text.setText(f"<i>{escape(self.tr('Choose a finding to see its reasons and mends.'))}</i>")
            return
        self._text.setText(self._explanation(finding))
        for row, fix in enumerate(finding.fixes):
            button = FixButton(fix, title_in(fix, self._document.build), self.widget())
            button.applied.connect(self.mended)
            self._column.insertWidget(row, button)
            self._buttons.append(button)

    def _explanation(self, finding: Finding) -> str:
        build = self._document.build
        rows = [
            (self.tr("Basis"), escape(finding.basis)),
            (self.tr("Source"), _linked(finding.source)),
            (self.tr("Slots"), ", ".join(map(str, finding.slots))),
            (self.tr("Unconfirmed figures"), escape(figure_phrase(build, finding.unconfirmed))),
            (self.tr("Unknown figures"), escape(figure_phrase(build, finding.missing))),
            (self.tr("Rule"), escape(finding.rule)),
        ]
        muted = theme().color("muted").name()
        return "".join(
            f"<p style='margin:0 0 6px 0'><span style='color:{muted}'>{escape(name)}</span><br>{text}</p>"
            for name, text in rows
            if text
        )


class FixButton(QPushButton):
    """One mend; `applied` carries its edit."""

    applied = Signal(object)

    def __init__(self, fix: Edit, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme().icon("fix"), title, parent)
        self._fix = fix
        self._title = title
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(title)
        self.setToolTip(self.tr("{change}. Undo takes it back.").format(change=title))
        self.clicked.connect(self._apply)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shortens the title to the room there is; the tooltip has it whole."""
        super().resizeEvent(event)
        room = self.width() - self.iconSize().width() - BESIDE_TEXT
        self.setText(self.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, room))

    @Slot()
    def _apply(self) -> None:
        self.applied.emit(self._fix)


def _linked(source: str) -> str:
    words = [
        f'<a href="{escape(word)}">{escape(word)}</a>' if word.startswith(("http://", "https://")) else escape(word)
        for word in source.split(" ")
    ]
    return " ".join(words)
