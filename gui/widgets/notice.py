"""A strip that says in one sentence why something did not work, without stopping the work."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gui.widgets.banner import Banner

SHOWN_MS = 12_000


class Notice(Banner):
    """Goes by itself or at the press of its button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        close = QToolButton(self)
        close.setText("\u00d7")
        close.setAutoRaise(True)
        close.setToolTip(self.tr("Dismiss"))
        close.setAccessibleName(self.tr("Dismiss"))
        close.clicked.connect(self.dismiss)
        self.row.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.dismiss)

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
