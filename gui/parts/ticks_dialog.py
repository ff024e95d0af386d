"""Edits a figure that is some of a closed list: every value with a box to tick."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QListWidget, QListWidgetItem, QWidget

from gui.parts.controls import column_of, outline
from gui.parts.figure import Figure
from gui.widgets.text import Label
from gui.widgets.views import quiet_selection


class TicksDialog(QDialog):
    """`value` is the list of what is ticked; with nothing ticked, unknown or none as the box below says."""

    def __init__(self, figure: Figure, value: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self._figure = figure
        self.setWindowTitle(figure.label)
        self.resize(320, 420)
        self.list = QListWidget(self)
        self.list.setAccessibleName(figure.label)
        self.list.setSpacing(2)
        outline(self.list)
        quiet_selection(self.list)
        for choice in figure.choices:
            item = QListWidgetItem(choice.label, self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if choice.value in (value or ()) else Qt.CheckState.Unchecked)
        self.list.setCurrentRow(0)
        self.known = QCheckBox(self.tr("Known: nothing ticked means none"), self)
        self.known.setVisible(figure.can_be_unknown)
        self.known.setChecked(value is not None and not value)
        hint = Label(self.tr("Space ticks. With nothing ticked the figure is unknown."), self)
        hint.setWordWrap(True)
        hint.setVisible(figure.can_be_unknown)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        column_of([self.list, hint, self.known, box], self)

    def accept(self) -> None:
        """Takes what is ticked."""
        ticked = [
            choice.value
            for row, choice in enumerate(self._figure.choices)
            if self.list.item(row).checkState() is Qt.CheckState.Checked
        ]
        known = ticked or self.known.isChecked() or not self._figure.can_be_unknown
        self.value = ticked if known else None
        super().accept()
