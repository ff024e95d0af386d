"""Message boxes: what they make of texts that come from files and data, and what becomes of them with their window."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from shiboken6 import delete

from gui.widgets import messages

NAME = "<b>rack</b> & co.rig.json is damaged."


def boxes_of(speak):
    """What the message box that `speak` opens says, and how it reads it; the box is turned away."""
    boxes = []

    def look():
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        boxes.append((box.text(), box.textFormat()))
        box.reject()

    QTimer.singleShot(0, look)
    speak()
    return boxes


def test_a_sentence_is_never_read_as_markup(qtbot):
    assert boxes_of(lambda: messages.tell(None, NAME)) == [(NAME, Qt.TextFormat.PlainText)]


def test_nor_is_a_question(qtbot):
    assert boxes_of(lambda: messages.ask(None, NAME, "", [("save", "Save")])) == [(NAME, Qt.TextFormat.PlainText)]


def test_a_window_that_goes_takes_its_question_along(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    QTimer.singleShot(0, lambda: delete(parent))
    assert messages.ask(parent, "Is this a question?", "", [("yes", "&Yes")]) == messages.CANCEL


def test_a_window_that_goes_takes_its_sentence_along(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    QTimer.singleShot(0, lambda: delete(parent))
    messages.tell(parent, "A sentence.")


def test_a_question_that_is_answered_says_what_was_chosen(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)

    def click_first():
        parent.findChild(QMessageBox).buttons()[0].click()

    QTimer.singleShot(0, click_first)
    assert messages.ask(parent, "Is this a question?", "", [("yes", "&Yes")]) == "yes"
