"""While nobody looks: what is worth telling of a run, a machine that stays awake, and announcements."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from core.present.report.document import Tone
from core.words import tr
from gui.burnin.recording import Recording
from gui.burnin.run.stage_strip import remaining_s
from gui.burnin.words import error_words, state_word


class Milestones(QObject):
    """Given each state of the recordings that a page shows."""

    progressed = Signal(object)
    """How far the run is, 0 to 1; None where none goes on."""
    first_failure = Signal(str)
    """The first device of the run that goes on has failed, in a few words."""
    run_ended = Signal(str, bool)
    """The run that was seen going on is over: in a few words, and whether it passed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watched: int | None = None
        """The run that was seen going on."""
        self._told_failure: int | None = None
        """The run whose first failure was told."""

    def take(self, recording: Recording) -> None:
        """A recording has grown."""
        if recording.running:
            self._watched = recording.run.id
            self.progressed.emit(1 - remaining_s(recording.stages) / max(recording.planned_s, 1e-9))
            self._tell_failure(recording)
        elif self._watched == recording.run.id:
            self._watched = None
            self.progressed.emit(None)
            self._tell_end(recording)

    def _tell_failure(self, recording: Recording) -> None:
        run_id = recording.run.id
        failed = next((record for record in recording.devices if record.burned and record.errors), None)
        if failed is None or self._told_failure == run_id:
            return
        self._told_failure = run_id
        name, state, errors = failed.label, state_word(failed.state), error_words(failed.errors)
        words = tr("Run {number}: {device} {state}, {errors}", number=run_id, device=name, state=state, errors=errors)
        self.first_failure.emit(words)

    def _tell_end(self, recording: Recording) -> None:
        good = recording.badge.tone in (Tone.PASS, Tone.WARN)
        self.run_ended.emit(tr("Run {number}: {verdict}", number=recording.run.id, verdict=recording.badge.word), good)


LAUNCHER = "application://rigwright.desktop"


class Awake(QObject):
    """Holds off sleep (logind) and the screen lock (the desktop's screen saver). Both end with this process, too.

    Each has a connection of its own, which is closed to let go: what was asked for belongs to the connection.
    """

    answered = Signal(str, bool)
    """Which of the two, "sleep" or "lock", and whether it is held off."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._held: list[object] = []
        """Answers: the lock of logind is a file that must stay open."""

    @property
    def held(self) -> bool:
        """Whether it has asked."""
        return bool(self._names)

    def hold(self, why: str) -> None:
        """Asks both; a machine without one of them is left as it is."""
        if self._names:
            return
        self._ask("sleep", QDBusConnection.BusType.SystemBus, _inhibit_sleep(why))
        self._ask("lock", QDBusConnection.BusType.SessionBus, _inhibit_lock(why))

    def let_go(self) -> None:
        """The machine may sleep again."""
        for name in self._names:
            QDBusConnection.disconnectFromBus(name)
        self._names.clear()
        self._held.clear()

    def _ask(self, what: str, bus: QDBusConnection.BusType, message: QDBusMessage) -> None:
        name = f"rigwright-{what}-{id(self)}"
        connection = QDBusConnection.connectToBus(bus, name)
        self._names.append(name)
        if not connection.isConnected():
            self.answered.emit(what, False)
            return
        watcher = QDBusPendingCallWatcher(connection.asyncCall(message), self)
        watcher.setObjectName(what)
        watcher.finished.connect(self._take_answer)

    def _take_answer(self, watcher: QDBusPendingCallWatcher) -> None:
        good = not watcher.isError()
        if good:
            self._held.append(watcher.reply().arguments())
        self.answered.emit(watcher.objectName(), good)
        watcher.deleteLater()


def _inhibit_sleep(why: str) -> QDBusMessage:
    """https://www.freedesktop.org/software/systemd/man/org.freedesktop.login1.html: Inhibit."""
    service, path = "org.freedesktop.login1", "/org/freedesktop/login1"
    message = QDBusMessage.createMethodCall(service, path, f"{service}.Manager", "Inhibit")
    message.setArguments(["sleep:idle", "Rigwright", why, "block"])
    return message


def _inhibit_lock(why: str) -> QDBusMessage:
    """The idle inhibition of the freedesktop screen saver, which GNOME, KDE and Xfce answer."""
    service = "org.freedesktop.ScreenSaver"
    message = QDBusMessage.createMethodCall(service, "/org/freedesktop/ScreenSaver", service, "Inhibit")
    message.setArguments(["Rigwright", why])
    return message


class Announcer(QObject):
    """Tells the desktop: a notification, the task bar, and a sound where it is wished."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._tray: QSystemTrayIcon | None = None
        self._shown: int | None = None

    def tell(self, title: str, text: str, *, grave: bool, sound: bool) -> None:
        """Only while the user does not look at the window; a sound in any case."""
        if sound:
            QApplication.beep()
        if self._window.isActiveWindow():
            return
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            icon = QSystemTrayIcon.MessageIcon.Critical if grave else QSystemTrayIcon.MessageIcon.Information
            self._tray_icon().showMessage(title, text, icon)

    def show_progress(self, fraction: float | None) -> None:
        """In the task bar, where it follows Unity's launcher interface (GNOME with a dock, KDE); None takes it away."""
        percent = None if fraction is None else round(100 * fraction)
        if percent == self._shown:
            return
        self._shown = percent
        session = QDBusConnection.sessionBus()
        if session.isConnected():
            message = QDBusMessage.createSignal("/com/rigwright", "com.canonical.Unity.LauncherEntry", "Update")
            state = {"progress": float(fraction or 0.0), "progress-visible": fraction is not None}
            message.setArguments([LAUNCHER, state])
            session.send(message)
        if self._tray is not None and fraction is None and not self._window.isVisible():
            self._tray.hide()

    def _tray_icon(self) -> QSystemTrayIcon:
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._window.windowIcon(), self)
            self._tray.activated.connect(self._come_forward)
        self._tray.show()
        return self._tray

    def _come_forward(self) -> None:
        self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)
        self._window.raise_()
        self._window.activateWindow()
        if self._tray is not None:
            self._tray.hide()
