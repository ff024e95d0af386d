"""The window's pages in a row of tabs: of the Plan page its frame, of the others a place, until they are made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from core.words import tr
from gui.planner.frame import PlanFrame
from gui.widgets.background import call_later
from gui.widgets.context import belongs_to
from gui.widgets.theme import theme
from gui.widgets.views import scrolling

if TYPE_CHECKING:
    from gui.burnin.run.page import BurninPage
    from gui.history.page import RunsPage
    from gui.planner.page import PlanPage
    from gui.predict.page import PredictPage

PLAN, PREDICTIONS, BURNIN, RUNS = range(4)
ICON_NAMES = ("plan", "chart", "burnin", "runs")
MANUAL_PAGES = ("planning", "predictions", "burn-in", "runs")
AFTER_PAINT_MS = 400


class Pages(QTabWidget):
    """The Plan page comes with the workspace; the others are made when first shown, or a moment after it.

    `burnin_made` and `predictions_made` are emitted once these pages exist.
    """

    burnin_made = Signal()
    predictions_made = Signal()

    def __init__(self, frame: PlanFrame, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self.plan: PlanPage | None = None
        self.predictions: PredictPage | None = None
        self.burnin: BurninPage | None = None
        self.runs: RunsPage | None = None
        self.setDocumentMode(True)
        self.setAccessibleName(tr("Pages"))
        for title in (tr("Plan"), tr("Predictions"), tr("Burn-in"), tr("Runs")):
            self.addTab(_PagePlaceholder(self), title)
        self.start_page = frame.start_page
        self._place(PLAN).hold(frame)
        for page, name in enumerate(MANUAL_PAGES):
            belongs_to(self.widget(page), name)
        self.recolour()
        theme().changed.connect(self.recolour)

    def show_plan(self, plan: PlanPage) -> None:
        """Puts the Plan page in the place of its frame; from now on the other pages can be made."""
        self.plan = plan
        self._place(PLAN).hold(plan)
        self.currentChanged.connect(self._make_shown)
        self._make_shown(self.currentIndex())

    def make_soon(self) -> None:
        """Makes the other pages in a moment, one after the other."""
        call_later(self, self._make_all, AFTER_PAINT_MS)

    def require_burnin(self) -> BurninPage:
        """The burn-in page, made now if need be."""
        self._make(BURNIN)
        assert self.burnin is not None
        return self.burnin

    def require_predictions(self) -> PredictPage:
        """The page of predictions, made now if need be."""
        self._make(PREDICTIONS)
        assert self.predictions is not None
        return self.predictions

    @Slot()
    def show_predictions(self) -> None:
        """Goes to the predictions, where they were left."""
        self.setCurrentIndex(PREDICTIONS)

    @Slot(str)
    def show_prediction(self, section: str) -> None:
        """Goes to one section of the predictions."""
        self.require_predictions().show_section(section)
        self.show_predictions()

    @Slot()
    def show_calibration(self) -> None:
        """Goes to where predictions are corrected by what was measured."""
        self.show_prediction("calibration")

    def turn(self, by: int, _checked: bool = False) -> None:
        """Goes to the next or previous page."""
        self.setCurrentIndex((self.currentIndex() + by) % self.count())

    @Slot()
    def recolour(self) -> None:
        """Draws the icons in the present colours."""
        for page, name in enumerate(ICON_NAMES):
            self.setTabIcon(page, theme().icon(name))

    @Slot(int)
    def _make_shown(self, page: int) -> None:
        self._make(page)

    @Slot()
    def _make_all(self) -> None:
        missing = next((page for page in (PREDICTIONS, BURNIN, RUNS) if not self._made(page)), None)
        if missing is not None:
            self._make(missing)
            call_later(self, self._make_all)

    def _made(self, page: int) -> bool:
        return (self.plan, self.predictions, self.burnin, self.runs)[page] is not None

    def _make(self, page: int) -> None:
        if self._made(page):
            return
        place = self._place(page)
        match page:
            case int(number) if number == PREDICTIONS:
                place.hold(self._make_predictions(place))
                self.predictions_made.emit()
            case int(number) if number == BURNIN:
                place.hold(self._make_burnin(place))
                self.burnin_made.emit()
            case _:
                place.hold(self._make_runs(place))

    def _place(self, page: int) -> _PagePlaceholder:
        place = self.widget(page)
        assert isinstance(place, _PagePlaceholder)
        return place

    def _make_predictions(self, parent: QWidget) -> QWidget:
        from gui.predict.page import PredictPage

        assert self.plan is not None
        self.predictions = PredictPage(self.plan.document, self.plan.connection, self._data_dir, parent)
        return self.predictions

    def _make_burnin(self, parent: QWidget) -> QWidget:
        from gui.burnin.run.page import BurninPage

        self.burnin = BurninPage(self._data_dir, parent)
        return self.burnin

    def _make_runs(self, parent: QWidget) -> QWidget:
        from gui.history.page import RunsPage

        self.runs = RunsPage(self._data_dir, parent)
        self.runs.resume_wanted.connect(self._show_interrupted)
        return self.runs

    @Slot(int)
    def _show_interrupted(self, run_id: int) -> None:
        """An interrupted run is taken up where runs are started."""
        self.require_burnin().show_run(run_id)
        self.setCurrentIndex(BURNIN)


class _PagePlaceholder(QWidget):
    """Holds the place of a page until it is made."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._held: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def hold(self, made: QWidget) -> None:
        """Puts the page in, in the place of what was held before."""
        before, area = self._held, scrolling(made, self)
        if before is not None:
            self._column.removeWidget(before)
            before.hide()
            before.deleteLater()
        self._held = area
        area.setGeometry(self.rect())
        area.show()  # now and in its size, so that the empty place is never painted
        self._column.addWidget(area)
        self.setFocusProxy(made)  # who came here by keyboard before it was made has its keys from then on
