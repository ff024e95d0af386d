import threading

from PySide6.QtCore import QObject, QThread
from PySide6.QtWidgets import QWidget
from shiboken6 import delete

from core.errors import BadInput
from gui.background import run_in_background


def test_the_result_comes_back_in_the_windows_thread(qtbot):
    owner, results = QObject(), []
    here = QThread.currentThread()
    run_in_background(
        owner, threading.get_ident, lambda ident: results.append((ident, QThread.currentThread() is here))
    )
    qtbot.waitUntil(lambda: bool(results))
    ident, delivered_here = results[0]
    assert ident != threading.get_ident()
    assert delivered_here


def test_nothing_is_delivered_to_an_owner_that_is_gone(qtbot):
    gate, results = threading.Event(), []
    owner, other = QObject(), QObject()
    run_in_background(owner, gate.wait, lambda _: results.append("late"))
    delete(owner)
    gate.set()
    run_in_background(other, lambda: None, lambda _: results.append("after"))
    qtbot.waitUntil(lambda: "after" in results)
    assert "late" not in results


def fail(error):
    raise error


def test_a_known_error_is_shown_as_its_sentence(qtbot, answers):
    owner = QWidget()
    qtbot.addWidget(owner)
    run_in_background(owner, lambda: fail(BadInput("The file is empty.")), lambda _: None)
    qtbot.waitUntil(lambda: answers.sentences == ["The file is empty."])


def test_an_unknown_error_is_reported_as_a_bug(qtbot, monkeypatch):
    from gui.widgets import messages

    owner, traces = QWidget(), []
    qtbot.addWidget(owner)
    monkeypatch.setattr(messages, "show_error", lambda _parent, error: traces.append(error))
    run_in_background(owner, lambda: fail(ZeroDivisionError("x")), lambda _: None)
    qtbot.waitUntil(lambda: len(traces) == 1)
    assert isinstance(traces[0], ZeroDivisionError)


def test_failures_go_to_the_caller_who_asked_for_them(qtbot):
    owner, errors = QObject(), []
    run_in_background(owner, lambda: fail(BadInput("No.")), lambda _: None, errors.append)
    qtbot.waitUntil(lambda: len(errors) == 1)
    assert str(errors[0]) == "No."
