"""How loud a run was and what it drew at the wall: told or imported from a meter's file, beside the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QInputDialog,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.burnin.noise_file import SeveralLevels, read_noise_file
from core.burnin.planned import read_plan
from core.burnin.record.noise_facts import NoiseFacts, level_text, noise_of, taken_back, told_noise
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.store import RunStore
from core.burnin.verdict.measured_wall import MeasuredWall, measured_wall
from core.burnin.verdict.noise import MeasuredNoise, measured_noise, noise_reasons
from core.burnin.wall_file import MeterFile
from core.errors import BadInput
from core.language import joined, plain, tr
from core.predict.conditions import LoadCase
from core.tables.wall_table import SeveralColumns
from core.units import quantity
from gui.background import run_in_background
from gui.report_export import documents_folder
from gui.theme import theme
from gui.widgets import files
from gui.widgets.text import sentence, tip

NOT_RUN = tr(
    "NOT RUN: no calibrated microphone recorded a steady stage, and no reading was entered. "
    "Enter meter readings with the Noise button."
)
_TITLES = {
    "idle_dba": tr("At rest, dBA"),
    "load_dba": tr("In training, dBA"),
    "distance_m": tr("Distance from the case, m"),
    "background_dba": tr("Room without the machine, dBA"),
}


@dataclass(frozen=True, slots=True)
class NoiseOfRun:
    """What was told, and what is known by that or by a microphone, beside its prediction."""

    facts: NoiseFacts
    found: tuple[MeasuredNoise, ...]
    notes: tuple[str, ...] = ()
    """How a file was read that it came from just now."""

    @property
    def sentences(self) -> list[str]:
        """One for each load; NOT RUN where there is none."""
        return [one.sentence for one in self.found] or [NOT_RUN]


def read_noise(data_dir: Path, run_id: int) -> NoiseOfRun:
    """Takes a moment where there is a plan: it is predicted. Raises RigwrightError."""
    with closing(RunStore(data_dir)) as store:
        return _noise_of_run(store, run_id)


def noise_lines(found: Sequence[MeasuredNoise]) -> list[Reason]:
    """As reasons of a verdict: what was not measured is said to be NOT RUN, and passes nothing."""
    return list(noise_reasons(found)) or [Reason(Outcome.INCOMPLETE, NOT_RUN)]


def _noise_of_run(store: RunStore, run_id: int) -> NoiseOfRun:
    plan = read_plan(store.run(run_id).build)
    facts = noise_of(store.fact_changes(run_id)).facts
    return NoiseOfRun(facts, tuple(measured_noise(store, run_id, plan)))


class NoiseButton(QPushButton):
    """Tells the levels of a run in its words, and opens the dialog. Simulated devices make no noise: it is hidden."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Noise…"), parent)
        self.setFlat(True)
        self.hide()

    def show_noise(self, noise: NoiseOfRun | None, *, running: bool = False) -> None:
        """None hides it. Of a run that goes on nothing is NOT RUN yet."""
        self.setVisible(noise is not None)
        if noise is None:
            return
        levels = ", ".join(level_text(one.level_dba) for one in noise.found)
        without = tr("Noise…") if running else tr("Noise: NOT RUN…")
        self.setText(tr("Noise: {levels}…", levels=levels) if levels else without)
        said = "" if running and not levels else joined(noise.sentences)
        self.setToolTip(tip(said))
        self.setAccessibleDescription(said)
        loud = any(one.too_loud for one in noise.found)
        self.setStyleSheet(f"color: {theme().color('warn').name()}" if loud else "")


