"""The burn-in page: chooses, starts and stops a run, and shows the one that goes on, whoever started it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QStackedWidget, QWidget

from core.burnin.record.rows import RunStatus, StageStatus
from core.burnin.record.store import RunStore, in_store
from core.burnin.run.order import BurnOrder, start_run
from core.burnin.run.recovery import close_run, newest_interrupted
from core.machine.asbuilt.inspection import inspect
from core.machine.telemetry.detect import detect_devices
from core.machine.telemetry.device import Device
from core.words import tr
from gui.burnin.export_run import export_run
from gui.burnin.recording import Changed, Recording
from gui.burnin.run.before_run import (
    accepted_order,
    choose_simulation,
    may_end,
    may_load,
    may_stop,
    show_slots,
    simulation_of,
)
from gui.burnin.run.plan_bar import PlanBar, expected_load
from gui.burnin.run.reader import RunsNow, end_silent, find_runs_now
from gui.burnin.run.run_bar import DriverWait, RunBar
from gui.burnin.run.run_view import RunView
from gui.burnin.run.stage_strip import remaining_s
from gui.burnin.run.unattended import Milestones
from gui.burnin.words import clock, device_line
from gui.widgets import messages
from gui.widgets.background import call_later, run_in_background
from gui.widgets.banner import NoticeBanner
from gui.widgets.empty import EmptyState
from gui.widgets.form import column_of, row_of

LOOK_MS = 3000
"""How often an idle page looks whether a run was started elsewhere."""
TELL_AFTER_LOOKS = 3
LOST_AFTER_S = 10.0


class BurninPage(QWidget):
    """Attaches by itself to a run that goes on."""

    run_state_changed = Signal(str, bool)
    """A short text for the status bar, and whether a run goes on."""
    devices_changed = Signal(str)
    """A short line about the devices that were found, for the status bar."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.milestones = Milestones(self)
        self._data_dir = data_dir
        self._devices_known = False
        self._starting = False
        self._looking = False
        self._failed_looks = 0
        self._state = ("", False)
        self.plan = PlanBar(self)
        self.bar = RunBar(self)
        self.view = RunView(data_dir, self)
        self.notice = NoticeBanner(self)
        self._head = row_of((self.plan.controls, 1), self.bar)
        self._pages = QStackedWidget(self)
        self._view_actions = self.view.tools.menu_actions()
        self.slots = QAction(tr("Slots and serial &numbers…"), self)
        self._detecting = DriverWait(self)
        self._awaiting_runner = DriverWait(self)
        self._look_timer = QTimer(self)
        self._look_timer.setInterval(LOOK_MS)
        self._arrange()
        self._connect()
        self.plan.options.noise.read(data_dir)
        call_later(self, self._look)

    # -- what the main window asks --------------------------------------------------------------------------------

    def active_run(self) -> int | None:
        """The run that goes on and is shown here."""
        recording = self.view.recording
        return recording.run.id if recording is not None and recording.running else None

    @Slot()
    def request_stop(self) -> None:
        """Stops the run that is shown; one that is planned to be long after a question."""
        recording = self.view.recording
        answers = recording is not None and recording.running and recording.silent_s is None
        if recording is None or not answers or may_stop(self, recording):
            self.stop_now()

    @Slot()
    def stop_now(self) -> None:
        """Asks the runner to stop; the loads end within seconds. One that does not answer can be ended."""
        recording = self.view.recording
        if recording is None or not recording.running or recording.silent_s is None:
            self._ask("stop")
        elif may_end(self, recording):
            run_id = recording.run.id
            self._in_store(lambda store: end_silent(store, run_id), self._look)

    def run_actions(self) -> list[QAction]:
        """What can be done to the run and its picture, for the window's menus."""
        return [*self.bar.all_actions(), self.slots, *self._view_actions]

    def set_build_source(self, build_text: Callable[[], str | None]) -> None:
        """Where the text of the planned build comes from; the plan bar then offers to compare the run with it."""
        self.plan.set_build_source(build_text)

    @Slot(int)
    def show_run(self, run_id: int) -> None:
        """Shows a run; one that was interrupted offers to go on or to be closed."""
        self._pages.setCurrentWidget(self.view)
        self.plan.more.setChecked(False)
        self.view.open(run_id)
        self._show_buttons()

    # -- life of the page -----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Looks for devices once, and for a run that goes on."""
        super().showEvent(event)
        if not self._devices_known:
            self._devices_known = True
            self.detect()
        self._look_timer.start()
        self._look()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys of the run that is shown work wherever the focus is."""
        if not self.view.take_key(event):
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """An unseen page does not look for runs; one that is attached stays so."""
        super().hideEvent(event)
        self._look_timer.stop()

    @Slot()
    def detect(self) -> None:
        """Looks for devices, simulated ones if they were chosen by name."""
        self.plan.summary.setText(tr("Looking for devices…"))
        self._detecting.begin()
        self.plan.detect.setEnabled(False)
        simulate = self.plan.simulated

        def show(devices: list[Device]) -> None:
            if simulate == self.plan.simulated:  # else another wish has overtaken this one
                self._devices_found(devices)

        run_in_background(self, lambda: detect_devices(simulate), show, self._detection_failed)

    def _devices_found(self, devices: list[Device]) -> None:
        self._detecting.end()
        self.plan.detect.setEnabled(True)
        self.plan.set_devices(devices, inspect(devices).bus)
        self.devices_changed.emit(device_line(devices))
        self._show_buttons()

    def _detection_failed(self, error: Exception) -> None:
        self.plan.simulated, self.plan.simulation_words = None, ""
        self._devices_found([])
        messages.show_error(self, error)

    @Slot()
    def choose_simulation(self) -> None:
        """Asks which devices to simulate; an empty answer goes back to the real ones."""
        if choose_simulation(self, self.plan):
            self.detect()

    @Slot()
    def show_slots(self) -> None:
        """Which card sits in which slot, and what no driver tells of it."""
        show_slots(self, self.plan, self._data_dir)

    # -- a run begins ---------------------------------------------------------------------------------------------

    @Slot()
    def start(self) -> None:
        """Starts what the bar says, after a question if it is a big load."""
        order = self.plan.order()
        order = order and accepted_order(self, order, self.plan, self._data_dir)
        if order is not None and may_load(self, expected_load(self.plan.chosen)):
            self._start(order)

    @Slot()
    def resume(self) -> None:
        """Goes on with the interrupted run that is shown."""
        recording = self.view.recording
        if recording is None:
            return
        devices = [record.device for record in recording.devices if record.burned]
        if may_load(self, expected_load(devices)):
            present = [record.device for record in recording.devices]
            simulate = recording.run.simulate or simulation_of(present)
            options = self.plan.options
            noise, wall = (None, None) if simulate else (options.noise.chosen, options.wall_meter)
            self._start(BurnOrder(resume=recording.run.id, simulate=simulate, noise=noise, wall=wall))

    def _start(self, order: BurnOrder) -> None:
        self._starting = True
        self._show_buttons()
        self._tell(tr("Starting…"), active=False)
        self._awaiting_runner.begin()
        run_in_background(self, lambda: self._start_run(order), self._started, self._not_started)

    def _start_run(self, order: BurnOrder) -> tuple[int, int | None]:
        """The new run, and an earlier one that broke off."""
        earlier = newest_interrupted(self._data_dir) if order.resume is None else None
        return start_run(self._data_dir, order), earlier

    @Slot(str)
    def _tell_waiting(self, text: str) -> None:
        self._tell(text, active=False)

    def _started(self, runs: tuple[int, int | None]) -> None:
        run_id, earlier = runs
        if earlier is not None:
            self.notice.say(
                tr("Run {number} was interrupted and has no verdict. Resume it later on the Runs page.", number=earlier)
            )
        self._awaiting_runner.end()
        self._starting = False
        self.show_run(run_id)

    def _not_started(self, error: Exception) -> None:
        self._awaiting_runner.end()
        self._starting = False
        self._show_buttons()
        self._tell("", active=False)
        messages.show_error(self, error)

    # -- a run goes on --------------------------------------------------------------------------------------------

    @Slot()
    def _look(self) -> None:
        if self._looking or self._starting:
            return
        self._looking = True
        run_in_background(self, lambda: find_runs_now(self._data_dir), self._seen, self._look_failed)

    def _seen(self, runs: RunsNow) -> None:
        self._looking, self._failed_looks = False, 0
        if runs.active is not None:
            self.show_run(runs.active)
        elif runs.interrupted is not None and self.view.run_id is None:
            self.show_run(runs.interrupted)

    def _look_failed(self, error: Exception) -> None:
        """Once may be chance, such as two programs that open the database at the same moment: it is tried again."""
        self._looking = False
        self._failed_looks += 1
        if self._failed_looks >= TELL_AFTER_LOOKS:
            self._look_timer.stop()
            messages.show_error(self, error)

    @Slot(float)
    def _silent(self, seconds: float) -> None:
        """A runner that vanished without a word: the look marks the run as interrupted."""
        if seconds >= LOST_AFTER_S:
            self._look()

    @Slot(Changed)
    def _run_changed(self, changed: Changed) -> None:
        recording = self.view.recording
        if recording is None:
            return
        if changed & Changed.RUN:
            self._show_buttons()
        if changed & (Changed.RUN | Changed.STAGES | Changed.PULSE):
            self._tell(self._state_text(recording), active=recording.running)
        self.milestones.take(recording)

    @Slot(str)
    def _run_failed(self, sentence: str) -> None:
        self._pages.setCurrentIndex(0)
        self._show_buttons()
        self._tell("", active=False)
        messages.tell(self, sentence)

    @Slot()
    def skip_stage(self) -> None:
        """Asks the runner to go on with the next stage."""
        self._ask("skip")

    @Slot()
    def remark(self) -> None:
        """Puts a remark into the record."""
        text, accepted = QInputDialog.getText(self, tr("Remark"), tr("What should the recording say?"))
        if accepted and text.strip():
            self._ask("mark", text.strip())

    @Slot()
    def close_run(self) -> None:
        """Judges the interrupted run that is shown."""
        run_id = self.view.run_id
        if run_id is not None:
            self._in_store(lambda store: close_run(store, run_id))

    @Slot()
    def export_report(self) -> None:
        """Writes the report of the run that is shown."""
        if self.view.run_id is not None:
            export_run(self, self._data_dir, self.view.run_id)

    def _ask(self, kind: str, argument: str = "") -> None:
        run_id = self.active_run()
        if run_id is not None:
            self._in_store(lambda store: store.request(run_id, kind, argument))

    def _in_store(self, work: Callable[[RunStore], object], done: Callable[[], None] = lambda: None) -> None:
        run_in_background(self, lambda: in_store(self._data_dir, work), lambda _: done())

    # -- what is shown --------------------------------------------------------------------------------------------

    @Slot()
    def _show_buttons(self) -> None:
        active = self.active_run() is not None
        focus = QApplication.focusWidget()
        begins = active and self.plan.controls.isVisible() and focus is not None and self.isAncestorOf(focus)
        if begins:  # else the key that holds the picture would press whichever button comes next
            self.view.board.setFocus()
        self.plan.controls.setVisible(not active)
        shows_run = self._pages.currentWidget() is self.view
        self.plan.setVisible(not active and (self.plan.more.isChecked() or not shows_run))
        self.view.place_title(self._head if active else None)
        self.bar.show_state(active=active, startable=self.plan.startable and not self._starting)

    def _state_text(self, recording: Recording) -> str:
        run = recording.run
        if run.status is RunStatus.INTERRUPTED:
            return tr("Run {number} was interrupted", number=run.id)
        if not recording.running:
            return tr("Run {number} is over", number=run.id)
        if recording.silent_s is not None:
            silent_s = recording.silent_s
            return tr("Run {number}: its runner has not answered for {seconds:.0f} s", number=run.id, seconds=silent_s)
        stage = next((stage for stage in recording.stages if stage.status is StageStatus.RUNNING), None)
        left = clock(remaining_s(recording.stages))
        title = stage.title if stage else run.title
        return tr("Run {number}: {stage}, {left} left", number=run.id, stage=title, left=left)

    def _tell(self, text: str, *, active: bool) -> None:
        if (text, active) != self._state:
            self._state = (text, active)
            self.run_state_changed.emit(text, active)

    def _connect(self) -> None:
        self.plan.detect_wanted.connect(self.detect)
        self.slots.triggered.connect(self.show_slots)
        self.plan.simulate_wanted.connect(self.choose_simulation)
        self.plan.changed.connect(self._show_buttons)
        self.plan.more.toggled.connect(self._show_buttons)
        self._detecting.message.connect(self.plan.summary.setText)
        self._awaiting_runner.message.connect(self._tell_waiting)
        self.bar.start.triggered.connect(self.start)
        self.bar.stop.triggered.connect(self.request_stop)
        self.bar.skip.triggered.connect(self.skip_stage)
        self.bar.mark.triggered.connect(self.remark)
        self.view.changed.connect(self._run_changed)
        self.view.failed.connect(self._run_failed)
        self.view.stale.connect(self._silent)
        self.view.banner.report_wanted.connect(self.export_report)
        self.view.banner.close_wanted.connect(self.close_run)
        self.view.banner.resume_wanted.connect(self.resume)
        self._look_timer.timeout.connect(self._look)

    def _arrange(self) -> None:
        words = tr(
            "Here you will see temperatures, power, clocks and results of every device while it is burned in.\n"
            "Choose a profile and devices above and start. A run that was started in a terminal appears by itself."
        )
        self._pages.addWidget(EmptyState(words, [self.bar.start], self))
        self._pages.addWidget(self.view)
        column_of(self._head, self.plan, self.notice, (self._pages, 1), into=self, margins=(8, 8, 8, 8), spacing=8)
