"""Equal cells in as many columns as the width allows, row under row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

GAP = 16
LINE_GAP = 4


class Columns(QWidget):
    """Never asks for more width than one cell, and for the height of its rows at the width it has."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells: list[QWidget] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_cells(self, cells: Sequence[QWidget]) -> None:
        """Shows these widgets, which become children, and lets go of the ones before."""
        for old in self._cells:
            old.hide()
            old.deleteLater()
        self._cells = list(cells)
        for cell in self._cells:
            cell.setParent(self)
            cell.show()
        self._place()
        self.updateGeometry()

    @property
    def rows(self) -> int:
        """How many rows there are at the present width."""
        return -(-len(self._cells) // self._per_row())

    def sizeHint(self) -> QSize:
        """All cells in one row."""
        cell = self._cell()
        return QSize(max(len(self._cells) * (cell.width() + GAP) - GAP, 0), self._height(self.rows))

    def minimumSizeHint(self) -> QSize:
        """One column."""
        return QSize(self._cell().width(), self._height(self.rows))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may mean other rows."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        cell, per_row = self._cell(), self._per_row()
        for number, widget in enumerate(self._cells):
            row, column = divmod(number, per_row)
            corner = QPoint(column * (cell.width() + GAP), row * (cell.height() + LINE_GAP))
            widget.setGeometry(QRect(corner, cell))
        self.setFixedHeight(self._height(self.rows))

    def _per_row(self) -> int:
        return max((self.width() + GAP) // (self._cell().width() + GAP), 1)

    def _cell(self) -> QSize:
        hints = [widget.sizeHint() for widget in self._cells]
        return reduce(QSize.expandedTo, hints, QSize(0, 0))

    def _height(self, rows: int) -> int:
        return max(rows * (self._cell().height() + LINE_GAP) - LINE_GAP, 0)
