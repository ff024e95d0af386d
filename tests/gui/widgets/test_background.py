import threading
import weakref

import pytest
from PySide6.QtCore import QObject, QThread
from PySide6.QtWidgets import QWidget
from shiboken6 import delete

from core.platform.errors import BadInput
from gui.widgets.background import run_in_background


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


def test_failures_go_to_the_caller_who_asked_for_them(qtbot):
    owner, errors = QObject(), []
    run_in_background(owner, lambda: fail(BadInput("No.")), lambda _: None, errors.append)
    qtbot.waitUntil(lambda: len(errors) == 1)
    assert str(errors[0]) == "No."


@pytest.mark.parametrize("ends", [lambda: 1, lambda: int("x")], ids=["a result", "an error"])
def test_no_thread_holds_the_last_reference_to_an_owner(qtbot, ends):
    """The object would be deleted while the window may be in the midst of one of its events."""
    outcomes, held, may_end = [], [], threading.Event()

    def work_and_hold(run):
        run()
        held.append(run)
        may_end.wait(10)

    owner = QWidget()
    work, alive = lambda owner=owner: owner and ends(), weakref.ref(owner)
    run_in_background(
        owner,
        work,
        lambda result, owner=owner: outcomes.append((owner.isVisible(), result)),
        lambda error, owner=owner: outcomes.append((owner.isVisible(), error)),
        lambda run: threading.Thread(target=work_and_hold, args=(run,), daemon=True).start(),
    )
    del owner, work
    qtbot.waitUntil(lambda: bool(outcomes) and bool(held))
    outcomes.clear()
    assert alive() is None
    may_end.set()
