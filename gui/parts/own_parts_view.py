"""The user's own parts and corrections: to edit, to take back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from core.parts.figures import field_words
from core.parts.own import Correction
from core.parts.part import Part
from gui.parts.text_table import TextTable


class OwnPartsView(TextTable):
    """`edit_wanted` and `removal_wanted` carry part ids."""

    edit_wanted = Signal(str)
    removal_wanted = Signal(list)
    refill = Signal(object)
    """Carries this view: the catalogue has changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        headings = (self.tr("Part"), self.tr("Category"), self.tr("What is yours"), self.tr("Id"))
        super().__init__(self.tr("My parts and corrections"), headings, "my-parts.csv", parent)
        self.edit = QPushButton(self.tr("E&dit …"), self)
        self.remove = QPushButton(self.tr("&Remove"), self)
        for button in (self.remove, self.edit):
            button.setAutoDefault(False)
            self.bottom.insertWidget(0, button)
        self.edit.clicked.connect(self._edit)
        self.remove.clicked.connect(self._remove)
        self.activated.connect(self._edit)
        gone = QAction(self.tr("Remove"), self.table)
        gone.setShortcut("Del")
        gone.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        gone.triggered.connect(self._remove)
        self.table.addAction(gone)

    def show_parts(self, parts: list[Part], corrections: dict[str, Correction]) -> None:
        """Fills the list."""
        rows = [
            (part.title, part.category.label, self._words(corrections.get(part.id)), part.id)
            for part in sorted(parts, key=lambda part: part.title.casefold())
        ]
        empty = self.tr("You have no parts of your own. Parts, New part … makes one; Correct part … changes one.")
        self.show_rows(rows, "" if rows else empty)
        for button in (self.edit, self.remove):
            button.setEnabled(bool(rows))

    @Slot()
    def refill_wanted(self) -> None:
        """Asks for the list anew."""
        self.refill.emit(self)

    def chosen_ids(self) -> list[str]:
        """The ids of the selected rows."""
        return [str(self.rows.shown[row][-1]) for row in self.chosen_rows()]

    def _words(self, change: Correction | None) -> str:
        if change is None:
            return self.tr("the whole part")
        figures = [field_words(name) for name in change.spec]
        more = [self.tr("price")] * (change.price is not None) + [self.tr("note")] * (change.note is not None)
        return ", ".join([*figures, *more])

    @Slot()
    def _edit(self) -> None:
        ids = self.chosen_ids()
        if ids:
            self.edit_wanted.emit(ids[0])

    @Slot()
    def _remove(self) -> None:
        if ids := self.chosen_ids():
            self.removal_wanted.emit(ids)
