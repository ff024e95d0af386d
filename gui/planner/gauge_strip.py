"""The gauges under the plan, which follow the open build."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from gui.planner.dials import DialRow
from gui.planner.document import PlanDocument
from gui.planner.gauges import gauges


class GaugeStrip(DialRow):
    """All gauges of the document, always up to date."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(gauges(document.assessment), parent)
        self._document = document
        document.changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        self.show_gauges(gauges(self._document.assessment))
