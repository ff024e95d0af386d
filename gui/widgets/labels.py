"""Labels that hold sentences: plain text that wraps and can be copied, and headings above groups of them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.widgets.text import Label


def heading(text: str, parent: QWidget) -> QLabel:
    """A bold line above what belongs to it."""
    label = Label(text, parent)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


class Sentence(Label):
    """Plain text, because it quotes part names and files; as high as it needs at the width there is."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        """A line: Qt's own is the height at the least width, which nobody gives it."""
        return QSize(0, self.fontMetrics().height())


def sentence(parent: QWidget, text: str = "") -> QLabel:
    """What is said."""
    return Sentence(text, parent)


def muted(parent: QWidget, text: str = "") -> QLabel:
    """A sentence that stands back."""
    label = sentence(parent, text)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label
