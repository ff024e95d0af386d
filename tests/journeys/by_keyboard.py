"""One journey by keyboard in a window of its own process, since a language holds for a whole process.

`python -m tests.journeys.by_keyboard JOURNEY THEME FOLDER` ends with 0, or with what went wrong and, in the folder,
pictures of it. The environment names the language.
"""

import os
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

from PySide6.QtCore import QObject, QThreadPool, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from gui.settings import Settings
from gui.shell.app import GarbageCollector, speak
from gui.shell.main_window import MainWindow
from gui.widgets.theme import Mode, theme
from tests.journeys import keyboard_plan, keyboard_runs
from tests.journeys.keyboard import User

JOURNEYS: dict[str, Callable[[User], None]] = {
    journey.__name__: journey for journey in (*keyboard_plan.JOURNEYS, *keyboard_runs.JOURNEYS)
}
"""By name."""


class _Desktop(QObject):
    """Notes which files the desktop should show."""

    def __init__(self, opened: list[Path]) -> None:
        super().__init__()
        self._opened = opened

    @Slot(QUrl)
    def show(self, url: QUrl) -> None:
        """Instead of a viewer."""
        self._opened.append(Path(url.toLocalFile()))


def main(name: str, dark: bool, folder: Path) -> int:
    """One journey in a window on a folder; returns the exit code."""
    app = QApplication(["rigwright"])
    GarbageCollector(app)
    speak(app)
    settings = Settings(folder)
    settings.theme = Mode.DARK if dark else Mode.LIGHT
    theme().set_mode(settings.theme)
    theme().apply(app)
    window = MainWindow(folder, settings=settings)
    window.show()
    window.activateWindow()
    user = User(window, folder)
    desktop = _Desktop(user.opened)
    QDesktopServices.setUrlHandler("file", desktop, "show")
    sys.excepthook = lambda _kind, error, _trace: _fail(error, folder)

    def go() -> None:
        try:
            user.wait(lambda: window.connection.open and QApplication.activeWindow() is window, "the window")
            JOURNEYS[name](user)
            user.see(lambda: app.exit(0))
        except Exception as error:  # noqa: BLE001 - the end of the process
            user.see(partial(_fail, error, folder))

    threading.Thread(target=go, daemon=True).start()
    app.exec()
    window.document.new()
    window.close()
    QThreadPool.globalInstance().waitForDone(5000)
    return 0


def _fail(error: BaseException, folder: Path) -> NoReturn:
    """At once: a dialog may wait that nobody answers any more."""
    traceback.print_exception(error)
    sys.stderr.flush()
    for number, shown in enumerate(one for one in QApplication.topLevelWidgets() if one.isVisible()):
        shown.grab().save(str(folder / f"failed-{number}.png"))
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] == "dark", Path(sys.argv[3])))
