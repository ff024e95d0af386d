"""Dialogs of figures that are lists: ticks in a closed list, and rows of a table with the example of a shipped part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from core.parts.catalogue import Catalogue
from core.parts.entered import plain_figures
from core.parts.form_figure import FieldKind, FormFigure, checked, row_text, shown, typed
from core.parts.part import Origin, Part
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import tr
from gui.parts.controls import outline
from gui.widgets.banner import NoticeBanner
from gui.widgets.form import Piece, column_of, dialog_buttons, line_edit, named, push_button, row_of
from gui.widgets.table import Entry, TableColumn, TableModel, TableView
from gui.widgets.text import Label, paragraph
from gui.widgets.views import quiet_selection

Standard = QDialogButtonBox.StandardButton


class TicksDialog(QDialog):
    """`value` is the list of what is ticked; with nothing ticked, unknown or none as the box below says."""

    def __init__(self, figure: FormFigure, value: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self._figure = figure
        self.setWindowTitle(figure.label)
        self.resize(320, 420)
        self.list = QListWidget(self)
        self.list.setAccessibleName(figure.label)
        self.list.setSpacing(2)
        outline(self.list)
        quiet_selection(self.list)
        for choice in figure.choices:
            item = QListWidgetItem(choice.label, self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if choice.value in (value or ()) else Qt.CheckState.Unchecked)
        self.list.setCurrentRow(0)
        self.known_box = QCheckBox(tr("Known: nothing ticked means none"), self)
        self.known_box.setVisible(figure.can_be_unknown)
        self.known_box.setChecked(value is not None and not value)
        hint = paragraph(self, tr("Space ticks. With nothing ticked the figure is unknown."))
        hint.setVisible(figure.can_be_unknown)
        buttons = dialog_buttons(self, Standard.Ok, Standard.Cancel)
        column_of(self.list, hint, self.known_box, buttons, into=self, margins=16, spacing=8)

    def accept(self) -> None:
        """Takes what is ticked."""
        items = (self.list.item(row) for row in range(self.list.count()))
        pairs = zip(self._figure.choices, items, strict=True)
        ticked = [choice.value for choice, item in pairs if item.checkState() is Qt.CheckState.Checked]
        is_known = ticked or self.known_box.isChecked() or not self._figure.can_be_unknown
        self.value = ticked if is_known else None
        super().accept()


@dataclass(eq=False, slots=True)
class TypedRow:
    """What was typed into the cells of a row, right or wrong; figures of `columns` in their order."""

    columns: tuple[FormFigure, ...]
    texts: list[str]

    def plain(self) -> dict[str, Any]:
        """The figures. Raises BadInput."""
        return {column.name: typed(column, text) for column, text in zip(self.columns, self.texts, strict=True)}

    def problem(self, place: int) -> str:
        """Why a cell cannot be; empty where it can."""
        try:
            typed(self.columns[place], self.texts[place])
        except BadInput as error:
            return str(error)
        return ""


class RowsModel(TableModel[TypedRow]):
    """Rows of a figure; cells hold what was typed, and `plain()` says whether it is right."""

    def __init__(self, figure: FormFigure, parent: QObject | None = None) -> None:
        self.figure = figure
        columns = [self._column(place, column) for place, column in enumerate(figure.columns)]
        number: TableColumn[TypedRow] = TableColumn("", lambda row: str(self.rows.index(row) + 1))
        super().__init__(columns, lambda row: row, parent, heads=number)

    def show_plain(self, rows: list[dict[str, Any]]) -> None:
        """Replaces all rows."""
        columns = self.figure.columns
        self.show_rows(TypedRow(columns, [shown(column, row.get(column.name)) for column in columns]) for row in rows)

    def plain(self) -> list[dict[str, Any]]:
        """The rows. Raises BadInput naming row and column of the first problem."""
        for number, row in enumerate(self.rows, start=1):
            for place, column in enumerate(self.figure.columns):
                if problem := row.problem(place):
                    words = tr("Row {row}, {name}: {problem}", row=number, name=column.label, problem=problem)
                    raise BadInput(words)
        return [row.plain() for row in self.rows]

    def add_row(self, after: int) -> int:
        """A new row below another one, with what that one has except numbers that count up; its place."""
        place = min(max(after + 1, 0), len(self.rows))
        columns = self.figure.columns
        texts = list(self.rows[place - 1].texts) if place else [shown(column, column.default) for column in columns]
        if place and columns[0].name == "position" and texts[0].isdecimal():
            texts[0] = str(int(texts[0]) + 1)
        self.show_rows((*self.rows[:place], TypedRow(columns, texts), *self.rows[place:]))
        return place

    def remove_row(self, row: int) -> None:
        """Takes a row out."""
        self.show_rows(self.rows[:row] + self.rows[row + 1 :])

    def move_row(self, row: int, by: int) -> int:
        """Moves a row up or down; its new place."""
        other = row + by
        if not 0 <= other < len(self.rows):
            return row
        rows = list(self.rows)
        rows[row], rows[other] = rows[other], rows[row]
        self.show_rows(rows)
        return other

    def _column(self, place: int, column: FormFigure) -> TableColumn[TypedRow]:
        unknown = tr("unknown") if column.can_be_unknown else ""

        def take(row: TypedRow, value: Any) -> bool:
            row.texts[place] = str(value)
            self.show_rows(self.rows)
            return True

        return TableColumn(
            column.heading,
            lambda row: row.texts[place] or unknown,
            tip=lambda row: row.problem(place),
            described=lambda row: row.problem(place),
            tone=lambda row: "fail" if row.problem(place) else "text" if row.texts[place] else "muted",
            entry=Entry(lambda row: row.texts[place], take, editor=_cell_editor(column)),
        )


EXAMPLE_LINES = 4


@dataclass(frozen=True, slots=True)
class Example:
    """How a shipped part has the figure."""

    title: str
    rows: list[dict[str, Any]]


class TableDialog(QDialog):
    """Accepted only with rows that can be; `value` is then the figure."""

    def __init__(self, figure: FormFigure, value: Any, example: Example | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value = value
        self._figure = figure
        self._example = example
        self.model = RowsModel(figure, self)
        self.table = TableView(self.model, figure.label, self)
        self.known_box = QCheckBox(tr("Known: no rows means there are none"), self)
        self.notice = NoticeBanner(self)
        self.setWindowTitle(figure.label)
        self.resize(820 if len(figure.columns) > 5 else 560, 420)
        self._arrange()
        self.model.show_plain(value or [])
        self.known_box.setVisible(figure.can_be_unknown)
        self.known_box.setChecked(value is not None)
        self._size_columns()
        self.table.setCurrentIndex(self.model.index(0, 0))

    def accept(self) -> None:
        """Takes the rows, or says what is wrong and stays."""
        try:
            rows = self.model.plain()
            is_known = rows or self.known_box.isChecked() or not self._figure.can_be_unknown
            self.value = checked(self._figure, rows) if is_known else None
        except BadInput as error:
            self.notice.say(str(error))
            return
        super().accept()

    @Slot()
    def add_row(self) -> None:
        """One more row, below the chosen one."""
        row = self.model.add_row(self.table.currentIndex().row() if self.model.rowCount() else -1)
        self.known_box.setChecked(True)
        self.table.setCurrentIndex(self.model.index(row, 0))
        self.table.setFocus()

    @Slot()
    def remove_row(self) -> None:
        """Takes out the chosen row; the cursor goes to the one that follows."""
        here = self.table.currentIndex()
        if here.isValid():
            self.model.remove_row(here.row())
            self.table.setCurrentIndex(self.model.index(min(here.row(), len(self.model.rows) - 1), here.column()))

    @Slot()
    def take_example(self) -> None:
        """The rows of the shipped part."""
        assert self._example is not None
        self.known_box.setChecked(True)
        self.model.show_plain(self._example.rows)
        self._size_columns()
        self.table.setCurrentIndex(self.model.index(0, 0))

    @Slot()
    def move_up(self) -> None:
        """Moves the chosen row up."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Moves the chosen row down."""
        self._move(1)

    def _size_columns(self) -> None:
        self.table.resizeColumnsToContents()
        narrowest = 56 if self.model.columnCount() > 5 else 120
        for column in range(self.model.columnCount() - 1):
            self.table.setColumnWidth(column, max(self.table.columnWidth(column) + 8, narrowest))

    def _move(self, by: int) -> None:
        here = self.table.currentIndex()
        if here.isValid():
            self.table.setCurrentIndex(self.model.index(self.model.move_row(here.row(), by), here.column()))

    def _arrange(self) -> None:
        self.table.verticalHeader().show()
        self.table.setShowGrid(True)
        self.table.setSelectionBehavior(TableView.SelectionBehavior.SelectItems)
        works = (
            (tr("&Add row"), self.add_row),
            (tr("&Remove row"), self.remove_row),
            (tr("Move &up"), self.move_up),
            (tr("Move &down"), self.move_down),
        )
        pieces: list[Piece] = [self.notice, (self.table, 1)]
        pieces += [row_of(*(push_button(self, text, work) for text, work in works), 1), self.known_box]
        if self._example is not None:
            pieces.append(self._example_row(self._example))
        buttons = dialog_buttons(self, Standard.Ok, Standard.Cancel)
        column_of(*pieces, buttons, into=self, margins=16, spacing=8)

    def _example_row(self, example: Example) -> QHBoxLayout:
        lines = [row_text(self._figure, one) for one in example.rows[:EXAMPLE_LINES]]
        if len(example.rows) > EXAMPLE_LINES:
            lines.append("…")
        heading = tr("As in {part}:", part=example.title)
        label = Label("\n".join([heading, *(f"    {line}" for line in lines)]), self)
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        take = push_button(self, tr("Use the &example"), self.take_example)
        return row_of((label, 1), column_of(1, take))


