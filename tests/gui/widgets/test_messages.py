"""What message boxes make of texts that come from files and data."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from gui.widgets import messages

NAME = "<b>rack</b> & co.rig.json is damaged."


def said(speak):
    """What the message box that `speak` opens says, and how it reads it; the box is turned away."""
    found = []

    def look():
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        found.append((box.text(), box.textFormat()))
        box.reject()

    QTimer.singleShot(0, look)
    speak()
    return found


def test_a_sentence_is_never_read_as_markup(qtbot):
    assert said(lambda: messages.tell(None, NAME)) == [(NAME, Qt.TextFormat.PlainText)]


def test_nor_is_a_question(qtbot):
    assert said(lambda: messages.ask(None, NAME, "", [("save", "Save")])) == [(NAME, Qt.TextFormat.PlainText)]
