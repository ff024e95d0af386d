"""The import beside the window, and what it says of itself."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QFont

from core.language import tr
from core.parts.opendb.load import Imported
from core.parts.vocabulary import Category
from gui.background import run_in_background
from gui.figures import number

if TYPE_CHECKING:
    from core.parts.opendb.load import Imported, ImportProgress


TELL_EVERY_S = 0.05


class ImportJob(QObject):
    """One import. Signals arrive in the window's thread."""

    progressed = Signal(object)
    """core.parts.opendb.load.Progress"""
    finished = Signal(list)
    """Imported per category."""
    cancelled = Signal()
    """It ended early: `taken` tells what is in."""
    failed = Signal(object)

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = _Work(data_dir)
        self.running = False

    @property
    def taken(self) -> tuple[Category, ...]:
        """The categories that are in the catalogue by now."""
        return tuple(self._work.taken)

    def start(self, path: Path) -> None:
        """Begins; may be called again once it has ended."""
        self._work = _Work(self._work.data_dir)
        self._work.reporter.told.connect(self.progressed)
        self.running = True
        work = self._work
        run_in_background(self, lambda: work.run(path), self._end, self._fail)

    @Slot()
    def cancel(self) -> None:
        """Asks it to end; `cancelled` follows within a moment."""
        self._work.stop.set()

    def _end(self, report: list[Imported] | None) -> None:
        self.running = False
        if report is None:
            self.cancelled.emit()
        else:
            self.finished.emit(report)

    def _fail(self, error: Exception) -> None:
        self.running = False
        self.failed.emit(error)


class _Reporter(QObject):
    told = Signal(object)


class _Work:
    """What runs on the other thread; it knows no widget."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.reporter = _Reporter()
        self.stop = Event()
        self.taken: list[Category] = []
        self._told = 0.0

    def run(self, path: Path) -> list[Imported] | None:
        """The report; None when it was stopped."""
        from core.parts.catalogue import Catalogue
        from core.parts.opendb.load import Cancelled, import_opendb

        with closing(Catalogue(self.data_dir)) as catalogue:
            try:
                return import_opendb(catalogue, path, self._tell)
            except Cancelled:
                return None

    def _tell(self, progress: ImportProgress) -> None:
        from core.parts.opendb.load import Cancelled

        whole = progress.category is not None and progress.done == progress.total
        if whole and progress.category is not None:
            self.taken.append(progress.category)  # it is in, even if this call ends the import
        now = perf_counter()
        if whole or progress.done == 0 or now - self._told > TELL_EVERY_S:
            self._told = now
            self.reporter.told.emit(progress)
        if self.stop.is_set():
            raise Cancelled


Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class ImportReport(QAbstractTableModel):
    """The last row is the sum."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[str, int, int, int, int, int]] = []

    def show_rows(self, report: list[Imported]) -> None:
        """Replaces the table."""
        self.beginResetModel()
        self._rows = [(row.category.label, row.rows, row.parts, row.merged, row.refused, row.doubted) for row in report]
        counts = [tuple(row[1:]) for row in self._rows]
        if counts:
            rows, taken, merged, refused, doubted = (sum(column) for column in zip(*counts, strict=True))
            self._rows.append((tr("All"), rows, taken, merged, refused, doubted))
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else 6

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.TextAlignmentRole:
            return _aligned(section)
        if role == Role.ToolTipRole:
            return self._meanings()[section]
        if role != Role.DisplayRole:
            return None
        return (tr("Category"), tr("Rows"), tr("Taken"), tr("Merged"), tr("Refused"), tr("Figures left out"))[section]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value = self._rows[index.row()][index.column()]
        match role:
            case Role.DisplayRole:
                return number(value) if isinstance(value, int) else value
            case Role.TextAlignmentRole:
                return _aligned(index.column())
            case Role.FontRole if index.row() == len(self._rows) - 1:
                bold = QFont()
                bold.setBold(True)
                return bold
        return None

    def _meanings(self) -> tuple[str, ...]:
        return (
            "",
            tr("Rows of the data set"),
            tr("Parts that are in the catalogue now"),
            tr("Rows that describe the same product as another row"),
            tr("Rows that are not a usable part"),
            tr("Figures that cannot be right, in imported rows"),
        )


def _aligned(column: int) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft)
