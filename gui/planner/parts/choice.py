"""What can be done with the chosen part of the list, and how it comes into the build: added, or in another's place."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QMenu, QSizePolicy, QWidget

from core.parts.part import Part
from core.parts.vocabulary import Category
from core.words import tr
from gui.planner.parts.fitting import Fitting
from gui.planner.parts.model import PartsModel
from gui.planner.parts.results import ResultsView
from gui.widgets.form import named, push_button, row_of
from gui.widgets.text import tip
from gui.widgets.theme import theme


class PartsChoice(QWidget):
    """The row of buttons. The signals carry the id of the chosen part, `added` also how many."""

    added = Signal(str, int)
    replaced = Signal(str)
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
        self._quantity = 1
        self.add_button = push_button(self, tr("Add"), self.add, icon="add")
        self.replace_button = push_button(self, tr("Replace with this"), self._swap, icon="swap")
        row_of((self.add_button, 1), (self.replace_button, 1), into=self, margins=8, spacing=8)
        results.activated.connect(self.put_in)
        fitting.replaced_changed.connect(self.follow)
        results.selectionModel().currentChanged.connect(self.follow)
        results.customContextMenuRequested.connect(self.show_menu)
        theme().changed.connect(self._recolour)
        self.follow()

    @property
    def part_id(self) -> str | None:
        """The id of the part chosen in the results."""
        row = self._results.chosen_row()
        return None if row is None else self._parts.hit(row).id

    def allow_replacing(self, part: Part | None) -> None:
        """Other parts of its category may take the place of this one, of the selected line."""
        self._line = part
        self.follow()

    def want(self, quantity: int) -> None:
        """So many are added at once: four after "4x 4090"."""
        self._quantity = quantity
        self.add_button.setText(tr("Add") if quantity == 1 else tr("Add {count}", count=quantity))

    @Slot()
    def add(self) -> None:
        """Wants the chosen part in the build."""
        if self.part_id is not None:
            self.added.emit(self.part_id, self._quantity)

    @Slot()
    def put_in(self) -> None:
        """Wants the chosen part in the build as is set: beside the others, or in the place of one.

        A part does not take its own place: then it is one more.
        """
        row = self._results.chosen_row()
        if row is None:
            return
        hit = self._parts.hit(row)
        self.follow()
        if self._fitting.replaced(hit.category) in (None, hit.id):
            self.added.emit(hit.id, self._quantity)
        else:
            self._swap()

    @Slot(QPoint)
    def show_menu(self, point: QPoint) -> None:
        """Opens the menu at a point of the results."""
        if self.part_id is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Add to the build"), self.add)
        swap = menu.addAction(tr("Replace the selected line with this"), self._swap)
        swap.setEnabled(self.replace_button.isEnabled())
        menu.addAction(tr("Figures and sources …"), self._explain)
        menu.addAction(tr("Correct figures …"), self._want_correction)
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
        if (same or not fits) and self.replace_button.hasFocus():
            # else Qt hands the focus on to the name of the build, and the next key writes there
            self._results.setFocus(Qt.FocusReason.OtherFocusReason)
        self.replace_button.setEnabled(fits and not same)
        self.replace_button.setToolTip(tip(self._replace_words(fits=fits, same=same)))

    def _target(self, category: Category) -> str | None:
        """The part of the build that one of the category would replace."""
        selected = self._line.id if self._line and self._line.category is category else None
        return self._fitting.replaced(category) or selected

    def _replace_words(self, *, fits: bool, same: bool) -> str:
        if same:
            return tr("This is the part to be replaced")
        if fits:
            return tr("Replaces another part with this one and keeps quantity and slots")
        return tr("Select a line of the same category in the build first")

    @Slot()
    def _swap(self) -> None:
        if self.part_id is not None and self.replace_button.isEnabled():
            self.replaced.emit(self.part_id)

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
        self.replace_button.setIcon(theme().icon("swap"))


class ReplaceBox(QWidget):
    """One entry for adding, and one for each part of the build that could be replaced. Hidden for all categories."""

    def __init__(self, fitting: Fitting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fitting = fitting
        self._category: Category | None = None
        meaning = tr("What Enter does with the chosen part; whether parts fit is checked for that")
        self.box = named(QComboBox(self), tr("How the part is put into the build"), meaning)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(12)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(self._choose)
        row_of((self.box, 1), into=self, margins=(8, 4, 8, 0))
        fitting.replaced_changed.connect(self.follow)
        self.hide()

    def show_category(self, category: Category | None) -> None:
        """The category that is listed."""
        self._category = category
        self.follow()

    @Slot()
    def follow(self) -> None:
        """Shows what there is to choose from, and what is chosen."""
        self.setVisible(self._category is not None)
        if self._category is None:
            return
        with QSignalBlocker(self.box):
            self.box.clear()
            for part in self._fitting.replaceable(self._category):
                add = tr("Add a {part}", part=self._category.phrase)
                words = tr("Replace {part}", part=part.title) if part else add
                self.box.addItem(words, part.id if part else None)
            self.box.setCurrentIndex(self.box.findData(self._fitting.replaced(self._category)))

    @Slot(int)
    def _choose(self, row: int) -> None:
        if self._category is not None:
            self._fitting.set_replaced(self._category, self.box.itemData(row))
