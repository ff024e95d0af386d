"""Takes in a pasted part list: a row for each line, candidates where it may be several, and a build of the chosen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from core.errors import BadInput
from core.language import tr
from core.parts.catalogue import Catalogue
from core.share.part_list import PartList, build_from, read_part_list
from gui.guide.context import belongs_to
from gui.share.list_rows import ListRows, summary
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
        self._part_list: PartList | None = None
        self._pause = QTimer(self)
        self.text = QPlainTextEdit(self)
        self.rows = ListRows(self)
        self.summary = Sentence("", self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.make: QPushButton = self.buttons.addButton(tr("&Make a build"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle(tr("Paste a part list"))
        open_at(self, 1100, 600)
        belongs_to(self, "sharing")
        self._arrange()
        self._begin()

    @property
    def part_list(self) -> PartList | None:
        """What was read of the text; None while it is no list."""
        return self._part_list

    def _begin(self) -> None:
        lines = QGuiApplication.clipboard().text().strip()
        if "\n" in lines:
            self.text.setPlainText(lines)
        self.text.selectAll()
        self._read()

    @Slot()
    def _read(self) -> None:
        self._pause.stop()
        self._part_list = None
        try:
            self._part_list = read_part_list(self.text.toPlainText(), self._catalogue())
            self.rows.show_lines(self._part_list.lines)
            self._tell()
        except BadInput as error:
            self.rows.show_lines(())
            self.make.setEnabled(False)
            self.summary.setText(str(error))

    @Slot()
    def _tell(self) -> None:
        self.summary.setText(summary(self.rows.lines))
        self.make.setEnabled(any(line.part for line in self.rows.lines))

    @Slot()
    def _accept(self) -> None:
        if self._pause.isActive():
            self._read()
        if any(line.part for line in self.rows.lines):
            build, _ = build_from(self.rows.lines, tr("Pasted list"), self._catalogue().part)
            self.accept()
            self.build_wanted.emit(build)

    def _arrange(self) -> None:
        self.text.setPlaceholderText(
            tr("Paste a list from PCPartPicker or BuildCores here, or write a part on each line: 4x RTX 3090 Turbo")
        )
        self.text.setAccessibleName(tr("Part list"))
        self.text.setTabChangesFocus(True)
        split = QSplitter(self)
        split.addWidget(self.text)
        split.addWidget(self.rows)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.addWidget(split, 1)
        layout.addWidget(self.summary)
        layout.addWidget(self.buttons)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._read)
        self.text.textChanged.connect(self._pause.start)
        self.rows.changed.connect(self._tell)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
