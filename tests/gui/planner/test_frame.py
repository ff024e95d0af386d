"""What the window shows before it is ready: the page that follows has the same in the same places."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QTabBar, QToolButton

from gui.planner.dials import Dial
from gui.planner.parts.categories import CategoryView
from gui.settings import AtStart, Preferences, Settings, use_preferences
from gui.shell.main_window import MainWindow
from gui.shell.pages import PREDICTIONS
from tests.gui.conftest import QUIET

NAME = 2


@pytest.fixture
def frame(qtbot, data_dir, answers, monkeypatch):
    """A window that has been painted and nothing more; `begin` goes on."""
    monkeypatch.setattr(MainWindow, "_after_first_paint", lambda _window: None)
    window = MainWindow(data_dir)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    with qtbot.waitExposed(window):
        window.show()
    yield window
    monkeypatch.undo()
    window.close()


def begin(qtbot, window):
    window.workspace.begin(None)
    qtbot.waitUntil(lambda: window.connection.open)


def place(widget):
    return QRect(widget.mapTo(widget.window(), widget.rect().topLeft()), widget.size())


def shown(window):
    """Places and words of what is seen from the first moment on."""
    page = window.pages.widget(0)
    kinds = {kind: [own for own in page.findChildren(kind) if own.isVisible()] for kind in (QLineEdit, QComboBox)}
    name = next(field for field in kinds[QLineEdit] if field.accessibleName() == "Name of the build")
    search = next(field for field in kinds[QLineEdit] if field.accessibleName() == "Find a part")
    region = next(box for box in kinds[QComboBox] if box.accessibleName() == "Mains circuit")
    more = next(button for button in page.findChildren(QToolButton) if button.text() == "Circuits")
    sides = next(bar for bar in page.findChildren(QTabBar) if bar.count() == 4)
    dials = [dial for dial in page.findChildren(Dial) if dial.isVisible()]
    categories = page.findChild(CategoryView)
    words = [name.text(), region.currentText(), *map(sides.tabText, range(4))]
    words += [(dial.gauge.title, dial.gauge.value, dial.gauge.foot) for dial in dials]
    widgets = [search, categories, name, region, more, window.pages.start_page, *dials]
    return [place(widget) for widget in widgets], words


def test_nothing_moves_when_the_page_takes_the_place_of_its_frame(qtbot, frame):
    before = shown(frame)
    begin(qtbot, frame)
    qtbot.wait(50)
    assert shown(frame) == before
    assert frame.focusWidget() is not None


def test_new_builds_stand_where_the_frame_says(qtbot, frame, data_dir):
    Settings(data_dir).set_text("region", "us-120v-15a")
    again = MainWindow(data_dir)
    qtbot.addWidget(again)
    again.show()
    assert "120 V" in shown(again)[1][1]
    assert shown(again)[1][1] == again.plan.details.region.currentText()


def test_a_build_can_be_opened_before_the_window_is_ready(qtbot, frame):
    frame.open_and_raise(QUIET)
    assert frame.document.path == QUIET
    assert not frame.pages.start_page.isVisible()


@pytest.mark.parametrize("file", [QUIET, None])
def test_builds_to_begin_with_are_not_offered_where_one_is_about_to_open(qtbot, frame, data_dir, file):
    if file is None:
        use_preferences(Settings(data_dir), Preferences(at_start=AtStart.LAST))
        frame.settings.add_recent(QUIET)
    before = shown(frame)[0][NAME]
    frame.open_at_start(file)
    QApplication.processEvents()
    assert not frame.pages.start_page.isVisible()
    assert shown(frame)[0][NAME] == before
    frame.workspace.begin(file)
    assert frame.document.path == QUIET
    frame.menus.actions["new"].trigger()
    assert frame.pages.start_page.isVisible()


def test_another_page_that_was_chosen_before_is_there_once_the_window_is_ready(qtbot, frame):
    frame.menus.actions["next_page"].trigger()
    assert frame.pages.currentIndex() == PREDICTIONS
    assert frame.pages.predictions is None
    begin(qtbot, frame)
    assert frame.pages.predictions.isVisible()


def test_a_window_that_ends_before_it_is_ready_leaves_nothing_behind(frame, data_dir):
    frame.keep_unsaved()
    assert frame.close()
    assert not frame.starts_again
    assert not (data_dir / "unsaved.json").exists()
