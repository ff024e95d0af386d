"""All stages of a run in one thin line, as long as each is planned: the whole of a run that is too long for the bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.theme import theme
from gui.widgets.text import tip

HEIGHT = 10


@dataclass(frozen=True, slots=True)
class Piece:
    """A stage in the line. `fraction` of it is filled with a colour of the theme."""

    seconds: float
    fraction: float
    colour: str
    words: str
    current: bool


class StageStrip(QWidget):
    """Shows where the run is; a click brings that stage into the bar."""

    chosen = Signal(int)
    """The place of the stage that was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("All stages"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._pieces: tuple[Piece, ...] = ()
        self._ends: list[float] = []

    def show_pieces(self, pieces: Sequence[Piece]) -> None:
        """In the order of the run."""
        if tuple(pieces) == self._pieces:
            return
        self._pieces = tuple(pieces)
        self._ends = list(accumulate(piece.seconds for piece in pieces))
        self.update()

    def place_at(self, x: float) -> int | None:
        """The place of the stage under a point of the line; None without stages."""
        wanted = x / max(self.width(), 1) * (self._ends[-1] if self._ends else 0.0)
        return next((place for place, end in enumerate(self._ends) if wanted <= end), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Asks for the stage."""
        place = self.place_at(event.position().x())
        if place is not None:
            self.chosen.emit(place)

    def event(self, event: QEvent) -> bool:
        """The tooltip is that of the stage under the mouse."""
        if isinstance(event, QHelpEvent):
            place = self.place_at(event.pos().x())
            QToolTip.showText(event.globalPos(), "" if place is None else tip(self._pieces[place].words), self)
            return True
        return super().event(event)

    def paintEvent(self, _: QPaintEvent) -> None:
        """A block for each stage, the current one framed."""
        painter = QPainter(self)
        scale = self.width() / max(self._ends[-1] if self._ends else 1.0, 1e-9)
        gap = 1.0 if len(self._pieces) * 4 < self.width() else 0.0
        for piece, end in zip(self._pieces, self._ends, strict=True):
            left, width = (end - piece.seconds) * scale, max(piece.seconds * scale - gap, 1.0)
            painter.fillRect(QRectF(left, 2, width, HEIGHT - 4), theme().color("border"))
            painter.fillRect(QRectF(left, 2, width * piece.fraction, HEIGHT - 4), theme().color(piece.colour))
            if piece.current:
                painter.fillRect(QRectF(left, 0, max(width, 3.0), 2), theme().color("accent"))
                painter.fillRect(QRectF(left, HEIGHT - 2, max(width, 3.0), 2), theme().color("accent"))
        painter.end()
