"""The whole window, and a run that goes on in it, for what users of such tools expect."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from core.burnin.run.lock import take_runner_lock
from core.plan.build import Build
from core.plan.file import dump_build
from gui.burnin.run.page import BurninPage
from gui.shell.main_window import MainWindow
from gui.shell.pages import BURNIN
from tests.gui.burnin.fake_run import CPU, FakeRun, gpu


@dataclass
class Watched:
    """A window on its Burn-in page, the run in it, and the user's hands."""

    window: MainWindow
    page: BurninPage
    run: FakeRun
    bot: Any

    def key(self, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
        """Presses a key wherever the focus is."""
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= modifier
        self.bot.keyClick(self.window.focusWidget() or self.page, key, held)

    def click(self, widget: Any) -> None:
        """The left button, in the middle."""
        self.bot.mouseClick(widget, Qt.MouseButton.LeftButton)

    def sample(self, *seconds: float) -> None:
        """The run goes on, and the window has seen it."""
        for second in seconds:
            self.run.tick(second)
        self.until(lambda: self.page.view.recording.sampled_s >= seconds[-1])

    def until(self, condition: Callable[[], Any]) -> None:
        """Waits until the window shows it."""
        self.bot.waitUntil(condition)


@pytest.fixture
def watch(
    qtbot: Any, window: MainWindow, data_dir: Path, quick_reader: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Watched]]:
    """Shows a run of these devices, beside a plan if there is one; two simulated RTX 3090 otherwise."""
    monkeypatch.setattr("gui.burnin.run.page.detect_devices", lambda simulate=None: [gpu(0), gpu(1), CPU])
    runs: list[FakeRun] = []
    lock = take_runner_lock(data_dir)

    def begin(
        devices: Any = None, build: Build | None = None, seconds: int = 30, profile: str = "quick-test"
    ) -> Watched:
        run = FakeRun(data_dir, devices, profile, build=None if build is None else dump_build(build))
        runs.append(run)
        run.begin(2, 0.0)
        run.ticks(range(seconds))
        window.pages.setCurrentIndex(BURNIN)
        page = window.pages.require_burnin()
        page.show_run(run.id)
        qtbot.waitUntil(lambda: page.active_run() == run.id)
        return Watched(window, page, run, qtbot)

    yield begin
    if window.pages.burnin is not None:
        window.pages.burnin.view.clear()
    lock.release()
    for run in runs:
        run.close()
