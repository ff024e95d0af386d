"""The fields above a build: its name, its mains circuit, and a button for all that is assumed of them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QToolButton, QWidget

from core.build.mains import CIRCUITS
from core.language import tr
from gui.widgets.text import Label

NARROW = 480
"""Pixels, below which caption and words of the button go."""


class DetailsRow(QWidget):
    """The fields alone; what they show and do is said elsewhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = QLineEdit(self)
        self.name.setMaxLength(200)
        self.name.setAccessibleName(tr("Name of the build"))
        self.name.setPlaceholderText(tr("Name of the build"))
        self.region = QComboBox(self)
        self.region.setAccessibleName(tr("Mains circuit"))
        self.region.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.region.setMinimumContentsLength(14)
        for circuit in CIRCUITS:
            self.region.addItem(circuit.title, circuit.id)
        self._caption = Label(tr("&Circuit"), self)
        self._caption.setBuddy(self.region)
        self.more = QToolButton(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.name, 1)
        row.addWidget(self._caption)
        row.addWidget(self.region)
        row.addWidget(self.more)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, the name needs it most."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        self._caption.setVisible(not narrow)
        style = Qt.ToolButtonStyle
        self.more.setToolButtonStyle(style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon)
