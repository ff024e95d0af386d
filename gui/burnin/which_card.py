"""Which card to pull: its slot on the board's drawing, address, serial number, first error, and what to do."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QSizePolicy, QVBoxLayout, QWidget

from core.build.build import Build
from core.burnin.verdict.causes import find_causes
from core.language import tr
from core.placement.links import links
from gui.burnin.clock import clock
from gui.burnin.recording import DeviceRecord, Recording
from gui.burnin.run_words import error_words, place_words, state_word
from gui.planner.board.painter import BoardLayout, BoardPainter
from gui.planner.board.picture import BoardPicture, board_picture
from gui.theme import theme
from gui.widgets.text import heading, sentence


class MarkedBoard(QWidget):
    """The board of the plan, with one slot in the colour of failure."""

    def __init__(self, build: Build, position: int, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture: BoardPicture | None = board_picture(build, links(build))
        self._position, self._words = position, words
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(words)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Rows that can be read."""
        return QSize(520, 60 + 34 * (len(self.picture.rows) if self.picture else 0))

    def paintEvent(self, _: QPaintEvent) -> None:
        """The board, then the mark over the card of the slot, or over the empty slot."""
        if self.picture is None:
            return
        sheet = BoardLayout.of(self.picture, QRectF(self.rect()), self.fontMetrics())
        BoardPainter(self, self.picture, sheet).draw(selected=frozenset(), target=self._position)
        box = next((box for box in self.picture.boxes if box.slot == self._position), None)
        place = sheet.card(box) if box else sheet.row(self._position)
        painter = QPainter(self)
        fill = theme().color("fail")
        painter.setPen(QPen(fill, 2))
        painter.setBrush(fill)
        painter.drawRoundedRect(place, 2, 2)
        painter.setPen(theme().color("surface"))
        shown = painter.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, int(place.width()) - 16)
        painter.drawText(place.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        painter.end()


class WhichCardDialog(QDialog):
    """For who stands in front of the machine."""

    def __init__(self, recording: Recording, record: DeviceRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Which card"))
        name = f"{record.label} {state_word(record.state)}".strip()
        place = recording.plan.place(record.device.id)
        first_s = record.errors.first_at_s
        self.title = heading(f"{name}: {record.device.name}", self)
        self.title.setStyleSheet(f"color: {theme().color('fail').name()}")
        self.where = sentence(self, place_words(record.device, place))
        told = error_words(record.errors)
        at = tr("{errors}; first at {time}", errors=told, time=clock(first_s or 0.0))
        self.errors = sentence(self, told if first_s is None else at)
        self.todo = sentence(self, " ".join(_actions(recording, record)))
        self.board: MarkedBoard | None = None
        layout = QVBoxLayout(self)
        for part in (self.title, self.where, self.errors, self.todo):
            layout.addWidget(part)
        if recording.plan.build is not None and place.position is not None:
            words = tr("{card}: pull this one", card=name)
            self.board = MarkedBoard(recording.plan.build, place.position, words, self)
            layout.addWidget(self.board, 1)
        else:
            layout.addWidget(sentence(self, self._why_no_board(recording)))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.setMinimumWidth(560)

    def _why_no_board(self, recording: Recording) -> str:
        if recording.plan.build is None:
            return tr("Compare the run with its build to see the slot on the board.")
        return tr("The slot of this card is unknown. Assign cards to slots before the run: as-built.")


def _actions(recording: Recording, record: DeviceRecord) -> list[str]:
    """What the causes that concern the card ask to do, each once."""
    run = recording
    causes = find_causes(run.rows, run.stages, run.results, run.events, run.verdicts)
    return list(dict.fromkeys(cause.action for cause in causes if record.device.id in cause.devices and cause.action))
