"""Before a run starts on a machine that is not the planned one: what differs, line by line, and whether to go on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QPushButton, QTableView, QVBoxLayout, QWidget

from core.asbuilt.as_built import AsBuilt, AsBuiltLine, LineState
from core.language import joined, tr, trn
from gui.widgets.table import TableColumn, TableModel
from gui.widgets.text import Label
from gui.widgets.views import small_table

MOST_ROWS_SHOWN = 14


class AsBuiltDialog(QDialog):
    """The comparison, with the lines that differ first; Cancel is the default."""

    def __init__(
        self, found: AsBuilt, parent: QWidget | None = None, move_cards: Callable[[], AsBuilt] | None = None
    ) -> None:
        """`move_cards` lets the user say which card sits in which slot, and compares again."""
        super().__init__(parent)
        self._move_cards = move_cards
        self.setWindowTitle(tr("The machine is not as planned"))
        self.found = found
        self.lines: list[AsBuiltLine] = []
        self.intro = Label(self)
        self.intro.setWordWrap(True)
        self.table = QTableView(self)
        self.table.setAccessibleName(tr("The machine compared with its plan"))
        self._model = TableModel(_columns(), lambda line: (line.subject, line.what, line.planned), self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.start = self.buttons.addButton(tr("Start anyway"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.slots = QPushButton(tr("Slots and serial numbers…"), self)
        self.slots.setToolTip(tr("Drag each card to the slot that it sits in"))
        self.slots.setVisible(move_cards is not None)
        self.buttons.addButton(self.slots, QDialogButtonBox.ButtonRole.ActionRole)
        self._arrange()
        self._show(found)
        self.slots.clicked.connect(self._say_slots)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    @Slot()
    def _say_slots(self) -> None:
        if self._move_cards is not None:
            self._show(self._move_cards())

    def _show(self, found: AsBuilt) -> None:
        self.found = found
        self.lines = sorted(found.lines, key=lambda line: (not line.blocks, line.state is LineState.AS_PLANNED))
        self.intro.setText(self._words(found))
        self._model.show_rows(self.lines)
        self.start.setText(tr("Start anyway") if found.blocking else tr("Start"))
        row_px = self.table.verticalHeader().defaultSectionSize()
        rows = min(len(self.lines), MOST_ROWS_SHOWN)
        self.table.setMinimumHeight((rows + 1) * row_px + 2 * self.table.frameWidth())

    def _words(self, found: AsBuilt) -> str:
        count = len(found.blocking)
        if not count:
            return tr("Every planned card is there.")
        said = trn(
            "1 planned card is missing or not the right one.",
            "{count} planned cards are missing or not the right ones.",
            count=count,
        )
        advice = tr(
            "Check power, seating and risers, then detect again. If you start anyway, the "
            "recording says that you accepted this, and the verdict warns."
        )
        return joined([said, advice])

    def _arrange(self) -> None:
        small_table(self.table)
        self.table.setModel(self._model)
        self.table.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        cancel = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setDefault(True)
        cancel.setFocus(Qt.FocusReason.OtherFocusReason)
        layout = QVBoxLayout(self)
        for part in (self.intro, self.table, self.buttons):
            layout.addWidget(part)
        self.setMinimumWidth(760)


def accepted_lines(
    parent: QWidget, found: AsBuilt, move_cards: Callable[[], AsBuilt] | None = None
) -> tuple[str, ...] | None:
    """Keys of the lines that the user accepts, or None to start no run."""
    dialog = AsBuiltDialog(found, parent, move_cards)
    given = dialog.exec() == QDialog.DialogCode.Accepted
    dialog.deleteLater()
    return tuple(line.key for line in dialog.found.blocking) if given else None


def _columns() -> list[TableColumn[AsBuiltLine]]:
    return [
        TableColumn(tr("Part"), lambda line: line.subject.label),
        TableColumn(tr("Where"), lambda line: line.what),
        TableColumn(tr("Planned"), lambda line: line.planned or "–"),
        TableColumn(tr("Found"), lambda line: line.found or "–"),
        TableColumn(tr("State"), lambda line: line.state.label, tip=lambda line: line.why, font=_emphasis),
    ]


def _emphasis(line: AsBuiltLine) -> QFont | None:
    if not line.blocks:
        return None
    font = QFont()
    font.setBold(True)
    return font
