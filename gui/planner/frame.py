"""The frame of the Plan page: columns, tabs at the right, fields above; and the page before there is a build.

Nothing here knows parts, rules or predictions, so that the window is painted before these are loaded.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QSize, Qt, Slot
from PySide6.QtGui import QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QSplitter,
    QStyle,
    QStyleOptionFocusRect,
    QStyleOptionTab,
    QStylePainter,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from core.plan.mains import CIRCUITS
from core.words import tr, trc
from gui.guide.start_page import StartPage
from gui.planner.dials import TITLES, DialRow, Gauge
from gui.planner.parts.categories import CategoriesModel, CategoryView
from gui.planner.parts.search_field import SearchField
from gui.widgets.figures import DASH
from gui.widgets.form import choice_box, column_of, line_edit, row_of
from gui.widgets.text import Label
from gui.widgets.theme import theme

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


TABS = (tr("Findings"), trc("tab", "Not checked"), trc("tab", "Links"), tr("Notes"))
LINKS = 2


class SideTabs(QTabWidget):
    """What the rules say, what they cannot say, how the parts are connected, and the user's notes."""

    def __init__(self, panels: Sequence[QWidget], parent: QWidget | None = None) -> None:
        """`panels` in the order of `TABS`."""
        super().__init__(parent)
        self.setTabBar(SnugTabs(self))
        self.setDocumentMode(True)
        for panel, title in zip(panels, TABS, strict=True):
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


NARROW = 480
"""Pixels, below which caption and words of the button go."""


class DetailsRow(QWidget):
    """The fields alone; what they show and do is said elsewhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = line_edit(self, tr("Name of the build"), tr("Name of the build"), longest=200)
        self.region = choice_box(self, tr("Mains circuit"), ((circuit.title, circuit.id) for circuit in CIRCUITS))
        self.region.setSizeAdjustPolicy(self.region.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.region.setMinimumContentsLength(14)
        self._caption = Label(tr("&Circuit"), self)
        self._caption.setBuddy(self.region)
        self.more = QToolButton(self)
        row_of((self.name, 1), self._caption, self.region, self.more, into=self, margins=8, spacing=8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, the name needs it most."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW
        self._caption.setVisible(not narrow)
        style = Qt.ToolButtonStyle
        self.more.setToolButtonStyle(style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon)


MARGIN = 8


class PlanFrame(QWidget):
    """The Plan page takes over the start page; all else here stands where the page has the same."""

    def __init__(self, columns: QByteArray, region: str, parent: QWidget | None = None) -> None:
        """`columns` as `PlanColumns` saved them; `region` of new builds."""
        super().__init__(parent)
        self.start_page = StartPage(self)
        side = SideTabs([QWidget(self) for _ in TABS], self)
        split = PlanColumns(self._parts(), self._centre(region), side, self)
        split.restoreState(columns)
        dials = DialRow([Gauge(title, DASH) for title in TITLES], self)
        column_of((split, 1), dials, into=self, spacing=0)

    def _parts(self) -> QWidget:
        parts = QWidget(self)
        search = column_of(SearchField(parts), margins=MARGIN)
        column_of(search, CategoryView(CategoriesModel(parts), parts), 1, into=parts, spacing=0)
        return parts

    def _centre(self, region: str) -> QWidget:
        centre = QWidget(self)
        details = DetailsRow(centre)
        details.name.setText(tr("New build"))
        details.region.setCurrentIndex(details.region.findData(region))
        details.more.setText(tr("Circuits"))
        details.more.setIcon(theme().icon("settings", "muted"))
        # the empty room holds the fields up while a build is about to open and there is no start page
        column_of(details, (self.start_page, 1), 0, into=centre, spacing=0)
        return centre
