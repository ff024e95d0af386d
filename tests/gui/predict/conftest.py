"""The page of predictions by itself, on a document and a catalogue of its own."""

from contextlib import closing

import pytest
from PySide6.QtCore import QThreadPool

from core.plan.edits import SetLines
from gui.parts.catalogue_connection import CatalogueConnection
from gui.predict.page import PredictPage


@pytest.fixture
def connection(qtbot, catalogue, data_dir):
    """`catalogue` first: what the page opens is filled already."""
    opened = CatalogueConnection(data_dir)
    with closing(opened):
        yield opened


@pytest.fixture
def page(qtbot, document, connection, data_dir):
    made = PredictPage(document, connection, data_dir)
    qtbot.addWidget(made)
    made.resize(1024, 640)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.hide()
    QThreadPool.globalInstance().waitForDone(5000)


@pytest.fixture
def show(qtbot, page):
    """Goes to a section, waits until all of it is known, and returns it."""

    def shown(section):
        page.show_section(section)
        panel = page.panel(section)
        settle(qtbot, panel)
        return panel

    return shown


@pytest.fixture
def plan(document):
    """Puts the lines of another build in the place of the document's."""
    return lambda build: document.edit(SetLines("Another machine", build.lines))


def settle(qtbot, panel):
    """Waits until a section works nothing out any more."""
    qtbot.waitUntil(lambda: not getattr(panel, "busy", False))


def texts(table):
    """The words of a table's cells, row by row."""
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]
