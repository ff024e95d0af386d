"""`python -m tests.words.window_walk FOLDER`: goes through the whole window and prints each text that it shows.

A process of its own, since a process speaks one language: run with RIGWRIGHT_LANGUAGE=pseudo, every message stands in
⟦brackets⟧. Prints JSON: the texts, each with the first place it was seen at, and the names of parts among them.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGroupBox,
    QHeaderView,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QTabWidget,
    QWidget,
)

from core.burnin.record.rows import Outcome
from core.parts.catalogue import Catalogue
from core.platform.processor import cpu_name
from gui.shell.app import GarbageCollector, speak
from gui.shell.main_window import MainWindow
from gui.shell.pages import BURNIN, PLAN, PREDICTIONS, RUNS
from gui.widgets import files, messages
from gui.widgets.actions import ACTIONS
from gui.widgets.theme import theme
from tests.gui.burnin.fake_run import finished_run
from tests.patience import PATIENCE_S

BUILD = Path(__file__).resolve().parents[2] / "assets" / "templates" / "six-rtx-3090-first-attempt.rig.json"
LEFT_ALONE = {"quit", "full_screen", "data_folder", "forget_import", "remove_own"}
MOST_ROWS, DEEPEST = 60, 2
ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)


class Walk:
    """What was seen, by text."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}
        self.place = ""

    def note(self, text: Any, where: str) -> None:
        """A text, unless it is none."""
        if isinstance(text, str) and text.strip():
            self.seen.setdefault(text, f"{self.place}: {where}")

    def look(self) -> None:
        """At all windows and dialogs as they are now."""
        QApplication.processEvents()
        for top in QApplication.topLevelWidgets():
            if (isinstance(top, QMenu) and top.parent() is None) or type(top) is QWidget:
                continue  # pyqtgraph's, which the charts do not open
            for widget in (top, *top.findChildren(QWidget)):
                for text in texts_of(widget):
                    self.note(text, type(widget).__name__)

    def note_words(self, *words: Any, **_: Any) -> None:
        """In the place of a message box or file dialog."""
        for word in words:
            for text in word if isinstance(word, list) else [word]:
                self.note(text[1] if isinstance(text, tuple) else text, "message box")


def never_shown() -> set[str]:
    """What pyqtgraph says in the menus that it makes for each chart; ours do not open them (`enableMenu`)."""
    plot = pg.PlotItem()
    return {text for widget in plot.ctrlMenu.findChildren(QWidget) for text in texts_of(widget)}


def texts_of(widget: QWidget) -> Iterator[str]:
    """All that it says."""
    yield widget.windowTitle()
    yield widget.toolTip()
    yield widget.accessibleName()
    yield widget.accessibleDescription()
    for action in widget.actions():
        yield from texts_of_action(action)
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QGroupBox() | QMenu():
            yield widget.title()
        case QLineEdit():
            yield widget.placeholderText()
        case QSpinBox() | QDoubleSpinBox():
            yield from (widget.prefix(), widget.suffix(), widget.specialValueText())
        case QComboBox():
            yield from texts_of_model(widget.model())
        case QTabWidget():
            for tab in range(widget.count()):
                yield from (widget.tabText(tab), widget.tabToolTip(tab))
        case QHeaderView() | QAbstractSpinBox():
            pass
        case QAbstractItemView() if widget.model() is not None:
            yield from texts_of_model(widget.model())


def texts_of_action(action: QAction) -> Iterator[str]:
    """Those of a menu or a tool bar."""
    yield action.text().split("\t")[0]
    yield action.toolTip()


def texts_of_model(model: QAbstractItemModel) -> Iterator[str]:
    """Heads, and the first rows with what they say of themselves."""
    for column in range(_columns(model, QModelIndex())):
        for role in ROLES[:2]:
            yield model.headerData(column, Qt.Orientation.Horizontal, role)
    yield from _rows(model, QModelIndex())


def _columns(model: QAbstractItemModel, parent: QModelIndex) -> int:
    return 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)


def _rows(model: QAbstractItemModel, parent: QModelIndex, depth: int = 0) -> Iterator[str]:
    for row in range(min(model.rowCount(parent), MOST_ROWS)):
        for column in range(_columns(model, parent)):
            index = model.index(row, column, parent)
            for role in ROLES:
                yield index.data(role)
        if depth < DEEPEST:
            yield from _rows(model, model.index(row, 0, parent), depth + 1)


