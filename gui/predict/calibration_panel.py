"""Correcting the predictions by what was measured on the machine; kept with the build, and removed again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QWidget

from core.lab.calibrate.outcome import CalibrationOutcome, Fit, Quantity, only_in_the_old
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.calibration import NOTHING, Factor, Offset
from core.plan.site_edits import SetCalibration
from core.predict.band import Band, Triple
from core.present.report.document import Cell, ReportColumn, Table, Words, figures_column, table
from core.present.report.formatting import DASH, bullets
from core.words import joined, plain, tr
from core.words.units import number
from gui.history.runs import read_runs
from gui.planner.document import PlanDocument
from gui.predict.calibration_form import CalibrationForm, CalibrationRequest, work_out
from gui.predict.figures_view import FiguresView
from gui.predict.limits import what_counts
from gui.predict.panel import Panel, Study
from gui.widgets.background import run_in_background
from gui.widgets.banner import Banner
from gui.widgets.form import fill, row_of
from gui.widgets.text import heading, muted, sentence


class CalibrationPanel(Panel):
    """A result is only kept at the press of a button, and then one undoable change."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None, *, data_dir: Path) -> None:
        super().__init__(document, parent)
        self._data_dir = data_dir
        self._outcome: CalibrationOutcome | None = None
        self._measured_on: Build | None = None
        self._study = Study(self)
        self.form = CalibrationForm(self)
        self.stored = FiguresView(tr("What is calibrated"), self)
        self.remove = QPushButton(tr("Remove calibration"), self)
        self.result, self.refusals, self._progress = sentence(self), sentence(self), muted(self)
        self.compared = FiguresView(tr("Before and after"), self)
        self.fitted = FiguresView(tr("Fitted figures"), self)
        self.remarks = Banner(self)
        self.keep = QPushButton(tr("Keep with the build"), self)
        self._head, self._not_fitted = heading(tr("Result"), self), heading(tr("Not fitted, and why"), self)
        self._lay_out()
        self.form.requested.connect(self._ask)
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
            return tr(
                "The build has no GPU. Once the planned machine is built, a run on it or your own "
                "measurements make its predictions exact here."
            )
        return ""

    def refresh(self) -> None:
        """What is stored with the build; and the runs there are."""
        build = self.document.build
        calibration = build.calibration
        by = tr(", by {whom}", whom=calibration.by) if calibration.by else ""
        source, where = calibration.source, calibration.circumstances
        calibrated = tr("Calibrated by {source}{by}, measured {where}.", source=source, by=by, where=where)
        not_yet = tr("Not calibrated: predictions come from the model alone, with wide bands.")
        self.lead.setText(calibrated if calibration else not_yet)
        self.stored.show_table(_stored(build), build)
        for widget in (self.stored, self.remove):
            widget.setVisible(bool(calibration))
        if self._measured_on is not None and self._measured_on != _bare(build):
            self.rest()
            self._measured_on = None
            self._show_outcome(None)
        self.form.offer(self.document.conditions)
        run_in_background(self, partial(read_runs, self._data_dir), self.form.set_runs, self._refuse)

    def rest(self) -> None:
        """A fit that nobody waits for is forgotten."""
        if self._study.busy:
            self._study.rest()
            self._tell("")
            self.form.set_busy(False)

    @Slot(object)
    def _ask(self, request: CalibrationRequest) -> None:
        self._show_outcome(None)
        self._measured_on = _bare(self.document.build)
        self.form.set_busy(True)
        self._tell(tr("Fitting the model to what was measured …"))
        self._study.ask(partial(work_out, self._data_dir, self.document.build, request))

    @Slot(object)
    def _take(self, outcome: CalibrationOutcome) -> None:
        self.form.set_busy(False)
        self._show_outcome(outcome)

    @Slot(object)
    def _refuse(self, error: Exception) -> None:
        self.form.set_busy(False)
        self._show_outcome(None)
        self.result.setText(str(error))
        for widget in (self._head, self.result):
            widget.show()

    def _show_outcome(self, outcome: CalibrationOutcome | None) -> None:
        self._outcome = outcome
        self._tell("")
        quantities = outcome.quantities if outcome else ()
        fits = outcome.fits if outcome else ()
        refusals = list(outcome.refusals) if outcome else []
        remarks = outcome.remarks if outcome else ()
        self.remarks.say(joined(remarks, "\n"))
        self.result.setText(outcome_words(self.document.build, outcome) if outcome else "")
        self.compared.show_table(_compared(quantities), self.document.build)
        self.fitted.show_table(_fitted(fits), self.document.build)
        self.refusals.setText(bullets(refusals))
        fitted = bool(outcome and outcome.calibration)
        simulated = bool(outcome and outcome.calibration.simulated)
        self.keep.setText(tr("Keep the SIMULATED result") if simulated else tr("Keep with the build"))
        for widget, shown in (
            (self._head, outcome is not None),
            (self.result, outcome is not None),
            (self.compared, bool(quantities)),
            (self.fitted, bool(fits)),
            (self._not_fitted, bool(refusals)),
            (self.refusals, bool(refusals)),
            (self.keep, fitted),
        ):
            widget.setVisible(shown)

    def _tell(self, progress: str) -> None:
        self._progress.setText(progress)
        self._progress.setVisible(bool(progress))

    @Slot()
    def _keep(self) -> None:
        if self._outcome is not None and self._outcome.calibration:
            calibration = self._outcome.calibration
            self._show_outcome(None)
            self.edited.emit(SetCalibration(calibration))

    @Slot()
    def _remove(self) -> None:
        self.edited.emit(SetCalibration(NOTHING))

    def _lay_out(self) -> None:
        above = heading(tr("Calibrate with measurements"), self)
        fill(self.body, self.stored, row_of(self.remove, 1), above, self.form, self._progress)
        fill(self.body, self._head, self.result, self.remarks, self.compared, self.fitted)
        fill(self.body, self._not_fitted, self.refusals, row_of(self.keep, 1), 1)


