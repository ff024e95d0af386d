"""A table of a topic as Qt shows it: each figure with its band below, what it rests on in the tooltip."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from core.plan.build import Build
from core.predict.band import Band
from core.present.report.document import (
    Badge,
    BandBar,
    Block,
    Cell,
    Figure,
    Illustration,
    Nothing,
    ReportColumn,
    Table,
    Tone,
    Words,
)
from core.present.report.formatting import two_lines
from core.rules.finding import figure_phrase
from core.words import joined, plain, tr
from gui.widgets.figures import DASH, middle, span
from gui.widgets.table import Index, Role
from gui.widgets.text import tip
from gui.widgets.theme import theme
from gui.widgets.units import here, local, unit_here

BELOW_ROLE = Role.UserRole + 20
"""The second, smaller line of a cell: the band of its figure."""
BAR_ROLE = Role.UserRole + 21
SORT_ROLE = Role.UserRole + 22
MARK_ROLE = Role.UserRole + 23
"""Name of the icon that stands before a figure in a warning colour: colour alone is not seen by all."""
MARKED = ("warn", "fail")
MARK = "?"
"""Behind a band in which defaults stand in for unknown figures."""


@dataclass(frozen=True, slots=True)
class FigureCell:
    """`tone` names a colour of the theme. `bar` is low, expected and high as shares of the column's width.

    `order` is what the cell sorts by; None for unknown figures, which stand last.
    """

    text: str
    below: str = ""
    tip: str = ""
    tone: str = ""
    bar: tuple[float, float, float] | None = None
    order: float | str | None = None


def shown_cell(cell: Cell, column: ReportColumn, build: Build) -> FigureCell:
    """A cell in the units of the window. A figure carries its unit only where the heading does not."""
    match cell:
        case Figure():
            return _figure_cell(cell, column, build)
        case Words(text, below, about, tone, order):
            return FigureCell(text, below, about, _colour(tone), order=order)
        case Badge(word, tone):
            return FigureCell(word, tone=_colour(tone))
        case BandBar(low, expected, high):
            return FigureCell("", bar=(low, expected, high), order=expected)
        case Nothing(about):
            return FigureCell(DASH, tip=about, tone="muted")
        case _:
            return FigureCell(cell)


def _figure_cell(figure: Figure, column: ReportColumn, build: Build) -> FigureCell:
    band = figure.band
    if band is None:
        return FigureCell(tr("unknown"), tip=figure.about, tone="muted")
    shown = here(band)
    text = middle(shown) if column.unit else joined((middle(shown), shown.unit))
    order = band.expected if figure.order is None else figure.order
    return FigureCell(text, span_words(band), tip_of(build, band, figure.about), _colour(figure.tone), order=order)


def _colour(tone: Tone) -> str:
    return "" if tone is Tone.PLAIN else "muted" if tone is Tone.UNKNOWN else tone.value


def span_words(band: Band) -> str:
    """The two ends, with a mark where defaults stand in for unknown figures; nothing for an exact figure."""
    if not band.width:
        return ""
    return f"{span(here(band))} {MARK}" if band.missing else span(here(band))


def tip_of(build: Build, band: Band, about: str = "") -> str:
    """What a figure rests on, a sentence a line."""
    lines = [*([about] if about else []), *band.assumptions]
    if band.missing:
        figures = figure_phrase(build, band.missing)
        lines.append(tr("Unknown, replaced by wide defaults: {figures}", figures=figures))
    return joined(lines, "\n")


def mark_words(blocks: Iterable[Block]) -> str:
    """What the mark means; empty where no figure carries it."""
    tables = [block.figures if isinstance(block, Illustration) else block for block in blocks]
    cells = (cell for table in tables if isinstance(table, Table) for row in table.rows for cell in row)
    if not any(isinstance(cell, Figure) and cell.band and cell.band.missing for cell in cells):
        return ""
    return tr("{mark}  Wide defaults replace unknown figures; the Basis section lists them.", mark=MARK)


class FiguresModel(QAbstractTableModel):
    """Read-only; all rows are replaced at once, or only their figures where the keys stay."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[ReportColumn, ...] = ()
        self._keys: list[Hashable] = []
        self._rows: list[tuple[FigureCell, ...]] = []

    def show_table(self, table: Table, build: Build) -> None:
        """Its rows. Figures that only differ leave choice and place of scrolling as they are."""
        keys: list[Hashable] = list(table.keys or range(len(table.rows)))
        rows = [
            tuple(shown_cell(cell, column, build) for cell, column in zip(row, table.columns, strict=True))
            for row in table.rows
        ]
        if keys == self._keys and len(table.columns) == len(self._columns):
            self._columns, self._rows = table.columns, rows
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self._columns) - 1))
            return
        self.beginResetModel()
        self._columns, self._keys, self._rows = table.columns, keys, rows
        self.endResetModel()

    def key(self, index: Index) -> Hashable | None:
        """What a row stands for."""
        return self._keys[index.row()] if index.isValid() else None

    def row_of(self, key: Hashable) -> int | None:
        """The row that stands for something."""
        return self._keys.index(key) if key in self._keys else None

    def cell(self, row: int, column: int) -> FigureCell:
        """What a place holds."""
        return self._rows[row][column]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        title = local(column.title)
        if column.unit:
            title = plain("{title}, {unit}", title=title, unit=unit_here(column.unit))
        match role:
            case Role.DisplayRole:
                return two_lines(title) if column.numeric else title
            case Role.AccessibleTextRole:
                return title
            case Role.ToolTipRole:
                return tip(column.about) or None
            case Role.TextAlignmentRole:
                return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self._rows[index.row()][index.column()]
        match role:
            case Role.DisplayRole:
                return local(cell.text)
            case Role.ToolTipRole:
                return tip(cell.tip) or None
            case Role.AccessibleTextRole:
                mark = {"warn": tr("warning"), "fail": tr("over the limit")}.get(self._mark(index), "")
                return ", ".join(filter(None, (local(cell.text), local(cell.below), mark)))
            case Role.AccessibleDescriptionRole:
                return local(cell.tip) or None
            case Role.TextAlignmentRole:
                return self._alignment(index.column())
            case Role.ForegroundRole:
                return theme().color(cell.tone) if cell.tone else None
        own = {BELOW_ROLE: local(cell.below), BAR_ROLE: cell.bar, SORT_ROLE: cell.order, MARK_ROLE: self._mark(index)}
        return own.get(role)

    def _mark(self, index: Index) -> str:
        """None for words, which say by themselves what their colour says."""
        tone = self._rows[index.row()][index.column()].tone
        return tone if tone in MARKED and self._columns[index.column()].numeric else ""

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if self._columns[column].numeric else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter
