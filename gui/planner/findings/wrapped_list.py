"""A list whose rows are as high as their text needs at the present width."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QListView, QWidget

from gui.planner.findings.finding_delegate import FindingDelegate
from gui.theme import theme


class WrappedList(QListView):
    """For models with the roles of `FindingDelegate`."""

    def __init__(self, model: QAbstractItemModel, name: str, meaning: str, parent: QWidget | None = None) -> None:
        """`name` and `meaning` are spoken."""
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(FindingDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setAccessibleDescription(meaning)
        theme().changed.connect(self.viewport().update)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 96)
