"""Twice the text, small windows, large ones: nothing leaves the window, overlaps, is cut off, or stands far apart."""

from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitterHandle,
    QTableView,
    QToolButton,
    QWidget,
)

from gui.predict.figures_view import FiguresView
from gui.shell.pages import BURNIN, PLAN, PREDICTIONS, RUNS
from gui.widgets.text import ElidedLabel
from gui.widgets.theme import theme
from tests.gui.accessibility.conftest import go_to

PAGES = [PLAN, PREDICTIONS, BURNIN, RUNS]
SMALL = [(1000, 640), (1024, 700)]


@pytest.fixture(params=[100, 200], ids=["usual text", "twice the text"])
def text_size(request, whole):
    theme().set_text_size(request.param)
    yield request.param
    theme().set_text_size(100)


def shown_at(window, size, page):
    window.resize(QSize(*size))
    go_to(window, page)
    QApplication.processEvents()
    QApplication.processEvents()
    assert (window.width(), window.height()) == size, f"needs {window.width()} x {window.height()}"


def seen(window):
    return [
        each
        for each in window.findChildren(QWidget)
        if each.window() is window and each.isVisible() and not each.visibleRegion().isEmpty()
    ]


def scrolls(widget, window):
    """Whether it lies in something that can be scrolled."""
    while widget is not None and widget is not window:
        widget = widget.parentWidget()
        if isinstance(widget, QAbstractScrollArea):
            return True
    return False


def place(widget, window):
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def described(widget):
    words = widget.text() if hasattr(widget, "text") else widget.accessibleName()
    return f"{type(widget).__name__} {words} in {type(widget.parentWidget()).__name__}"


def overlapping(window):
    """Pairs that a layout has put over each other."""
    for parent in [window, *seen(window)]:
        if parent.layout() is None:
            continue
        children = [
            each
            for each in parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
            if each.isVisible() and not isinstance(each, QSplitterHandle) and not each.size().isEmpty()
        ]
        for one, other in combinations(children, 2):
            if one.geometry().intersects(other.geometry()):
                yield f"{described(one)} / {described(other)}"


def cut_off(window):
    """Words without the room they need; what is shortened on purpose has a tooltip."""
    for widget in seen(window):
        if (
            isinstance(widget, (QPushButton, QToolButton))
            and widget.text()
            and widget.width() < 0.9 * widget.minimumSizeHint().width()
        ):
            yield described(widget)
        if isinstance(widget, QLabel) and widget.text() and not isinstance(widget, ElidedLabel):
            if widget.wordWrap():
                lacks = not scrolls(widget, window) and widget.height() < widget.heightForWidth(widget.width()) - 2
            else:
                lacks = widget.width() < widget.minimumSizeHint().width() and not widget.toolTip()
            if lacks:
                yield described(widget)


@pytest.mark.parametrize("size", SMALL, ids=["1000 x 640", "1024 x 700"])
@pytest.mark.parametrize("page", PAGES, ids=["plan", "predictions", "burn-in", "runs"])
def test_nothing_leaves_a_small_window_overlaps_or_is_cut_off(whole, text_size, size, page):
    shown_at(whole, size, page)
    wide = [
        described(each)
        for each in seen(whole)
        if not scrolls(each, whole) and place(each, whole).right() >= size[0] + 1
    ]
    assert wide == []
    assert list(overlapping(whole)) == []
    assert list(cut_off(whole)) == []


@pytest.mark.parametrize("page", PAGES, ids=["plan", "predictions", "burn-in", "runs"])
def test_at_the_usual_size_of_text_no_page_has_to_be_scrolled(whole, page):
    shown_at(whole, SMALL[0], page)
    shown = whole.pages.currentWidget()
    area = shown if isinstance(shown, QScrollArea) else shown.findChild(QScrollArea)
    assert not area.verticalScrollBar().maximum()
    assert not area.horizontalScrollBar().maximum()


def test_predicted_figures_stand_near_what_they_are_of_in_a_large_window(whole):
    shown_at(whole, (2560, 1440), PREDICTIONS)
    for section in ("power", "temperature", "noise", "energy", "speed"):
        whole.pages.predictions.show_section(section)
        QApplication.processEvents()
        for table in whole.pages.predictions.panel(section).findChildren(FiguresView):
            if table.isVisible() and table.model().columnCount() > 1:
                assert table.columnViewportPosition(1) <= 400, (section, table.accessibleName())


def test_tables_let_tab_go(whole):
    assert not [table.accessibleName() for table in whole.findChildren(QTableView) if table.tabKeyNavigation()]
