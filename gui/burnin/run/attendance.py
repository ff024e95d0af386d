"""What the window does about a run while nobody looks: keeps the machine awake, tells how far it is and how it ends."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from core.words import tr
from gui.burnin.dialogs.notices_dialog import NoticesDialog
from gui.burnin.run.page import BurninPage
from gui.burnin.run.unattended import Announcer, Awake
from gui.settings import Settings
from gui.widgets import messages
from gui.widgets.messages import open_dialog

OPEN_RUN = "open_run"
"""The run whose end nobody has seen yet: the next start shows it."""
NOTIFY, SOUND = "notify_of_runs", "sound_of_runs"


class RunAttendance(QObject):
    """Follows the burn-in page of a window."""

    progress_changed = Signal()

    def __init__(self, window: QMainWindow, page: BurninPage, settings: Settings, data_dir: Path) -> None:
        super().__init__(window)
        self._window, self._page, self._settings = window, page, settings
        self._data_dir = data_dir
        self.progress = ""
        """How far the run is, for the start of the window's title, which the task bar shows."""
        self.awake = Awake(self)
        self.announcer = Announcer(window)
        self.notify = self._switch(tr("Notify of failure and end"), NOTIFY, True)
        self.sound = self._switch(tr("With a sound"), SOUND, False)
        self.notices = QAction(tr("Mail and webhook…"), self)
        self.notices.triggered.connect(self.open_notices)
        page.milestones.progressed.connect(self._progressed)
        page.milestones.first_failure.connect(self._failed)
        page.milestones.run_ended.connect(self._ended)

    def actions(self) -> list[QAction]:
        """For the menu."""
        return [self.notify, self.sound, self.notices]

    @Slot()
    def open_notices(self) -> None:
        """Asks whom runs shall tell of failure and end."""
        messages.succeeds(self._window, lambda: open_dialog(NoticesDialog(self._data_dir, self._window)))

    def take_up(self) -> bool:
        """Shows the run that went on when the window was left; whether there was one."""
        stored = self._settings.text(OPEN_RUN, "")
        if not stored.isdecimal():
            return False
        self._settings.set_text(OPEN_RUN, "")
        self._page.show_run(int(stored))
        return True

    @Slot(object)
    def _progressed(self, fraction: float | None) -> None:
        self.announcer.show_progress(fraction)
        progress = "" if fraction is None else tr("{percent} % - ", percent=round(100 * fraction))
        if progress != self.progress:
            self.progress = progress
            self.progress_changed.emit()
        run_id = self._page.active_run()
        if run_id is None:
            self.awake.let_go()
        elif not self.awake.held:
            self.awake.hold(tr("Burn-in run {number} is in progress", number=run_id))
            self._settings.set_text(OPEN_RUN, str(run_id))

    @Slot(str)
    def _failed(self, text: str) -> None:
        if self.notify.isChecked():
            self.announcer.tell(tr("A device failed"), text, grave=True, sound=self.sound.isChecked())

    @Slot(str, bool)
    def _ended(self, text: str, good: bool) -> None:
        if self._window.isVisible():
            self._settings.set_text(OPEN_RUN, "")
        if self.notify.isChecked():
            self.announcer.tell(tr("Burn-in"), text, grave=not good, sound=self.sound.isChecked())

    def _switch(self, text: str, name: str, default: bool) -> QAction:
        action = QAction(text, self)
        action.setCheckable(True)
        action.setChecked(self._settings.flag(name, default))
        action.setData(name)
        action.toggled.connect(self._keep)
        return action

    @Slot()
    def _keep(self) -> None:
        for action in (self.notify, self.sound):
            self._settings.set_flag(str(action.data()), action.isChecked())
