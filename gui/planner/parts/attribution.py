"""Names the public data set wherever its rows are listed, with the mark that those rows carry."""

from __future__ import annotations

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.parts.part import Origin
from gui.planner.parts.evidence import ATTRIBUTION, origin_words
from gui.planner.parts.part_delegate import ORIGIN_ICONS
from gui.theme import theme
from gui.widgets.text import Label

ICON = QSize(14, 14)


class Attribution(QWidget):
    """One quiet line below the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Label(self)
        label = Label(ATTRIBUTION, self)
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        label.setAccessibleName(origin_words(Origin.IMPORTED))
        self.setToolTip(origin_words(Origin.IMPORTED))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 0)
        row.setSpacing(4)
        row.addWidget(self._icon)
        row.addWidget(label, 1)
        theme().changed.connect(self._recolour)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        self._icon.setPixmap(theme().icon(ORIGIN_ICONS[Origin.IMPORTED], "muted").pixmap(ICON))
