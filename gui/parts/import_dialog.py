"""The import of a data set: which one, how far it is, and what became of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QProgressBar, QStackedWidget, QWidget

from core.lab.opendb.load import Imported, ImportProgress, import_opendb
from core.lab.opendb.specs import FOLDERS
from core.parts.catalogue import Catalogue
from core.parts.vocabulary import Category
from core.platform.errors import RigwrightError
from core.words import tr
from gui.parts.job import CatalogueJob, SourceField, Tell
from gui.widgets import messages
from gui.widgets.banner import NoticeBanner
from gui.widgets.figures import number
from gui.widgets.form import column_of, push_button, row_of
from gui.widgets.table import TableColumn, TableModel, TableView
from gui.widgets.text import Label, Markup, bold, paragraph

PER_COLUMN = 6


class ImportWork:
    """The import as work of a job; `taken` are the categories that are in the catalogue by now."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.taken: list[Category] = []

    def __call__(self, catalogue: Catalogue, tell: Tell) -> list[Imported]:
        """What became of each category."""
        return import_opendb(catalogue, self._path, partial(self.pass_on, tell))

    def pass_on(self, tell: Tell, progress: ImportProgress) -> None:
        """Notes what is in, even if telling it ends the import."""
        whole = progress.category is not None and progress.done == progress.total
        if whole and progress.category is not None:
            self.taken.append(progress.category)
        tell(progress, urgent=whole or progress.done == 0)


