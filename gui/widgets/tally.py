"""Counts of findings by status: icon, number and word, each in its colour."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.theme import theme
from gui.widgets.text import Label

ICON = 16
ORDER = ("fail", "warn", "unknown", "note", "pass")


class Tally(QWidget):
    """Statuses without a count are left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: dict[str, int] = {}
        self._pairs = {status: (Label(self), Label(self)) for status in ORDER}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for picture, count in self._pairs.values():
            row.addWidget(picture)
            row.addWidget(count)
        row.addStretch(1)
        theme().changed.connect(self._repaint)

    def show_counts(self, counts: dict[str, int]) -> None:
        """Shows the counts by status name."""
        self._counts = counts
        self._repaint()

    @Slot()
    def _repaint(self) -> None:
        spoken = []
        for status, (picture, label) in self._pairs.items():
            count = self._counts.get(status, 0)
            picture.setVisible(count > 0)
            label.setVisible(count > 0)
            if count:
                picture.setPixmap(theme().status_icon(status).pixmap(ICON, ICON))
                label.setText(str(count))
                picture.setToolTip(self._word(status))
                label.setToolTip(self._word(status))
                spoken.append(f"{count} {self._word(status)}")
        self.setAccessibleName(", ".join(spoken))

    def _word(self, status: str) -> str:
        return {
            "fail": self.tr("fail"),
            "warn": self.tr("warning"),
            "unknown": self.tr("unknown"),
            "note": self.tr("note"),
            "pass": self.tr("passed"),
        }[status]
