"""Text is text: labels and tooltips that show a name, a note or a path never take it for markup.

A label of the window is a `Label`, which Qt is not let guess about, or a `Markup`, which holds markup of our own with
every other word put through `escaped`. A tooltip, about which Qt always guesses, goes through `tip` unless it is a
sentence of our own. tests/gui/test_text_is_text.py walks all of them.
"""

from __future__ import annotations

import re
from html import escape
from typing import overload

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QHelpEvent, QPainter, QPaintEvent, QPalette, QTextDocumentFragment
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from core.words import visible
from core.words.units import UNITS
from gui.widgets.units import local


class Label(QLabel):
    """Plain text, with a sign in the place of each control character."""

    @overload
    def __init__(self, parent: QWidget | None = None, /) -> None: ...
    @overload
    def __init__(self, text: str, parent: QWidget | None = None, /) -> None: ...
    def __init__(self, text: str | QWidget | None = None, parent: QWidget | None = None, /) -> None:
        super().__init__(parent if isinstance(text, str) else text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if isinstance(text, str):
            self.setText(text)

    def setText(self, text: str) -> None:
        """Shows the text as it is written, its figures in the units of the window."""
        super().setText(visible(local(text)))


class ElidedLabel(Label):
    """One line, shortened to the room there is; the tooltip has all of it, unless it has its own."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """A few letters."""
        return QSize(self.fontMetrics().horizontalAdvance("mmm…"), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Shows what was cut off."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and not self.toolTip():
            cut = self.fontMetrics().horizontalAdvance(self.text()) > self.width()
            QToolTip.showText(event.globalPos(), tip(self.text()) if cut else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draws what fits."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()


class Markup(QLabel):
    """Rich text of our own; what is not ours in it has gone through `escaped`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)


def escaped(text: str) -> str:
    """A text as it is to stand within markup."""
    return escape(visible(local(text)))


def plain(markup: str) -> str:
    """Markup of our own as it is read aloud."""
    return QTextDocumentFragment.fromHtml(markup).toPlainText().strip()


def tip(text: str) -> str:
    """A tooltip that Qt does not take for markup, whatever stands in it."""
    text = local(text)
    if "<" not in text and "&lt;" not in text:
        return visible(text)
    return "<span>" + escaped(text).replace("\n", "<br>") + "</span>"


_BEFORE_A_UNIT = re.compile(rf"(?<=\d) (?=(?:dB|{'|'.join(map(re.escape, UNITS.values()))})(?!\w))")


def unbroken(text: str) -> str:
    """A text in which no line ends between a figure and its unit."""
    return _BEFORE_A_UNIT.sub("\N{NO-BREAK SPACE}", text)


def heading(text: str, parent: QWidget) -> QLabel:
    """A bold line above what belongs to it."""
    label = Label(text, parent)
    label.setFont(bold(label.font()))
    return label


def bold(font: QFont | None = None) -> QFont:
    """A font, the program's where none is given, in strong letters."""
    strong = QFont(font) if font is not None else QFont()
    strong.setBold(True)
    return strong


def scaled(font: QFont, factor: float) -> QFont:
    """A font with letters so much larger."""
    other = QFont(font)
    other.setPointSizeF(font.pointSizeF() * factor)
    return other


def paragraph(parent: QWidget, text: str = "", *, quiet: bool = False) -> Label:
    """Words that go on in the next line; `quiet` ones stand back."""
    label = Label(text, parent)
    label.setWordWrap(True)
    if quiet:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
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
