"""A recorded run on the screen, going on or over: stages, charts, device cards, events and verdict."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QElapsedTimer, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QWidget

from core.burnin.record.store import in_store
from core.burnin.run.follow import Update
from core.burnin.verdict.noise import METRIC as NOISE
from core.burnin.verdict.wall import MeasuredWall
from core.machine.telemetry.device import DeviceKind
from core.machine.telemetry.metrics import LOAD_METRICS, WALL
from core.words import tr
from gui.burnin.chart.board import DEFAULT_METRICS, ChartBoard
from gui.burnin.chart.tools import ViewTools, window_for
from gui.burnin.devices.device_card import SimulatedBadge
from gui.burnin.devices.device_cards import DeviceCards
from gui.burnin.dialogs.failed_card import SwapDialog, WhichCardDialog
from gui.burnin.dialogs.meters import (
    NoiseButton,
    NoiseDialog,
    NoiseOfRun,
    WallButton,
    WallDialog,
    read_noise,
    read_wall,
)
from gui.burnin.export_run import export_samples
from gui.burnin.recording import Changed, Recording
from gui.burnin.run.event_log import EventLog
from gui.burnin.run.reader import RecordingReader
from gui.burnin.run.stage_strip import StageStrip
from gui.burnin.run.verdict_banner import VerdictBanner
from gui.widgets.background import run_in_background
from gui.widgets.form import column_of, row_of
from gui.widgets.messages import open_dialog
from gui.widgets.text import ElidedLabel, bold
from gui.widgets.theme import theme

log = logging.getLogger(__name__)

STALE_S = 5.0
"""A living run brings a sample every second; after this the view says for how long it has heard nothing."""
CHECK_MS = 1000


class RunView(QWidget):
    """Both the burn-in page and the page of past runs show runs through this."""

    changed = Signal(Changed)
    """The recording has grown; `recording` is the state after it."""
    failed = Signal(object)
    """The run cannot be read, in a sentence."""
    stale = Signal(float)
    """A run that should go on has been silent for so many seconds; repeated every second."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recording: Recording | None = None
        self._data_dir = data_dir
        self._reader: RecordingReader | None = None
        self._news = QElapsedTimer()
        self.title_row = QWidget(self)
        """Name of the run; see `place_title`."""
        self._title = ElidedLabel("", self.title_row)
        self._simulated = SimulatedBadge(self.title_row)
        self.noise = NoiseButton(self.title_row)
        self.wall = WallButton(self.title_row)
        self.stages = StageStrip(self)
        self.banner = VerdictBanner(self)
        self.tools = ViewTools(DEFAULT_METRICS, self)
        self.tools.possible = self._can_be_drawn
        self.board = ChartBoard(self)
        self.cards = DeviceCards(self)
        self.log = EventLog(self)
        self._watch = QTimer(self)
        self._watch.setInterval(CHECK_MS)
        self._watch.timeout.connect(self._check_pulse)
        self._arrange()
        self._connect()
        self._show_nothing()

    @property
    def run_id(self) -> int | None:
        """The run that is shown or being opened."""
        return self._reader.run_id if self._reader else None

    @Slot(int)
    def open(self, run_id: int) -> None:
        """Shows a run; what is recorded of it appears as soon as it is read."""
        if run_id == self.run_id:
            return
        self.clear()
        self._reader = RecordingReader(self._data_dir, run_id)
        self._reader.opened.connect(self._opened)
        self._reader.updated.connect(self._apply)
        self._reader.failed.connect(self._fail)
        self.destroyed.connect(self._reader.stop)
        app = QCoreApplication.instance()
        assert app is not None
        app.aboutToQuit.connect(self._reader.stop)
        self._title.setText(tr("Reading run {number}…", number=run_id))
        self._reader.start()

    def place_title(self, row: QHBoxLayout | None) -> None:
        """Puts the name of the run at the start of another row; None puts it above the run again."""
        if row is not None:
            row.insertWidget(0, self.title_row, 1)
        else:
            self._column.insertWidget(0, self.title_row)
        self.title_row.show()

    def clear(self) -> None:
        """Shows no run."""
        if self._reader is not None:
            self._reader.stop()
            self._reader = None
        self._show_nothing()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home returns to live, Space holds the picture, Ctrl+1 to Ctrl+9 show or hide a device."""
        if not self.take_key(event):
            super().keyPressEvent(event)

    def take_key(self, event: QKeyEvent) -> bool:
        """Does what a key asks for; the pages pass on keys that nothing in them wanted."""
        number = event.key() - Qt.Key.Key_1.value
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Home:
            self.go_live()
        elif event.key() == Qt.Key.Key_Space:
            self.tools.pause.toggle()
        elif control and 0 <= number < min(9, len(self.cards.cards)):
            self.cards.cards[number].toggle_curves()
        else:
            return False
        event.accept()
        return True

    @Slot()
    def go_live(self) -> None:
        """Shows the newest samples and goes on with them."""
        self.tools.pause.setChecked(False)
        self.board.go_live()

    # -- what the reader brings -----------------------------------------------------------------------------------

    @Slot(object)
    def _opened(self, recording: Recording) -> None:
        if self._is_late():
            return
        self.recording = recording
        window_s = window_for(recording.planned_s) if recording.running else None
        self.tools.choose_window(window_s)
        self.board.set_window(window_s)
        for part in (self.stages, self.banner, self.board, self.cards, self.log):
            part.set_recording(recording)
        self.tools.offer_out(possible=True)
        if any(record.device.kind is DeviceKind.WALL for record in recording.devices):
            self.tools.show_metric(WALL)
        self._fold()
        self._news.start()
        self._watch.start()
        self._show_title()
        self._read_noise()
        self.changed.emit(~Changed.NOTHING)

    @Slot(object)
    def _apply(self, update: Update) -> None:
        if self.recording is None or self._is_late():
            return
        changed = self.recording.apply(update)
        if changed & (Changed.SAMPLES | Changed.EVENTS):
            self._news.restart()
        if changed & Changed.EVENTS:
            self.log.refresh()
        if changed & (Changed.SAMPLES | Changed.EVENTS):
            self.cards.refresh()
        if changed & (Changed.STAGES | Changed.RUN | Changed.SAMPLES):
            self.stages.refresh()
            self.board.refresh()
        if changed & (Changed.RUN | Changed.PULSE):
            self.banner.refresh()
        if changed & Changed.RUN:
            self._fold()
            self._show_title()
            self._show_whole_when_over(self.recording)
            self._read_noise()
        self._show_state()
        self.changed.emit(changed)

    @Slot(str)
    def _fail(self, sentence: str) -> None:
        if self._is_late():
            return
        self._show_nothing()
        self._reader = None
        self.failed.emit(sentence)

    @Slot(str)
    def take_out(self, kind: str) -> None:
        """Writes the charts or the samples to a file."""
        if self.run_id is not None:
            export_samples(self, self.board, self._data_dir, self.run_id, kind)

    @Slot()
    def swap_test(self) -> None:
        """Guides through moving the card that failed."""
        if self.run_id is not None:
            dialog = SwapDialog(self._data_dir, self.run_id, self)
            dialog.run_started.connect(self.open)
            open_dialog(dialog)

    @Slot()
    def tell_noise(self) -> None:
        """Takes the readings of a meter."""
        if self.run_id is not None:
            dialog = NoiseDialog(self._data_dir, self.run_id, self)
            dialog.stored.connect(self._read_noise)
            open_dialog(dialog)

    @Slot()
    def tell_wall(self) -> None:
        """Shows the power at the wall, and takes the file of a meter."""
        if self.run_id is not None:
            dialog = WallDialog(self._data_dir, self.run_id, self)
            dialog.stored.connect(self._read_noise)
            open_dialog(dialog)

    @Slot()
    def _read_noise(self) -> None:
        """Of a real run; a damaged plan or a busy disk says so when the dialog is opened."""
        recording = self.recording
        if recording is not None and not recording.run.simulated and not recording.run.imported:
            number, folder = recording.run.id, self._data_dir
            for read, show in ((read_noise, self._show_noise), (read_wall, self._show_wall)):
                work = partial(in_store, folder, partial(read, run_id=number))
                run_in_background(self, work, partial(show, number), log.warning)

    def _show_noise(self, number: int, noise: NoiseOfRun) -> None:
        if self.recording is None or self.recording.run.id != number:
            return
        self.recording.noise = noise.levels
        self.noise.show_noise(noise, running=self.recording.running)
        self.banner.refresh()
        self.board.refresh()

    def _show_wall(self, number: int, walls: tuple[MeasuredWall, ...]) -> None:
        if self.recording is not None and self.recording.run.id == number:
            self.wall.show_wall(walls)

    @Slot(int)
    def show_place(self, position: int) -> None:
        """Which card to pull, on the board's drawing."""
        if self.recording is not None:
            open_dialog(WhichCardDialog(self.recording, self.recording.devices[position], self))

    def _fold(self) -> None:
        """The charts of a run that is over are what remains of it: its events give way."""
        going_on = self.recording is not None and self.recording.running
        self._down.setSizes([600, 120] if going_on else [10_000, 0])

    def _show_whole_when_over(self, recording: Recording) -> None:
        """A run that has ended is seen from end to end, unless the user is looking at some part of it."""
        if not recording.running and self.board.follows:
            self.tools.choose_window(None)
            self.board.set_window(None)

    def _is_late(self) -> bool:
        """Whether the signal that is being delivered was sent by the reader of a run that is no longer shown."""
        return self.sender() is not self._reader

    @Slot()
    def _check_pulse(self) -> None:
        """A run that is silent is said to be silent."""
        self._show_state()
        if self.recording is not None and self.recording.running and self._silent_s() >= STALE_S:
            self.stale.emit(self._silent_s())

    def _silent_s(self) -> float:
        return self._news.elapsed() / 1000 if self._news.isValid() else 0.0

    # -- what is shown --------------------------------------------------------------------------------------------

    def _show_nothing(self) -> None:
        self.recording = None
        self._watch.stop()
        self._title.clear()
        self._simulated.hide()
        self.noise.show_noise(None)
        self.wall.show_wall(None)
        self.tools.state.clear()
        self.tools.offer_out(possible=False)
        for part in (self.stages, self.banner, self.board, self.cards, self.log):
            part.set_recording(None)

    def _show_title(self) -> None:
        assert self.recording is not None
        run = self.recording.run
        text = tr("Run {number}: {title} on {machine}", number=run.id, title=run.title, machine=run.machine)
        if run.imported:
            text = tr("Run {number}: {title}", number=run.id, title=run.title)
        self._title.setText(text)
        self._simulated.setVisible(run.simulated)

    @Slot()
    def _show_state(self) -> None:
        """What the picture does, beside the tools; in a warning colour when the run is silent."""
        text, colour = "", "muted"
        if self.recording is not None and self.recording.running:
            if self.recording.silent_s is not None or self._silent_s() >= STALE_S:
                text = tr("No data for {seconds:.0f} s", seconds=self._silent_s())
                colour = "warn"
            elif self.board.paused:
                text = tr("Charts paused, recording continues")
            elif not self.board.follows:
                text = tr("Looking back; Home returns to live")
            else:
                text = tr("Live")
        self.tools.state.setText(text)
        style = f"color: {theme().color(colour).name()}"
        if style != self.tools.state.styleSheet():  # each one that is set is parsed and laid out
            self.tools.state.setStyleSheet(style)

    def _can_be_drawn(self, metric: str) -> bool:
        """Measured, or reported by a load that may still come."""
        recording = self.recording
        if recording is None or recording.measured(metric) or (metric == NOISE and recording.noise):
            return True
        return recording.running and metric in LOAD_METRICS

    def _connect(self) -> None:
        self.tools.window_chosen.connect(self.board.set_window)
        self.tools.out_wanted.connect(self.take_out)
        self.tools.live_wanted.connect(self.go_live)
        self.tools.pause_toggled.connect(self.board.set_paused)
        self.tools.pause_toggled.connect(self._show_state)
        self.tools.metrics_chosen.connect(self.board.set_metrics)
        self.board.follow_changed.connect(self._show_state)
        self.banner.swap_wanted.connect(self.swap_test)
        self.noise.clicked.connect(self.tell_noise)
        self.wall.clicked.connect(self.tell_wall)
        self.cards.place_wanted.connect(self.show_place)
        self.cards.hidden_changed.connect(self.board.set_hidden)
        self.board.solo_wanted.connect(self.cards.toggle_solo)
        self.tools.arrangement_chosen.connect(self.board.set_arrangement)

    def _arrange(self) -> None:
        self._title.setFont(bold(self._title.font()))
        row_of((self._title, 1), self.wall, self.noise, self._simulated, into=self.title_row)
        charts = QWidget(self)
        column_of(self.tools, (self.board, 1), into=charts, margins=(0, 0, 8, 0), spacing=4)
        across = QSplitter(Qt.Orientation.Horizontal, self)
        across.addWidget(charts)
        across.addWidget(self.cards)
        across.setStretchFactor(0, 1)
        across.setStretchFactor(1, 0)
        self._down = down = QSplitter(Qt.Orientation.Vertical, self)
        down.addWidget(across)
        down.addWidget(self.log)
        down.setStretchFactor(0, 1)
        down.setStretchFactor(1, 0)
        down.setSizes([600, 120])
        for splitter in (across, down):
            splitter.setChildrenCollapsible(False)
        self._column = column_of(self.title_row, self.banner, self.stages, (down, 1), into=self, spacing=6)
