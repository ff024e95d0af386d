"""A few words beside a real widget of the window, which is framed: the step of a tour, that can be left at any time."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.language import tr
from gui.theme import theme
from gui.widgets.spoken import say
from gui.widgets.text import Label, sentence

WIDTH_PX = 360
GAP_PX = 8
FRAME_PX = 3


class Callout(QFrame):
    """Lies over the window, beside what it speaks of, and never over it where there is room elsewhere."""

    next_wanted = Signal()
    left = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("callout")
        self.setAccessibleName(tr("Tour"))
        self._ring = CalloutRing(window)
        self._step = Label(self)
        self.words = sentence(self)
        self.next = QPushButton(tr("Next"), self)
        self.leave = QPushButton(tr("Leave the tour"), self)
        self.leave.setToolTip(tr("Everything stays as it is (Esc)"))
        row = QHBoxLayout()
        row.addWidget(self._step, 1)
        row.addWidget(self.leave)
        row.addWidget(self.next)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.addWidget(self.words)
        layout.addLayout(row)
        self.setFixedWidth(WIDTH_PX)
        self.next.clicked.connect(self.next_wanted)
        self.leave.clicked.connect(self.left)
        theme().changed.connect(self._recolour)
        self._recolour()
        self.hide()

    def text(self) -> str:
        """What it says."""
        return self.words.text()

    @property
    def framed(self) -> QRect:
        """What is framed, in pixels of the window; empty where nothing is."""
        return self._ring.inside if self._ring.isVisible() else QRect()

    def say_step(self, number: int, of: int, text: str, *, waits: bool, last: bool) -> None:
        """`waits`: the next step comes by itself, once something has happened."""
        self._step.setText(tr("{number} of {all}", number=number, all=of))
        self.words.setText(text)
        self.next.setVisible(not waits)
        self.next.setText(tr("Done") if last else tr("Next"))
        say(self, text)

    def point_at(self, target: QWidget | None) -> None:
        """Frames a widget and stands beside it; without one that can be seen, in a corner."""
        window = self._window
        seen = target is not None and target.isVisible() and not target.visibleRegion().isEmpty()
        place = QRect()
        if target is not None and seen:
            shown = target.visibleRegion().boundingRect()
            place = QRect(target.mapTo(window, shown.topLeft()), shown.size()).intersected(window.rect())
        self._ring.show_around(place)
        height = self.heightForWidth(WIDTH_PX) if self.hasHeightForWidth() else self.sizeHint().height()
        where = _beside(place, QSize(WIDTH_PX, height), window.rect())
        if self.geometry() != QRect(where, QSize(WIDTH_PX, height)):
            self.setGeometry(QRect(where, QSize(WIDTH_PX, height)))
        if not self.isVisible():
            self.show()
        self._ring.raise_()
        self.raise_()

    def end(self) -> None:
        """Takes both away."""
        for part in (self._ring, self):
            part.hide()
            part.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves the tour."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _recolour(self) -> None:
        ground, edge = theme().color("surface").name(), theme().color("accent").name()
        self.setStyleSheet(f"QFrame#callout {{ background: {ground}; border: 2px solid {edge}; border-radius: 6px; }}")


class CalloutRing(QWidget):
    """A frame around a place of the window; clicks go through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.inside = QRect()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_around(self, place: QRect) -> None:
        """An empty place hides it."""
        self.inside = place
        self.setVisible(not place.isEmpty())
        wanted = place.adjusted(-FRAME_PX, -FRAME_PX, FRAME_PX, FRAME_PX)
        if not place.isEmpty() and self.geometry() != wanted:
            self.setGeometry(wanted)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The frame alone."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().color("accent"), FRAME_PX))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 4, 4)
        painter.end()


def _beside(place: QRect, size: QSize, window: QRect) -> QPoint:
    """Below, above, right or left of the place, the first that fits; else the lower right corner of the window."""
    corner = QPoint(window.right() - size.width() - GAP_PX, window.bottom() - size.height() - 4 * GAP_PX)
    if place.isEmpty():
        return corner
    room = window.adjusted(GAP_PX, GAP_PX, -GAP_PX, -GAP_PX)
    found = (where for where in _around(place, size, room) if room.contains(QRect(where, size)))
    return next(found, corner)


def _around(place: QRect, size: QSize, room: QRect) -> Iterator[QPoint]:
    x = min(max(place.left(), room.left()), room.right() - size.width())
    y = min(max(place.top(), room.top()), room.bottom() - size.height())
    away = GAP_PX + FRAME_PX
    yield QPoint(x, place.bottom() + away)
    yield QPoint(x, place.top() - size.height() - away)
    yield QPoint(place.right() + away, y)
    yield QPoint(place.left() - size.width() - away, y)
