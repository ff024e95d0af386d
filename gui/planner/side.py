"""The tabs at the right of the Plan page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QStyle,
    QStyleOptionFocusRect,
    QStyleOptionTab,
    QStylePainter,
    QTabBar,
    QTabWidget,
    QWidget,
)

from core.language import tr, trc

TITLES = (tr("Findings"), trc("tab", "Not checked"), trc("tab", "Links"), tr("Notes"))
LINKS = 2


class SideTabs(QTabWidget):
    """What the rules say, what they cannot say, how the parts are connected, and the user's notes."""

    def __init__(self, panels: Sequence[QWidget], parent: QWidget | None = None) -> None:
        """`panels` in the order of `TITLES`."""
        super().__init__(parent)
        self.setTabBar(SnugTabs(self))
        self.setDocumentMode(True)
        for panel, title in zip(panels, TITLES, strict=True):
            self.addTab(panel, title)
        self.setTabToolTip(LINKS, tr("Connections: paths between GPUs, and power cables"))


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
