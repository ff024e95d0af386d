"""What an empty panel shows: one sentence about what will be there, and the first step as buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

BUTTON_WIDTH = 160


class EmptyState(QWidget):
    """A centred sentence with a button per first step; buttons follow the text and state of their actions."""

    def __init__(
        self, sentence: str, actions: Sequence[QAction] = (), parent: QWidget | None = None, *, columns: int = 1
    ) -> None:
        super().__init__(parent)
        self._columns = columns
        self.label = QLabel(sentence, self)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 24, 24, 24)
        self._column.setSpacing(8)
        self._column.addStretch(1)
        self._column.addWidget(self.label)
        self._steps = QGridLayout()
        self._steps.setSpacing(8)
        self._steps.setColumnStretch(columns + 1, 1)
        self._steps.setColumnStretch(0, 1)
        self._column.addLayout(self._steps)
        self._column.addStretch(1)
        for action in actions:
            self.add_action(action)

    def add_action(self, action: QAction) -> None:
        """One more first step."""
        row, column = divmod(self._steps.count(), self._columns)
        self._steps.addWidget(_StepButton(action, self), row, column + 1)

    def set_sentence(self, sentence: str) -> None:
        """Another sentence."""
        self.label.setText(sentence)


class _StepButton(QPushButton):
    """Follows its action, also to other colours."""

    def __init__(self, action: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self._action = action
        self.setMinimumWidth(BUTTON_WIDTH)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        self.setIcon(self._action.icon())
        self.setText(self._action.text().replace("&", ""))
        self.setToolTip(self._action.toolTip())
        self.setEnabled(self._action.isEnabled())
