"""Which card sits in which slot, and serial numbers that no driver tells: said once, kept for every later run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QPushButton, QTableView, QVBoxLayout, QWidget

from core.asbuilt.as_built import BuiltCard
from core.asbuilt.binding import BOUND_BY
from core.asbuilt.inspection import Inspection, hold_against
from core.asbuilt.notes import add_notes, read_notes
from core.build.build import Build
from core.burnin.run.blink import BLINK_S, blink
from core.errors import BadInput
from core.language import tr
from gui.background import run_in_background
from gui.widgets import messages
from gui.widgets.table import Entry, TableColumn, TableModel
from gui.widgets.text import Label
from gui.widgets.views import quiet_selection, small_table


class SlotsDialog(QDialog):
    """One row for each GPU. What is typed is kept at once."""

    def __init__(self, found: Inspection, plan: Build | None, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Slots and serial numbers"))
        self._found = found
        self._plan = plan
        self._data_dir = data_dir
        self._held = hold_against(plan, found, read_notes(data_dir)[0])
        self.model = TableModel(self._columns(), lambda card: card.device, self)
        self.table = QTableView(self)
        self.table.setAccessibleName(tr("Cards of this machine"))
        self.said = Label(self)
        self.said.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.blink = QPushButton(tr("Load this card for a moment"), self)
        self._arrange()
        self._show()
        self.blink.clicked.connect(self._blink)
        self.buttons.rejected.connect(self.reject)

    def _columns(self) -> list[TableColumn[BuiltCard]]:
        return [
            TableColumn(tr("Card"), lambda card: card.product or card.name),
            TableColumn(tr("PCI address"), lambda card: card.pci_address or "–"),
            TableColumn(
                tr("Slot"),
                _slot_words,
                tr("Position on the board, 1 is nearest to the CPU; empty for not known"),
                tip=lambda card: BOUND_BY.get(card.bound_by or "", card.bound_by or ""),
                entry=Entry(lambda card: "" if card.position is None else str(card.position), self._take_slot),
            ),
            TableColumn(
                tr("Serial number"),
                lambda card: card.serial or "–",
                tr("Of a card whose driver tells none: from its label"),
                entry=Entry(lambda card: card.serial or "", self._take_serial, _may_type_serial),
            ),
        ]

    def _arrange(self) -> None:
        small_table(self.table)
        quiet_selection(self.table)
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(
            QTableView.EditTrigger.DoubleClicked
            | QTableView.EditTrigger.EditKeyPressed
            | QTableView.EditTrigger.AnyKeyPressed
        )
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        row_px = self.table.verticalHeader().defaultSectionSize()
        self.table.setMinimumHeight((max(len(self._held.cards), 3) + 2) * row_px)
        self.buttons.addButton(self.blink, QDialogButtonBox.ButtonRole.ActionRole)
        intro = Label(
            tr(
                "Double-click a slot or a serial number to type it. The fan of a card that is loaded for a moment "
                "tells where it sits."
            ),
            self,
        )
        intro.setWordWrap(True)
        layout = QVBoxLayout(self)
        for part in (intro, self.table, self.said, self.buttons):
            layout.addWidget(part)
        self.setMinimumWidth(640)

    def _show(self) -> None:
        self._held = hold_against(self._plan, self._found, read_notes(self._data_dir)[0])
        self.model.show_rows(self._held.cards)
        self.blink.setEnabled(bool(self._held.cards))
        if not self.table.currentIndex().isValid() and self._held.cards:
            self.table.selectRow(0)

    def _take_slot(self, card: BuiltCard, value: object) -> bool:
        text = str(value).strip()
        if text and not text.isdecimal():
            self.said.setText(tr("A slot is a position from 1 to 24. Leave it empty if it is not known."))
            return False
        return self._keep({card.pci_address or card.device: int(text) if text else None}, {})

    def _take_serial(self, card: BuiltCard, value: object) -> bool:
        return self._keep({}, {card.device: str(value).strip() or None})

    def _keep(self, slots: dict[str, int | None], serials: dict[str, str | None]) -> bool:
        try:
            add_notes(self._data_dir, self._found.machine.board, slots, serials)
        except BadInput as problem:
            self.said.setText(str(problem))
            return False
        self.said.setText("")
        self._show()
        return True

    @Slot()
    def _blink(self) -> None:
        card = self.model.row(self.table.currentIndex())
        device = next((one for one in self._found.devices if card and one.id == card.device), None)
        if device is None:
            return
        self.blink.setEnabled(False)
        self.said.setText(
            tr(
                "{card} is under load for {seconds:.0f} s: listen which fan speeds up.",
                card=device.title,
                seconds=BLINK_S,
            )
        )
        run_in_background(self, partial(blink, device, self._data_dir), self._blinked, self._not_blinked)

    def _blinked(self, _: None) -> None:
        self.said.setText(tr("It rests again."))
        self.blink.setEnabled(True)

    def _not_blinked(self, error: Exception) -> None:
        self.said.setText("")
        self.blink.setEnabled(True)
        messages.show_error(self, error)


def _slot_words(card: BuiltCard) -> str:
    if card.position is None:
        return card.slot or "–"
    return f"{card.position}, {card.slot}" if card.slot and card.slot != str(card.position) else str(card.position)


def _may_type_serial(card: BuiltCard) -> bool:
    return card.serial is None or card.serial_typed
