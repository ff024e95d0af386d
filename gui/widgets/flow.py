"""Widgets that go on below where the window is narrow: in a row, or as equal cells in columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget


class Flow(QLayout):
    """Each widget as wide as it wants to be; those added after `push_right` stand at the right end of their row."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._right_from: int | None = None
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def push_right(self) -> None:
        """What is added from now on stands at the right."""
        self._right_from = len(self._items)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rows = self._rows(width)
        return sum(map(_high, rows)) + self.spacing() * max(len(rows) - 1, 0)

    def sizeHint(self) -> QSize:
        """All in one row."""
        return QSize(self._wide(self._seen()), _high(self._seen()))

    def minimumSize(self) -> QSize:
        """As wide as the widest, and as high as its rows are at the width it has."""
        widest = max((item.minimumSize().width() for item in self._seen()), default=0)
        width = self.geometry().width()
        return QSize(widest, self.heightForWidth(max(width, widest)) if width > 0 else _high(self._seen()))

    def setGeometry(self, rect: QRect) -> None:
        before = self.minimumSize().height()
        super().setGeometry(rect)
        parent = self.parentWidget()
        if parent is not None and self.minimumSize().height() != before:
            parent.updateGeometry()
        top = rect.top()
        for row in self._rows(rect.width()):
            self._place(row, QRect(rect.left(), top, rect.width(), _high(row)))
            top += _high(row) + self.spacing()

    def _place(self, row: Sequence[QLayoutItem], rect: QRect) -> None:
        left, spare = rect.left(), max(rect.width() - self._wide(row), 0)
        right = self._items[self._right_from :] if self._right_from is not None else []
        for item in row:
            if spare and item in right:
                left, spare = left + spare, 0
            size = item.sizeHint().boundedTo(QSize(rect.width(), rect.height()))
            item.setGeometry(QRect(QPoint(left, rect.top() + (rect.height() - size.height()) // 2), size))
            left += size.width() + self.spacing()

    def _seen(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        rows: list[list[QLayoutItem]] = []
        for item in self._seen():
            if rows and self._wide([*rows[-1], item]) <= width:
                rows[-1].append(item)
            else:
                rows.append([item])
        return rows

    def _wide(self, row: Sequence[QLayoutItem]) -> int:
        return sum(item.sizeHint().width() for item in row) + self.spacing() * max(len(row) - 1, 0)


def _high(row: Sequence[QLayoutItem]) -> int:
    return max((item.sizeHint().height() for item in row), default=0)


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
