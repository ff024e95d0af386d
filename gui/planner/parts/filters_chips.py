"""The limits that are set, each a button that takes it away; in as many rows as the width asks for."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from core.parts.query import Filter
from gui.planner.parts.figure_names import limit_words
from gui.theme import theme
from gui.widgets.text import tip

GAP = 4
ICON = 14
MIN_WIDTH = 160


class FilterChips(QWidget):
    """`removed(field)` when a chip was pressed; `grown(height)` when there are more or fewer rows."""

    removed = Signal(str)
    grown = Signal(int)

    def __init__(self, after: QWidget, parent: QWidget | None = None) -> None:
        """`after` stands before the chips in the order of the keyboard."""
        super().__init__(parent)
        self._after = after
        self.chips: list[_Chip] = []
        self._limits: tuple[Filter, ...] = ()
        self._currency = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Filters that are set"))
        theme().changed.connect(self._recolour)
        self.hide()

    def show_limits(self, limits: tuple[Filter, ...], currency: str) -> None:
        """One chip per limit."""
        if (limits, currency) == (self._limits, self._currency):
            return
        self._limits, self._currency = limits, currency
        for old in self.chips:
            old.hide()
            old.deleteLater()
        self.chips = [self._chip(limit) for limit in limits]
        for one, next_one in pairwise([self._after, *self.chips]):
            QWidget.setTabOrder(one, next_one)
        self._place()
        self.setVisible(bool(limits))

    def sizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _chip(self, limit: Filter) -> _Chip:
        chip = _Chip(limit.field, limit_words(limit, self._currency), self)
        chip.pressed_away.connect(self.removed)
        chip.show()
        return chip

    def _place(self) -> None:
        left = top = bottom = 0
        for chip in self.chips:
            room = self.width() - ICON - 24
            words = self.fontMetrics().elidedText(chip.words, Qt.TextElideMode.ElideRight, room)
            chip.setText(words.replace("&", "&&"))
            size = chip.sizeHint()
            if left and left + size.width() > self.width():
                left, top = 0, bottom + GAP
            chip.setGeometry(left, top, min(size.width(), self.width()), size.height())
            left += size.width() + GAP
            bottom = top + size.height()
        if bottom != self.height():
            self.setFixedHeight(bottom)
            self.grown.emit(bottom)

    @Slot()
    def _recolour(self) -> None:
        for chip in self.chips:
            chip.recolour()


class _Chip(QToolButton):
    """`pressed_away(field)`."""

    pressed_away = Signal(str)

    def __init__(self, field: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._field = field
        self.words = words
        self.setIconSize(QSize(ICON, ICON))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Remove the filter {filter}").format(filter=words))
        self.setToolTip(tip(self.accessibleName()))
        self.clicked.connect(self._remove)
        self.recolour()

    def recolour(self) -> None:
        """Follows the theme."""
        self.setIcon(theme().icon("mdi6.close", "muted"))

    @Slot()
    def _remove(self) -> None:
        self.pressed_away.emit(self._field)
