"""A bar per phase of an import: the files read, then each category."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGridLayout, QProgressBar, QWidget

from core.parts.opendb.load import Progress
from core.parts.vocabulary import Category
from gui.widgets.text import Label

PER_COLUMN = 6


class ProgressBars(QWidget):
    """Bars of what has not begun are empty; what is done is full."""

    def __init__(self, categories: list[Category], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars: dict[Category | None, QProgressBar] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        for number, category in enumerate([None, *categories]):
            column, line = divmod(number, PER_COLUMN)
            name = category.label if category else self.tr("Files read")
            bar = QProgressBar(self)
            bar.setAccessibleName(name)
            grid.addWidget(Label(name, self), line, 2 * column)
            grid.addWidget(bar, line, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
            self.bars[category] = bar
        self.clear()

    def clear(self) -> None:
        """Nothing has begun."""
        for bar in self.bars.values():
            bar.setRange(0, 1)
            bar.setValue(0)
            bar.setFormat("")

    @Slot(object)
    def show_progress(self, progress: Progress) -> None:
        """Moves the bar of the phase; with the first category the files have all been read."""
        files = self.bars[None]
        if progress.category is None:
            files.setRange(0, 0)
            files.setFormat(f"{progress.done:,}")
            files.setAccessibleDescription(f"{progress.done:,}")
            return
        if files.maximum() == 0:
            files.setRange(0, 1)
            files.setValue(1)
            files.setFormat(self.tr("done"))
        bar = self.bars[progress.category]
        bar.setRange(0, progress.total or 1)
        bar.setValue(progress.done if progress.total else 1)
        bar.setFormat(f"{progress.done:,} / {progress.total or 0:,}")

    @Slot()
    def stand_still(self) -> None:
        """Ends the movement of a bar without an end."""
        files = self.bars[None]
        if files.maximum() == 0:
            files.setRange(0, 1)
            files.setValue(0)
