"""Of a card that failed: where it sits on the board's drawing and what to do, and the guide through a swap test."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from core.burnin.swap.instructions import SwapState, run_again, state_of
from core.burnin.swap.reasoning import Suspect
from core.burnin.swap.session import NotOneCard
from core.burnin.verdict.causes import find_causes
from core.plan.build import Build
from core.plan.placement.links import links
from core.words import plain, tr
from gui.burnin.recording import DeviceRecord, Recording
from gui.burnin.words import clock, error_words, place_words, state_word
from gui.planner.board.painter import BoardLayout, BoardPainter
from gui.planner.board.picture import BoardPicture, board_picture
from gui.widgets import messages
from gui.widgets.background import run_in_background
from gui.widgets.form import column_of, dialog_buttons
from gui.widgets.text import heading, sentence
from gui.widgets.theme import theme


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
        errors = error_words(record.errors)
        at = tr("{errors}; first at {time}", errors=errors, time=clock(first_s or 0.0))
        self.errors = sentence(self, errors if first_s is None else at)
        run = recording
        causes = find_causes(run.rows, run.stages, run.results, run.events, run.verdicts)
        actions = (cause.action for cause in causes if record.device.id in cause.devices and cause.action)
        self.todo = sentence(self, " ".join(dict.fromkeys(actions)))
        self.board: MarkedBoard | None = None
        layout = QVBoxLayout(self)
        for part in (self.title, self.where, self.errors, self.todo):
            layout.addWidget(part)
        if recording.plan.build is not None and place.position is not None:
            words = tr("{card}: pull this one", card=name)
            self.board = MarkedBoard(recording.plan.build, place.position, words, self)
            layout.addWidget(self.board, 1)
        elif recording.plan.build is None:
            layout.addWidget(sentence(self, tr("Compare the run with its build to see the slot on the board.")))
        else:
            words = tr("The slot of this card is unknown. Assign cards to slots before the run: as-built.")
            layout.addWidget(sentence(self, words))
        layout.addWidget(dialog_buttons(self, QDialogButtonBox.StandardButton.Close))
        self.setMinimumWidth(560)


class SwapDialog(QDialog):
    """Closed while the machine is switched off; the test is found again by its runs."""

    run_started = Signal(int)
    """The number of the short run."""

    def __init__(self, data_dir: Path, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir, self._run_id = data_dir, run_id
        self._part: Suspect | None = None
        self.setWindowTitle(tr("Swap test"))
        self.answer = heading("", self)
        self.answer.setWordWrap(True)
        self.todo = sentence(self, tr("Reading the runs…"))
        self.card = QComboBox(self)
        self.card.setAccessibleName(tr("Card to move"))
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.again = QPushButton(tr("Done: run again"), self)
        self.again.setToolTip(tr("Runs the stages in which the card failed"))
        self.again.setEnabled(False)
        self.buttons.addButton(self.again, QDialogButtonBox.ButtonRole.AcceptRole)
        self._arrange()
        self.again.clicked.connect(self._run_again)
        self.card.activated.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        run_in_background(self, lambda: state_of(data_dir, run_id), self._show_state, self._refused)

    def _show_state(self, state: SwapState) -> None:
        self._part = state.part
        self.answer.setText(state.answer)
        self.answer.setVisible(bool(state.answer))
        colour = theme().color("fail" if state.located else "text").name()
        self.answer.setStyleSheet(f"color: {colour}")
        self.todo.setText(state.todo)
        self.todo.setVisible(bool(state.todo))
        self.again.setEnabled(state.part is not None)
        self.adjustSize()

    def _refused(self, error: Exception) -> None:
        self.todo.setText(str(error))
        if isinstance(error, NotOneCard):
            for device in error.cards:
                self.card.addItem(plain("{label}: {title}", label=device.label, title=device.title), device.id)
            self.card.setPlaceholderText(tr("Choose the card to move"))
            self.card.setCurrentIndex(-1)
            self.card.show()
            self.card.setFocus()

    @Slot(int)
    def _choose(self, row: int) -> None:
        card = self.card.itemData(row)
        work = partial(state_of, self._data_dir, self._run_id, card)
        run_in_background(self, work, self._show_state, lambda error: self.todo.setText(str(error)))

    @Slot()
    def _run_again(self) -> None:
        part = self._part
        if part is not None:
            self.again.setEnabled(False)
            run_in_background(self, lambda: run_again(self._data_dir, part), self._started, self._not_started)

    def _started(self, run_id: int) -> None:
        self.run_started.emit(run_id)
        self.accept()

    def _not_started(self, error: Exception) -> None:
        self.again.setEnabled(True)
        messages.show_error(self, error)

    def _arrange(self) -> None:
        words = tr(
            "The suspect card changes places with a good one, and the stages in which it failed run "
            "again. What the fault follows is at fault: the card, the slot, the cable or the PSU."
        )
        column_of(sentence(self, words), self.answer, self.todo, self.card, 1, self.buttons, into=self, margins=None)
        self.answer.hide()
        self.card.hide()
        self.setMinimumWidth(520)
