"""The middle of the Plan page: the board or the machine above the table of parts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from core.language import tr, trn
from gui.planner.board.view import BoardView
from gui.planner.lines.view import LinesView
from gui.widgets.empty import EmptyState

MACHINE_SHARE = 0.68
"""Of the middle's height for the picture of the machine, until the user moves it: it needs more than the board."""


class PlanCentre(QWidget):
    """Arranges what the page made; shows the board where there is one."""

    def __init__(
        self,
        head: Sequence[QWidget],
        board: BoardView,
        machine: QWidget,
        table: LinesView,
        first_steps: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._has_board = False
        self._heights: dict[bool, list[int]] = {}
        self._board = QStackedWidget(self)
        self._no_board = EmptyState("", parent=self)
        self._board.addWidget(self._no_board)
        self._board.addWidget(board)
        self._board.addWidget(machine)
        self._machine = False
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
        for widget in head:
            column.addWidget(widget)
        column.addWidget(self._plan, 1)

    def show_parts(self, *, has_board: bool, has_lines: bool, waiting: int = 0) -> None:
        """Shows board and table as far as the build has them; so many cards are `waiting` for a slot."""
        self._has_board = has_board
        self._no_board.set_sentence(
            trn(
                "{count} card waits for a board. Add a motherboard with known slots to place it.",
                "{count} cards wait for a board. Add a motherboard with known slots to place them.",
                count=waiting,
            )
            if waiting
            else tr("Add a motherboard with known slots to see where each card sits.")
        )
        self._choose()
        self._plan.setCurrentIndex(1 if has_lines else 0)

    def show_machine(self, on: bool) -> None:
        """The picture of the machine in the board's place, or the board again."""
        if on is not self._machine:
            self._machine = on
            self._heights[not on] = self.split.sizes()
            whole = sum(self.split.sizes())
            self.split.setSizes(
                self._heights.get(on) or [round(MACHINE_SHARE * whole), round((1 - MACHINE_SHARE) * whole)]
            )
        self._choose()

    @property
    def shows_machine(self) -> bool:
        """Whether the machine stands in the board's place."""
        return self._machine

    def _choose(self) -> None:
        self._board.setCurrentIndex(2 if self._machine else 1 if self._has_board else 0)
