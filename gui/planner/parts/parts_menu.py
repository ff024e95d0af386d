"""What can be done with the chosen part of the list, as a menu."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget


class PartsMenu(QMenu):
    """One signal per entry."""

    add_wanted = Signal()
    swap_wanted = Signal()
    figures_wanted = Signal()
    correction_wanted = Signal()

    def __init__(self, parent: QWidget | None = None, *, may_swap: bool) -> None:
        super().__init__(parent)
        self.addAction(self.tr("Add to the build"), self.add_wanted.emit)
        swap = self.addAction(self.tr("Replace the selected line with this"), self.swap_wanted.emit)
        swap.setEnabled(may_swap)
        self.addAction(self.tr("Figures and sources …"), self.figures_wanted.emit)
        self.addAction(self.tr("Correct figures …"), self.correction_wanted.emit)
