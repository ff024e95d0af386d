"""Recordings to look at, and windows that complain."""

import os
from contextlib import ExitStack, closing

import pytest

from core.burnin.follow import Follower
from core.burnin.store import RunStore
from gui.burnin.recording import Recording
from tests.gui.burnin.fake_run import FakeRun

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def pytest_collection_modifyitems(items):
    for item in items:
        if "qtbot" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            item.add_marker(pytest.mark.qt_log_ignore("does not support propagateSizeHints"))


@pytest.fixture
def fake_run(tmp_path):
    """Makes runs that are closed after the test."""
    with ExitStack() as stack:
        yield lambda *args, **kwargs: stack.enter_context(closing(FakeRun(tmp_path, *args, **kwargs)))


@pytest.fixture
def recorded(tmp_path):
    """What a viewer knows of a run that it has just read; and the follower to go on with."""
    with ExitStack() as stack:

        def read(run):
            store = stack.enter_context(closing(RunStore(tmp_path)))
            follower = Follower(store, run.id)
            update = follower.poll()
            recording = Recording(update.run, follower.devices)
            recording.apply(update)
            return recording, follower

        yield read
