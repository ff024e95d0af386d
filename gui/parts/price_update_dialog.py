"""Parts › Update prices: which lists, and afterwards what became of each price, with a way back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from core.parts.money import USUAL, read_terms
from core.parts.part import Part, Price, Source
from core.parts.price_import import (
    Outcome,
    PriceChange,
    PriceUpdate,
    factor_words,
    price_source,
    take_chosen,
    take_prices,
    update_words,
)
from core.parts.price_list import BadLine, Doubt, ListTerms
from core.parts.price_today import STREET, USED, full_words
from core.platform.errors import RigwrightError
from core.words import tr, trc, trn
from gui.parts.catalogue_connection import CatalogueConnection
from gui.parts.job import CatalogueJob, SourceField
from gui.widgets import messages
from gui.widgets.figures import number
from gui.widgets.form import choice_box, line_edit, push_button, row_of
from gui.widgets.list_dialog import ListDialog
from gui.widgets.table import TableColumn
from gui.widgets.text import Label

_ORDER = (
    *(Outcome.DOUBTFUL, Doubt.SIMILAR, Doubt.TWICE, Doubt.NO_PRICE, Outcome.CHANGED, Outcome.NEW),
    *(Outcome.SAME, Outcome.OLDER, Outcome.OWN, Outcome.BETTER, Doubt.UNMATCHED),
)
"""What needs a person first."""


@dataclass(frozen=True, slots=True)
class PriceRow:
    """What became of a line of a price list, in words."""

    part: str
    result: str
    before: str = ""
    now: str = ""
    change: str = ""
    reason: str = ""
    place: str = ""
    price: Price | None = None
    """To be taken for one of `parts`, where a person has to say for which."""
    parts: tuple[Part, ...] = ()


class PriceUpdateDialog(ListDialog[PriceRow]):
    """`updated(part ids, title)` when prices of the catalogue have changed."""

    updated = Signal(list, str)

    def __init__(self, connection: CatalogueConnection, parent: QWidget | None = None, *, own: bool = False) -> None:
        columns: tuple[TableColumn[PriceRow], ...] = (
            TableColumn(tr("Part"), lambda row: row.part, width=210),
            TableColumn(tr("Result"), lambda row: row.result, width=110),
            TableColumn(tr("Price before"), lambda row: row.before, width=190),
            TableColumn(tr("Price now"), lambda row: row.now, width=190),
            TableColumn(tr("Change"), lambda row: row.change, width=70),
            TableColumn(tr("Why"), lambda row: row.reason, width=260),
            TableColumn(tr("Line"), lambda row: row.place),
        )
        title = tr("Import my price list") if own else tr("Update prices")
        super().__init__(
            title, columns, "price-update.csv", parent, key=lambda row: (row.place, row.part, row.result, row.now)
        )
        self._connection, self._own = connection, own
        self._list_source: Source | None = None
        self.job = CatalogueJob(connection.data_dir, self)
        self.source = SourceField(
            self,
            tr("File or folder of prices"),
            tr("A price list or a folder of them; can be dropped here"),
            (title, title),
            tr("Prices (*.csv *.tsv *.txt *.json *.jsonl *.zip);;All files (*)"),
        )
        self._add_fields()
        self._connect_update()
        self._tell_last()
        self.source.setFocus()

    def reject(self) -> None:
        """Stops an update that runs; otherwise leaves."""
        if self.job.running:
            self.job.cancel()
        else:
            super().reject()

    @Slot()
    def begin(self) -> None:
        """Updates the prices from what is named."""
        path = self.source.chosen()
        if path is None or not self.start.isEnabled():
            return
        self.notice.dismiss()
        try:
            self._list_source = None if self._own else price_source(path.resolve().name, None)
        except RigwrightError as error:
            self.notice.say(str(error))
            return
        kind = "own" if self._own else self.kind.currentData()
        terms = ListTerms(date.today(), self.currency.text().strip().upper(), kind, self._list_source)
        self.job.start(lambda catalogue, tell: take_prices(catalogue, path, terms, tell))
        self.say(tr("Reading …"))
        self._follow()

    @Slot()
    def undo(self) -> None:
        """Puts back the prices of before the last update."""
        try:
            part_ids = self._connection.catalogue().undo_prices()
        except RigwrightError as error:
            messages.show_error(self, error)
            return
        words = trn(
            "{count} price is as it was before.", "{count:,} prices are as they were before.", count=len(part_ids)
        )
        self.show_rows([], words)
        self._follow()
        self.updated.emit(part_ids, tr("Undo the update of prices"))

    def choose(self, price_row: PriceRow, part: Part) -> None:
        """Takes the price of a row for the part that a person chose."""
        assert price_row.price is not None
        try:
            take_chosen(self._connection.catalogue(), part.id, price_row.price, self._list_source)
        except RigwrightError as error:
            messages.show_error(self, error)
            return
        before = full_words(part.price) if part.price else ""
        result = trc("price update", "chosen")
        chosen = replace(price_row, part=part.title, result=result, before=before, place="", price=None, parts=())
        self.model.show_rows([chosen if one is price_row else one for one in self.model.all_rows])
        self.table.choose([self.model.key(chosen)])
        self._follow()
        self.updated.emit([part.id], tr("Update the price of {part}", part=part.title))

    # -- inside ---------------------------------------------------------------------------------------------------

    @Slot(object)
    def _show_update(self, update: PriceUpdate) -> None:
        entries: list[PriceChange | BadLine] = [*update.changes, *update.bad]
        no_list = trc("price update", "no price list")
        refused = (PriceRow("", no_list, reason=one.reason, place=one.file) for one in update.refused)
        self.show_rows([*refused, *map(_price_row, sorted(entries, key=_rank))], update_words(update))
        self._follow()
        if changed := [change.part.id for change in update.taken]:
            self.updated.emit(changed, tr("Update prices"))

    @Slot()
    def _show_cancelled(self) -> None:
        self.show_rows([], tr("Cancelled: no price was changed."))
        self._follow()

    @Slot(object)
    def _show_failure(self, error: Exception) -> None:
        self.say("")
        if isinstance(error, RigwrightError):
            self.notice.say(str(error))
        else:
            messages.show_error(self, error)
        self._follow()

    @Slot(object)
    def _tell_progress(self, count: int) -> None:
        self.say(tr("{count} rows read. Cancel changes no price.", count=number(count)))

    def _tell_last(self) -> None:
        """Before anything is chosen: what can be read, and what the update before this one changed."""
        count = self._updated_prices()
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
        self.start.setEnabled(self.source.chosen() is not None and not running)
        for widget in (self.source, self.currency, self.kind):
            widget.setEnabled(not running)
        self.close_button.setText(tr("Cancel") if running else tr("Close"))
        self.undo_button.setEnabled(not running and self._updated_prices() > 0)
        self._follow_row()

    def _updated_prices(self) -> int:
        try:
            return self._connection.catalogue().updated_prices()
        except RigwrightError as error:
            self.notice.say(str(error))
            return 0

    @Slot()
    def _follow_row(self) -> None:
        price_row = self._row()
        self.choose_button.setEnabled(not self.job.running and price_row is not None and price_row.price is not None)

    def _row(self) -> PriceRow | None:
        """The row where the cursor stands, as others may be selected to be copied."""
        current = self.table.current()
        return current if current in self.table.chosen() else None

    @Slot()
    def _ask_part(self) -> None:
        """The parts that the chosen row may mean, to choose from."""
        price_row = self._row()
        if price_row is None or price_row.price is None:
            return
        menu = QMenu(self.choose_button)
        for part in price_row.parts:
            action = menu.addAction(part.title.replace("&", "&&"))
            action.triggered.connect(lambda *_, row=price_row, part=part: self.choose(row, part))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.choose_button.mapToGlobal(self.choose_button.rect().bottomLeft()))

    def _connect_update(self) -> None:
        self.source.changed.connect(self._follow)
        self.source.path.returnPressed.connect(self.begin)
        self.activated.connect(self._ask_part)
        self.table.selectionModel().selectionChanged.connect(self._follow_row)
        self.model.modelReset.connect(self._follow_row)
        self.job.progressed.connect(self._tell_progress)
        self.job.finished.connect(self._show_update)
        self.job.cancelled.connect(self._show_cancelled)
        self.job.failed.connect(self._show_failure)
        self.destroyed.connect(self.job.cancel)

    def _add_fields(self) -> None:
        """The lists in a row above the table."""
        currency = tr("Currency of rows without one")
        self.currency = line_edit(self, currency, longest=3, meaning=currency)
        self.currency.setText(self._usual_currency())
        self.currency.setFixedWidth(self.fontMetrics().horizontalAdvance("MMMMM"))
        condition = tr("What rows without a condition are prices of")
        conditions = ((tr("new parts"), STREET), (tr("used parts"), USED))
        self.kind = choice_box(self, condition, conditions, meaning=condition)
        self.kind.setVisible(not self._own)
        self.start = push_button(self, tr("&Update"), self.begin)
        self.undo_button = push_button(self, tr("U&ndo the last update"), self.undo)
        self.choose_button = push_button(self, tr("C&hoose part …"), self._ask_part)
        about = Label(tr("Rows without currency or condition:"), self)
        self.whole.insertLayout(0, row_of(about, self.currency, self.kind, 1, self.start))
        self.whole.insertWidget(0, self.source)
        for place, one in enumerate((self.choose_button, self.undo_button)):
            self.bottom.insertWidget(place, one)

    def _usual_currency(self) -> str:
        try:
            return read_terms(self._connection.data_dir).currency or USUAL
        except RigwrightError:
            return USUAL


def _rank(entry: PriceChange | BadLine) -> int:
    return _ORDER.index(entry.outcome if isinstance(entry, PriceChange) else entry.doubt)


def _price_row(entry: PriceChange | BadLine) -> PriceRow:
    if isinstance(entry, BadLine):
        now = full_words(entry.price) if entry.price else entry.price_text
        open_price = entry.price if entry.similar else None
        return PriceRow(
            entry.named,
            entry.doubt.label,
            now=now,
            reason=entry.reason,
            place=entry.place,
            price=open_price,
            parts=entry.similar if open_price else (),
        )
    doubtful = entry.outcome is Outcome.DOUBTFUL
    return PriceRow(
        entry.part.title,
        entry.outcome.label,
        full_words(entry.before) if entry.before else "",
        full_words(entry.price),
        factor_words(entry.times),
        entry.reason,
        entry.place,
        price=entry.price if doubtful else None,
        parts=(entry.part,) if doubtful else (),
    )
