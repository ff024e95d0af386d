"""What the rules found, with reasons and fixes; what they could not check, and fields for the figures they wait for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QPushButton, QSplitter, QWidget

from core.parts.figures import field_words
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.rules.engine import not_checked, summary
from core.rules.finding import SEVERITY, Finding, Status
from core.words import joined, tr
from core.words.units import unit_of
from gui.planner.document import PlanDocument
from gui.planner.findings.finding_list import (
    FindingRow,
    FindingsModel,
    WrappedList,
    finding_key,
    finding_rows,
    found_in,
    unchecked_rows,
)
from gui.planner.findings.fixes import Fixing, Reasons
from gui.widgets.empty import EmptyState
from gui.widgets.form import column_of, push_button, row_of
from gui.widgets.text import Label, paragraph
from gui.widgets.theme import theme
from gui.widgets.units import unit_here

MOST = 4
"""More figures than this are entered in the part's own editor."""


class FigureFields(QWidget):
    """`entered(part id, field, text)` for a figure that was typed; `editor_wanted(part id, field)` for a table."""

    entered = Signal(str, str, str)
    editor_wanted = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: tuple[str, ...] = ()
        self.fields: list[FigureField] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 4, 8, 4)
        self._grid.setColumnStretch(0, 1)
        self.hide()

    def show_figures(self, build: Build, figures: Sequence[str]) -> None:
        """One row for each figure ("part-id.field"); what was typed stays while the same figures are asked for."""
        listed = tuple(figures[:MOST])
        self.setVisible(bool(listed))
        if listed == self._figures:
            return
        self._figures = listed
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.fields = []
        for row, figure in enumerate(listed):
            part_id, _, field = figure.rpartition(".")
            line = build.line(part_id)
            if line is not None:
                self._add(row, FigureField(line.part.category, part_id, field, line.part.title, self))

    def _add(self, row: int, field: FigureField) -> None:
        field.entered.connect(self.entered)
        field.editor_wanted.connect(self.editor_wanted)
        self.fields.append(field)
        for column, widget in enumerate((field.label, field.line, field.unit, field.button)):
            if widget is not None:
                self._grid.addWidget(widget, row, column)


class FigureField(QWidget):
    """A figure's name, a line to type it, its unit and the button that stores it. A table has a button alone."""

    entered = Signal(str, str, str)
    editor_wanted = Signal(str, str)

    def __init__(self, category: Category, part_id: str, field: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()  # only its widgets are laid out
        self._part_id, self._field = part_id, field
        words = field_words(field)
        name = tr("{figure} of {part}", figure=words[:1].upper() + words[1:], part=title)
        self.label = paragraph(parent, name)
        self.line: QLineEdit | None = None
        self.unit = Label(unit_here(unit_of(field)), parent)
        self.button = QPushButton(parent)
        if is_typed(category, field):
            self.line = QLineEdit(parent)
            self.line.setMaximumWidth(self.line.fontMetrics().averageCharWidth() * 14)
            self.line.setAlignment(Qt.AlignmentFlag.AlignRight)
            self.line.setAccessibleName(self.label.text())
            self.line.setToolTip(tr("Stored as a figure of your own; it survives updates, and undo reverts it"))
            self.line.returnPressed.connect(self._enter)
            self.label.setBuddy(self.line)
            self.button.setText(tr("Enter"))
            self.button.clicked.connect(self._enter)
        else:
            self.button.setText(tr("Enter …"))
            self.button.setToolTip(tr("Opens the part at this figure"))
            self.button.clicked.connect(self._open)
        self.button.setAccessibleName(f"{self.button.text()} {self.label.text()}")

    @Slot()
    def _enter(self) -> None:
        text = self.line.text().strip() if self.line is not None else ""
        if text:
            self.entered.emit(self._part_id, self._field, text)

    @Slot()
    def _open(self) -> None:
        self.editor_wanted.emit(self._part_id, self._field)


def is_typed(category: Category, field: str) -> bool:
    """Whether a figure is a number that can be typed in one line: no list, table or choice."""
    kind = str(spec_model(category).model_fields[field].annotation)
    return "tuple" not in kind and ("float" in kind or "int" in kind)


ICON = 16

_NO_PARTS = tr("Parts that do not fit, lack power or run too hot are listed here.")
_ALL_PASSED = tr("Nothing needs attention: everything that was checked passed.")


class FindingsPanel(QWidget):
    """`parts_picked` says which parts and slots the selected finding is about; `solving_wanted` asks for the fixes of
    all findings."""

    parts_picked = Signal(tuple, tuple)
    solving_wanted = Signal()

    def __init__(self, document: PlanDocument, fixing: Fixing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FindingsModel(document, finding_rows, self)
        self._document = document
        self._fixing = fixing
        meaning = tr("What the rules say about the build, the most urgent first")
        self.view = WrappedList(self.model, tr("Findings"), meaning, self)
        self.tally = FindingsTally(self)
        self.hide_settled = QCheckBox(tr("Hide passed"), self)
        self.hide_settled.setToolTip(tr("Hides what passed; what was not checked has its own tab"))
        self.hide_settled.setChecked(True)
        self.hide_settled.toggled.connect(self.model.set_hide_settled)
        solving = tr("Tries fixes one after the other and shows what they cost together")
        self.solve_all = push_button(self, tr("Solve all …"), self.solving_wanted.emit, icon="fix", meaning=solving)
        self._rest = paragraph(self, quiet=True)
        self.reasons = Reasons(document, fixing, self)
        self.reasons.keyboard_left.connect(self.view.setFocus)
        self.figures = FigureFields(self)
        self._empty = EmptyState("", parent=self)
        self._lay_out()
        self.model.modelReset.connect(self._follow)
        document.changed.connect(self._follow)
        theme().changed.connect(self._recolour)
        self.view.selectionModel().currentChanged.connect(self._pick)
        self._follow()

    def unchecked(self) -> int:
        """How many questions have no answer."""
        return len(not_checked(found_in(self._document)))

    def _lay_out(self) -> None:
        head = row_of((self.tally, 1), self.hide_settled, margins=(8, 8, 8, 4))
        foot = row_of((self._rest, 1), self.solve_all, margins=(8, 4, 8, 4))
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.view)
        self.split.addWidget(self.reasons)
        self.split.setSizes([360, 200])
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 1)
        column_of(head, (self.split, 1), self.figures, (self._empty, 1), foot, into=self, spacing=0)

    @Slot()
    def _follow(self) -> None:
        counts, has_parts = summary(found_in(self._document)), bool(self._document.build.lines)
        self.tally.show_counts({status: counts[status] for status in counts if status is not Status.PASS})
        self.solve_all.setEnabled(bool(counts[Status.FAIL] or counts[Status.WARN]))
        listed = has_parts and self.model.rowCount() > 0
        self.split.setVisible(listed)
        self._empty.setVisible(not listed)
        self._empty.set_sentence(_ALL_PASSED if has_parts else _NO_PARTS)
        self._rest.setVisible(has_parts)
        self._rest.setText(self._rest_words(counts[Status.PASS], self.unchecked()))
        finding = self._fixing.finding
        place = self.model.row_of(finding_key(finding)) if finding is not None else None
        if place is None:
            self._look_at(None)
        elif self.view.currentIndex().row() != place:
            self.view.setCurrentIndex(self.model.index(place, 0))
        else:
            self._look_at(self.model.rows[place].finding)

    def _look_at(self, finding: Finding | None) -> None:
        self._fixing.look_at(finding)
        self.figures.show_figures(self._document.build, finding.needed if finding is not None else ())

    def _rest_words(self, passed: int, unchecked: int) -> str:
        words = Status.PASS.counted(passed)
        return joined([words, tr("{count} not checked", count=unchecked)], ", ") if unchecked else words

    @Slot()
    def _recolour(self) -> None:
        self.solve_all.setIcon(theme().icon("fix"))

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.model.row(current)
        if row is None or row.finding is None:
            return
        self._look_at(row.finding)
        self.parts_picked.emit(row.finding.parts, row.finding.slots)