class NoiseDialog(QDialog):
    """Readings in fields. What is kept replaces what was told before; an emptied field takes it back."""

    kept = Signal()

    def __init__(self, data_dir: Path, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Noise of run {number}", number=run_id))
        self._data_dir, self._run_id = data_dir, run_id
        self._before: dict[str, str] = {}
        self.fields = {name: QLineEdit(self) for name in NoiseFacts.model_fields}
        self.said = sentence(self)
        self.problem = sentence(self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.keep = self.buttons.addButton(tr("Keep"), QDialogButtonBox.ButtonRole.ApplyRole)
        self.import_file = QPushButton(tr("Import a meter's file…"), self)
        self._arrange()
        for field in self.fields.values():
            field.textChanged.connect(self._review)
        self.keep.clicked.connect(self._keep)
        self.import_file.clicked.connect(self._import)
        self.buttons.rejected.connect(self.reject)
        run_in_background(self, lambda: read_noise(data_dir, run_id), self._show, self._refused)

    def _arrange(self) -> None:
        form = QFormLayout()
        words = tr(
            "Meter readings, A-weighted, room noise included. Without a distance, 1 m is assumed, as in the prediction."
        )
        for name, field in self.fields.items():
            field.setAccessibleName(_TITLES[name])
            form.addRow(_TITLES[name], field)
        self.buttons.addButton(self.import_file, QDialogButtonBox.ButtonRole.ActionRole)
        self.import_file.setToolTip(tip(tr("An export of a meter or an app (CSV, text): time and level in dBA")))
        self.problem.setStyleSheet(f"color: {theme().color('fail').name()}")
        self.problem.hide()
        layout = QVBoxLayout(self)
        layout.addWidget(sentence(self, words))
        layout.addLayout(form)
        for part in (self.problem, self.said, self.buttons):
            layout.addWidget(part)
        self.keep.setDefault(True)
        self.keep.setEnabled(False)
        self.setMinimumWidth(520)

    def _show(self, noise: NoiseOfRun) -> None:
        told = noise.facts.model_dump()
        self._before = {
            name: "" if told[name] is None else plain("{value:g}", value=told[name]) for name in self.fields
        }
        for name, field in self.fields.items():
            field.setText(self._before[name])
        self.said.setText("\n".join((*noise.sentences, *noise.notes)))
        self._review()
        self.adjustSize()

    @Slot()
    def _review(self) -> None:
        """What no meter shows is said while it is typed."""
        problem = ""
        try:
            changed = self._told()
        except BadInput as error:
            problem, changed = str(error), {}
        self._say(problem)
        self.keep.setEnabled(bool(changed))

    def _told(self) -> dict[str, str]:
        """What differs from what was told before. Raises BadInput."""
        texts = {name: field.text().strip() for name, field in self.fields.items()}
        changed = {name: text for name, text in texts.items() if text != self._before.get(name, "")}
        given: dict[str, Any] = {name: text.replace(",", ".") for name, text in changed.items() if text}
        return told_noise(**given) | taken_back(name for name, text in changed.items() if not text)

    @Slot()
    def _keep(self) -> None:
        self._set(self._told())

    @Slot()
    def _import(self) -> None:
        title = tr("Import a meter's file")
        path = files.file_to_open(self, title, documents_folder(), tr("Tables (*.csv *.tsv *.txt);;All files (*)"))
        if path is None:
            return
        self._read_file(path, None)

    def _read_file(self, path: Path, column: str | None) -> None:
        number, data_dir = self._run_id, self._data_dir

        def work() -> NoiseOfRun:
            with closing(RunStore(data_dir)) as store:
                reading = read_noise_file(path, store, number, column)
                store.set_facts(number, told_noise(path, **reading.levels))
                return replace(_noise_of_run(store, number), notes=reading.notes)

        def refused(error: Exception) -> None:
            if isinstance(error, SeveralLevels):
                self._ask(path, error.names)
            else:
                self._refused(error)

        run_in_background(self, work, self._done, refused)

    def _ask(self, path: Path, names: Sequence[str]) -> None:
        """Which of several columns is the level that is meant."""
        words = tr("{file} has several levels. Which one is it?", file=path.name)
        name, chosen = QInputDialog.getItem(self, tr("Import a meter's file"), words, list(names), 0, False)
        if chosen:
            self._read_file(path, name)

    def _set(self, told: dict[str, str]) -> None:
        number, data_dir = self._run_id, self._data_dir

        def work() -> NoiseOfRun:
            with closing(RunStore(data_dir)) as store:
                store.set_facts(number, told)
                return _noise_of_run(store, number)

        run_in_background(self, work, self._done, self._refused)

    def _done(self, noise: NoiseOfRun) -> None:
        self._show(noise)
        self.kept.emit()

    def _refused(self, error: Exception) -> None:
        self._say(str(error))

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        if self.problem.isVisibleTo(self) != bool(problem):
            self.problem.setVisible(bool(problem))
            self.adjustSize()


NOT_MEASURED = tr(
    "Not measured: no wall meter was read in this run. Import the file of a metering plug, PDU or UPS that ran "
    "meanwhile."
)
MOST_HOURS = 26.0


def read_wall_of(data_dir: Path, run_id: int) -> tuple[MeasuredWall, ...]:
    """Takes a moment where there is a plan: it is predicted. Raises RigwrightError."""
    with closing(RunStore(data_dir)) as store:
        return _wall_of_run(store, run_id)


def _wall_of_run(store: RunStore, run_id: int) -> tuple[MeasuredWall, ...]:
    return tuple(measured_wall(store, run_id, read_plan(store.run(run_id).build)))


class WallButton(QPushButton):
    """Tells each meter's watts under load, and opens the dialog. A simulated run draws none: it is hidden."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Wall power…"), parent)
        self.setFlat(True)
        self.hide()

    def show_wall(self, walls: Sequence[MeasuredWall] | None) -> None:
        """None hides it."""
        self.setVisible(walls is not None)
        if walls is None:
            return
        under_load = [wall for wall in walls if wall.load is not LoadCase.IDLE]
        watts = ", ".join(quantity(wall.watts, "W", decimals=0) for wall in under_load or walls)
        self.setText(tr("Wall power: {watts}…", watts=watts) if watts else tr("Wall power…"))
        sentences = _sentences(walls)
        self.setToolTip(tip(sentences))
        self.setAccessibleDescription(sentences)


class WallDialog(QDialog):
    """The figures in sentences, and the import of a file: its clock's offset, and what a UPS is rated for."""

    attached = Signal()

    def __init__(self, data_dir: Path, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Power at the wall of run {number}", number=run_id))
        self._data_dir, self._run_id = data_dir, run_id
        self._request: MeterFile | None = None
        self.offset = QDoubleSpinBox(self)
        self.rated = QDoubleSpinBox(self)
        self.figures = sentence(self)
        self.problem = sentence(self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.import_file = QPushButton(tr("Import a wall meter's file…"), self)
        self._arrange()
        self.import_file.clicked.connect(self._choose_file)
        self.buttons.rejected.connect(self.reject)
        run_in_background(self, lambda: read_wall_of(data_dir, run_id), self._show, self._refused)

    def _arrange(self) -> None:
        self.offset.setRange(-MOST_HOURS, MOST_HOURS)
        self.offset.setSuffix(" h")
        self.rated.setRange(0, 100_000)
        self.rated.setDecimals(0)
        self.rated.setSuffix(" W")
        self.rated.setSpecialValueText(tr("not needed"))
        form = QFormLayout()
        for title, field, hint in (
            (
                tr("Shift the file's times by"),
                self.offset,
                tr("Where the meter's clock is off, or its file tells another time zone"),
            ),
            (tr("Rated power of the UPS"), self.rated, tr("Where its file tells a load in per cent of it")),
        ):
            field.setAccessibleName(title)
            field.setToolTip(tip(hint))
            form.addRow(title, field)
        self.buttons.addButton(self.import_file, QDialogButtonBox.ButtonRole.ActionRole)
        self.import_file.setToolTip(tip(tr("CSV: time and W, kW, Wh, kWh, or volts and amperes; or a log of upslog")))
        self.problem.setStyleSheet(f"color: {theme().color('fail').name()}")
        self.problem.hide()
        layout = QVBoxLayout(self)
        layout.addWidget(
            sentence(self, tr("A file that is attached is shown beside the prediction and changes no verdict."))
        )
        layout.addWidget(self.figures)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(520)

    @Slot()
    def _choose_file(self) -> None:
        title = tr("Import a wall meter's file")
        path = files.file_to_open(self, title, documents_folder(), tr("Tables (*.csv *.txt *.log);;All files (*)"))
        if path is not None:
            self.attach(path)

    def attach(self, path: Path, column: str | None = None) -> None:
        """Reads a file and keeps what it tells of the run."""
        request = MeterFile(path, column, self.rated.value() or None, 3600 * self.offset.value())
        number, data_dir = self._run_id, self._data_dir
        self._request = request

        def work() -> tuple[MeasuredWall, ...]:
            with closing(RunStore(data_dir)) as store:
                request.attach(store, number)
                return _wall_of_run(store, number)

        run_in_background(self, work, self._done, self._refused)

    def _done(self, walls: tuple[MeasuredWall, ...]) -> None:
        self._say("")
        self._show(walls)
        self.attached.emit()

    def _show(self, walls: tuple[MeasuredWall, ...]) -> None:
        self.figures.setText(_sentences(walls, "\n"))
        self.adjustSize()

    def _refused(self, error: Exception) -> None:
        if isinstance(error, SeveralColumns) and self._request is not None and self._request.column is None:
            name, accepted = QInputDialog.getItem(
                self, self.windowTitle(), tr("Column of the power at the wall"), list(error.columns), 0, False
            )
            if accepted:
                self.attach(self._request.path, name)
            return
        self._say(str(error))

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.adjustSize()


def _sentences(walls: Sequence[MeasuredWall], separator: str = " ") -> str:
    return joined([wall.sentence for wall in walls], separator) or NOT_MEASURED
