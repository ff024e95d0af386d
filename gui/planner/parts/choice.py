"""What can be done with the chosen part of the list: two buttons, Enter, and a menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core.parts.part import Part
from core.parts.vocabulary import Category
from gui.planner.parts.fitting import Fitting
from gui.planner.parts.model import PartsModel
from gui.planner.parts.parts_menu import PartsMenu
from gui.planner.parts.results import ResultsView
from gui.theme import theme
from gui.widgets.text import tip


class PartsChoice(QWidget):
    """The row of buttons. The signals carry the id of the chosen part."""

    added = Signal(str)
    swapped = Signal(str)
    explained = Signal(str)
    correction_wanted = Signal(str)

    def __init__(
        self, parts: PartsModel, results: ResultsView, fitting: Fitting, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._parts = parts
        self._fitting = fitting
        self._results = results
        self._line: Part | None = None
        self.add_button = QPushButton(theme().icon("add"), self.tr("Add"), self)
        self.swap_button = QPushButton(theme().icon("swap"), self.tr("Replace with this"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.add_button, 1)
        row.addWidget(self.swap_button, 1)
        self.add_button.clicked.connect(self.add)
        self.swap_button.clicked.connect(self._swap)
        results.activated.connect(self.put_in)
        fitting.way_changed.connect(self.follow)
        results.selectionModel().currentChanged.connect(self.follow)
        results.customContextMenuRequested.connect(self.show_menu)
        theme().changed.connect(self._recolour)
        self.follow()

    @property
    def part_id(self) -> str | None:
        """The id of the part chosen in the results."""
        row = self._results.chosen_row()
        return None if row is None else self._parts.hit(row).id

    def allow_swap(self, part: Part | None) -> None:
        """Other parts of its category may take the place of this one, of the selected line."""
        self._line = part
        self.follow()

    @Slot()
    def add(self) -> None:
        """Wants the chosen part in the build."""
        if self.part_id is not None:
            self.added.emit(self.part_id)

    @Slot()
    def put_in(self) -> None:
        """Wants the chosen part in the build in the way that is set: beside the others, or in the place of one.

        A part does not take its own place: then it is one more.
        """
        row = self._results.chosen_row()
        if row is None:
            return
        hit = self._parts.hit(row)
        self.follow()
        if self._fitting.replaced(hit.category) in (None, hit.id):
            self.added.emit(hit.id)
        else:
            self._swap()

    @Slot(QPoint)
    def show_menu(self, point: QPoint) -> None:
        """Opens the menu at a point of the results."""
        if self.part_id is None:
            return
        menu = PartsMenu(self, may_swap=self.swap_button.isEnabled())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.add_wanted.connect(self.add)
        menu.swap_wanted.connect(self._swap)
        menu.figures_wanted.connect(self._explain)
        menu.correction_wanted.connect(self._want_correction)
        menu.popup(self._results.viewport().mapToGlobal(point))

    @Slot()
    def follow(self) -> None:
        """Enables what the chosen part and the selected line allow."""
        row = self._results.chosen_row()
        hit = None if row is None else self._parts.hit(row)
        self.add_button.setEnabled(hit is not None)
        target = None if hit is None else self._target(hit.category)
        fits = target is not None
        same = fits and self.part_id == target
        self.swap_button.setEnabled(fits and not same)
        self.swap_button.setToolTip(tip(self._swap_words(fits=fits, same=same)))

    def _target(self, category: Category) -> str | None:
        """The part of the build that one of the category would replace."""
        selected = self._line.id if self._line and self._line.category is category else None
        return self._fitting.replaced(category) or selected

    def _swap_words(self, *, fits: bool, same: bool) -> str:
        if same:
            return self.tr("This part is the one to be replaced")
        if fits:
            return self.tr("Puts this part in the place of another; quantity and slots stay")
        return self.tr("Select a line of the same category in the build first")

    @Slot()
    def _swap(self) -> None:
        if self.part_id is not None and self.swap_button.isEnabled():
            self.swapped.emit(self.part_id)

    @Slot()
    def _explain(self) -> None:
        if self.part_id is not None:
            self.explained.emit(self.part_id)

    @Slot()
    def _want_correction(self) -> None:
        if self.part_id is not None:
            self.correction_wanted.emit(self.part_id)

    @Slot()
    def _recolour(self) -> None:
        self.add_button.setIcon(theme().icon("add"))
        self.swap_button.setIcon(theme().icon("swap"))
