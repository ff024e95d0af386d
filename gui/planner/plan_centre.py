"""The middle of the Plan page: name and circuit, the board above the table, or the first steps of an empty build."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from gui.planner.board.view import BoardView
from gui.planner.details_bar import DetailsBar
from gui.planner.lines.view import LinesView
from gui.widgets.empty import EmptyState


class PlanCentre(QWidget):
    """Arranges what the page made; shows the board where there is one."""

    def __init__(
        self,
        details: DetailsBar,
        board: BoardView,
        table: LinesView,
        first_steps: EmptyState,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._board = QStackedWidget(self)
        self._board.addWidget(
            EmptyState(self.tr("A motherboard with known slots shows here where each card sits."), parent=self)
        )
        self._board.addWidget(board)
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.split.addWidget(self._board)
        self.split.addWidget(table)
        self.split.setChildrenCollapsible(False)
        self.split.setSizes([260, 240])
        self._plan = QStackedWidget(self)
        self._plan.addWidget(first_steps)
        self._plan.addWidget(self.split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(details)
        column.addWidget(self._plan, 1)

    def show_parts(self, *, has_board: bool, has_lines: bool) -> None:
        """Shows board and table as far as the build has them."""
        self._board.setCurrentIndex(1 if has_board else 0)
        self._plan.setCurrentIndex(1 if has_lines else 0)
