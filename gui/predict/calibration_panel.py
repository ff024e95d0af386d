"""Correcting the predictions by what was measured on the machine; kept with the build, and taken away again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core.build.build import Build
from core.build.calibration import NOTHING, Factor, Offset
from core.build.site_edits import SetCalibration
from core.calibrate.outcome import Fit, Outcome, Quantity, only_in_the_old
from core.parts.vocabulary import Category
from gui.background import run_in_background
from gui.history.runs import RunRow, read_runs
from gui.planner.document import PlanDocument
from gui.planner.figures import DASH
from gui.predict.calibration_form import CalibrationForm, CalibrationRequest, work_out
from gui.predict.figures_model import Cell, FigureRow, FiguresModel, Heading
from gui.predict.figures_view import FiguresView
from gui.predict.limits import what_counts
from gui.predict.panel import Panel, Study
from gui.predict.prediction_words import listed
from gui.widgets.banner import Banner
from gui.widgets.text import heading, muted, sentence


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
    def _ask(self, request: CalibrationRequest) -> None:
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


translate = QCoreApplication.translate


def stored_rows(build: Build) -> Iterator[FigureRow]:
    """What is corrected, by how much, and how sure that is."""
    kept = build.calibration
    for part_id, factor in kept.resistance:
        words = translate("Calibration", "Thermal resistance of {part}").format(part=_title(build, part_id))
        yield _row(f"resistance {part_id}", words, factor, "")
    for part_id, factor in kept.blocks:
        words = translate("Calibration", "Thermal resistance of {part}").format(part=_title(build, part_id))
        yield _row(f"block {part_id}", words, factor, "")
    for part_id, factor in kept.radiators:
        words = translate("Calibration", "Conductance of {part}").format(part=_title(build, part_id))
        yield _row(f"radiator {part_id}", words, factor, "")
    for part_id, offset in kept.fans_later_k:
        words = translate("Calibration", "Fans of {part} speed up later").format(part=_title(build, part_id))
        yield _row(f"fans {part_id}", words, offset, "K")
    for name, words, correction, unit in (
        ("coupling", translate("Calibration", "Warming by neighbours"), kept.coupling, ""),
        ("flow", translate("Calibration", "Flow through the case"), kept.flow, ""),
        ("level", translate("Calibration", "Level in training"), kept.level_db, "dB"),
        ("slope", translate("Calibration", "Cards' level over fan speed"), kept.fan_slope_db, "dB"),
    ):
        if correction is not None:
            yield _row(name, words, correction, unit)


def quantity_row(quantity: Quantity) -> FigureRow:
    """A measured figure, and the model's before and after."""
    unit = quantity.unit
    before, after = (
        Cell(f"{band.expected:.1f}", _range(f"{band.low:.1f}", f"{band.high:.1f}"))
        for band in (quantity.before, quantity.after)
    )
    return FigureRow(
        quantity.title, (Cell(quantity.title), Cell(unit), Cell(f"{quantity.measured:.1f}"), before, after)
    )


def fit_row(fit: Fit) -> FigureRow:
    """A fitted parameter, with what the model knew of it."""
    low, expected, high = fit.parameter.old
    new_low, new, new_high = fit.new
    cells = (
        Cell(fit.parameter.title),
        Cell(fit.parameter.unit or DASH),
        Cell(f"{expected:.3g}", _range(f"{low:.3g}", f"{high:.3g}")),
        Cell(f"{new:.3g}", _range(f"{new_low:.3g}", f"{new_high:.3g}")),
        Cell(f"{fit.error:.2g}"),
    )
    return FigureRow(fit.parameter.title, cells)


def in_window(sentence: str) -> str:
    """A sentence of the command with the names of the fields in the place of its options."""
    for option, words in (
        ("--slots", translate("Calibration", "the slots")),
        ("--coolant", translate("Calibration", "the water before the blocks")),
        ("--case-air", translate("Calibration", "the intake air of the cards")),
        ("--room", translate("Calibration", "the room temperature")),
        ("--sound", translate("Calibration", "the sound level")),
        ("--distance", translate("Calibration", "its distance")),
        ("--background", translate("Calibration", "the background")),
    ):
        sentence = sentence.replace(option, f"\N{LEFT DOUBLE QUOTATION MARK}{words}\N{RIGHT DOUBLE QUOTATION MARK}")
    return sentence


def outcome_words(build: Build, outcome: Outcome) -> str:
    """What came of it, and which calibration of the build it would take the place of."""
    new, old = outcome.calibration, build.calibration
    if not new:
        return translate("Calibration", "Nothing could be fitted; the predictions stay as they are.")
    words = translate("Calibration", "Fitted by {source}, measured {where}: {count} of the model's figures.").format(
        source=new.source, where=new.circumstances, count=len(outcome.fits)
    )
    if not old:
        return words
    replaced = translate("Calibration", "{words} Kept, it takes the place of the calibration by {source}.").format(
        words=words, source=old.source
    )
    lost = ", ".join(only_in_the_old(build, new))
    if not lost:
        return replaced
    return translate("Calibration", "{words} What that one corrected and this one does not: {lost}.").format(
        words=replaced, lost=lost
    )


def _row(key: str, words: str, correction: Factor | Offset, unit: str) -> FigureRow:
    if isinstance(correction, Factor):
        low, value, high = correction.of(1.0)
        cells = (Cell(words), Cell(f"× {value:.2f}"), Cell(_range(f"{low:.2f}", f"{high:.2f}")))
    else:
        low, value, high = correction.of(0.0)
        cells = (Cell(words), Cell(f"{value:+.1f} {unit}"), Cell(_range(f"{low:+.1f}", f"{high:+.1f}")))
    return FigureRow(key, cells)


def _range(low: str, high: str) -> str:
    """Offsets may be below zero, where a dash would be read as a minus."""
    return translate("Calibration", "{low} to {high}").format(low=low, high=high)


def _title(build: Build, part_id: str) -> str:
    line = build.line(part_id)
    return line.part.title if line else part_id
