"""Starts the window in the language of the program: `python -m gui [--data-dir DIR] [FILE.rig.json]`, until Ctrl-C.

Python collects on whichever thread allocates next. On a thread of the pool that ends Qt objects there: the destructor
holds Qt's lock of connections and waits for the interpreter, the window holds the interpreter and waits for that lock,
and both stand still for good.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QSocketNotifier, QThreadPool, QTimer, QTranslator, Slot
from PySide6.QtGui import QFontDatabase, QIcon
from PySide6.QtWidgets import QApplication

from core.platform.errors import BadInput, EnvironmentProblem, ExitCode, RigwrightError, bug_sentence
from core.platform.foreign import require_text
from core.platform.paths import ASSETS, data_dir, usual_data_dir
from core.platform.processes import able_to_sign, own_environment, own_python
from core.version import __version__
from core.words import LANGUAGES, current_language, tr
from gui.settings import Settings
from gui.shell.bugs import Bugs
from gui.shell.single_instance import FirstInstance, hand_over
from gui.widgets.theme import theme
from gui.widgets.units import use_units, usual_units

HAN_FONTS = {
    "zh_CN": ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Microsoft YaHei UI", "PingFang SC"),
    "zh_TW": ("Noto Sans CJK TC", "Noto Sans TC", "Source Han Sans TC", "Microsoft JhengHei UI", "PingFang TC"),
}
"""Behind the system's own font, best first: the same character is drawn differently in the two scripts."""
ANY_HAN_FONT = "WenQuanYi Micro Hei"


def locale_of(language: str) -> QLocale:
    """How a language writes numbers and dates; in the user's country, where the system speaks the same language."""
    locale, system = QLocale(language), QLocale.system()
    same = (system.language(), system.script()) == (locale.language(), locale.script())
    return system if same or language not in LANGUAGES else locale


def speak(app: QApplication) -> None:
    """Once, before the first widget is made and before the theme reads the font."""
    language = current_language()
    QLocale.setDefault(locale_of(language))
    words = QTranslator(app)
    if words.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(words)
    if language in HAN_FONTS:
        font = app.font()
        present = set(QFontDatabase.families())
        font.setFamilies([font.family(), *(name for name in (*HAN_FONTS[language], ANY_HAN_FONT) if name in present)])
        app.setFont(font)


def start_again(data_dir: Path, file: Path | None) -> None:
    """The window of this process's end gives way to a new one, in the language that is chosen now. Never returns."""
    command = own_python("-m", "gui", "--data-dir", str(data_dir), *([str(file)] if file else []))
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, able_to_sign(own_environment()))


INTERVAL_MS = 1000


class GarbageCollector(QObject):
    """Takes the place of Python's automatic collection, which stays off in this process."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(self.collect)
        timer.start(INTERVAL_MS)

    @Slot()
    def collect(self) -> None:
        """Collects the oldest generation that Python's own thresholds call due."""
        fill = zip(gc.get_count(), gc.get_threshold(), strict=True)
        due = [generation for generation, (count, limit) in enumerate(fill) if count > limit > 0]
        if due:
            gc.collect(due[-1])


BACKGROUND_MS = 3000
ENDING = (signal.SIGINT, signal.SIGTERM)


def main(argv: list[str]) -> int:
    """Opens the window and returns the exit code; `argv` has no program name."""
    try:
        require_text(argv)
        arguments = _arguments(argv)
    except BadInput as error:
        print(error, file=sys.stderr)  # noqa: T201 - the only place to say it
        return int(error.exit_code)
    try:
        return _run(data_dir(arguments.data_dir), arguments.file.absolute() if arguments.file else None)
    except RigwrightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - the only place to say it
        return int(error.exit_code)
    except Exception as error:  # noqa: BLE001 - see tests/test_catch_alls.py
        print(bug_sentence(error, usual_data_dir(arguments.data_dir)), file=sys.stderr)  # noqa: T201 - as above
        return int(ExitCode.ENVIRONMENT)


def _run(folder: Path, file: Path | None) -> int:
    _require_display()
    app = QApplication(["rigwright"])
    GarbageCollector(app)
    app.setApplicationName("rigwright")
    app.setApplicationDisplayName("Rigwright")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("rigwright")
    app.setWindowIcon(QIcon(str(ASSETS / "icons" / "io.github.rigwright.Rigwright.svg")))
    speak(app)
    first = FirstInstance(folder, app)
    if not first.claim():
        return _second_start(folder, file)
    settings = Settings(folder)
    use_units(settings.units or usual_units())
    theme().set_mode(settings.theme)
    theme().apply(app)
    theme().set_text_size(settings.text_percent)
    from gui.shell.main_window import MainWindow

    window = MainWindow(folder, settings=settings)
    Bugs(folder, window.keep_unsaved, window).install()
    window.open_at_start(file)
    first.open_requested.connect(window.open_and_raise)

    def leave() -> None:
        """Ends without a question; unsaved work stays in its recovery copy."""
        window.keep_unsaved()
        app.exit(0)

    watch = SignalWatch(leave, app)
    window.show()
    code = app.exec()
    watch.close()
    first.release()
    QThreadPool.globalInstance().waitForDone(BACKGROUND_MS)
    again = window.starts_again
    build = window.document.path if again else None
    window.deleteLater()
    app.processEvents()
    if again:
        start_again(folder, build)
    return code


def _second_start(folder: Path, file: Path | None) -> int:
    if not hand_over(folder, file):
        raise EnvironmentProblem(
            tr(
                "Rigwright is already open on {folder}, but its window does not answer. Close it, or "
                "choose another --data-dir.",
                folder=folder,
            )
        )
    if file:
        sentence = tr("Rigwright is already open on {folder}; {file} was opened there.", folder=folder, file=file)
    else:
        sentence = tr("Rigwright is already open on {folder}; it was brought to the front.", folder=folder)
    print(sentence)  # noqa: T201 - said in the terminal
    return 0


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="rigwright", description=tr("Plan, check and burn in multi-GPU workstations.")
    )
    parser.add_argument("--data-dir", type=Path, help=tr("folder of databases and logs"))
    parser.add_argument("file", nargs="?", type=Path, help=tr("build file to open (*.rig.json)"))
    return parser.parse_args(argv)


def _require_display() -> None:
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise EnvironmentProblem(
            tr(
                "There is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set). Use "
                "the command line: rigwright --help."
            )
        )


class SignalWatch(QObject):
    """Calls `leave` in the window's thread when the process is asked to end."""

    def __init__(self, leave: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._leave = leave
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._wake)
        signal.set_wakeup_fd(self._writer.fileno())
        for number in ENDING:
            signal.signal(number, self._caught)

    def close(self) -> None:
        """Gives the signals back."""
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _caught(self, _number: int, _frame: object) -> None:
        self._leave()

    @Slot()
    def _wake(self) -> None:
        self._reader.recv(16)  # Python runs the handler on the way here
