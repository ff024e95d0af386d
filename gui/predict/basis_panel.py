"""What all predictions rest on: assumptions, figures that nobody knows, and those that no source confirms."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QWidget

from core.parts.figures import field_words
from core.parts.part import Evidence, Part
from core.predict.noise.noise import NOISE_READS
from core.predict.power import WALL_READS
from core.present.report.document import ReportColumn, Words, table
from core.present.report.formatting import bullets
from core.rules.rule import all_of
from core.words import tr
from gui.guide.terms import explained_heading
from gui.planner.document import PlanDocument
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.widgets.form import fill, row_of
from gui.widgets.text import heading, sentence

READS = all_of(NOISE_READS, WALL_READS)
"""Figures that power, temperature and noise look at."""


class BasisPanel(Panel):
    """The wider a band, the more of its reasons are listed here."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.assumptions = sentence(self)
        self.unknown = FiguresView(tr("Unknown figures, replaced by wide defaults"), self)
        self.unconfirmed = FiguresView(tr("Unconfirmed figures"), self)
        self.enter = QPushButton(tr("Enter &figure …"), self)
        self.enter.setToolTip(tr("Opens the part at the chosen figure; the correction is saved as yours"))
        self.enter.clicked.connect(self._enter)
        self.unknown.activated.connect(self._enter)
        self.unconfirmed.activated.connect(self._enter)
        self._last: FiguresView = self.unknown
        for view in (self.unknown, self.unconfirmed):
            view.chosen.connect(partial(self._choose, view))
        self._all_known = sentence(self, tr("No figure is unknown."))
        self._all_confirmed = sentence(self, tr("A source confirms every figure."))
        fill(
            self.body,
            heading(tr("Assumptions"), self),
            self.assumptions,
            explained_heading(tr("Unknown figures, replaced by wide defaults"), "defaults", self),
            self.unknown,
            self._all_known,
            explained_heading(tr("Unconfirmed figures: no source that was read supports them"), "evidence", self),
            self.unconfirmed,
            self._all_confirmed,
            row_of(self.enter, 1),
            1,
        )

    def refresh(self) -> None:
        """All lists."""
        build, assessment = self.document.build, self.assessment
        prediction, speed = assessment.prediction, assessment.speed
        assumed = dict.fromkeys((*prediction.assumptions, *speed.assumptions))
        self.assumptions.setText(bullets(assumed))
        unknown = sorted({*prediction.missing, *speed.missing})
        unconfirmed = [f"{line.part.id}.{field}" for line in build.lines for field in unconfirmed_fields(line.part)]
        self._show(self.unknown, self._all_known, unknown)
        self._show(self.unconfirmed, self._all_confirmed, unconfirmed)
        self.lead.setText(
            tr(
                "Everything here is predicted, not measured. Bands are wide where figures are unknown; "
                "entering them in the Plan (Parts, Correct part) or calibrating with a run narrows them."
            )
        )

    def _show(self, view: FiguresView, none: QWidget, figures: list[str]) -> None:
        keys = [_key(figure) for figure in figures]
        shown = table((ReportColumn(tr("Part, and its figure")),), [(self._title(*key),) for key in keys], keys=keys)
        view.show_table(shown, self.document.build)
        view.setVisible(bool(figures))
        none.setVisible(not figures)
        self.enter.setEnabled(self._last.key is not None)

    def _title(self, part_id: str, field: str) -> Words:
        line = self.document.build.line(part_id)
        return Words(line.part.title if line else part_id, field_words(field))

    def _choose(self, view: FiguresView, _key: object) -> None:
        """The button opens what was chosen last, in either table."""
        self._last = view
        self.enter.setEnabled(True)

    @Slot()
    def _enter(self) -> None:
        key = self._last.key
        if isinstance(key, tuple):
            self.figure_wanted.emit(*key)


def _key(figure: str) -> tuple[str, str]:
    """Part id and field of "part.field"."""
    part_id, _, field = figure.rpartition(".")
    return part_id, field


def unconfirmed_fields(part: Part) -> Iterator[str]:
    """The part's figures that predictions read, are known, and that no source confirms."""
    for name in READS:
        category, field = name.split(".")
        if category == part.category.value and part.evidence(field) is Evidence.UNCONFIRMED and _is_stated(part, field):
            yield field


def _is_stated(part: Part, field: str) -> bool:
    """Defaults of the form that nobody stated are no figures."""
    return bool(getattr(part.spec, field) != type(part.spec).model_fields[field].default)
