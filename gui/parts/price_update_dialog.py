"""Parts › Update prices: which lists, and afterwards what became of each price, with a way back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from core.errors import RigwrightError
from core.language import tr, trc, trn
from core.parts.money import USUAL, read_terms
from core.parts.part import Part, Price, Source
from core.parts.price_files import RefusedFile
from core.parts.price_import import (
    Outcome,
    PriceChange,
    PriceUpdate,
    factor_words,
    price_source,
    take_chosen,
    update_words,
)
from core.parts.price_list import BadLine, Doubt, ListTerms
from core.parts.price_today import STREET, USED, full_words
from gui.catalogue_connection import CatalogueConnection
from gui.figures import number
from gui.parts.lists import Row, TextTable
from gui.parts.price_job import PriceJob
from gui.widgets import files, messages
from gui.widgets.text import Label

WIDTHS = (210, 110, 190, 190, 70, 260)
"""Of all columns but the last."""
RESULT = 1
"""The column that says what became of a price."""
_DOUBTS = {
    Doubt.UNMATCHED: trc("price update", "no such part"),
    Doubt.SIMILAR: trc("price update", "similar: choose"),
    Doubt.NO_PRICE: trc("price update", "no price"),
    Doubt.TWICE: trc("price update", "said twice"),
}
_ORDER = (
    *(Outcome.DOUBTFUL, Doubt.SIMILAR, Doubt.TWICE, Doubt.NO_PRICE, Outcome.CHANGED, Outcome.NEW),
    *(Outcome.SAME, Outcome.OLDER, Outcome.OWN, Outcome.BETTER, Doubt.UNMATCHED),
)
"""What needs a person first."""


class PriceUpdateDialog(TextTable):
    """`updated(part ids, title)` when prices of the catalogue have changed."""

    updated = Signal(list, str)

    def __init__(self, connection: CatalogueConnection, parent: QWidget | None = None, *, own: bool = False) -> None:
        headings = (tr("Part"), tr("Result"), tr("Price before"), tr("Price now"), tr("Change"), tr("Why"), tr("Line"))
        title = tr("Import my price list") if own else tr("Update prices")
        self._connection, self._own = connection, own
        self._choices: dict[Row, tuple[Price, tuple[Part, ...]]] = {}
        self._source: Source | None = None
        super().__init__(title, headings, "price-update.csv", parent)
        self.job = PriceJob(connection.data_dir, self)
        self._connect_update()
        self._tell_last()
        self.path.setFocus()

    def reject(self) -> None:
        """Stops an update that runs; otherwise leaves."""
        if self.job.running:
            self.job.cancel()
        else:
            super().reject()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and not self.job.running:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Takes the dropped file or folder."""
        event.acceptProposedAction()
        self.path.setText(event.mimeData().urls()[0].toLocalFile())

    @Slot()
    def begin(self) -> None:
        """Updates the prices from what is named."""
        path = Path(self.path.text().strip()).expanduser()
        if not self.start.isEnabled():
            return
        self.notice.dismiss()
        try:
            self._source = None if self._own else price_source(path.resolve().name, None)
        except RigwrightError as error:
            self.notice.say(str(error))
            return
        kind = "own" if self._own else self.kind.currentData()
        self.job.start(path, ListTerms(date.today(), self.currency.text().strip().upper(), kind, self._source))
        self._say(tr("Reading …"))
        self._follow()

    @Slot()
    def undo(self) -> None:
        """Puts back the prices of before the last update."""
        try:
            back = self._connection.catalogue().undo_prices()
        except RigwrightError as error:
            messages.show_error(self, error)
            return
        self._choices.clear()
        words = trn("{count} price is as it was before.", "{count:,} prices are as they were before.", count=len(back))
        self.show_rows([], words)
        self._follow()
        self.updated.emit(back, tr("Undo the update of prices"))

    def show_rows(self, rows: Sequence[Row], said: str = "") -> None:
        """As any table, with columns that show the most at once."""
        super().show_rows(rows, said)
        for column, width in enumerate(WIDTHS):
            self.table.setColumnWidth(column, width)

    def choose(self, row: Row, part: Part) -> None:
        """Takes the price of a row for the part that a person chose."""
        price, _ = self._choices[row]
        try:
            take_chosen(self._connection.catalogue(), part.id, price, self._source)
        except RigwrightError as error:
            messages.show_error(self, error)
            return
        del self._choices[row]
        chosen = (
            part.title,
            trc("price update", "chosen"),
            full_words(part.price) if part.price else "",
            *row[3:-1],
            "",
        )
        self.replace_row(row, chosen)
        self._follow()
        self.updated.emit([part.id], tr("Update the price of {part}", part=part.title))

    # -- inside ---------------------------------------------------------------------------------------------------

    @Slot(object)
    def _show_update(self, update: PriceUpdate | None) -> None:
        if update is None:
            self.show_rows([], tr("Cancelled: no price was changed."))
            self._follow()
            return
        rows = [self._refused_row(one) for one in update.refused]
        entries: list[PriceChange | BadLine] = [*update.changes, *update.bad]
        for entry in sorted(entries, key=_rank):
            row = _change_row(entry) if isinstance(entry, PriceChange) else _bad_row(entry)
            rows.append(row)
            if isinstance(entry, BadLine) and entry.price and entry.similar:
                self._choices[row] = entry.price, entry.similar
            elif isinstance(entry, PriceChange) and entry.outcome is Outcome.DOUBTFUL:
                self._choices[row] = entry.price, (entry.part,)
        self.show_rows(rows, update_words(update))
        self._follow()
        if changed := [change.part.id for change in update.taken]:
            self.updated.emit(changed, tr("Update prices"))

    @Slot(object)
    def _show_failure(self, error: Exception) -> None:
        self._say("")
        if isinstance(error, RigwrightError):
            self.notice.say(str(error))
        else:
            messages.show_error(self, error)
        self._follow()

    def _refused_row(self, one: RefusedFile) -> Row:
        return ("", trc("price update", "no price list"), "", "", "", one.reason, one.file)

    @Slot(int)
    def _tell_progress(self, count: int) -> None:
        self._say(tr("{count} rows read. Cancel changes no price.", count=number(count)))

    def _say(self, words: str) -> None:
        self.said.setText(words)
        self.said.setVisible(bool(words))

    def _tell_last(self) -> None:
        """Before anything is chosen: what can be read, and what the update before this one changed."""
        try:
            count = self._connection.catalogue().updated_prices()
        except RigwrightError as error:
            self.notice.say(str(error))
            count = 0
        about = tr(
            "A price list (CSV, JSON, text, .zip) or a folder of them. Parts are found by id, part number, or maker "
            "and name. Your own prices stay, and a newer price is never replaced by an older one."
        )
        last = trn("The last update changed {count} price.", "The last update changed {count:,} prices.", count=count)
        self.show_rows([], f"{about} {last}" if count else about)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        running = self.job.running
        self.start.setEnabled(bool(self.path.text().strip()) and not running)
        for widget in (self.path, self.file, self.folder, self.currency, self.kind):
            widget.setEnabled(not running)
        self.close_button.setText(tr("Cancel") if running else tr("Close"))
        self.undo_button.setEnabled(not running and self._updated() > 0)
        self._follow_row()

    def _updated(self) -> int:
        try:
            return self._connection.catalogue().updated_prices()
        except RigwrightError:
            return 0

    @Slot()
    def _follow_row(self) -> None:
        self.choose_button.setEnabled(not self.job.running and self._row() in self._choices)

    def _row(self) -> Row | None:
        """The row where the cursor stands, as others may be selected to be copied."""
        row = self.table.currentIndex().row()
        return self.rows.shown[row] if row in self.chosen_rows() else None

    @Slot()
    def _ask_part(self) -> None:
        """The parts that the chosen row may mean, to choose from."""
        row = self._row()
        if row is None or row not in self._choices:
            return
        menu = QMenu(self.choose_button)
        for part in self._choices[row][1]:
            action = menu.addAction(part.title.replace("&", "&&"))
            action.triggered.connect(lambda *_, row=row, part=part: self.choose(row, part))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.choose_button.mapToGlobal(self.choose_button.rect().bottomLeft()))

    @Slot()
    def _choose_file(self) -> None:
        kinds = tr("Prices (*.csv *.tsv *.txt *.json *.jsonl *.zip);;All files (*)")
        if (path := files.file_to_open(self, self.windowTitle(), Path.home(), kinds)) is not None:
            self.path.setText(str(path))

    @Slot()
    def _choose_folder(self) -> None:
        if (path := files.folder_to_open(self, self.windowTitle(), Path.home())) is not None:
            self.path.setText(str(path))

    def _connect_update(self) -> None:
        self.path.textChanged.connect(self._follow)
        self.path.returnPressed.connect(self.begin)
        self.start.clicked.connect(self.begin)
        self.file.clicked.connect(self._choose_file)
        self.folder.clicked.connect(self._choose_folder)
        self.undo_button.clicked.connect(self.undo)
        self.choose_button.clicked.connect(self._ask_part)
        self.activated.connect(self._ask_part)
        self.table.selectionModel().selectionChanged.connect(self._follow_row)
        self.rows.modelReset.connect(self._follow_row)
        self.job.progressed.connect(self._tell_progress)
        self.job.finished.connect(self._show_update)
        self.job.failed.connect(self._show_failure)
        self.destroyed.connect(self.job.cancel)

    def _arrange(self, title: str) -> None:
        """The lists in a row above the table."""
        self.path, self.currency, self.kind = QLineEdit(self), QLineEdit(self), QComboBox(self)
        self.file, self.folder = QPushButton(tr("&File …"), self), QPushButton(tr("F&older …"), self)
        self.start, self.undo_button = QPushButton(tr("&Update"), self), QPushButton(tr("U&ndo the last update"), self)
        self.choose_button = QPushButton(tr("C&hoose part …"), self)
        self.setAcceptDrops(True)
        self.path.setPlaceholderText(tr("A price list or a folder of them; can be dropped here"))
        self.path.setAccessibleName(tr("File or folder of prices"))
        self.currency.setAccessibleName(tr("Currency of rows without one"))
        self.currency.setToolTip(self.currency.accessibleName())
        self.currency.setText(self._usual_currency())
        self.currency.setMaxLength(3)
        self.currency.setFixedWidth(self.fontMetrics().horizontalAdvance("MMMMM"))
        self.kind.addItem(tr("new parts"), STREET)
        self.kind.addItem(tr("used parts"), USED)
        self.kind.setAccessibleName(tr("What rows without a condition are prices of"))
        self.kind.setToolTip(self.kind.accessibleName())
        self.kind.setVisible(not self._own)
        super()._arrange(title)
        row = QHBoxLayout()
        for widget, stretch in ((self.path, 1), (self.file, 0), (self.folder, 0)):
            row.addWidget(widget, stretch)
        terms = QHBoxLayout()
        terms.addWidget(Label(tr("Rows without currency or condition:"), self))
        terms.addWidget(self.currency)
        terms.addWidget(self.kind)
        terms.addStretch(1)
        terms.addWidget(self.start)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertLayout(0, terms)
        column.insertLayout(0, row)
        for button in (self.file, self.folder, self.start, self.undo_button, self.choose_button):
            button.setAutoDefault(False)
        self.bottom.insertWidget(0, self.choose_button)
        self.bottom.insertWidget(1, self.undo_button)

    def _usual_currency(self) -> str:
        try:
            return read_terms(self._connection.data_dir).currency or USUAL
        except RigwrightError:
            return USUAL


def _rank(entry: PriceChange | BadLine) -> int:
    return _ORDER.index(entry.outcome if isinstance(entry, PriceChange) else entry.doubt)


def _change_row(change: PriceChange) -> Row:
    before = full_words(change.before) if change.before else ""
    now, times = full_words(change.price), factor_words(change.times)
    return (change.part.title, change.outcome.label, before, now, times, change.reason, change.place)


def _bad_row(line: BadLine) -> Row:
    now = full_words(line.price) if line.price else line.said
    return (line.named, _DOUBTS[line.doubt], "", now, "", line.reason, line.place)
