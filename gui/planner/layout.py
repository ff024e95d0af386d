"""How the Plan page is laid out: three columns, in the middle the board or the machine above the table of parts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QSize, Qt, Slot
from PySide6.QtGui import QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyleOptionFocusRect,
    QStyleOptionTab,
    QStylePainter,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from core.language import tr
from gui.planner.board.view import BoardView
from gui.planner.lines.view import LinesView
from gui.widgets.empty import EmptyState

SHARES = ((0.235, 244, 440), (0.25, 300, 480))
"""Of parts and findings: share of the whole width, least and most pixels. The rest is for the board between them."""


MACHINE_SHARE = 0.68
"""Of the middle's height for the picture of the machine, until the user moves it: it needs more than the board."""


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


class PlanCentre(QWidget):
    """Arranges what the page made; shows the board where there is one."""

    def __init__(
        self,
        head: Sequence[QWidget],
        board: BoardView,
        machine: QWidget,
        table: LinesView,
        first_steps: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._has_board = False
        self._heights: dict[bool, list[int]] = {}
        self._board = QStackedWidget(self)
        self._board.addWidget(
            EmptyState(tr("Add a motherboard with known slots to see where each card sits."), parent=self)
        )
        self._board.addWidget(board)
        self._board.addWidget(machine)
        self._machine = False
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.split.addWidget(self._board)
        self.split.addWidget(table)
        self.split.setChildrenCollapsible(False)
        self.split.setSizes([260, 240])
        self._plan = QStackedWidget(self)
        self._plan.addWidget(first_steps)
        self._plan.addWidget(self.split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in head:
            column.addWidget(widget)
        column.addWidget(self._plan, 1)

    def show_parts(self, *, has_board: bool, has_lines: bool) -> None:
        """Shows board and table as far as the build has them."""
        self._has_board = has_board
        self._choose()
        self._plan.setCurrentIndex(1 if has_lines else 0)

    def show_machine(self, on: bool) -> None:
        """The picture of the machine in the board's place, or the board again."""
        if on is not self._machine:
            self._machine = on
            self._heights[not on] = self.split.sizes()
            whole = sum(self.split.sizes())
            self.split.setSizes(
                self._heights.get(on) or [round(MACHINE_SHARE * whole), round((1 - MACHINE_SHARE) * whole)]
            )
        self._choose()

    @property
    def shows_machine(self) -> bool:
        """Whether the machine stands in the board's place."""
        return self._machine

    def _choose(self) -> None:
        self._board.setCurrentIndex(2 if self._machine else 1 if self._has_board else 0)


class SnugTabs(QTabBar):
    """Tabs that stand closer where all of them would not fit beside each other, as long words of a language do not."""

    LEAST_AROUND = 8
    """Pixels left and right of a text together."""

    def tabSizeHint(self, index: int) -> QSize:
        """The usual size, without as much of the space around the text as is over."""
        usual = super().tabSizeHint(index)
        over = sum(super(SnugTabs, self).tabSizeHint(tab).width() for tab in range(self.count())) - self.width()
        text = self.fontMetrics().horizontalAdvance(self.tabText(index))
        spare = max(usual.width() - text - self.LEAST_AROUND, 0)
        return QSize(usual.width() - min(max(-(-over // self.count()), 0), spare), usual.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """As the style does, but with the words over the whole tab: the style cuts them off at its usual margin."""
        painter = QStylePainter(self)
        chosen = self.currentIndex()
        for index in (*(tab for tab in range(self.count()) if tab != chosen), chosen):
            tab = QStyleOptionTab()
            self.initStyleOption(tab, index)
            if tab.rect.isEmpty():
                continue
            painter.drawControl(QStyle.ControlElement.CE_TabBarTabShape, tab)
            self._paint_words(painter, tab)

    def _paint_words(self, painter: QStylePainter, tab: QStyleOptionTab) -> None:
        shown = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextShowMnemonic
        lifted = 1 if tab.state & QStyle.StateFlag.State_Selected else 0  # as Fusion raises the chosen tab
        words = tab.rect.adjusted(1, -lifted, -1, -lifted)
        enabled = bool(tab.state & QStyle.StateFlag.State_Enabled)
        painter.drawItemText(words, int(shown), tab.palette, enabled, tab.text, QPalette.ColorRole.WindowText)
        if tab.state & QStyle.StateFlag.State_HasFocus:
            frame = QStyleOptionFocusRect()
            frame.initFrom(self)
            frame.rect = tab.rect.adjusted(3, 4, -3, -3)
            painter.drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, frame)
