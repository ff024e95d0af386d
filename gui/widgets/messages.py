"""Every question and every sentence that the window puts before the user goes through these functions.

Callers use `messages.ask(...)` through the module, so that a test can answer.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from core.errors import RigwrightError

log = logging.getLogger(__name__)

CANCEL = "cancel"
translate = QCoreApplication.translate


def ask(parent: QWidget | None, text: str, detail: str, choices: Sequence[tuple[str, str]]) -> str:
    """Asks a question; `choices` are (answer, verb on the button), the first is the default.

    Returns the answer; `CANCEL` when the user turns away. A Cancel button is added.
    """
    box = QMessageBox(
        QMessageBox.Icon.Question, translate("Messages", "Rigwright"), text, QMessageBox.StandardButton.NoButton, parent
    )
    box.setTextFormat(Qt.TextFormat.PlainText)  # names of files and builds are no markup
    box.setInformativeText(detail)
    buttons = {
        box.addButton(
            verb, QMessageBox.ButtonRole.AcceptRole if first else QMessageBox.ButtonRole.DestructiveRole
        ): answer
        for first, (answer, verb) in zip([True] + [False] * len(choices), choices, strict=False)
    }
    box.setDefaultButton(next(iter(buttons)))
    box.setEscapeButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    answer = next((answer for button, answer in buttons.items() if button is box.clickedButton()), CANCEL)
    box.deleteLater()
    return answer


def tell(parent: QWidget | None, text: str, detail: str = "") -> None:
    """Shows one sentence and waits until it is read."""
    box = QMessageBox(
        QMessageBox.Icon.Warning, translate("Messages", "Rigwright"), text, QMessageBox.StandardButton.Ok, parent
    )
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(detail)
    box.exec()
    box.deleteLater()


def report_bug(parent: QWidget | None, trace: str) -> None:
    """Shows that the program is at fault, with the traceback to copy."""
    box = QMessageBox(
        QMessageBox.Icon.Critical,
        translate("Messages", "Rigwright"),
        translate("Messages", "Something went wrong inside Rigwright."),
        QMessageBox.StandardButton.Close,
        parent,
    )
    box.setInformativeText(
        translate("Messages", "Your build is untouched. Please send the details below with a bug report.")
    )
    box.setDetailedText(trace)
    copy = box.addButton(translate("Messages", "Copy details"), QMessageBox.ButtonRole.ActionRole)
    box.exec()
    if box.clickedButton() is copy:
        QApplication.clipboard().setText(trace)
    box.deleteLater()


def show_error(parent: QWidget | None, error: Exception) -> None:
    """A known error as its sentence, any other as a bug."""
    if isinstance(error, RigwrightError):
        tell(parent, str(error))
        return
    trace = "".join(traceback.format_exception(error))
    log.error("unexpected error\n%s", trace)
    report_bug(parent, trace)
