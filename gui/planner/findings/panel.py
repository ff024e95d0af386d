"""What the rules found: counts, the list, and beneath it the reasons and fixes of the selected finding."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from core.language import joined, tr
from core.rules.engine import not_checked, summary
from core.rules.finding import Status
from gui.planner.document import PlanDocument
from gui.planner.findings.figure_fields import FigureFields
from gui.planner.findings.finding_list import WrappedList
from gui.planner.findings.fixing import Fixing
from gui.planner.findings.model import FindingRow, FindingsModel, finding_rows, found_in
from gui.planner.findings.reasons import Reasons
from gui.theme import theme
from gui.widgets.empty import EmptyState
from gui.widgets.text import Label

ICON = 16
ORDER = ("fail", "warn", "unknown", "note", "pass")

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
        self._picked: FindingRow | None = None
        self.view = WrappedList(
            self.model, tr("Findings"), tr("What the rules say about the build, the most urgent first"), self
        )
        self.tally = FindingsTally(self)
        self.hide_settled = QCheckBox(tr("Hide passed"), self)
        self.hide_settled.setToolTip(tr("Hides what passed; what was not checked has its own tab"))
        self.hide_settled.setChecked(True)
        self.hide_settled.toggled.connect(self.model.set_hide_settled)
        self.solve_all = QPushButton(theme().icon("fix"), tr("Solve all …"), self)
        self.solve_all.setToolTip(tr("Tries fixes one after the other and shows what they cost together"))
        self.solve_all.clicked.connect(self.solving_wanted)
        self._rest = Label(self)
        self._rest.setForegroundRole(self._rest.palette().ColorRole.PlaceholderText)
        self._rest.setWordWrap(True)
        self.reasons = Reasons(document, fixing, self)
        self.reasons.keyboard_left.connect(self._take_keyboard)
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
        head = QHBoxLayout()
        head.setContentsMargins(8, 8, 8, 4)
        head.addWidget(self.tally, 1)
        head.addWidget(self.hide_settled)
        self.split = QSplitter(Qt.Orientation.Vertical, self)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.view)
        self.split.addWidget(self.reasons)
        self.split.setSizes([360, 200])
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.split, 1)
        column.addWidget(self.figures)
        column.addWidget(self._empty, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 4, 8, 4)
        foot.addWidget(self._rest, 1)
        foot.addWidget(self.solve_all)
        column.addLayout(foot)

    @Slot()
    def _follow(self) -> None:
        counts, has_parts = summary(found_in(self._document)), bool(self._document.build.lines)
        self.tally.show_counts({status.value: counts[status] for status in counts if status is not Status.PASS})
        self.solve_all.setEnabled(bool(counts[Status.FAIL] or counts[Status.WARN]))
        listed = has_parts and self.model.rowCount() > 0
        self.split.setVisible(listed)
        self._empty.setVisible(not listed)
        self._empty.set_sentence(_ALL_PASSED if has_parts else _NO_PARTS)
        self._rest.setVisible(has_parts)
        self._rest.setText(self._rest_words(counts[Status.PASS], self.unchecked()))
        row = self.model.row_of(self._picked) if self._picked else None
        if row is None:
            self._picked = None
            self.reasons.show_finding(None)
            self.figures.show_figures(self._document.build, ())
        elif self.view.currentIndex().row() != row:
            self.view.setCurrentIndex(self.model.index(row))
        else:
            self.reasons.show_finding(self.model.row(row).finding)

    def _rest_words(self, passed: int, unchecked: int) -> str:
        words = tr("{count} passed", count=passed)
        return joined([words, tr("{count} not checked", count=unchecked)], ", ") if unchecked else words

    @Slot()
    def _recolour(self) -> None:
        self.solve_all.setIcon(theme().icon("fix"))

    @Slot()
    def _take_keyboard(self) -> None:
        self.view.setFocus()

    @Slot(QModelIndex, QModelIndex)
    def _pick(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not current.isValid():
            return
        self._picked = self.model.row(current.row())
        finding = self._picked.finding
        assert finding is not None
        self.reasons.show_finding(finding)
        self.figures.show_figures(self._document.build, finding.needed)
        self.parts_picked.emit(finding.parts, finding.slots)


class FindingsTally(QWidget):
    """Statuses without a count are left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: dict[str, int] = {}
        self._pairs = {status: (Label(self), Label(self)) for status in ORDER}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for picture, count in self._pairs.values():
            row.addWidget(picture)
            row.addWidget(count)
        row.addStretch(1)
        theme().changed.connect(self._repaint)

    def show_counts(self, counts: dict[str, int]) -> None:
        """Shows the counts by status name."""
        self._counts = counts
        self._repaint()

    @Slot()
    def _repaint(self) -> None:
        spoken = []
        for status, (picture, label) in self._pairs.items():
            count = self._counts.get(status, 0)
            picture.setVisible(count > 0)
            label.setVisible(count > 0)
            if count:
                picture.setPixmap(theme().status_icon(status).pixmap(ICON, ICON))
                label.setText(str(count))
                picture.setToolTip(self._word(status))
                label.setToolTip(self._word(status))
                spoken.append(f"{count} {self._word(status)}")
        self.setAccessibleName(joined(spoken, ", "))

    def _word(self, status: str) -> str:
        return {
            "fail": tr("fail"),
            "warn": tr("warning"),
            "unknown": tr("unknown"),
            "note": tr("note"),
            "pass": tr("passed"),
        }[status]
