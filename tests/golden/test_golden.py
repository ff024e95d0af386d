"""The outputs of a corpus are as they were when last looked at.

`GOLDEN=write python -m pytest tests/golden -m "soak or not soak" -s` takes them as they are now and prints what became
different: whether that is wanted is decided in review. A share is compared in each run, all by `make soak`.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, QThreadPool
from PySide6.QtWidgets import QAbstractItemView

from gui.planner.build_files import TEMPLATES as TEMPLATE_FILES
from gui.predict.sections import sections
from tests.golden import outputs
from tests.gui.conftest import shown_window
from tests.rotation import share

WINDOWS = ("four-used-rtx-3090", "six-rtx-3090-quiet", "eight-h200-hgx")


@pytest.fixture(autouse=True)
def day_of_the_corpus() -> Iterator[None]:
    with time_machine.travel(outputs.DAY, tick=False):
        yield


def compare(case: str, now: dict[str, str]) -> None:
    differences = list(outputs.differences(case, now))
    if os.environ.get("GOLDEN") == "write":
        sys.stdout.writelines(f"{line}\n" for line in differences)
        outputs.store(case, now)
    else:
        assert not differences, "\n".join(differences[:400])


@pytest.mark.parametrize("name", share(outputs.TEMPLATES, 4, rest=pytest.mark.soak))
def test_outputs_of_a_template(name: str, data_dir: Path) -> None:
    compare(f"template-{name}", outputs.of_template(name, data_dir))


@pytest.mark.parametrize("name", share(outputs.RUNS, 4, rest=pytest.mark.soak))
def test_outputs_of_a_recorded_run(name: str, data_dir: Path) -> None:
    compare(f"run-{name}", outputs.of_run(name, data_dir))


@pytest.mark.parametrize("name", share(WINDOWS, 3, rest=pytest.mark.soak))
def test_tables_of_the_window(qtbot: Any, data_dir: Path, answers: Any, name: str) -> None:
    outputs.unpack("killed-twice", data_dir)
    tables: dict[str, str] = {}
    with shown_window(qtbot, data_dir) as window:
        window.workspace.files.may_replace = lambda: True
        window.open(TEMPLATE_FILES / f"{name}.rig.json")
        window.pages.require_burnin()
        window.pages.show_predictions()
        for section in sections():
            window.pages.predictions.show_section(section.key)
            qtbot.wait(1)
            QThreadPool.globalInstance().waitForDone(60_000)
            panel = window.pages.predictions.panel(section.key)
            qtbot.waitUntil(lambda panel=panel: not getattr(panel, "busy", False), timeout=60_000)
        for page in range(window.pages.count()):
            window.pages.setCurrentIndex(page)
            qtbot.wait(50)
            QThreadPool.globalInstance().waitForDone(60_000)
            qtbot.wait(50)
        for view in window.findChildren(QAbstractItemView):
            if view is window.plan.parts.results:  # what the catalogue has is no output of a build
                continue
            if text := "\n".join(rows(view)):
                tables.setdefault(place(view), "")
                tables[place(view)] += text + "\n"
    compare(f"window-{name}", tables)


def place(view: QAbstractItemView) -> str:
    """What a screen reader calls a view and what it stands in, from the outside."""
    names, widget = [], view
    while widget is not None:
        names.append(widget.accessibleName())
        widget = widget.parentWidget()
    return ", ".join(filter(None, reversed(names)))


def rows(view: QAbstractItemView) -> Iterator[str]:
    """Headings and cells of a view, a line for each row; branches are indented."""
    model, top = view.model(), QModelIndex()
    if model is None or not model.rowCount(top):
        return
    columns = range(1 if isinstance(model, QAbstractListModel) else model.columnCount(top))
    headings = [model.headerData(at, Qt.Orientation.Horizontal) for at in columns]

    def below(parent: QModelIndex, depth: int) -> Iterator[str]:
        for row in range(min(model.rowCount(parent), 300)):
            indices = [model.index(row, column, parent) for column in columns]
            yield "  " * depth + " | ".join(str(index.data() or "") for index in indices)
            yield from below(indices[0], depth + 1)

    yield " | ".join(str(heading or "") for heading in headings)
    yield from below(top, 0)
