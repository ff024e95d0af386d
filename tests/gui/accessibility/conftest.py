"""One window for the tests of a file: a build loaded, a failed run chosen, all pages made, nothing that asks."""

import time

import pytest
from PySide6.QtCore import QThreadPool
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.burnin.record.rows import Outcome
from gui.shell.main_window import MainWindow
from gui.shell.pages import BURNIN, PLAN, PREDICTIONS, RUNS
from gui.widgets import files, messages
from gui.widgets.theme import theme
from tests.gui.burnin.fake_run import finished_run
from tests.gui.conftest import FIRST_ATTEMPT
from tests.patience import PATIENCE_S


def until(true):
    """Lets the window work until it is."""
    ends = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < ends, "it never was"
        QTest.qWait(10)


def go_to(window, page):
    """Shows a page, and lets it settle."""
    window.pages.setCurrentIndex(page)
    QApplication.processEvents()


@pytest.fixture(scope="module")
def whole(qapp, module_data_dir):
    """The window; who changes text size, theme or its size puts it back."""
    finished_run(module_data_dir, Outcome.FAIL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "ask", lambda *_, **__: messages.CANCEL)
        patch.setattr(messages, "tell", lambda *_: None)
        for name in ("file_to_open", "file_to_save", "folder_to_open"):
            patch.setattr(files, name, lambda *_: None)
        patch.setattr(files, "files_to_open", lambda *_: [])
        theme().apply(qapp)
        window = MainWindow(module_data_dir)
        window.resize(1280, 800)
        window.show()
        assert QTest.qWaitForWindowExposed(window)
        until(lambda: window.connection.open)
        window.open(FIRST_ATTEMPT)
        for page in (PREDICTIONS, BURNIN, RUNS):
            go_to(window, page)
        until(lambda: window.pages.runs.model.rows)
        window.pages.runs.select_run(window.pages.runs.model.rows[0].run.id)
        until(lambda: window.pages.runs.view.recording is not None)
        until(lambda: window.pages.burnin.plan.checks)
        go_to(window, PLAN)
        yield window
        window.document.new()
        window.close()
        QThreadPool.globalInstance().waitForDone(5000)
        window.deleteLater()
        QTest.qWait(0)
