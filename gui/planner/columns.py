"""The three columns of the Plan page: parts, the machine, findings."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

SHARES = ((0.235, 244, 440), (0.25, 300, 480))
"""Of parts and findings: share of the whole width, least and most pixels. The rest is for the board between them."""


class PlanColumns(QSplitter):
    """They share the width of the window until the user moves them; then only the middle one grows with it."""

    def __init__(self, parts: QWidget, middle: QWidget, findings: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._moved = False
        self.setChildrenCollapsible(False)
        for widget in (parts, middle, findings):
            self.addWidget(widget)
        self.setStretchFactor(1, 1)
        self.splitterMoved.connect(self._remember)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._moved:
            parts, findings = (min(max(round(share * self.width()), least), most) for share, least, most in SHARES)
            self.setSizes([parts, self.width() - parts - findings - 2 * self.handleWidth(), findings])

    def saveState(self) -> QByteArray:
        """What the user chose; empty if nothing was moved."""
        return super().saveState() if self._moved else QByteArray()

    def restoreState(self, state: QByteArray | bytes | bytearray | memoryview) -> bool:
        """Takes up what `saveState` returned."""
        self._moved = super().restoreState(state)
        return self._moved

    @Slot()
    def _remember(self) -> None:
        self._moved = True
