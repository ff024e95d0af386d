"""All that takes the keyboard says what it is: on all pages, and in each dialog that the menus open."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget

from gui.widgets.actions import ACTIONS

OF_QT = ("qt_spinbox_lineedit", "qt_toolbar_ext_button")
"""Parts of Qt's own widgets, which speak for them."""
ASK_FOR_A_FILE = {
    "open", "save_as", "export", "one_page", "purchasing", "export_own", "import_own", "export_prices",
    "import_prices", "update_prices", "kernel_log", "from_texts",
}  # fmt: skip
SHOW_NO_DIALOG = {"calibrate", "remove_own", "forget_import"}
"""A page; a question, which is a box of Qt's own."""
OPENING = [spec.name for spec in ACTIONS if spec.text.endswith("…")] + ["about"]


def takes_the_keyboard(widget):
    return (
        widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and widget.focusProxy() is None
        and widget.objectName() not in OF_QT
        and not (isinstance(widget, QLabel) and not widget.text())  # it shows and says nothing as yet
    )


def spoken_name(widget):
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name).strip() if interface is not None else ""


def nameless(root):
    """Where they are: the widget, and what it lies in."""
    inside = [widget for widget in root.findChildren(QWidget) if widget.window() is root]
    return [
        " < ".join(type(each).__name__ for each in _line(widget, root))
        for widget in inside
        if takes_the_keyboard(widget) and not spoken_name(widget)
    ]


def _line(widget, root):
    while widget is not None and widget is not root:
        yield widget
        widget = widget.parentWidget()


def opened(_window):
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, QDialog) and each.isVisible()]


def close_all(window):
    for dialog in opened(window):
        dialog.reject()
    QApplication.processEvents()


def test_everything_in_the_window_that_takes_the_keyboard_has_a_name(whole):
    for section in whole.pages.predictions.model.sections:
        whole.pages.predictions.show_section(section)
    QApplication.processEvents()
    assert nameless(whole) == []


@pytest.mark.parametrize("name", sorted({*OPENING} - ASK_FOR_A_FILE - SHOW_NO_DIALOG))
def test_everything_in_a_dialog_has_a_name(whole, name):
    whole.plan.table.selectRow(0)
    whole.plan.table.setFocus()
    try:
        whole.menus.actions[name].trigger()
        QApplication.processEvents()
        dialogs = opened(whole)
        assert dialogs, "the action opens a dialog"
        for dialog in dialogs:
            assert spoken_name(dialog), "its title"
            assert nameless(dialog) == []
    finally:
        close_all(whole)


@pytest.fixture
def questions(monkeypatch):
    """Dialogs that wait for their answer, as they came: each is turned away at once."""
    seen = []
    monkeypatch.setattr(QDialog, "exec", lambda dialog: seen.append((type(dialog).__name__, nameless(dialog))) or 0)
    return seen


def test_the_dialogs_that_a_run_begins_with_have_names(whole, questions):
    whole.pages.burnin.show_slots()
    whole.pages.burnin.choose_simulation()
    assert [names for _, names in questions] == [[], []]


@pytest.mark.parametrize("which", ["swap", "place", "notices"])
def test_the_dialogs_of_a_run_have_names(whole, which):
    view = whole.pages.runs.view
    dialogs = {
        "swap": view.swap_test,
        "place": lambda: view.show_place(0),
        "notices": whole.workspace.attendance.open_notices,
    }
    try:
        dialogs[which]()
        QApplication.processEvents()
        assert opened(whole)
        for dialog in opened(whole):
            assert nameless(dialog) == []
    finally:
        close_all(whole)
