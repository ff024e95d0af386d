"""How lists, tables and dialogs look: a quiet selection, small plain tables, sizes that the screen has room for."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.widgets.theme import theme

TINT = 0.16
FRAME = QSize(16, 48)
"""What a window manager draws around a window, roughly, in pixels."""


def quiet_selection(view: QAbstractItemView) -> None:
    """Follows the theme for as long as the view lives."""
    _QuietSelection(view)


class _QuietSelection(QObject):
    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        theme().changed.connect(self._recolour)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        palette = QPalette(self._view.palette())
        tinted = mixed(theme().color("surface"), theme().color("accent"), TINT)
        palette.setColor(QPalette.ColorRole.Highlight, tinted)
        palette.setColor(QPalette.ColorRole.HighlightedText, theme().color("text"))
        for role, name in ((QPalette.ColorRole.Base, "surface"), (QPalette.ColorRole.Text, "text")):
            palette.setColor(role, theme().color(name))
        self._view.setPalette(palette)


def paint_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """What is beneath a row that paints itself: a tint where it is chosen, and a line below."""
    if option.state & QStyle.StateFlag.State_Selected:
        tint = theme().color("accent")
        tint.setAlphaF(0.14)
        painter.fillRect(option.rect, tint)
    painter.setPen(theme().color("grid"))
    painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())


def paint_focus(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """A frame around the row that has the keyboard."""
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(theme().color("accent"))
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1))


def line_rows(view: QTableView, room: int) -> None:
    """Rows of one line with so many pixels around it, at every size of the text."""
    _LineRows(view, room)


class _LineRows(QObject):
    def __init__(self, view: QTableView, room: int) -> None:
        super().__init__(view)
        self._view, self._room = view, room
        theme().changed.connect(self._fit)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        high = self._view.fontMetrics().height() + self._room
        header = self._view.verticalHeader()
        if header.defaultSectionSize() != high:
            header.setDefaultSectionSize(high)


def small_table(view: QTableView) -> None:
    """A table of few rows within a page: no frame, no grid, rows of one height, Tab leaves it."""
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.horizontalHeader().setSectionsClickable(False)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    line_rows(view, 6)
    view.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    quiet_selection(view)


def mixed(ground: QColor, layer: QColor, share: float) -> QColor:
    """`layer` at this share over `ground`, opaque."""
    tops, lows = ((one.redF(), one.greenF(), one.blueF()) for one in (layer, ground))
    return QColor.fromRgbF(*(share * top + (1 - share) * low for top, low in zip(tops, lows, strict=True)))


def scrolling(page: QWidget, parent: QWidget) -> QScrollArea:
    """Holds a page, which fills it; where text is too large for the window, all of the page can be scrolled to."""
    area = QScrollArea(parent)
    area.setWidget(_Sheet(page))
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


class _Sheet(QWidget):
    """As large as the window, never less than its page can be: Qt would take the height that the page would like."""

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self._page = page
        page.setParent(self)

    def minimumSizeHint(self) -> QSize:
        return self._page.minimumSizeHint().expandedTo(self._page.minimumSize())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._page.setGeometry(self.rect())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)


def open_at(window: QWidget, width: int, height: int) -> None:
    """Gives a window this size in pixels, or what the screen has room for, so that its buttons can be reached."""
    window.resize(QSize(width, height).boundedTo(window.screen().availableSize() - FRAME))
