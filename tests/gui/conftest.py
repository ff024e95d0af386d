"""A window on a folder of its own, recordings to look at, answers for questions, no Qt warning or error unnoticed."""

import gc
import logging
import os
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt, QThreadPool
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.parts.catalogue import Catalogue
from core.plan.edits import SetLines
from gui.burnin.recording import Recording, run_plan
from gui.planner.build_files import TEMPLATES
from gui.planner.document import PlanDocument
from gui.shell.app import GarbageCollector
from gui.shell.main_window import MainWindow
from gui.widgets import files, messages
from gui.widgets.theme import Mode, theme
from tests.gui.burnin.fake_run import FakeRun
from tests.gui.shared_fits import shared_fits

QUIET = TEMPLATES / "six-rtx-3090-quiet.rig.json"
FIRST_ATTEMPT = TEMPLATES / "six-rtx-3090-first-attempt.rig.json"


def pytest_collection_modifyitems(items):
    for item in items:
        if "qtbot" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


@pytest.fixture(scope="session")
def garbage(qapp):
    return GarbageCollector(qapp)


@pytest.fixture(autouse=True)
def garbage_of_the_test(request):
    """What a test left behind is collected as it is in the program: between events, on the thread of the window.

    Work that a test without a window began may have turned Python's own collection on again when it ended.
    """
    collector = request.getfixturevalue("garbage") if "qapp" in request.fixturenames else None
    if collector is not None:
        gc.disable()
    yield
    if collector is not None:
        collector.collect()


@pytest.fixture(autouse=True)
def widgets_of_the_test(monkeypatch):
    """Held until they are closed: Qt still asks a widget for its words that is half collected as garbage."""
    held, add = [], QtBot.addWidget

    def add_and_hold(bot, widget, **options):
        held.append(widget)
        add(bot, widget, **options)

    monkeypatch.setattr(QtBot, "addWidget", add_and_hold)
    yield


@pytest.fixture(autouse=True)
def no_key_held(request):
    """A key that closes its window is never let go there; held on, it would change what a later test selects."""
    yield
    if "qapp" in request.fixturenames and QGuiApplication.keyboardModifiers():
        window = QWindow()
        QTest.keyRelease(window, Qt.Key.Key_Control, Qt.KeyboardModifier.NoModifier)
        assert not QGuiApplication.keyboardModifiers()


@pytest.fixture(autouse=True)
def theme_of_the_system(request):
    """What a test asked for instead does not last beyond it."""
    yield
    if "qapp" in request.fixturenames and theme().mode is not Mode.SYSTEM:
        theme().set_mode(Mode.SYSTEM)


@pytest.fixture
def usual_font(qapp):
    """The size of the theme's own font; after the test the font is the one before."""
    before = qapp.font()
    theme().apply(qapp)
    yield qapp.font().pointSizeF()
    theme().set_text_size(100)
    qapp.setFont(before)


@pytest.fixture(autouse=True)
def no_logged_error(caplog):
    yield
    errors = [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    assert not errors


@pytest.fixture(autouse=True)
def fits_of_all_tests(monkeypatch):
    """What fits is judged in tests/advise; here it is asked for, waited for and shown."""
    monkeypatch.setattr("core.advise.fits.WhatFits", shared_fits)


@pytest.fixture
def catalogue(data_dir):
    with closing(Catalogue(data_dir)) as opened:
        yield opened


@pytest.fixture
def document(qtbot, catalogue):
    return PlanDocument(catalogue.part)


@pytest.fixture
def fake_run(tmp_path):
    """Makes runs that are closed after the test."""
    with ExitStack() as stack:
        yield lambda *args, **kwargs: stack.enter_context(closing(FakeRun(tmp_path, *args, **kwargs)))


@pytest.fixture
def orders(monkeypatch):
    """Burn-ins that the page orders. None is started."""
    ordered = []

    def start(data_dir, order):
        ordered.append(order)
        return order.resume or 1

    monkeypatch.setattr("gui.burnin.run.page.start_run", start)
    return ordered


@pytest.fixture
def quick_reader(monkeypatch):
    """What is on record of a run is seen at once."""
    monkeypatch.setattr("gui.burnin.run.reader.POLL_S", 0.05)
    monkeypatch.setattr("gui.burnin.run.run_view.CHECK_MS", 200)


@pytest.fixture
def recorded(tmp_path):
    """What a viewer knows of a run that it has just read; and the follower to go on with."""
    with ExitStack() as stack:

        def read(run):
            store = stack.enter_context(closing(RunStore(tmp_path)))
            follower = Follower(store, run.id)
            update = follower.poll()
            plan = run_plan(update.run, store.as_built(run.id), follower.devices)
            recording = Recording(update.run, follower.devices, plan)
            recording.apply(update)
            return recording, follower

        yield read


class Answers:
    """Plays the user before message boxes and file dialogs, and remembers what was said."""

    def __init__(self):
        self.queue = []
        self.questions = []
        self.sentences = []
        self.bugs = []
        self.open_path = None
        self.save_path = None

    def ask(self, _parent, text, _detail, choices, *, careful=False):
        self.questions.append((text, [verb for _, verb in choices]))
        return self.queue.pop(0)

    def tell(self, _parent, text, _detail=""):
        self.sentences.append(text)

    def report_bug(self, _parent, sentence, _details):
        self.bugs.append(sentence)

    def file_to_open(self, *_):
        return self.open_path

    def file_to_save(self, *_):
        return self.save_path


@pytest.fixture
def answers(monkeypatch):
    user = Answers()
    for name in ("ask", "tell", "report_bug"):
        monkeypatch.setattr(messages, name, getattr(user, name))
    for name in ("file_to_open", "file_to_save"):
        monkeypatch.setattr(files, name, getattr(user, name))
    yield user
    assert not user.bugs
    assert not user.queue, "answers that nobody asked for"


@contextmanager
def shown_window(qtbot, folder):
    """The window over a data folder, ready to be used, and closed without a question."""
    shown = MainWindow(folder)
    with qtbot.waitExposed(shown):
        shown.show()
    qtbot.waitUntil(lambda: shown.connection.open)
    yield shown
    shown.workspace.files.may_replace = lambda: True
    shown.close()
    QThreadPool.globalInstance().waitForDone(5000)
    shown.deleteLater()
    qtbot.wait(0)


@pytest.fixture
def window(qtbot, data_dir, answers):
    with shown_window(qtbot, data_dir) as shown:
        yield shown


def seen_child(window, kind):
    """The first child of a class that is visible."""
    return next(child for child in window.findChildren(kind) if child.isVisible())


def change_figures(document, category, **figures):
    """Gives the parts of a category other figures than their own, in one edit."""
    parts = [
        line.part.model_copy(update={"spec": line.part.spec.model_copy(update=figures)})
        if line.part.category is category
        else line.part
        for line in document.build.lines
    ]
    lines = tuple(replace(line, part=part) for line, part in zip(document.build.lines, parts, strict=True))
    document.edit(SetLines("Other figures", lines))


def ship_instead(folder, texts, monkeypatch):
    """Puts part files ("gpu/cards": TOML) in the place of the shipped catalogue wherever one is opened."""
    for name, text in texts.items():
        path = folder / f"{name}.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    monkeypatch.setitem(Catalogue.__init__.__kwdefaults__, "shipped", folder)
    return folder