class FindingsTally(QWidget):
    """Statuses without a count are left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: dict[Status, int] = {}
        self._pairs = {status: (Label(self), Label(self)) for status in SEVERITY}
        row_of(*(label for pair in self._pairs.values() for label in pair), 1, into=self, spacing=4)
        theme().changed.connect(self._repaint)

    def show_counts(self, counts: dict[Status, int]) -> None:
        """Shows how many findings there are of each."""
        self._counts = counts
        self._repaint()

    @Slot()
    def _repaint(self) -> None:
        spoken = []
        for status, (picture, label) in self._pairs.items():
            count = self._counts.get(status, 0)
            for one in (picture, label):
                one.setVisible(count > 0)
                one.setToolTip(status.counted(count))
            if count:
                picture.setPixmap(theme().status_icon(status.value).pixmap(ICON, ICON))
                label.setText(str(count))
                spoken.append(status.counted(count))
        self.setAccessibleName(joined(spoken, ", "))


class UncheckedPanel(QWidget):
    """`part_picked(part id)` at each choice; `figure_wanted(part id, field)` asks for the editor at that figure."""

    part_picked = Signal(str)
    figure_wanted = Signal(str, str)

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._picked: FindingRow | None = None
        self.model = FindingsModel(document, unchecked_rows, self)
        self.view = WrappedList(self.model, tr("Not checked"), tr("Enter opens the part at the missing figure"), self)
        self.heading = paragraph(self, tr("Enter these figures to complete the check:"))
        self.heading.setContentsMargins(8, 8, 8, 8)
        meaning = tr("Opens the part at this figure; the correction is yours and survives updates")
        self.enter_button = push_button(self, tr("Enter figure …"), self.enter, meaning=meaning)
        self._empty = EmptyState("", parent=self)
        foot = row_of(self.enter_button, margins=(8, 8, 8, 0))
        column_of(self.heading, (self.view, 1), (self._empty, 1), foot, into=self, margins=(0, 0, 0, 8), spacing=0)
        self.view.selectionModel().currentChanged.connect(self._pick)
        self.view.activated.connect(self.enter)
        self.model.modelReset.connect(self._follow)
        document.changed.connect(self._show_state)
        self._follow()

    @Slot()
    def enter(self) -> None:
        """Asks for the editor at the chosen figure."""
        if self._picked is not None and self._picked.field:
            self.figure_wanted.emit(self._picked.part_id, self._picked.field)

    @Slot()
    def _follow(self) -> None:
        place = self.model.row_of(self._picked.key) if self._picked else None
        self._picked = None
        if place is not None:
            self.view.setCurrentIndex(self.model.index(place, 0))
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        some = self.model.rowCount() > 0
        figures = some and bool(self.model.rows[0].field)
        for widget in (self.view, self.enter_button):
            widget.setVisible(some)
        self.heading.setVisible(figures)
        self.enter_button.setEnabled(self._picked is not None and bool(self._picked.field))
        self._empty.setVisible(not some)
        no_parts = tr("Rules that lack a figure or a part are listed here.")
        self._empty.set_sentence(tr("Every rule could be checked.") if self._document.build.lines else no_parts)

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._picked = self.model.row(current)
        self._show_state()
        if self._picked is not None and self._picked.part_id:
            self.part_picked.emit(self._picked.part_id)
