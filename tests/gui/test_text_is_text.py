"""No name, note, title or message of somebody else is taken for markup, and none steers how it is read."""

import ast
import json
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt, QThreadPool
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QTextEdit, QWidget

from core.burnin.record.store import RunStore
from core.parts.vocabulary import Category
from core.plan.file import dump_build, load_build
from gui.burnin.run.before_run import SimulateDialog
from gui.parts.coverage_view import CoverageView
from gui.parts.import_dialog import ImportDialog
from gui.parts.part_editor import PartEditor
from gui.planner.board.arrange_dialog import ArrangeDialog
from gui.planner.build_settings import SiteDialog
from gui.planner.parts.part_card import PartCard
from gui.widgets.text import unbroken
from tests.gui.burnin.fake_run import FakeRun, finished_run, gpu
from tests.gui.conftest import FIRST_ATTEMPT, shown_window

GUI = Path(__file__).resolve().parents[2] / "gui"
TAG = "<img src=file:///etc/passwd>"
HOSTILE = f"<b>x</b>{TAG}\u202eliar\x1b[2J&lt;i>"
STEERING = "\u202e\x1b"
MOST_ROWS = 60


@pytest.fixture
def hostile_file(tmp_path, catalogue):
    """A template of which every name and note is hostile."""
    stored = json.loads(dump_build(load_build(FIRST_ATTEMPT, catalogue.part)))
    stored["name"], stored["notes"] = HOSTILE, HOSTILE
    for part in stored["parts"].values():
        part["maker"], part["name"], part["note"] = f"{HOSTILE} maker", f"{HOSTILE} name", HOSTILE
        part["sources"] = [{"title": HOSTILE, "url": f"https://example.org/{TAG}"}]
    path = tmp_path / f"{HOSTILE.replace('/', '')}.rig.json"
    path.write_text(json.dumps(stored), encoding="utf-8")
    return path


@pytest.fixture
def hostile_runs(data_dir):
    """A finished and an interrupted run, whose title, note and devices are hostile."""
    devices = [gpu(0, name=HOSTILE, detail={HOSTILE: HOSTILE}, serial=HOSTILE)]
    finished_run(data_dir, devices=devices, title=HOSTILE)
    with closing(FakeRun(data_dir, devices=devices, title=HOSTILE)) as run:
        run.begin(0, 0.0)
        run.tick(0.0)
    with closing(RunStore(data_dir)) as store:
        for run_id in (1, 2):
            store.set_note(run_id, HOSTILE)


def test_every_widget_of_the_window(qtbot, data_dir, hostile_runs, hostile_file, answers):
    with shown_window(qtbot, data_dir) as window:
        window.open(hostile_file)
        for place in range(window.pages.count()):
            window.pages.setCurrentIndex(place)
            QApplication.processEvents()
            for table in window.pages.currentWidget().findChildren(QAbstractItemView):
                if (model := table.model()) is not None and model.rowCount() and table.isVisible():
                    table.setCurrentIndex(model.index(0, 0))
            qtbot.wait(300)
            assert_text(window)
        build, catalogue = window.document.build, window.connection.catalogue()
        part = next(line.part for line in build.lines if line.part.category is Category.GPU)
        dialogs = [
            PartCard(part, window),
            SiteDialog(build, window),
            ArrangeDialog(build, window),
            SimulateDialog(HOSTILE, window),
            CoverageView(data_dir, window),
            ImportDialog(data_dir, window),
            PartEditor(catalogue, part, part.category, window),
        ]
        for dialog in dialogs:
            dialog.show()
            qtbot.wait(20)
            assert_text(dialog)
            dialog.close()
        qtbot.waitUntil(lambda: QThreadPool.globalInstance().activeThreadCount() == 0)


def assert_text(root: QWidget) -> None:
    """None of the widgets below shows foreign markup, or a character that steers."""
    wrong = [*wrong_labels(root), *wrong_tips(root), *wrong_items(root), *wrong_words(root)]
    assert not wrong


def interpreted(text: str) -> bool:
    """Whether Qt would find the foreign tag in it, or the reader something that steers."""
    return TAG in text or any(sign in text for sign in STEERING)


def wrong_labels(root):
    for label in root.findChildren(QLabel):
        if label.textFormat() is Qt.TextFormat.AutoText and "<" in label.text():
            yield "guesses", type(label.parent()).__name__, label.text()
        if (label.textFormat() is Qt.TextFormat.RichText and TAG in label.text()) or set(STEERING) & set(label.text()):
            yield "interprets", type(label.parent()).__name__, label.text()


def wrong_tips(root):
    for owner in (*root.findChildren(QWidget), *root.findChildren(QAction)):
        for text in (owner.toolTip(), owner.whatsThis(), owner.statusTip()):
            if interpreted(text):
                yield "tooltip", type(owner).__name__, text


def wrong_words(root):
    for browser in root.findChildren(QTextEdit):
        if TAG in browser.toHtml() or set(STEERING) & set(browser.toPlainText()):
            yield "document", type(browser).__name__, browser.toPlainText()
    for button in root.findChildren(QAbstractButton):
        if set(STEERING) & set(button.text()):
            yield "button", type(button).__name__, button.text()


def wrong_items(root):
    for view in root.findChildren(QAbstractItemView):
        if view.model() is not None:
            yield from wrong_cells(view.model(), type(view).__name__)


def wrong_cells(model: QAbstractItemModel, where: str, parent=QModelIndex()):  # noqa: B008 - Qt's own default
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(min(model.rowCount(parent), MOST_ROWS)):
        for column in range(columns):
            index = model.index(row, column, parent)
            shown, tooltip = index.data(), index.data(Qt.ItemDataRole.ToolTipRole)
            if isinstance(shown, str) and set(STEERING) & set(shown):
                yield "cell", where, shown
            if isinstance(tooltip, str) and interpreted(tooltip):
                yield "tooltip of a cell", where, tooltip
    for section in range(columns):
        tooltip = model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        if isinstance(tooltip, str) and interpreted(tooltip):
            yield "heading", where, tooltip


def test_labels_are_made_of_the_two_kinds_that_do_not_guess():
    """One rule for the whole window: who needs a label takes Label or Markup."""
    guessing = [
        f"{path.relative_to(GUI)}:{node.lineno}"
        for path in GUI.rglob("*.py")
        if path.name != "text.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QLabel")
        or (isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == "QLabel" for b in node.bases))
    ]
    assert not guessing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Models up to 64 GB", "Models up to 64\xa0GB"),
        ("384 GB at 300 W a card", "384\xa0GB at 300\xa0W a card"),
        ("4 Gigabyte cards, 2 GPUs, 60 %", "4 Gigabyte cards, 2 GPUs, 60\xa0%"),
        ("RTX 5090 and 3 ms", "RTX 5090 and 3\xa0ms"),
    ],
)
def test_a_line_does_not_end_between_a_figure_and_its_unit(text: str, expected: str) -> None:
    assert unbroken(text) == expected
