"""What the build still lacks, as steps: each opens the list of its category."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from core.parts.vocabulary import Category
from core.plan.missing import still_missing
from core.words import tr
from gui.planner.document import PlanDocument
from gui.widgets.form import row_of
from gui.widgets.text import Label

SHOWN = 4
"""Steps beside each other; the next ones follow as these are done."""


class MissingBar(QWidget):
    """`category_wanted(category)`. Hidden for an empty build, which has first steps of its own, and for a whole one."""

    category_wanted = Signal(object)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.steps: list[QToolButton] = []
        self._caption = Label(tr("Still missing:"), self)
        self._row = row_of(self._caption, 1, into=self, margins=(8, 2, 8, 2), spacing=6)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        document.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        lacking = still_missing(self._document.build)
        self.setVisible(bool(lacking) and bool(self._document.build.lines))
        if [step.property("category") for step in self.steps] == [category.value for category in lacking[:SHOWN]]:
            return
        for step in self.steps:
            self._row.removeWidget(step)
            step.deleteLater()
        self.steps = [self._step(category) for category in lacking[:SHOWN]]
        for place, step in enumerate(self.steps, start=1):
            self._row.insertWidget(place, step)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As many steps as there is room for, each with its whole name."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        margins = self._row.contentsMargins()
        room = self.width() - margins.left() - margins.right() - self._caption.sizeHint().width()
        for place, step in enumerate(self.steps):
            room -= step.sizeHint().width() + self._row.spacing()
            step.setVisible(place == 0 or room >= 0)

    def _step(self, category: Category) -> QToolButton:
        step = QToolButton(self)
        step.setProperty("category", category.value)
        step.setText(category.label)
        step.setToolTip(tr("Choose a part: {category}", category=category.label))
        step.setAccessibleName(step.toolTip())
        step.clicked.connect(partial(self._ask, category))
        return step

    def _ask(self, category: Category, _checked: bool = False) -> None:
        self.category_wanted.emit(category)