def until(true: Any) -> None:
    """Lets the window work until it is."""
    ends = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > ends:
            raise TimeoutError("it never was")
        QTest.qWait(20)


def go_through(window: MainWindow, walk: Walk) -> None:
    """Pages, sections, menus and dialogs."""
    walk.place = "start page"
    walk.look()
    window.open(BUILD)
    for page in (PREDICTIONS, BURNIN, RUNS, PLAN):
        walk.place = f"page {page}"
        window.pages.setCurrentIndex(page)
        QTest.qWait(300)
        walk.look()
    for section in window.pages.predictions.model.sections:
        walk.place = f"predictions, {section}"
        window.pages.predictions.show_section(section)
        QTest.qWait(50)
        walk.look()
    go_through_runs(window, walk)
    for spec in ACTIONS:
        if spec.name not in LEFT_ALONE:
            walk.place = spec.name
            window.pages.setCurrentIndex(PLAN)
            window.plan.table.selectRow(0)
            window.menus.actions[spec.name].trigger()
            QTest.qWait(50)
            walk.look()
            close_dialogs()
    walk.place = "afterwards"
    for action in window.menus.actions.values():
        for text in texts_of_action(action):
            walk.note(text, "action")


def go_through_runs(window: MainWindow, walk: Walk) -> None:
    """The run that failed, and what can be asked of it."""
    runs = window.pages.runs
    walk.place = "runs"
    window.pages.setCurrentIndex(RUNS)
    until(lambda: runs.model.rows)
    runs.select_run(runs.model.rows[0].run.id)
    until(lambda: runs.view.recording is not None)
    QTest.qWait(300)
    walk.look()
    window.pages.setCurrentIndex(BURNIN)
    until(lambda: window.pages.burnin.plan.checks)
    for name, opening in {
        "swap": runs.view.swap_test,
        "place": lambda: runs.view.show_place(0),
        "notices": window.workspace.attendance.open_notices,
        "slots": window.pages.burnin.show_slots,
        "simulation": window.pages.burnin.choose_simulation,
        "certificate": runs.certificate.certificate,
        "rma": runs.certificate.rma_pack,
    }.items():
        walk.place = name
        opening()
        QTest.qWait(200)
        walk.look()
        close_dialogs()
    runs.table.selectAll()
    walk.place = "compared runs"
    QTest.qWait(500)
    walk.look()


def close_dialogs() -> None:
    """All that stand open."""
    for top in QApplication.topLevelWidgets():
        if isinstance(top, QDialog) and top.isVisible():
            top.reject()
    QApplication.processEvents()


def names_of_parts(folder: Path) -> list[str]:
    """What parts and the CPU of this machine are called and what is noted of them, which no language changes."""
    catalogue = Catalogue(folder)
    builds = BUILD.parent.glob("*.rig.json")
    names = {cpu_name()} | {str(json.loads(path.read_text("utf-8"))["name"]) for path in builds}
    for part in catalogue.parts():
        names.add(part.title)
        names |= set(_texts(part.model_dump(mode="json")))
    catalogue.close()
    return sorted(names, key=len, reverse=True)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def main(folder: Path) -> None:
    """Prints what was seen."""
    for _ in range(2):
        finished_run(folder, Outcome.FAIL)
    walk = Walk()
    app = QApplication(["rigwright"])
    GarbageCollector(app)
    speak(app)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "ask", lambda *words, **_: walk.note_words(*words) or messages.CANCEL)
        patch.setattr(messages, "tell", walk.note_words)
        for name in ("file_to_open", "file_to_save", "folder_to_open"):
            patch.setattr(files, name, walk.note_words)
        patch.setattr(files, "files_to_open", lambda *words: walk.note_words(*words) or [])
        patch.setattr(QDialog, "exec", lambda dialog: dialog.show() or walk.look() or dialog.reject() or 0)
        for name in ("getText", "getItem", "getMultiLineText"):
            patch.setattr(QInputDialog, name, lambda *words: walk.note_words(*words[:3]) or ("", False))
        theme().apply(app)
        window = MainWindow(folder)
        window.resize(1280, 800)
        window.show()
        until(lambda: window.connection.open)
        go_through(window, walk)
        window.document.new()
        window.close()
    names, unseen = names_of_parts(folder), never_shown()
    walk.seen = {text: place for text, place in walk.seen.items() if text not in unseen}
    sys.stdout.write(json.dumps({"seen": walk.seen, "names": names}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
