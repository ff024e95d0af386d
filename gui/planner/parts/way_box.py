"""The switch that says how a part comes into the build: beside what is there, or in the place of another."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from core.parts.vocabulary import Category
from core.rules.words import category_words
from gui.planner.parts.fitting import Fitting


class WayBox(QWidget):
    """One entry for adding, and one for each part of the build that could be replaced. Hidden for all categories."""

    def __init__(self, fitting: Fitting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fitting = fitting
        self._category: Category | None = None
        self.box = QComboBox(self)
        self.box.setAccessibleName(self.tr("How a part comes into the build"))
        self.box.setToolTip(self.tr("What Enter does with the chosen part, and what is judged: whether it fits then"))
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(12)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(self._choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 0)
        row.addWidget(self.box, 1)
        fitting.way_changed.connect(self.follow)
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
            for part in self._fitting.ways(self._category):
                words = self.tr("Replace {part}").format(part=part.title) if part else self._add_words()
                self.box.addItem(words, part.id if part else None)
            self.box.setCurrentIndex(self.box.findData(self._fitting.replaced(self._category)))

    def _add_words(self) -> str:
        assert self._category is not None
        return self.tr("Add a {part}").format(part=category_words(self._category))

    @Slot(int)
    def _choose(self, row: int) -> None:
        if self._category is not None:
            self._fitting.set_way(self._category, self.box.itemData(row))
