"""While a run goes on the machine stays awake; how far it is, its first failure and its end are told once."""

import shutil
import subprocess
import sys

import pytest

from core.burnin.record.rows import EventLevel, Outcome
from core.notify.settings import read_settings
from gui.burnin.dialogs.notices_dialog import NoticesDialog
from gui.burnin.run.attendance import OPEN_RUN, RunAttendance
from gui.burnin.run.unattended import Awake, Milestones
from gui.settings import Settings
from tests.patience import PATIENCE_S

DESKTOP = """
import sys
from PySide6.QtCore import ClassInfo, QCoreApplication, QObject, QTimer, Slot
from PySide6.QtDBus import QDBusConnection

@ClassInfo({"D-Bus Interface": "org.freedesktop.ScreenSaver"})
class Screen(QObject):
    @Slot(str, str, result=int)
    def Inhibit(self, who, why):
        return 7

@ClassInfo({"D-Bus Interface": "org.freedesktop.login1.Manager"})
class Login(QObject):
    @Slot(str, str, str, str, result=int)
    def Inhibit(self, what, who, why, mode):
        assert (what, mode) == ("sleep:idle", "block")
        return 3

app, bus, every = QCoreApplication([]), QDBusConnection.sessionBus(), QDBusConnection.RegisterOption.ExportAllSlots
screen, login = Screen(), Login()
bus.registerObject("/org/freedesktop/ScreenSaver", screen, every)
bus.registerObject("/org/freedesktop/login1", login, every)
assert bus.registerService("org.freedesktop.ScreenSaver") and bus.registerService("org.freedesktop.login1")
print("ready", flush=True)
QTimer.singleShot(20000, app.quit)
app.exec()
"""
ASKS = """
import subprocess, sys
desktop = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE)
assert desktop.stdout.readline() == b"ready\\n"
from PySide6.QtCore import QCoreApplication, QTimer
from gui.burnin.dialogs.notices_dialog import NoticesDialog
from gui.burnin.run.unattended import Awake
app, awake, heard = QCoreApplication([]), Awake(), {}
awake.answered.connect(lambda what, held: (heard.update({what: held}), len(heard) == 2 and app.quit()))
awake.hold("Run 3")
QTimer.singleShot(15000, app.quit)
app.exec()
assert awake.held
awake.let_go()
desktop.kill()
print(sorted(heard.items()))
"""


@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="no dbus-run-session")
def test_sleep_and_screen_lock_are_held_off_over_the_bus():
    inside = f'export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS; exec {sys.executable} -c "$0" "$1"'
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", inside, ASKS, DESKTOP],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.stdout.strip() == "[('lock', True), ('sleep', True)]", done.stderr


def test_a_machine_without_these_services_is_left_as_it_is(qtbot, monkeypatch):
    for name in ("DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.setenv(name, "unix:path=/nowhere")
    awake, heard = Awake(), []
    awake.answered.connect(lambda what, held: heard.append((what, held)))
    awake.hold("Run 3")
    qtbot.waitUntil(lambda: len(heard) == 2)
    assert not any(held for _, held in heard)
    awake.let_go()
    assert not awake.held


@pytest.fixture
def milestones():
    """Milestones that keep what they tell."""
    milestones = Milestones()
    milestones.heard = {"progress": [], "failure": [], "end": []}
    milestones.progressed.connect(milestones.heard["progress"].append)
    milestones.first_failure.connect(milestones.heard["failure"].append)
    milestones.run_ended.connect(lambda text, good: milestones.heard["end"].append((text, good)))
    return milestones


def test_progress_first_failure_and_end_are_reported_once(qtbot, milestones, fake_run, recorded):
    run = fake_run()
    run.begin(0, 0.0)
    recording, follower = recorded(run)
    milestones.take(recording)
    for second in (1.0, 2.0):
        run.event(second, "The device was lost: gone", EventLevel.ERROR, "lost", run.devices[1].id)
        recording.apply(follower.poll())
        milestones.take(recording)
    assert milestones.heard["failure"] == [f"Run {run.id}: GPU 1 LOST, lost"]
    run.end(0, 3.0)
    run.finish(Outcome.FAIL)
    recording.apply(follower.poll())
    milestones.take(recording)
    milestones.take(recording)
    assert milestones.heard["end"] == [(f"Run {run.id}: FAIL", False)]
    assert milestones.heard["progress"][0] == pytest.approx(0.0)
    assert milestones.heard["progress"][-1] is None


def test_a_run_that_was_over_before_is_no_news(qtbot, milestones, fake_run, recorded):
    run = fake_run()
    run.finish(Outcome.PASS)
    milestones.take(recorded(run)[0])
    assert not milestones.heard["end"]


def test_the_next_start_shows_the_run_that_went_on_when_the_window_was_left(qtbot, window, data_dir):
    page = window.pages.require_burnin()
    assert not window.workspace.attendance.take_up(), "there was none"
    window.settings.set_text(OPEN_RUN, "41")
    seen = []
    page.show_run = seen.append
    attendance = RunAttendance(window, page, window.settings, data_dir)
    assert attendance.take_up()
    assert seen == [41]
    assert not attendance.take_up()


def test_title_and_menu_tell_of_the_run(window):
    page = window.pages.require_burnin()
    page.milestones.progressed.emit(0.424)
    assert window.windowTitle().startswith("42 % - ")
    page.milestones.progressed.emit(None)
    assert "%" not in window.windowTitle()
    notify = window.workspace.attendance.notify
    assert notify in window.menus.menus["run"].actions()
    assert notify.isChecked()
    notify.setChecked(False)
    assert not Settings(window.data_dir).flag("notify_of_runs", True)


def test_mail_and_webhook_are_set_in_the_window(qtbot, window, data_dir):
    window.pages.require_burnin()
    window.workspace.attendance.open_notices()
    dialog = window.findChild(NoticesDialog)
    dialog.attempt.click()
    assert "Fill in" in dialog.message.text()
    dialog.address.setText("ftp://x")
    dialog._save()
    assert "begins with https://" in dialog.message.text()
    dialog.address.setText("http://127.0.0.1:9/")
    dialog.attempt.click()
    qtbot.waitUntil(lambda: "could not be reached" in dialog.message.text())
    dialog.server.setText("mail.x.org")
    dialog.user.setText("me")
    dialog.password.setText("secret")
    dialog.security.setCurrentIndex(1)
    dialog.to.setText("a@x.org, b@x.org")
    dialog._save()
    settings = read_settings(data_dir)
    webhook, mail = settings.addresses
    assert webhook == "http://127.0.0.1:9/"
    assert "from=a%40x.org" in mail
    again = NoticesDialog(data_dir)
    qtbot.addWidget(again)
    assert again.settings() == settings
    listed = [again.addresses.item(row).text() for row in range(2)]
    assert listed == ["http://127.0.0.1:9/", "mail to a@x.org, b@x.org through mail.x.org"]
    again.addresses.setCurrentRow(0)
    again.remove.click()
    assert again.settings().addresses == (mail,)
