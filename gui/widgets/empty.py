"""What an empty panel shows: one sentence about what will be there, and the first step as buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QScrollArea, QWidget

from gui.widgets.actions import without_mnemonic
from gui.widgets.form import column_of
from gui.widgets.text import Label

BUTTON_WIDTH = 160
MARGIN, SPACING = 24, 8


class EmptyState(QScrollArea):
    """A centred sentence with a button per first step; buttons follow the text and state of their actions."""

    def __init__(
        self, sentence: str, actions: Sequence[QAction] = (), parent: QWidget | None = None, *, columns: int = 1
    ) -> None:
        """`columns` of buttons at most: as many as fit beside each other with their whole text."""
        super().__init__(parent)
        self._most = columns
        self._columns = 0
        self._buttons: list[StepButton] = []
        inside = QWidget(self)
        self.label = Label(sentence, inside)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._inside = inside
        self._steps = QGridLayout()
        self._steps.setSpacing(SPACING)
        self._steps.setColumnStretch(0, 1)
        self._steps.setColumnStretch(columns + 1, 1)
        column_of(1, self.label, self._steps, 1, into=inside, margins=MARGIN, spacing=SPACING)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for action in actions:
            self.add_action(action)

    def add_action(self, action: QAction) -> None:
        """One more first step."""
        self._buttons.append(StepButton(action, self._inside))
        self._columns = 0
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts as many buttons beside each other as there is room for."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        widest = max((button.whole_width for button in self._buttons), default=BUTTON_WIDTH)
        room = self.viewport().width() - 2 * MARGIN + SPACING
        columns = max(1, min(self._most, room // (widest + SPACING)))
        if columns == self._columns:
            return
        self._columns = columns
        for place, button in enumerate(self._buttons):
            row, column = divmod(place, columns)
            self._steps.addWidget(button, row, column + 1)

    def set_sentence(self, sentence: str) -> None:
        """Another sentence."""
        self.label.setText(sentence)


class StepButton(QPushButton):
    """Follows its action, also to other colours. A text that has no room ends in an ellipsis, whole in the tip."""

    def __init__(self, action: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self._action = action
        self._text = ""
        self._text_width = self._beside = 0
        self.setMinimumWidth(BUTTON_WIDTH)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    @property
    def whole_width(self) -> int:
        """The width in pixels that shows the whole text."""
        return max(BUTTON_WIDTH, self._text_width + self._beside)

    def sizeHint(self) -> QSize:
        """Asks for room for the whole text, also while it is cut."""
        return QSize(self.whole_width, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cuts the text to the room there is."""
        super().resizeEvent(event)
        self._cut()

    @Slot()
    def _follow(self) -> None:
        self._text = without_mnemonic(self._action.text())
        self.setIcon(self._action.icon())
        self.setText(self._text)
        self.setToolTip(self._action.toolTip())
        self.setAccessibleName(self._text)
        self.setEnabled(self._action.isEnabled())
        self._text_width = self.fontMetrics().horizontalAdvance(self._text)
        self._beside = super().sizeHint().width() - self._text_width
        self._cut()

    def _cut(self) -> None:
        room = max(self.width() - self._beside, 0)
        self.setText(self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, room))
