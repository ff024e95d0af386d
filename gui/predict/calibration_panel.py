"""Correcting the predictions by what was measured on the machine; kept with the build, and taken away again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core.build.build import Build
from core.build.calibration import NOTHING
from core.build.site_edits import SetCalibration
from core.calibrate.outcome import Outcome
from core.parts.vocabulary import Category
from gui.background import run_in_background
from gui.history.runs import RunRow, read_runs
from gui.planner.document import PlanDocument
from gui.predict.calibration_form import CalibrationForm
from gui.predict.calibration_job import Request, work_out
from gui.predict.calibration_words import fit_row, in_window, outcome_words, quantity_row, stored_rows
from gui.predict.figures_model import FiguresModel, Heading
from gui.predict.figures_view import FiguresView
from gui.predict.limits import what_counts
from gui.predict.panel import Panel
from gui.predict.study import Study
from gui.predict.words import listed
from gui.widgets.banner import Banner
from gui.widgets.labels import heading, muted, sentence


class CalibrationPanel(Panel):
    """A result is only kept at the press of a button, and then one undoable change."""

    def __init__(self, document: PlanDocument, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(document, parent)
        self._data_dir = data_dir
        self._outcome: Outcome | None = None
        self._measured_on: Build | None = None
        self._study = Study(self)
        self.form = CalibrationForm(self)
        self.stored = FiguresView(FiguresModel(self._stored_headings(), self), self.tr("What is calibrated"), self)
        self.remove = QPushButton(self.tr("Take the calibration away"), self)
        self.result, self.refusals, self._progress = sentence(self), sentence(self), muted(self)
        self.compared = FiguresView(FiguresModel(self._compared_headings(), self), self.tr("Before and after"), self)
        self.fitted = FiguresView(FiguresModel(self._fitted_headings(), self), self.tr("Fitted figures"), self)
        self.remarks = Banner(self)
        self.keep = QPushButton(self.tr("Keep with the build"), self)
        self._head, self._not_fitted = heading(self.tr("Result"), self), heading(self.tr("Not fitted, and why"), self)
        self._lay_out()
        self.form.asked.connect(self._ask)
        self._study.answered.connect(self._take)
        self._study.failed.connect(self._refuse)
        self.keep.clicked.connect(self._keep)
        self.remove.clicked.connect(self._remove)
        self._show_outcome(None)

    @property
    def busy(self) -> bool:
        """Whether a result is still to come."""
        return self._study.busy

    def lack(self) -> str:
        """It takes a machine that something was measured on."""
        if not self.document.build.lines or not self.document.build.count(Category.GPU):
            return self.tr(
                "The build has no GPU. Once the planned machine is built, a run on it, or figures that you measured, "
                "make its predictions exact here."
            )
        return ""

    def refresh(self) -> None:
        """What is stored with the build; and the runs there are."""
        build = self.document.build
        kept = build.calibration
        by = self.tr(", by {whom}").format(whom=kept.by) if kept.by else ""
        self.lead.setText(
            self.tr("Calibrated by {source}{by}, measured {where}.").format(
                source=kept.source, by=by, where=kept.circumstances
            )
            if kept
            else self.tr("Not calibrated: predictions are the model's own, with its wide bands.")
        )
        self.stored.figures.show_rows(list(stored_rows(build)))
        for widget in (self.stored, self.remove):
            widget.setVisible(bool(kept))
        if self._measured_on is not None and self._measured_on != _bare(build):
            self.rest()
            self._measured_on = None
            self._show_outcome(None)
        self.form.offer(self.document.conditions)
        run_in_background(self, partial(read_runs, self._data_dir), self._offer, self._offer_none)

    def rest(self) -> None:
        """A fit that nobody waits for is forgotten."""
        if self._study.busy:
            self._study.rest()
            self._tell("")
            self.form.set_busy(False)

    def _offer(self, runs: list[RunRow]) -> None:
        self.form.set_runs(runs)

    def _offer_none(self, error: Exception) -> None:
        self._refuse(error)

    @Slot(object)
    def _ask(self, request: Request) -> None:
        self._show_outcome(None)
        self._measured_on = _bare(self.document.build)
        self.form.set_busy(True)
        self._tell(self.tr("Fitting the model to what was measured …"))
        self._study.ask(partial(work_out, self._data_dir, self.document.build, request))

    @Slot(object)
    def _take(self, outcome: Outcome) -> None:
        self.form.set_busy(False)
        self._show_outcome(outcome)

    @Slot(object)
    def _refuse(self, error: Exception) -> None:
        self.form.set_busy(False)
        self._show_outcome(None)
        self.result.setText(in_window(str(error)))
        for widget in (self._head, self.result):
            widget.show()

    def _show_outcome(self, outcome: Outcome | None) -> None:
        self._outcome = outcome
        self._tell("")
        quantities = outcome.quantities if outcome else ()
        fits = outcome.fits if outcome else ()
        told = list(outcome.refusals) if outcome else []
        remarks = outcome.remarks if outcome else ()
        self.remarks.say("\n".join(map(in_window, remarks)))
        self.result.setText(outcome_words(self.document.build, outcome) if outcome else "")
        self.compared.figures.show_rows([quantity_row(quantity) for quantity in quantities])
        self.fitted.figures.show_rows([fit_row(fit) for fit in fits])
        self.refusals.setText(listed(map(in_window, told)))
        fitted = bool(outcome and outcome.calibration)
        simulated = bool(outcome and outcome.calibration.simulated)
        self.keep.setText(self.tr("Keep the SIMULATED result") if simulated else self.tr("Keep with the build"))
        for widget, shown in (
            (self._head, outcome is not None),
            (self.result, outcome is not None),
            (self.compared, bool(quantities)),
            (self.fitted, bool(fits)),
            (self._not_fitted, bool(told)),
            (self.refusals, bool(told)),
            (self.keep, fitted),
        ):
            widget.setVisible(shown)

    def _tell(self, progress: str) -> None:
        self._progress.setText(progress)
        self._progress.setVisible(bool(progress))

    @Slot()
    def _keep(self) -> None:
        if self._outcome is not None and self._outcome.calibration:
            kept = self._outcome.calibration
            self._show_outcome(None)
            self.edited.emit(SetCalibration(kept))

    @Slot()
    def _remove(self) -> None:
        self.edited.emit(SetCalibration(NOTHING))

    def _stored_headings(self) -> tuple[Heading, ...]:
        return (
            Heading(self.tr("What is corrected"), words=True),
            Heading(self.tr("By")),
            Heading(self.tr("Range"), self.tr("Two standard errors to either side")),
        )

    def _compared_headings(self) -> tuple[Heading, ...]:
        return (
            Heading(self.tr("Figure"), words=True),
            Heading(self.tr("Unit")),
            Heading(self.tr("Measured")),
            Heading(self.tr("Before"), self.tr("What the model says with the measured watts")),
            Heading(self.tr("After"), self.tr("The same, calibrated")),
        )

    def _fitted_headings(self) -> tuple[Heading, ...]:
        return (
            Heading(self.tr("Figure of the model"), words=True),
            Heading(self.tr("Unit")),
            Heading(self.tr("Known\nbefore")),
            Heading(self.tr("Fitted")),
            Heading(self.tr("Standard\nerror")),
        )

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.keep)
        buttons.addStretch(1)
        taking = QHBoxLayout()
        taking.addWidget(self.remove)
        taking.addStretch(1)
        self.body.addWidget(self.stored)
        self.body.addLayout(taking)
        self.body.addWidget(heading(self.tr("Calibrate by what was measured"), self))
        self.body.addWidget(self.form)
        self.body.addWidget(self._progress)
        for widget in (
            self._head,
            self.result,
            self.remarks,
            self.compared,
            self.fitted,
            self._not_fitted,
            self.refusals,
        ):
            self.body.addWidget(widget)
        self.body.addLayout(buttons)
        self.body.addStretch(1)


def _bare(build: Build) -> Build:
    """The machine that a result is about: its parts and their places."""
    return replace(what_counts(build), calibration=NOTHING)
