"""What the Plan page shows before there is a build: its columns around the start page, and gauges without figures.

Nothing here knows parts, rules or predictions, so that the window is painted before these are loaded.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.language import tr
from gui.figures import DASH
from gui.guide.start_page import StartPage
from gui.planner.columns import PlanColumns
from gui.planner.details_row import DetailsRow
from gui.planner.dials import DialRow
from gui.planner.gauge import TITLES, Gauge
from gui.planner.parts.categories import CategoriesModel, CategoryView
from gui.planner.parts.search_field import SearchField
from gui.planner.side import TITLES as SIDE_TITLES
from gui.planner.side import SideTabs
from gui.theme import theme

MARGIN = 8


class PlanFrame(QWidget):
    """The Plan page takes over the start page; all else here stands where the page has the same."""

    def __init__(self, columns: QByteArray, region: str, parent: QWidget | None = None) -> None:
        """`columns` as `PlanColumns` saved them; `region` of new builds."""
        super().__init__(parent)
        self.start_page = StartPage(self)
        side = SideTabs([QWidget(self) for _ in SIDE_TITLES], self)
        split = PlanColumns(self._parts(), self._centre(region), side, self)
        split.restoreState(columns)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(split, 1)
        column.addWidget(DialRow([Gauge(title, DASH) for title in TITLES], self))

    def _parts(self) -> QWidget:
        parts = QWidget(self)
        top = QVBoxLayout()
        top.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        top.addWidget(SearchField(parts))
        column = QVBoxLayout(parts)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(CategoryView(CategoriesModel(parts), parts))
        column.addStretch(1)
        return parts

    def _centre(self, region: str) -> QWidget:
        centre = QWidget(self)
        details = DetailsRow(centre)
        details.name.setText(tr("New build"))
        details.region.setCurrentIndex(details.region.findData(region))
        details.more.setText(tr("Circuits"))
        details.more.setIcon(theme().icon("settings", "muted"))
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(details)
        column.addWidget(self.start_page, 1)
        column.addStretch(0)  # while a build is about to open, there is no start page
        return centre