def _cell_editor(column: FormFigure) -> Callable[[QWidget], QWidget]:
    """A closed list as a combo box, everything else as a line."""
    words = [choice.label for choice in column.choices]
    if column.kind is FieldKind.YES_NO:
        words = [shown(column, True), shown(column, False)]

    def make(parent: QWidget) -> QWidget:
        if column.kind not in (FieldKind.CHOICE, FieldKind.YES_NO):
            line = line_edit(parent, column.heading)
            line.setFrame(False)  # the cell has a frame of its own
            return line
        box = named(QComboBox(parent), column.heading)
        box.addItems([*([""] if column.can_be_unknown else []), *words])
        return box

    return make


class Examples:
    """Reads the shipped parts of a category once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._parts: dict[Category, list[Part]] = {}

    def of(self, category: Category, figure: FormFigure) -> Example | None:
        """The shipped part with the most rows of it, within reason; None if no part has any."""
        if category not in self._parts:
            self._parts[category] = list(self._catalogue.parts(origin=Origin.SHIPPED, category=category))
        having = [part for part in self._parts[category] if getattr(part.spec, figure.name)]
        if not having:
            return None
        best = max(having, key=lambda part: len(getattr(part.spec, figure.name)))
        return Example(best.title, plain_figures(best)[figure.name])
