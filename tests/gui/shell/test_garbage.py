"""Qt objects in cycles end on the window's thread, also where another thread allocates."""

import gc
import threading
import weakref
from typing import Any

from PySide6.QtCore import QObject

from gui.shell.app import GarbageCollector
from gui.widgets.background import run_in_background

KNOTS = 2000
"""More than Python's threshold: a collection is due."""


class Knot(QObject):
    """Only a collection frees it."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def knots(count: int, ended_on: list[int]) -> None:
    """Leaves cycles behind, which note the thread that frees them."""
    for _ in range(count):
        weakref.finalize(Knot(), lambda: ended_on.append(threading.get_ident()))


def many_objects() -> int:
    """Enough of them that Python collects, were it left to."""
    return len([[number] for number in range(200_000)])


def test_no_other_thread_frees_what_the_window_left(qtbot: Any) -> None:
    ended_on: list[int] = []
    done: list[int] = []
    owner = QObject()
    knots(KNOTS, ended_on)
    run_in_background(owner, many_objects, done.append)
    qtbot.waitUntil(lambda: bool(done))
    qtbot.waitUntil(lambda: len(ended_on) == KNOTS)
    assert set(ended_on) == {threading.get_ident()}


def test_it_collects_what_is_due_and_nothing_else(qapp: Any) -> None:
    collector = GarbageCollector(qapp)
    gc.collect()
    ended_on: list[int] = []
    knots(1, ended_on)
    collector.collect()
    assert not ended_on, "one object is not due"
    allocated = [[number] for number in range(10_000)]
    collector.collect()
    assert len(ended_on) == 1
    assert allocated
    collector.deleteLater()
