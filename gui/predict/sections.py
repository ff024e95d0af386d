"""The list of what is predicted, each with its figure: the way to its section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.theme import theme
from gui.widgets.text import tip
from gui.widgets.views import quiet_selection

PAD = 8
FIGURE_ROLE = Qt.ItemDataRole.UserRole + 30
Index = QModelIndex | QPersistentModelIndex


class SectionsModel(QAbstractListModel):
    """Names in a fixed order; figures differ with the build."""

    def __init__(self, names: Sequence[tuple[str, str]], parent: QObject | None = None) -> None:
        """`names`: key and words of each section."""
        super().__init__(parent)
        self._names = tuple(names)
        self._figures: Mapping[str, str] = {}

    def show_figures(self, figures: Mapping[str, str]) -> None:
        """By key; without one a section has none."""
        self._figures = figures
        self.dataChanged.emit(self.index(0), self.index(len(self._names) - 1))

    def key(self, row: int) -> str:
        """The section of a row."""
        return self._names[row][0]

    def row_of(self, key: str) -> int:
        """The row of a section."""
        return [name for name, _ in self._names].index(key)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        key, words = self._names[index.row()]
        figure = self._figures.get(key, "")
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return words
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{words}: {figure}" if figure else words
            case Qt.ItemDataRole.ToolTipRole:
                return tip(figure) or None
            case int(value) if value == FIGURE_ROLE:
                return figure
        return None


class SectionsView(QListView):
    """As high as its rows; `picked(key)`."""

    picked = Signal(str)

    def __init__(self, model: SectionsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sections = model
        self.setModel(model)
        self.setItemDelegate(_Delegate(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("What is predicted"))
        quiet_selection(self)
        self.selectionModel().currentChanged.connect(self._pick)
        self._fit()

    def pick(self, key: str) -> None:
        """Goes to a section."""
        self.setCurrentIndex(self._sections.index(self._sections.row_of(key)))

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs other rows."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_sections"):
            self._fit()

    def sizeHint(self) -> QSize:
        """All rows, and the longest name with a figure."""
        return QSize(self.fontMetrics().averageCharWidth() * 30, self.maximumHeight())

    def minimumSizeHint(self) -> QSize:
        """Some rows; the rest scrolls."""
        return QSize(160, 4 * self._row_height())

    def _row_height(self) -> int:
        return self.fontMetrics().height() + PAD

    def _fit(self) -> None:
        self.setMaximumHeight(self._sections.rowCount() * self._row_height() + 2)

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.picked.emit(self._sections.key(current.row()))


class _Delegate(QStyledItemDelegate):
    """The name at the left, its figure at the right, where there is room."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(option.rect.width(), option.fontMetrics.height() + PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        name, figure = own.text, index.data(FIGURE_ROLE)
        own.text = ""
        own.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, own.widget)
        painter.save()
        area, metrics = option.rect.adjusted(PAD, 0, -PAD, 0), option.fontMetrics
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        room = area.width() - metrics.horizontalAdvance(name) - PAD
        if figure and metrics.horizontalAdvance(figure) <= room:
            painter.setPen(theme().color("muted"))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, figure)
        painter.restore()
