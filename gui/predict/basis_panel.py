"""What all predictions rest on: assumptions, figures that nobody knows, and those that no source confirms."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from core.parts.field_words import field_words
from core.parts.part import Evidence, Part
from core.rules.reads import NOISE_READS, WALL_READS, all_of
from core.rules.words import figures_by_part
from gui.planner.document import PlanDocument
from gui.predict.figures_model import Cell, FiguresModel, Heading, Row
from gui.predict.figures_view import FiguresView
from gui.predict.panel import Panel
from gui.predict.words import listed
from gui.widgets.labels import heading, sentence

READS = all_of(NOISE_READS, WALL_READS)
"""Figures that power, temperature and noise look at."""


class BasisPanel(Panel):
    """The wider a band, the more of its reasons stand here."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self.assumptions = sentence(self)
        self.unknown = self._table(self.tr("Unknown figures, wide defaults stand in"))
        self.unconfirmed = self._table(self.tr("Unconfirmed figures"))
        self._all_known = sentence(self, self.tr("No figure is unknown."))
        self._all_confirmed = sentence(self, self.tr("A source confirms every figure."))
        for widget in (
            heading(self.tr("Assumptions"), self),
            self.assumptions,
            heading(self.tr("Unknown figures: wide defaults stand in for them"), self),
            self.unknown,
            self._all_known,
            heading(self.tr("Unconfirmed figures: no source that was read says so"), self),
            self.unconfirmed,
            self._all_confirmed,
        ):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    def refresh(self) -> None:
        """All lists."""
        build, known = self.document.build, self.assessment
        prediction, speed = known.prediction, known.speed
        assumed = dict.fromkeys((*prediction.assumptions, *speed.assumptions))
        self.assumptions.setText(listed(assumed))
        unknown = figures_by_part(build, {*prediction.missing, *speed.missing})
        unconfirmed = [(line.part.title, words) for line in build.lines if (words := _unconfirmed(line.part))]
        self._show(self.unknown, self._all_known, unknown)
        self._show(self.unconfirmed, self._all_confirmed, unconfirmed)
        self.lead.setText(
            self.tr(
                "Everything here is predicted, not measured. Bands are wide where figures are unknown; entering them "
                "in the Plan (Parts, Correct part) or calibrating by a run narrows them."
            )
        )

    def _show(self, table: FiguresView, none: QWidget, rows: list[tuple[str, str]]) -> None:
        table.figures.show_rows(
            [Row((title, place), (Cell(title, fields),)) for place, (title, fields) in enumerate(rows)]
        )
        table.setVisible(bool(rows))
        none.setVisible(not rows)

    def _table(self, name: str) -> FiguresView:
        return FiguresView(
            FiguresModel((Heading(self.tr("Part, and which of its figures"), words=True),), self), name, self
        )


def _unconfirmed(part: Part) -> str:
    """The part's figures that predictions read, are known, and that no source confirms."""
    return ", ".join(dict.fromkeys(field_words(field) for field in _fields(part)))


def _fields(part: Part) -> Iterator[str]:
    for name in READS:
        category, field = name.split(".")
        if category == part.category.value and part.evidence(field) is Evidence.UNCONFIRMED and _is_stated(part, field):
            yield field


def _is_stated(part: Part, field: str) -> bool:
    """Defaults of the form that nobody stated are no figures."""
    return bool(getattr(part.spec, field) != type(part.spec).model_fields[field].default)
