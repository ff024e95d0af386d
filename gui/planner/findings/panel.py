"""What the rules found, with reasons and fixes of the selected finding; and what they could not check."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QSplitter, QWidget

from core.rules.engine import not_checked, summary
from core.rules.finding import SEVERITY, Finding, Status
from core.words import joined, tr
from gui.planner.document import PlanDocument
from gui.planner.findings.figure_fields import FigureFields
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
