"""The window says what it waits for while a driver starts up."""

import pytest
from PySide6.QtCore import QObject

from gui.burnin.run import run_bar
from gui.burnin.run.run_bar import DriverWait


@pytest.fixture
def wait(qtbot, monkeypatch):
    monkeypatch.setattr(run_bar, "TELL_AFTER_S", 0.05)
    monkeypatch.setattr(run_bar, "TELL_EVERY_S", 0.02)
    monkeypatch.setattr(run_bar, "waits_for_driver", lambda: True)
    parent = QObject()
    yield DriverWait(parent)
    parent.deleteLater()


def test_a_long_wait_is_reported_again_and_again(qtbot, wait):
    heard = []
    wait.message.connect(heard.append)
    wait.begin()
    qtbot.waitUntil(lambda: len(heard) >= 3)
    assert all("NVIDIA driver" in text and "persistence mode" in text for text in heard)


def test_nothing_is_reported_once_the_wait_is_over(qtbot, wait):
    heard = []
    wait.message.connect(heard.append)
    wait.begin()
    wait.end()
    qtbot.wait(150)
    assert heard == []


def test_without_a_driver_none_is_named(qtbot, wait, monkeypatch):
    monkeypatch.setattr(run_bar, "waits_for_driver", lambda: False)
    wait.begin()
    with qtbot.waitSignal(wait.message) as heard:
        pass
    assert "NVIDIA" not in heard.args[0]
