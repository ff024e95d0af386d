"""Takes in a pasted part list: what was recognised, what was not, and a build of the former."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from core.errors import BadInput
from core.language import joined, tr, trn
from core.parts.catalogue import Catalogue
from core.share.part_list import PartList, build_from, read_part_list
from core.shown import visible
from gui.guide.context import belongs_to
from gui.widgets.text import Sentence
from gui.widgets.views import open_at

PAUSE_MS = 300
"""Without typing, after which the list is read."""


class PasteDialog(QDialog):
    """Begins with the clipboard's text where that is a list."""

    build_wanted = Signal(object)

    def __init__(self, catalogue: Callable[[], Catalogue], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue
        self._found: PartList | None = None
        self._pause = QTimer(self)
        self.text = QPlainTextEdit(self)
        self.answer = QPlainTextEdit(self)
        self.said = Sentence("", self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.make: QPushButton = self.buttons.addButton(tr("&Make a build"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle(tr("Paste a part list"))
        open_at(self, 940, 560)
        belongs_to(self, "sharing")
        self._arrange()
        self._begin()

    @property
    def found(self) -> PartList | None:
        """What was read of the text; None while it is no list."""
        return self._found

    def _begin(self) -> None:
        lines = QGuiApplication.clipboard().text().strip()
        if "\n" in lines:
            self.text.setPlainText(lines)
        self.text.selectAll()
        self._read()

    @Slot()
    def _read(self) -> None:
        self._pause.stop()
        self._found = None
        try:
            self._found = read_part_list(self.text.toPlainText(), self._catalogue())
            self._tell(self._found)
        except BadInput as error:
            self.answer.setPlainText("")
            self.said.setText(str(error))
        self.make.setEnabled(self._found is not None and bool(self._found.recognised))

    def _tell(self, found: PartList) -> None:
        taken = [f"✓ {row.quantity}x {row.part.title}" for row in found.recognised]
        others = [f"? {other.sentence}" for other in found.others]
        self.answer.setPlainText(visible("\n".join([*taken, *others])))
        count = sum(row.quantity for row in found.recognised)
        left = len(found.others)
        told = [trn("{count} part recognised.", "{count} parts recognised.", count=count)]
        if left:
            told.append(trn("{count} line not recognised.", "{count} lines not recognised.", count=left))
        self.said.setText(joined(told))

    @Slot()
    def _accept(self) -> None:
        self._read()
        if self._found is not None and self._found.recognised:
            build, _ = build_from(self._found, tr("Pasted list"))
            self.accept()
            self.build_wanted.emit(build)

    def _arrange(self) -> None:
        self.text.setPlaceholderText(
            tr("Paste a list from PCPartPicker or BuildCores here, or write a part on each line: 4x RTX 3090 Turbo")
        )
        self.text.setAccessibleName(tr("Part list"))
        self.text.setTabChangesFocus(True)
        self.answer.setAccessibleName(tr("What was recognised"))
        self.answer.setReadOnly(True)
        self.answer.setTabChangesFocus(True)
        split = QSplitter(self)
        split.addWidget(self.text)
        split.addWidget(self.answer)
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.addWidget(split, 1)
        layout.addWidget(self.said)
        layout.addWidget(self.buttons)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._read)
        self.text.textChanged.connect(self._pause.start)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
