"""The list of what was not checked, with the way to the figure that would settle it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.language import tr
from gui.planner.document import PlanDocument
from gui.planner.findings.finding_list import WrappedList
from gui.planner.findings.model import FindingRow, FindingsModel, unchecked_rows
from gui.widgets.empty import EmptyState
from gui.widgets.text import Label


class UncheckedPanel(QWidget):
    """`part_picked(part id)` at each choice; `figure_wanted(part id, field)` asks for the editor at that figure."""

    part_picked = Signal(str)
    figure_wanted = Signal(str, str)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._picked: FindingRow | None = None
        self.model = FindingsModel(document, unchecked_rows, self)
        self.view = WrappedList(self.model, tr("Not checked"), tr("Enter opens the part at the missing figure"), self)
        self.heading = Label(tr("Enter these figures to complete the check:"), self)
        self.heading.setWordWrap(True)
        self.heading.setContentsMargins(8, 8, 8, 8)
        self.enter_button = QPushButton(tr("Enter figure …"), self)
        self.enter_button.setToolTip(tr("Opens the part at this figure; the correction is yours and survives updates"))
        self._empty = EmptyState("", parent=self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addWidget(self.view, 1)
        column.addWidget(self._empty, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 8, 8, 0)
        foot.addWidget(self.enter_button)
        column.addLayout(foot)
        self.view.selectionModel().currentChanged.connect(self._pick)
        self.view.activated.connect(self.enter)
        self.enter_button.clicked.connect(self.enter)
        self.model.modelReset.connect(self._follow)
        document.changed.connect(self._show_state)
        self._follow()

    @Slot()
    def enter(self) -> None:
        """Asks for the editor at the chosen figure."""
        if self._picked is not None and self._picked.field:
            self.figure_wanted.emit(self._picked.part_id, self._picked.field)

    @Slot()
    def _follow(self) -> None:
        row = self.model.row_of(self._picked) if self._picked else None
        self._picked = None
        if row is not None:
            self.view.setCurrentIndex(self.model.index(row))
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        some = self.model.rowCount() > 0
        figures = some and bool(self.model.row(0).field)
        for widget in (self.view, self.enter_button):
            widget.setVisible(some)
        self.heading.setVisible(figures)
        self.enter_button.setEnabled(self._picked is not None and bool(self._picked.field))
        self._empty.setVisible(not some)
        has_parts = bool(self._document.build.lines)
        self._empty.set_sentence(
            tr("Every rule could be checked.")
            if has_parts
            else tr("Rules that lack a figure or a part are listed here.")
        )

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._picked = self.model.row(current.row()) if current.isValid() else None
        self._show_state()
        if self._picked is not None and self._picked.part_id:
            self.part_picked.emit(self._picked.part_id)
