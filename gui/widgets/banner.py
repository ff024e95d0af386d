"""A strip with a warning that stays as long as it is true."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.theme import theme
from gui.widgets.labels import sentence
from gui.widgets.text import Label


class Banner(QWidget):
    """Hidden until there is something to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Label(self)
        self.label = sentence(self)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(8, 4, 8, 4)
        self.row.setSpacing(8)
        self.row.addWidget(self._icon)
        self.row.addWidget(self.label, 1)
        theme().changed.connect(self._recolour)
        self.hide()

    def text(self) -> str:
        """What it says."""
        return self.label.text()

    @Slot(str)
    def say(self, text: str) -> None:
        """Shows a sentence; an empty one hides the strip."""
        self.label.setText(text)
        self.setAccessibleName(text)
        self._recolour()
        self.setVisible(bool(text))

    def paintEvent(self, _event: QPaintEvent) -> None:
        tint = theme().color("warn")
        tint.setAlphaF(0.14)
        painter = QPainter(self)
        painter.fillRect(self.rect(), tint)

    @Slot()
    def _recolour(self) -> None:
        if self.label.text():
            self._icon.setPixmap(theme().status_icon("warn").pixmap(16, 16))
