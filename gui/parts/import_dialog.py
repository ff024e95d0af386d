"""The import of a data set as the user sees it: the dialog, its progress, and how the window opens it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QTableView,
    QWidget,
)

from core.errors import RigwrightError
from core.language import tr
from core.parts.opendb.load import Imported, ImportProgress
from core.parts.opendb.specs import FOLDERS
from core.parts.vocabulary import Category
from gui.figures import number
from gui.parts.controls import column_of
from gui.parts.import_job import ImportJob, ImportReport
from gui.widgets import files, messages
from gui.widgets.banner import NoticeBanner
from gui.widgets.text import Label, Markup
from gui.widgets.views import quiet_selection

PER_COLUMN = 6


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
        self.job = ImportJob(data_dir, self)
        self._leaving = False
        self.path = QLineEdit(self)
        self.file = QPushButton(tr("&File …"), self)
        self.folder = QPushButton(tr("F&older …"), self)
        self.start = QPushButton(tr("&Import"), self)
        self.cancel = QPushButton(tr("Cancel"), self)
        self.left_out = QPushButton(tr("&What was left out …"), self)
        self.bars = ProgressBars([category for category, _ in FOLDERS.values()], self)
        self.report = ImportReport(self)
        self.table = QTableView(self)
        self.said = Label(self)
        self.pages = QStackedWidget(self)
        self.notice = NoticeBanner(self)
        self.setWindowTitle(tr("Import parts data set"))
        self.setAcceptDrops(True)
        self.resize(680, 480)
        self._arrange()
        self._connect()
        self._follow_path()

    def reject(self) -> None:
        """Stops an import that runs, and leaves once it has stopped; otherwise leaves at once."""
        if self.job.running:
            self._stop()
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
        """Starts the import of what is named."""
        if not self.start.isEnabled():
            return
        self.notice.dismiss()
        self.bars.clear()
        self._show_page(BARS)
        self.said.setText(tr("Reading …"))
        self.cancel.setFocus()
        self.job.start(Path(self.path.text().strip()).expanduser())
        self._follow_path()

    @Slot()
    def choose_file(self) -> None:
        """An archive of the user's choice."""
        kinds = tr("Archives (*.zip *.tar.xz *.txz);;All files (*)")
        chosen = files.file_to_open(self, tr("Archive of the data set"), Path.home(), kinds)
        if chosen is not None:
            self.path.setText(str(chosen))

    @Slot()
    def choose_folder(self) -> None:
        """A folder of the user's choice."""
        chosen = files.folder_to_open(self, tr("Folder of the data set"), Path.home())
        if chosen is not None:
            self.path.setText(str(chosen))

    # -- inside ---------------------------------------------------------------------------------------------------

    @Slot()
    def _stop(self) -> None:
        self._leaving = False
        self.cancel.setEnabled(False)
        self.said.setText(tr("Stopping …"))
        self.job.cancel()

    @Slot(object)
    def _tell(self, progress: ImportProgress) -> None:
        self.bars.show_progress(progress)
        if not self.cancel.isEnabled():  # it is being stopped
            return
        reading = tr("{count} files read", count=number(progress.done))
        self.said.setText(reading if progress.category is None else tr("Cancel stops it; what was imported stays."))

    @Slot(list)
    def _show_report(self, report: list[Imported]) -> None:
        self.report.show_rows(report)
        self.table.resizeColumnsToContents()
        total = sum(row.parts for row in report)
        self.said.setText(
            tr(
                "{count} parts are in the catalogue, from BuildCores OpenDB, which is made available under the Open "
                "Data Commons Attribution License (ODC-By 1.0).",
                count=number(total),
            )
        )
        self._show_page(REPORT)
        self.left_out.setFocus()
        self._ended()

    @Slot()
    def _show_cancelled(self) -> None:
        names = ", ".join(category.label for category in self.job.taken)
        self.said.setText(
            tr("Cancelled. These categories were imported: {names}. The others are unchanged.", names=names)
            if names
            else tr("Cancelled before the first category was imported: the catalogue is unchanged.")
        )
        self._ended()

    @Slot(object)
    def _show_failure(self, error: Exception) -> None:
        self.said.setText("")
        if isinstance(error, RigwrightError):
            self.notice.say(str(error))
        else:
            messages.show_error(self, error)
        self._show_page(ABOUT)
        self._ended()

    def _ended(self) -> None:
        self.bars.stand_still()
        self._follow_path()
        if self.job.taken:
            self.imported.emit()

    def _show_page(self, page: int) -> None:
        self.pages.setCurrentIndex(page)

    @Slot()
    def _follow_path(self) -> None:
        running = self.job.running
        self.start.setEnabled(bool(self.path.text().strip()) and not running)
        self.start.setDefault(self.start.isEnabled() and self.pages.currentIndex() != REPORT)
        for widget in (self.path, self.file, self.folder):
            widget.setEnabled(not running)
        self.cancel.setEnabled(True)
        self.cancel.setText(tr("Cancel") if running or self.pages.currentIndex() == ABOUT else tr("Close"))
        self.left_out.setEnabled(not running)

    def _connect(self) -> None:
        self.path.textChanged.connect(self._follow_path)
        self.file.clicked.connect(self.choose_file)
        self.folder.clicked.connect(self.choose_folder)
        self.start.clicked.connect(self.begin)
        self.cancel.clicked.connect(self.reject)
        self.left_out.clicked.connect(self.quarantine_wanted)
        self.job.progressed.connect(self._tell)
        self.job.finished.connect(self._show_report)
        self.job.cancelled.connect(self._show_cancelled)
        self.job.failed.connect(self._show_failure)
        self.destroyed.connect(self.job.cancel)

    def _arrange(self) -> None:
        self.path.setPlaceholderText(tr("Its .zip, .tar.xz, or folder; can be dropped here"))
        self.path.setAccessibleName(tr("File or folder of the data set"))
        self.said.setWordWrap(True)
        row = QHBoxLayout()
        for widget, stretch in ((self.path, 1), (self.file, 0), (self.folder, 0)):
            row.addWidget(widget, stretch)
        self.table.setModel(self.report)
        self.table.setAccessibleName(tr("What happened to the rows"))
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        self.table.setTabKeyNavigation(False)
        quiet_selection(self.table)
        bars = QWidget(self)
        column_of([self.bars], bars).addStretch(1)
        for page in (self._about(), bars, self.table):
            self.pages.addWidget(page)
        buttons = QHBoxLayout()
        buttons.addWidget(self.left_out)
        buttons.addStretch(1)
        buttons.addWidget(self.start)
        buttons.addWidget(self.cancel)
        for button in (self.left_out, self.cancel, self.file, self.folder):
            button.setAutoDefault(False)
        column = column_of([self.notice], self)
        column.addLayout(row)
        column.addWidget(self.pages, 1)
        column.addWidget(self.said)
        column.addLayout(buttons)

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
