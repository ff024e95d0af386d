"""How much of the catalogue's deciding figures is known and confirmed, with what is lacking."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QDialog, QListWidget, QSplitter, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.parts.catalogue import Catalogue
from core.parts.contribution import FieldCoverage, coverage
from core.parts.figures import field_words
from core.parts.part import Origin
from core.words import joined, plain, tr
from core.words.units import number
from gui.parts.controls import StillBox
from gui.widgets.background import run_in_background
from gui.widgets.form import choice_box, column_of, push_button, row_of
from gui.widgets.table import Index, TableColumn, TableModel, TableView
from gui.widgets.text import Label, paragraph
from gui.widgets.theme import theme
from gui.widgets.views import open_at, quiet_selection

SHARES_ROLE = Qt.ItemDataRole.UserRole
MAX_LISTED = 500
WIDTH_OF_BARS = 210
SHARE = 3
"""The column of the bars."""


def coverage_columns() -> tuple[TableColumn[FieldCoverage], ...]:
    """Category, figure, how many parts there are, the shares as a bar, and how many parts lack the figure."""
    right = Qt.AlignmentFlag.AlignRight
    return (
        TableColumn(tr("Category"), lambda row: row.category.label, sample="Cable or adapter"),
        TableColumn(tr("Figure"), lambda row: field_words(row.field), sample="maximum cooler height"),
        TableColumn(tr("Parts"), lambda row: number(row.parts), sample="Parts 000", side=right, order=_parts),
        TableColumn(
            tr("Confirmed, known"),
            _share_words,
            width=WIDTH_OF_BARS,
            order=lambda row: (row.known_share, row.confirmed_share),
            roles={SHARES_ROLE: lambda row: (row.confirmed_share, row.known_share)},
        ),
        TableColumn(tr("Unknown"), lambda row: number(_unknown(row)), side=right, order=_unknown),
    )


def _parts(row: FieldCoverage) -> int:
    return row.parts


def _unknown(row: FieldCoverage) -> int:
    return row.parts - row.known


def _share_words(row: FieldCoverage) -> str:
    confirmed, known_percent = _percent(row.confirmed_share), _percent(row.known_share)
    return tr("{confirmed} confirmed, {known} known", confirmed=confirmed, known=known_percent)


def _percent(share: float) -> str:
    return plain("{percent:.0f} %", percent=100 * share)


class CoverageView(QDialog):
    """`correction_wanted(part id)`: the user wants to fill a gap."""

    correction_wanted = Signal(str)

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self._origin: Origin | None = None
        self.model = TableModel[FieldCoverage](coverage_columns(), lambda row: (row.category, row.field), self)
        self.table = TableView[FieldCoverage](self.model, tr("Coverage by category and figure"), self, sortable=True)
        self.table.setItemDelegateForColumn(SHARE, BarDelegate(self.table))
        origins = (
            (tr("Shipped parts"), Origin.SHIPPED.value),
            (tr("Imported parts"), Origin.IMPORTED.value),
            (tr("My parts and corrections"), Origin.USER.value),
            (tr("All parts"), ""),
        )
        self.origin_choice = choice_box(self, tr("Which parts are counted"), origins, box=StillBox(self))
        self.origin_choice.setMinimumContentsLength(24)
        self.sentence = Label(self)
        self.heading = paragraph(self, quiet=True)
        self.lacking = QListWidget(self)
        self.lacking.setAccessibleName(tr("Parts that lack the figure"))
        quiet_selection(self.lacking)
        self.correct = push_button(self, tr("Correct &part …"), self._correct)
        self.close_button = push_button(self, tr("Close"), self.reject)
        self.setWindowTitle(tr("Catalogue coverage"))
        open_at(self, 1040, 640)
        self._arrange()
        self.origin_choice.activated.connect(self.refresh)
        self.table.selectionModel().currentRowChanged.connect(self._show_lacking)
        self.lacking.itemActivated.connect(self._correct)
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter on a part opens its editor and must not reach a button of it."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    @Slot()
    def refresh(self) -> None:
        """Counts anew, beside the window."""
        stored = self.origin_choice.currentData()
        self._origin = origin = Origin(stored) if stored else None
        folder = self._data_dir
        self.sentence.setText(tr("Counting …"))
        run_in_background(self, lambda: (origin, _counted(folder, origin)), self._show)

    def _show(self, answer: tuple[Origin | None, list[FieldCoverage]]) -> None:
        origin, rows = answer
        if origin is not self._origin:  # another question has been asked since
            return
        self.model.show_rows(rows)
        self.table.fit_columns()
        total = sum(row.parts for row in rows)
        words = tr("There are no such parts.")
        if total:
            words = tr(
                "{known} of the deciding figures are known, {confirmed} confirmed.",
                known=_percent(sum(row.known for row in rows) / total),
                confirmed=_percent(sum(row.confirmed for row in rows) / total),
            )
        self.sentence.setText(words)
        if rows:
            gap = next((number for number, row in enumerate(self.model.rows) if row.lacking), 0)
            self.table.setCurrentIndex(self.model.index(gap, 0))
        self._show_lacking()

    @Slot()
    def _show_lacking(self) -> None:
        coverage_row = self.table.current()
        lacking = coverage_row.lacking if coverage_row else ()
        self.lacking.clear()
        self.lacking.addItems(list(lacking[:MAX_LISTED]))
        count = len(lacking)
        text = tr("Parts with this figure unknown: {count}", count=f"{count:,}")
        if count > MAX_LISTED:
            text = tr("{text}, the first {listed} are:", text=text, listed=MAX_LISTED)
        self.heading.setText(text)
        self.correct.setEnabled(count > 0)
        if count:
            self.lacking.setCurrentRow(0)

    @Slot()
    def _correct(self) -> None:
        if self.lacking.currentItem() is not None:
            self.correction_wanted.emit(self.lacking.currentItem().text())

    def _arrange(self) -> None:
        side = QWidget(self)
        column_of(self.heading, self.lacking, self.correct, into=side, margins=(8, 0, 0, 0), spacing=8)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(side)
        split.setStretchFactor(0, 1)
        split.setSizes([760, 250])
        top = row_of(self.origin_choice, (self.sentence, 1))
        column_of(top, (split, 1), row_of(1, self.close_button), into=self, margins=16, spacing=8)


class BarDelegate(QStyledItemDelegate):
    """Confirmed share in full colour, known share behind it in a lighter one; both also as figures."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, _without_text(option), QModelIndex())
        shares = index.data(SHARES_ROLE)
        if shares is None:
            return
        confirmed, known_share = shares
        numbers = joined([_percent(confirmed), _percent(known_share)], ", ")
        taken = option.fontMetrics.horizontalAdvance("100 %, 100 %") + 8
        area = option.rect.adjusted(6, 6, -6 - taken, -6)
        painter.save()
        painter.fillRect(area, theme().color("grid"))
        for share, alpha in ((known_share, 0.35), (confirmed, 1.0)):
            colour = theme().color("pass")
            colour.setAlphaF(alpha)
            painter.fillRect(QRect(area.left(), area.top(), round(area.width() * share), area.height()), colour)
        painter.setPen(theme().color("text"))
        words = option.rect.adjusted(0, 0, -6, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, numbers)
        painter.restore()


def _without_text(option: QStyleOptionViewItem) -> QStyleOptionViewItem:
    bare = QStyleOptionViewItem(option)
    bare.text = ""
    return bare


def _counted(folder: Path, origin: Origin | None) -> list[FieldCoverage]:
    with closing(Catalogue(folder)) as catalogue:
        return coverage(catalogue.parts(origin=origin))
