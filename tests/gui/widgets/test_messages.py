"""Message boxes: what they make of texts that come from files and data, and what becomes of them with their window."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QWidget
from shiboken6 import delete

from gui.widgets import messages

NAME = "<b>rack</b> & co\u202e.rig.json is &lt;damaged>\x1b[2J."
YES = [("yes", "&Yes")]


@pytest.mark.parametrize(
    ("speak", "choices"), [(messages.tell, ()), (messages.report_bug, ()), (messages.ask, [("save", NAME)])]
)
def test_no_text_of_a_box_is_read_as_markup_or_steers(qtbot, speak, choices):
    texts, formats = [], set()

    def look():
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        labels = [label for label in box.findChildren(QLabel) if label.text()]
        texts.extend([box.text(), *(label.text() for label in labels)])
        formats.update(box.textFormat() for box in (box, *labels))
        box.reject()

    QTimer.singleShot(0, look)
    speak(None, NAME, NAME, *([choices] if choices else []))
    assert texts[0] == "<b>rack</b> & co\N{REPLACEMENT CHARACTER}.rig.json is &lt;damaged>\N{REPLACEMENT CHARACTER}[2J."
    assert formats == {Qt.TextFormat.PlainText}
    assert not [text for text in texts if set("\u202e\x1b") & set(text)]


@pytest.mark.parametrize(
    ("speak", "answer"), [(messages.tell, None), (lambda *texts: messages.ask(*texts, YES), messages.CANCEL)]
)
def test_a_window_that_goes_takes_its_box_along(qtbot, speak, answer):
    parent = QWidget()
    QTimer.singleShot(0, lambda: delete(parent))
    assert speak(parent, "A sentence.", "") == answer


def test_a_question_that_is_answered_says_what_was_chosen(qtbot):
    parent = QWidget()

    def click_first():
        parent.findChild(QMessageBox).buttons()[0].click()

    QTimer.singleShot(0, click_first)
    assert messages.ask(parent, "Is this a question?", "", YES) == "yes"
