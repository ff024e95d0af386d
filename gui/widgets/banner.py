"""A coloured strip that says something in one sentence, and one that goes by itself."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from core.words import tr
from gui.widgets.background import pause
from gui.widgets.form import named, row_of, tool_button
from gui.widgets.text import Label, sentence
from gui.widgets.theme import theme

SHOWN_MS = 12_000


class Banner(QWidget):
    """Hidden until there is something to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Label(self)
        self.label = sentence(self)
        self.row = row_of(self._icon, (self.label, 1), into=self, margins=(8, 4, 8, 4), spacing=8)
        theme().changed.connect(self._recolour)
        self.hide()

    def text(self) -> str:
        """What it says."""
        return self.label.text()

    @Slot(str)
    def say(self, text: str) -> None:
        """Shows a sentence; an empty one hides the strip."""
        self.label.setText(text)
        self.setAccessibleName(self.label.text())
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


class NoticeBanner(Banner):
    """Goes by itself or at the press of its button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        close = named(tool_button(self, "\u00d7", self.dismiss), tr("Dismiss"))
        close.setToolTip(tr("Dismiss"))
        self.row.addWidget(close)
        self._timer = pause(self, self.dismiss, SHOWN_MS)

    @Slot(str)
    def say(self, text: str) -> None:
        """Shows a sentence for a while."""
        super().say(text)
        self._timer.start()

    @Slot()
    def dismiss(self) -> None:
        """Hides it."""
        self._timer.stop()
        self.hide()
