"""Every question and sentence that the window puts before the user, and the dialogs that open before it.

Callers use `messages.ask(...)` through the module, so that a test can answer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMessageBox, QWidget
from shiboken6 import isValid

from core.platform.errors import RigwrightError
from core.words import tr, visible
from gui.widgets.context import HelpKey

CANCEL = "cancel"


def ask(
    parent: QWidget | None, text: str, detail: str, choices: Sequence[tuple[str, str]], *, careful: bool = False
) -> str:
    """Asks a question; `choices` are (answer, verb on the button), the first is the default.

    Returns the answer; `CANCEL` when the user turns away. A Cancel button is added; it is the default where the user
    shall be `careful`.
    """
    box = _box(parent, QMessageBox.Icon.Question, text, detail)
    buttons = {
        box.addButton(
            verb, QMessageBox.ButtonRole.AcceptRole if first else QMessageBox.ButtonRole.DestructiveRole
        ): answer
        for first, (answer, verb) in zip([True] + [False] * len(choices), choices, strict=False)
    }
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(cancel if careful else next(iter(buttons)))
    box.setEscapeButton(cancel)
    if not _was_answered(box):
        return CANCEL
    answer = next((answer for button, answer in buttons.items() if button is box.clickedButton()), CANCEL)
    box.deleteLater()
    return answer


def tell(parent: QWidget | None, text: str, detail: str = "") -> None:
    """Shows one sentence and waits until it is read."""
    box = _box(parent, QMessageBox.Icon.Warning, text, detail)
    box.setStandardButtons(QMessageBox.StandardButton.Ok)
    if _was_answered(box):
        box.deleteLater()


def report_bug(parent: QWidget | None, sentence: str, details: str) -> None:
    """Shows that the program is at fault, and lets the details be copied."""
    detail = tr("You can continue working; a copy of unsaved work was kept.")
    box = _box(parent, QMessageBox.Icon.Critical, sentence, detail)
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    copy = box.addButton(tr("Copy details"), QMessageBox.ButtonRole.ActionRole)
    copy.clicked.disconnect()  # copying does not close the box
    copy.clicked.connect(partial(QApplication.clipboard().setText, details))
    if _was_answered(box):
        box.deleteLater()


def show_error(parent: QWidget | None, error: Exception) -> None:
    """A known error as its sentence, any other as a bug."""
    if isinstance(error, RigwrightError):
        tell(parent, str(error))
    else:
        sys.excepthook(type(error), error, error.__traceback__)  # of gui/shell/bugs.py


def succeeds(parent: QWidget | None, work: Callable[[], object]) -> bool:
    """Whether `work` could be done; a known error that it raises is shown as its sentence."""
    try:
        work()
    except RigwrightError as error:
        show_error(parent, error)
        return False
    return True


def _was_answered(box: QMessageBox) -> bool:
    """Shows the box until the user answers; False where its window went before, and took it along."""
    box.exec()
    return isValid(box)


def _box(parent: QWidget | None, icon: QMessageBox.Icon, text: str, detail: str) -> QMessageBox:
    """A box without buttons. Its texts name files, builds and parts, which are no markup."""
    box = QMessageBox(icon, tr("Rigwright"), "", QMessageBox.StandardButton.NoButton, parent)
    box.setText(visible(text))
    box.setInformativeText(visible(detail))
    for label in box.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
    return box


OURS = "rigwright-dialog"


def open_dialog(dialog: QDialog) -> None:
    """Shows it before its parent, and lets it go when it closes."""
    dialog.setProperty(OURS, True)
    HelpKey(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def front(window: QWidget) -> QWidget:
    """The window, or the dialog of ours that stands before it."""
    shown = [child for child in window.findChildren(QDialog) if child.isVisible() and child.property(OURS)]
    return shown[-1] if shown else window
