"""A strip that says in one sentence why something did not work, without stopping the work."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from gui.theme import theme

SHOWN_MS = 12_000


class Notice(QWidget):
    """Hidden until there is something to say; goes by itself or at the press of its button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = QLabel(self)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)  # sentences quote file names and imported data
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close = QToolButton(self)
        close.setText("\u00d7")
        close.setAutoRaise(True)
        close.setToolTip(self.tr("Dismiss"))
        close.setAccessibleName(self.tr("Dismiss"))
        close.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.label, 1)
        row.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.dismiss)
        self.hide()

    @Slot(str)
    def say(self, sentence: str) -> None:
        """Shows a sentence for a while."""
        self._icon.setPixmap(theme().status_icon("warn").pixmap(16, 16))
        self.label.setText(sentence)
        self.setAccessibleName(sentence)
        self.show()
        self._timer.start()

    @Slot()
    def dismiss(self) -> None:
        """Hides it."""
        self._timer.stop()
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tint = theme().color("warn")
        tint.setAlphaF(0.14)
        painter = QPainter(self)
        painter.fillRect(self.rect(), tint)
