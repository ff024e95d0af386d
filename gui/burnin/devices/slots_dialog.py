"""Which card sits in which slot, and serial numbers that no driver tells: said once, kept for every later run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QPushButton, QScrollArea, QTableView, QWidget

from core.burnin.run.blink import BLINK_S, blink
from core.machine.asbuilt.as_built import BuiltCard
from core.machine.asbuilt.binding import BOUND_BY, add_notes, read_notes
from core.machine.asbuilt.inspection import Inspection, hold_against
from core.plan.build import Build
from core.platform.errors import BadInput
from core.words import tr
from gui.burnin.devices.slot_board import SlotBoard
from gui.widgets import messages
from gui.widgets.background import run_in_background
from gui.widgets.form import column_of, dialog_buttons
from gui.widgets.table import Entry, TableColumn, TableModel
from gui.widgets.text import paragraph
from gui.widgets.views import quiet_selection, small_table

MOST_ROWS, MOST_BOARD_PX = 8, 400
"""Of table and board without a scroll bar."""
USUAL_SLOTS = 8
"""Where no plan tells how many the board has."""


class SlotsDialog(QDialog):
    """The slots with their cards, which can be dragged, and one row for each GPU. What is told is kept at once."""

    def __init__(
        self, inspection: Inspection, plan: Build | None, data_dir: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Slots and serial numbers"))
        self._inspection = inspection
        self._plan = plan
        self._data_dir = data_dir
        self._held = hold_against(plan, inspection, read_notes(data_dir)[0])
        self.model = TableModel(self._columns(), lambda card: card.device, self)
        self.table = QTableView(self)
        self.table.setAccessibleName(tr("Cards of this machine"))
        self.board = SlotBoard(self)
        self._scroll = QScrollArea(self)
        self.message = paragraph(self)
        self.buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        self.blink = QPushButton(tr("Load this card briefly"), self)
        self._arrange()
        self._show()
        self.blink.clicked.connect(self._blink)
        self.board.card_moved.connect(self._move)
        self.board.card_chosen.connect(self._choose_row)
        self.table.selectionModel().currentRowChanged.connect(self._choose_card)

    def _columns(self) -> list[TableColumn[BuiltCard]]:
        return [
            TableColumn(tr("Card"), lambda card: card.product or card.name),
            TableColumn(tr("PCI address"), lambda card: card.pci_address or "–"),
            TableColumn(
                tr("Slot"),
                _slot_words,
                tr("Position on the board, 1 is nearest to the CPU; empty if unknown"),
                tip=lambda card: BOUND_BY.get(card.bound_by or "", card.bound_by or ""),
                entry=Entry(lambda card: "" if card.position is None else str(card.position), self._take_slot),
            ),
            TableColumn(
                tr("Serial number"),
                lambda card: card.serial or "–",
                tr("For a card whose driver reports none: from its label"),
                entry=Entry(
                    lambda card: card.serial or "",
                    lambda card, value: self._keep({}, {card.device: str(value).strip() or None}),
                    lambda card: card.serial is None or card.serial_typed,
                ),
            ),
        ]

    def _arrange(self) -> None:
        small_table(self.table)
        quiet_selection(self.table)
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        triggers = QTableView.EditTrigger
        self.table.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        row_px = self.table.verticalHeader().defaultSectionSize()
        self.table.setFixedHeight((min(max(len(self._held.cards), 3), MOST_ROWS) + 2) * row_px)
        self.buttons.addButton(self.blink, QDialogButtonBox.ButtonRole.ActionRole)
        words = tr(
            "Drag each card to its slot, or double-click a slot or a serial number to type it. Load "
            "a card briefly: its fan tells where it sits."
        )
        self._scroll.setWidget(self.board)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setMinimumHeight(6 * row_px)
        self.board.show_cards(self._slots(), self._held.cards)
        column_of(
            paragraph(self, words), (self._scroll, 1), self.table, self.message, self.buttons, into=self, margins=None
        )
        self.setMinimumWidth(640)
        shown_px = min(self.board.sizeHint().height() + 2 * self._scroll.frameWidth(), MOST_BOARD_PX)
        self.resize(720, self.sizeHint().height() - self._scroll.sizeHint().height() + shown_px)

    def _show(self) -> None:
        self._held = hold_against(self._plan, self._inspection, read_notes(self._data_dir)[0])
        self.model.show_rows(self._held.cards)
        self.board.show_cards(self._slots(), self._held.cards)
        self.blink.setEnabled(bool(self._held.cards))
        if not self.table.currentIndex().isValid() and self._held.cards:
            self.table.selectRow(0)

    def _slots(self) -> list[tuple[int, str]]:
        """Of the planned board; without one as many as boards have, or as were told."""
        planned = [(slot.position, slot.label) for slot in self._plan.board_slots()] if self._plan else []
        return planned or [(position, "") for position in range(1, USUAL_SLOTS + 1)]

    @Slot(str, object)
    def _move(self, device: str, position: int | None) -> None:
        """To a free slot; where another card sits, the two change places."""
        cards = {card.device: card for card in self._held.cards}
        card = cards[device]
        other = next((one for one in self._held.cards if position is not None and one.position == position), None)
        slots = {_address(card): position}
        if other is not None and card.position is None:
            name = other.product or other.name
            self.message.setText(tr("Slot {slot} holds {card}. Move that one first.", slot=position, card=name))
            return
        if other is not None:
            slots[_address(other)] = card.position
        if self._keep(slots, {}) and position is None and self.board.place_of(device) is not None:
            still = next((one for one in self._held.cards if one.device == device), None)
            if still is not None and still.position is not None:
                words = tr("The machine itself reports it in slot {slot}.", slot=still.position)
                self.message.setText(words)

    @Slot(str)
    def _choose_row(self, device: str) -> None:
        row = self.model.row_of(device)
        if row is not None and row != self.table.currentIndex().row():
            self.table.selectRow(row)

    @Slot()
    def _choose_card(self) -> None:
        card = self.model.row(self.table.currentIndex())
        if card is not None:
            self.board.choose(card.device)

    def _take_slot(self, card: BuiltCard, value: object) -> bool:
        text = str(value).strip()
        if text and not text.isdecimal():
            self.message.setText(tr("A slot is a position from 1 to 24. Leave it empty if it is not known."))
            return False
        return self._keep({_address(card): int(text) if text else None}, {})

    def _keep(self, slots: dict[str, int | None], serials: dict[str, str | None]) -> bool:
        try:
            add_notes(self._data_dir, self._inspection.machine.board, slots, serials)
        except BadInput as problem:
            self.message.setText(str(problem))
            return False
        self.message.setText("")
        self._show()
        return True

    @Slot()
    def _blink(self) -> None:
        card = self.model.row(self.table.currentIndex())
        device = next((one for one in self._inspection.devices if card and one.id == card.device), None)
        if device is None:
            return
        self.blink.setEnabled(False)
        self.message.setText(
            tr(
                "{card} is under load for {seconds:.0f} s: listen for the fan that speeds up.",
                card=device.title,
                seconds=BLINK_S,
            )
        )
        run_in_background(self, partial(blink, device, self._data_dir), self._blinked, self._not_blinked)

    def _blinked(self, _: None) -> None:
        self.message.setText(tr("It is idle again."))
        self.blink.setEnabled(True)

    def _not_blinked(self, error: Exception) -> None:
        self.message.setText("")
        self.blink.setEnabled(True)
        messages.show_error(self, error)


def _address(card: BuiltCard) -> str:
    return card.pci_address or card.device


def _slot_words(card: BuiltCard) -> str:
    if card.position is None:
        return card.slot or "–"
    return f"{card.position}, {card.slot}" if card.slot and card.slot != str(card.position) else str(card.position)