def _bare(build: Build) -> Build:
    """The machine that a result is about: its parts and their places."""
    return replace(what_counts(build), calibration=NOTHING)


@dataclass(frozen=True, slots=True)
class ModelCorrection:
    """One stored correction of the model, in words, with its range of two standard errors to either side."""

    key: str
    title: str
    by: Factor | Offset
    unit: str = ""


def corrections(build: Build) -> Iterator[ModelCorrection]:
    """What is corrected, by how much, and how sure that is."""
    calibration = build.calibration
    for kind, by_part in (("resistance", calibration.resistance), ("block", calibration.blocks)):
        for part_id, factor in by_part:
            title = tr("Thermal resistance of {part}", part=_title(build, part_id))
            yield ModelCorrection(f"{kind} {part_id}", title, factor)
    for part_id, factor in calibration.radiators:
        title = tr("Conductance of {part}", part=_title(build, part_id))
        yield ModelCorrection(f"radiator {part_id}", title, factor)
    for part_id, offset in calibration.fans_later_k:
        title = tr("Fans of {part} speed up later", part=_title(build, part_id))
        yield ModelCorrection(f"fans {part_id}", title, offset, "K")
    for name, words, whole, unit in (
        ("coupling", tr("Heating by adjacent GPUs"), calibration.coupling, ""),
        ("flow", tr("Airflow through the case"), calibration.flow, ""),
        ("level", tr("Level in training"), calibration.level_db, "dB"),
        ("slope", tr("Card noise over fan speed"), calibration.fan_slope_db, "dB"),
    ):
        if whole is not None:
            yield ModelCorrection(name, words, whole, unit)


def _stored(build: Build) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in corrections(build):
        factor = isinstance(row.by, Factor)
        low, middle, high = row.by.of(1.0 if factor else 0.0)
        by = plain("× {by:.2f}", by=middle) if factor else plain("{by:+.1f} {unit}", by=middle, unit=row.unit)
        ends = (plain("{by:.2f}" if factor else "{by:+.1f}", by=end) for end in (low, high))
        rows.append((row.title, by, _range(*ends)))
    columns = (
        ReportColumn(tr("What is corrected")),
        figures_column(tr("By")),
        figures_column(tr("Range"), about=tr("Plus or minus two standard errors")),
    )
    return table(columns, rows)


def _compared(quantities: Sequence[Quantity]) -> Table:
    columns = (
        ReportColumn(tr("Figure")),
        figures_column(tr("Unit")),
        figures_column(tr("Measured")),
        figures_column(tr("Before"), about=tr("What the model predicts from the measured watts")),
        figures_column(tr("After"), about=tr("The same, calibrated")),
    )
    rows = [
        (row.title, row.unit, number(row.measured, 1), _one_decimal(row.before), _one_decimal(row.after))
        for row in quantities
    ]
    return table(columns, rows)


def _fitted(fits: Sequence[Fit]) -> Table:
    titles = (tr("Unit"), tr("Known before"), tr("Fitted"), tr("Standard error"))
    rows = [
        (
            fit.parameter.title,
            fit.parameter.unit or DASH,
            _three_digits(fit.parameter.old),
            _three_digits(fit.new),
            plain("{error:.2g}", error=fit.error),
        )
        for fit in fits
    ]
    return table((ReportColumn(tr("Model parameter")), *map(figures_column, titles)), rows)


def _one_decimal(band: Band) -> Words:
    return Words(number(band.expected, 1), _range(number(band.low, 1), number(band.high, 1)))


def _three_digits(figures: Triple) -> Words:
    low, expected, high = (plain("{figure:.3g}", figure=figure) for figure in figures)
    return Words(expected, _range(low, high))


def outcome_words(build: Build, outcome: CalibrationOutcome) -> str:
    """What came of it, and which calibration of the build it would take the place of."""
    new, old = outcome.calibration, build.calibration
    if not new:
        return tr("Nothing could be fitted; the predictions stay as they are.")
    words = tr(
        "Fitted by {source}, measured {where}: {count} of the model's figures.",
        source=new.source,
        where=new.circumstances,
        count=len(outcome.fits),
    )
    if not old:
        return words
    replaced = tr("{words} Keeping it replaces the calibration by {source}.", words=words, source=old.source)
    lost = ", ".join(only_in_the_old(build, new))
    return tr("{words} No longer corrected: {lost}.", words=replaced, lost=lost) if lost else replaced


def _range(low: str, high: str) -> str:
    """Offsets may be below zero, where a dash would be read as a minus."""
    return tr("{low} to {high}", low=low, high=high)


def _title(build: Build, part_id: str) -> str:
    line = build.line(part_id)
    return line.part.title if line else part_id
