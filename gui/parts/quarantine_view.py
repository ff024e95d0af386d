"""What imports did not take, and why."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from core.parts.catalogue import Quarantined
from core.parts.figures import field_words
from gui.parts.text_table import TextTable

WIDTHS = (290, 130, 150, 340)
"""Of all columns but the last."""


class QuarantineView(TextTable):
    """One row per figure or row of the data set."""

    def __init__(self, parent: QWidget | None = None) -> None:
        headings = (self.tr("Part"), self.tr("Figure"), self.tr("Value"), self.tr("Reason"), self.tr("File"))
        super().__init__(self.tr("What was left out of the import"), headings, "left-out.csv", parent)

    def show_left_out(self, left_out: list[Quarantined]) -> None:
        """Fills the list."""
        whole = self.tr("whole row")
        rows = [
            (row.title, field_words(row.field) if row.field else whole, row.value, row.reason, row.source)
            for row in left_out
        ]
        said = (
            self.tr("Nothing was left out, or nothing has been imported.")
            if not rows
            else self.tr("A figure that was left out is unknown; correct the part to give it one that is right.")
        )
        self.show_rows(rows, said)
        for column, width in enumerate(WIDTHS):
            self.table.setColumnWidth(column, width)