class ProgressBars(QWidget):
    """Bars of what has not begun are empty; what is done is full."""

    def __init__(self, categories: list[Category], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars: dict[Category | None, QProgressBar] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        for place, category in enumerate([None, *categories]):
            column, line = divmod(place, PER_COLUMN)
            name = category.label if category else tr("Files read")
            bar = QProgressBar(self)
            bar.setAccessibleName(name)
            grid.addWidget(Label(name, self), line, 2 * column)
            grid.addWidget(bar, line, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
            self.bars[category] = bar
        self.clear()

    def clear(self) -> None:
        """Nothing has begun."""
        for bar in self.bars.values():
            bar.setRange(0, 1)
            bar.setValue(0)
            bar.setFormat("")

    @Slot(object)
    def show_progress(self, progress: ImportProgress) -> None:
        """Moves the bar of the phase; with the first category the files have all been read."""
        files = self.bars[None]
        if progress.category is None:
            files.setRange(0, 0)
            files.setFormat(number(progress.done))
            files.setAccessibleDescription(number(progress.done))
            return
        if files.maximum() == 0:
            files.setRange(0, 1)
            files.setValue(1)
            files.setFormat(tr("done"))
        bar = self.bars[progress.category]
        bar.setRange(0, progress.total or 1)
        bar.setValue(progress.done if progress.total else 1)
        bar.setFormat(f"{number(progress.done)} / {number(progress.total or 0)}")

    @Slot()
    def stand_still(self) -> None:
        """Ends the movement of a bar without an end."""
        files = self.bars[None]
        if files.maximum() == 0:
            files.setRange(0, 1)
            files.setValue(0)


ADDRESS = "https://github.com/buildcores/buildcores-open-db"
LICENCE = "https://opendatacommons.org/licenses/by/1-0/"
ABOUT, BARS, REPORT = range(3)


class ImportDialog(QDialog):
    """`imported` whenever the catalogue may hold other parts now; `quarantine_wanted` asks for what was left out."""

    imported = Signal()
    quarantine_wanted = Signal()

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job = CatalogueJob(data_dir, self)
        self._work: ImportWork | None = None
        self.source = SourceField(
            self,
            tr("File or folder of the data set"),
            tr("Its .zip, .tar.xz, or folder; can be dropped here"),
            (tr("Archive of the data set"), tr("Folder of the data set")),
            tr("Archives (*.zip *.tar.xz *.txz);;All files (*)"),
        )
        self.start = push_button(self, tr("&Import"), self.begin)
        self.cancel = push_button(self, tr("Cancel"), self.reject)
        self.left_out = push_button(self, tr("&What was left out …"), self.quarantine_wanted.emit)
        self.bars = ProgressBars([category for category, _ in FOLDERS.values()], self)
        self.report = TableModel[ReportRow](report_columns(), lambda report_row: report_row.title, self)
        self.table = TableView[ReportRow](self.report, tr("What happened to the rows"), self)
        self.table.fit_to_contents(stretched=0)
        self.sentence = paragraph(self)
        self.pages = QStackedWidget(self)
        self.notice = NoticeBanner(self)
        self.setWindowTitle(tr("Import parts data set"))
        self.resize(680, 480)
        self._arrange()
        self.source.changed.connect(self._follow_path)
        self.job.progressed.connect(self._tell)
        self.job.finished.connect(self._show_report)
        self.job.cancelled.connect(self._show_cancelled)
        self.job.failed.connect(self._show_failure)
        self.destroyed.connect(self.job.cancel)
        self._follow_path()

    def reject(self) -> None:
        """Stops an import that runs, and leaves once it has stopped; otherwise leaves at once."""
        if self.job.running:
            self.cancel.setEnabled(False)
            self.sentence.setText(tr("Stopping …"))
            self.job.cancel()
        else:
            super().reject()

    @Slot()
    def begin(self) -> None:
        """Starts the import of what is named."""
        path = self.source.chosen()
        if path is None or not self.start.isEnabled():
            return
        self.notice.dismiss()
        self.bars.clear()
        self.pages.setCurrentIndex(BARS)
        self.sentence.setText(tr("Reading …"))
        self.cancel.setFocus()
        self._work = ImportWork(path)
        self.job.start(self._work)
        self._follow_path()

    # -- inside ---------------------------------------------------------------------------------------------------

    @Slot(object)
    def _tell(self, progress: ImportProgress) -> None:
        self.bars.show_progress(progress)
        if not self.cancel.isEnabled():  # it is being stopped
            return
        reading = tr("{count} files read", count=number(progress.done))
        self.sentence.setText(reading if progress.category is None else tr("Cancel stops it; what was imported stays."))

    @Slot(object)
    def _show_report(self, report: list[Imported]) -> None:
        self.report.show_rows(report_rows(report))
        self.sentence.setText(
            tr(
                "{count} parts are in the catalogue, from BuildCores OpenDB, which is made available under the Open "
                "Data Commons Attribution License (ODC-By 1.0).",
                count=number(sum(category.parts for category in report)),
            )
        )
        self.pages.setCurrentIndex(REPORT)
        self.left_out.setFocus()
        self._ended()

    @Slot()
    def _show_cancelled(self) -> None:
        names = ", ".join(category.label for category in self._taken())
        some = tr("Cancelled. These categories were imported: {names}. The others are unchanged.", names=names)
        none = tr("Cancelled before the first category was imported: the catalogue is unchanged.")
        self.sentence.setText(some if names else none)
        self._ended()

    @Slot(object)
    def _show_failure(self, error: Exception) -> None:
        self.sentence.setText("")
        if isinstance(error, RigwrightError):
            self.notice.say(str(error))
        else:
            messages.show_error(self, error)
        self.pages.setCurrentIndex(ABOUT)
        self._ended()

    def _ended(self) -> None:
        self.bars.stand_still()
        self._follow_path()
        if self._taken():
            self.imported.emit()

    def _taken(self) -> Sequence[Category]:
        return self._work.taken if self._work is not None else ()

    @Slot()
    def _follow_path(self) -> None:
        running = self.job.running
        self.start.setEnabled(self.source.chosen() is not None and not running)
        self.start.setDefault(self.start.isEnabled() and self.pages.currentIndex() != REPORT)
        self.source.setEnabled(not running)
        self.cancel.setEnabled(True)
        self.cancel.setText(tr("Cancel") if running or self.pages.currentIndex() == ABOUT else tr("Close"))
        self.left_out.setEnabled(not running)

    def _arrange(self) -> None:
        bars = QWidget(self)
        column_of(self.bars, 1, into=bars, margins=16, spacing=8)
        for page in (self._about(), bars, self.table):
            self.pages.addWidget(page)
        buttons = row_of(self.left_out, 1, self.start, self.cancel)
        column_of(self.notice, self.source, (self.pages, 1), self.sentence, buttons, into=self, margins=16, spacing=8)

    def _about(self) -> QLabel:
        """Our own text: the only rich one."""
        text = tr(
            "<p><b>BuildCores OpenDB</b> is a public database of about 30,000 PC parts, maintained "
            "by BuildCores and its community. It is not part of Rigwright: get it as an archive or a "
            'clone from <a href="{address}">{address}</a>.</p><p>It is made available under the '
            "<b>Open Data Commons Attribution License</b> (ODC-By 1.0, <a "
            'href="{licence}">{licence}</a>): whoever uses it must name its origin, as Rigwright '
            "does with each of these parts.</p><p>Its figures count as unconfirmed. Figures that "
            "cannot be right are left out and listed. A second import replaces the first; shipped "
            "parts, your own parts and your corrections stay.</p>",
            address=ADDRESS,
            licence=LICENCE,
        )
        label = Markup(self)
        label.setText(text)
        label.setWordWrap(True)
        label.setOpenExternalLinks(True)
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        return label


@dataclass(frozen=True, slots=True)
class ReportRow:
    """What became of the rows of a category, or of all: taken, merged, refused, and figures that were left out."""

    title: str
    counts: tuple[int, ...]
    whole: bool = False
    """Whether it is the sum of the others."""


def report_rows(report: Sequence[Imported]) -> list[ReportRow]:
    """A row for each category, and their sum at the end."""
    counts = ((one.category.label, (one.rows, one.parts, one.merged, one.refused, one.doubted)) for one in report)
    rows = [ReportRow(*row) for row in counts]
    sums = tuple(sum(column) for column in zip(*(one.counts for one in rows), strict=True))
    return [*rows, ReportRow(tr("All"), sums, whole=True)] if rows else []


def report_columns() -> tuple[TableColumn[ReportRow], ...]:
    """The category, and a column for each count with what it counts."""
    counts = (
        (tr("Rows"), tr("Rows of the data set")),
        (tr("Taken"), tr("Parts that are in the catalogue now")),
        (tr("Merged"), tr("Rows that describe the same product as another row")),
        (tr("Refused"), tr("Rows that are not a usable part")),
        (tr("Figures left out"), tr("Figures that cannot be right, in imported rows")),
    )

    def count(place: int, heading: str, meaning: str) -> TableColumn[ReportRow]:
        right = Qt.AlignmentFlag.AlignRight
        return TableColumn(heading, lambda one: number(one.counts[place]), meaning, side=right, font=_font)

    category: TableColumn[ReportRow] = TableColumn(tr("Category"), lambda one: one.title, font=_font)
    return (category, *(count(place, *words) for place, words in enumerate(counts)))


def _font(report_row: ReportRow) -> QFont | None:
    """The sum is bold."""
    return bold() if report_row.whole else None
