"""Questions and sentences in boxes: what becomes of them when their window goes."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox, QWidget
from shiboken6 import delete

from gui.widgets import messages


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

    def click_first() -> None:
        parent.findChild(QMessageBox).buttons()[0].click()

    QTimer.singleShot(0, click_first)
    assert messages.ask(parent, "Is this a question?", "", [("yes", "&Yes")]) == "yes"
