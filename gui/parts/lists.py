"""Lists of parts to read: one's own, and what an import left out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from core.parts.figures import field_words
from core.parts.own import Correction
from core.parts.part import Origin, Part
from core.parts.quarantined import Quarantined
from core.platform.errors import RigwrightError
from core.words import tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.widgets import messages
from gui.widgets.form import push_button
from gui.widgets.list_dialog import ListDialog
from gui.widgets.table import TableColumn


class OwnPartsView(ListDialog[Part]):
    """`edit_wanted` and `removal_wanted` carry part ids."""

    edit_wanted = Signal(str)
    removal_wanted = Signal(list)

    def __init__(self, connection: CatalogueConnection, parent: QWidget | None = None) -> None:
        self._connection = connection
        self._corrections: dict[str, Correction] = {}
        columns: tuple[TableColumn[Part], ...] = (
            TableColumn(tr("Part"), lambda part: part.title),
            TableColumn(tr("Category"), lambda part: part.category.label),
            TableColumn(tr("Yours"), lambda part: self._own_words(self._corrections.get(part.id))),
            TableColumn(tr("Id"), lambda part: part.id),
        )
        title = tr("My parts and corrections")
        super().__init__(title, columns, "my-parts.csv", parent, key=lambda part: part.id)
        self.edit = push_button(self, tr("E&dit …"), self._edit)
        self.remove = push_button(self, tr("&Remove"), self._remove)
        for place, own in enumerate((self.edit, self.remove)):
            self.bottom.insertWidget(place, own)
        self.activated.connect(self._edit)
        remove = QAction(tr("Remove"), self.table)
        remove.setShortcut("Del")
        remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        remove.triggered.connect(self._remove)
        self.table.addAction(remove)

    @Slot()
    def refresh(self) -> bool:
        """Reads the catalogue; whether that was possible, else the reason is shown."""
        try:
            catalogue = self._connection.catalogue()
            parts, self._corrections = list(catalogue.parts(origin=Origin.USER)), catalogue.corrections()
        except RigwrightError as error:
            messages.show_error(self.parentWidget(), error)
            return False
        empty = tr("You have no parts of your own. Parts, New part … makes one; Correct part … changes one.")
        self.show_rows(sorted(parts, key=lambda part: part.title.casefold()), "" if parts else empty)
        for own in (self.edit, self.remove):
            own.setEnabled(bool(parts))
        return True

    def _own_words(self, change: Correction | None) -> str:
        if change is None:
            return tr("the whole part")
        figures = [field_words(name) for name in change.spec]
        more = [tr("price")] * (change.price is not None) + [tr("note")] * (change.note is not None)
        return ", ".join([*figures, *more])

    @Slot()
    def _edit(self) -> None:
        for part in self.table.chosen()[:1]:
            self.edit_wanted.emit(part.id)

    @Slot()
    def _remove(self) -> None:
        if chosen := self.table.chosen():
            self.removal_wanted.emit([part.id for part in chosen])


def left_out_dialog(left_out: list[Quarantined], parent: QWidget | None = None) -> ListDialog[Quarantined]:
    """What an import left out: a row for each figure or row of the data set."""
    whole = tr("whole row")
    columns: tuple[TableColumn[Quarantined], ...] = (
        TableColumn(tr("Part"), lambda row: row.title, width=290),
        TableColumn(tr("Figure"), lambda row: field_words(row.field) if row.field else whole, width=130),
        TableColumn(tr("Value"), lambda row: row.value, width=150),
        TableColumn(tr("Reason"), lambda row: row.reason, width=340),
        TableColumn(tr("File"), lambda row: row.source),
    )
    dialog = ListDialog(tr("What was left out of the import"), columns, "left-out.csv", parent)
    some = tr("A figure that was left out is unknown; correct the part to enter the right one.")
    none = tr("Nothing was left out, or nothing has been imported.")
    dialog.show_rows(left_out, some if left_out else none)
    return dialog
