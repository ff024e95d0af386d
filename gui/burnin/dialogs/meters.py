"""How loud a run was and what it drew at the wall: told or imported from a meter's file, beside the prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QInputDialog, QLineEdit, QPushButton, QWidget

from core.burnin.measured.meter_files import MeterFile, SeveralLevels, read_noise_file
from core.burnin.planned import read_plan
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.run_facts import NoiseFacts, level_text, noise_of, taken_back, told_noise
from core.burnin.record.store import RunStore, in_store
from core.burnin.verdict.noise import MeasuredNoise, measured_noise, noise_reasons
from core.burnin.verdict.wall import MeasuredWall, measured_wall
from core.machine.tables.wall_table import SeveralColumns
from core.platform.errors import BadInput
from core.predict.conditions import LoadCase
from core.words import joined, plain, tr
from core.words.units import quantity
from gui.widgets import files
from gui.widgets.background import run_in_background
from gui.widgets.figures import say
from gui.widgets.form import column_of, dialog_buttons, fine_spin_box, form_of
from gui.widgets.text import sentence, tip
from gui.widgets.theme import theme

NOT_RUN = tr(
    "NOT RUN: no calibrated microphone recorded a steady stage, and no reading was entered. "
    "Enter meter readings with the Noise button."
)
NOT_MEASURED = tr(
    "Not measured: no wall meter was read in this run. Import the file of a metering plug, PDU or UPS that ran "
    "meanwhile."
)
MOST_HOURS = 26.0
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
    levels: tuple[MeasuredNoise, ...]
    notes: tuple[str, ...] = ()
    """How a file was read that it came from just now."""

    @property
    def sentences(self) -> list[str]:
        """One for each load; NOT RUN where there is none."""
        return [one.sentence for one in self.levels] or [NOT_RUN]


def read_noise(store: RunStore, run_id: int) -> NoiseOfRun:
    """Takes a moment where there is a plan: it is predicted. Raises RigwrightError."""
    facts = noise_of(store.fact_changes(run_id)).facts
    return NoiseOfRun(facts, tuple(measured_noise(store, run_id, read_plan(store.run(run_id).build))))


def read_wall(store: RunStore, run_id: int) -> tuple[MeasuredWall, ...]:
    """Takes a moment where there is a plan: it is predicted. Raises RigwrightError."""
    return tuple(measured_wall(store, run_id, read_plan(store.run(run_id).build)))


def noise_lines(levels: Sequence[MeasuredNoise]) -> list[Reason]:
    """As reasons of a verdict: what was not measured is said to be NOT RUN, and passes nothing."""
    return list(noise_reasons(levels)) or [Reason(Outcome.INCOMPLETE, NOT_RUN)]


class MeterButton(QPushButton):
    """Its words are what was measured in a run. Hidden until they are shown: simulated devices have none."""

    words = ""
    """Without figures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.words, parent)
        self.setFlat(True)
        self.hide()

    def _show_words(self, text: str, details: str) -> None:
        self.setText(text)
        self.setToolTip(tip(details))
        say(self, details)


class NoiseButton(MeterButton):
    """The levels of a run, in a warning colour where they are above the prediction."""

    words = tr("Noise…")

    def show_noise(self, noise: NoiseOfRun | None, *, running: bool = False) -> None:
        """None hides it. Of a run that goes on nothing is NOT RUN yet."""
        self.setVisible(noise is not None)
        if noise is None:
            return
        levels = ", ".join(level_text(one.level_dba) for one in noise.levels)
        without = self.words if running else tr("Noise: NOT RUN…")
        text = tr("Noise: {levels}…", levels=levels) if levels else without
        self._show_words(text, "" if running and not levels else joined(noise.sentences))
        loud = any(one.too_loud for one in noise.levels)
        self.setStyleSheet(f"color: {theme().color('warn').name()}" if loud else "")


class WallButton(MeterButton):
    """Each meter's watts under load."""

    words = tr("Wall power…")

    def show_wall(self, walls: Sequence[MeasuredWall] | None) -> None:
        """None hides it."""
        self.setVisible(walls is not None)
        if walls is None:
            return
        under_load = [wall for wall in walls if wall.load is not LoadCase.IDLE]
        watts = ", ".join(quantity(wall.watts, "W", decimals=0) for wall in under_load or walls)
        self._show_words(tr("Wall power: {watts}…", watts=watts) if watts else self.words, _wall_sentences(walls))


class MeterDialog(QDialog):
    """Figures in sentences over a form, and the import of a meter's file; what cannot be is said below the form."""

    stored = Signal()
    """Something was kept with the run."""

    def __init__(self, data_dir: Path, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir, self._run_id = data_dir, run_id
        self.figures = sentence(self)
        self.problem = sentence(self)
        self.problem.setStyleSheet(f"color: {theme().color('fail').name()}")
        self.problem.hide()
        self.setMinimumWidth(520)

    def _add_buttons(self, text: str, meaning: str) -> None:
        """Once the fields are made, so that Tab comes to the buttons after them."""
        self.buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        self.import_file = QPushButton(text, self)
        self.import_file.setToolTip(tip(meaning))
        self.buttons.addButton(self.import_file, QDialogButtonBox.ButtonRole.ActionRole)
        self.import_file.clicked.connect(self._choose_file)

    def attach(self, path: Path, column: str | None = None) -> None:
        """Reads a meter's file and keeps what it tells of the run; of several columns the one that is named."""
        raise NotImplementedError

    def _file_kinds(self) -> str:
        """Of the dialog of files."""
        raise NotImplementedError

    def _work(self, work: Callable[[RunStore], Any], done: Callable[[Any], None], path: Path | None = None) -> None:
        """Beside the window; where the file of `path` has several columns, the user chooses one of them."""

        def refused(error: Exception) -> None:
            if path is not None and isinstance(error, SeveralLevels | SeveralColumns):
                self._ask_column(path, error)
            else:
                self._say(str(error))

        run_in_background(self, lambda: in_store(self._data_dir, work), done, refused)

    def _ask_column(self, path: Path, error: SeveralLevels | SeveralColumns) -> None:
        if isinstance(error, SeveralLevels):
            words, names = tr("{file} has several levels. Which one is it?", file=path.name), error.names
        else:
            words, names = tr("Column of the power at the wall"), error.columns
        name, accepted = QInputDialog.getItem(self, self._import_title(), words, list(names), 0, False)
        if accepted:
            self.attach(path, name)

    @Slot()
    def _choose_file(self) -> None:
        path = files.file_to_open(self, self._import_title(), files.documents_folder(), self._file_kinds())
        if path is not None:
            self.attach(path)

    def _import_title(self) -> str:
        return self.import_file.text().rstrip("…")

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        if self.problem.isVisibleTo(self) != bool(problem):
            self.problem.setVisible(bool(problem))
            self.adjustSize()


class NoiseDialog(MeterDialog):
    """Readings in fields. What is kept replaces what was told before; an emptied field takes it back."""

    def __init__(self, data_dir: Path, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(data_dir, run_id, parent)
        self.setWindowTitle(tr("Noise of run {number}", number=run_id))
        self._before: dict[str, str] = {}
        self.fields = {name: QLineEdit(self) for name in NoiseFacts.model_fields}
        meaning = tr("An export of a meter or an app (CSV, text): time and level in dBA")
        self._add_buttons(tr("Import a meter's file…"), meaning)
        self.keep = self.buttons.addButton(tr("Keep"), QDialogButtonBox.ButtonRole.ApplyRole)
        form = form_of(*((_TITLES[name], field) for name, field in self.fields.items()), margins=None, spacing=None)
        for field in self.fields.values():
            field.textChanged.connect(self._review)
        words = tr(
            "Meter readings, A-weighted, room noise included. Without a distance, 1 m is assumed, as in the prediction."
        )
        column_of(sentence(self, words), form, self.problem, self.figures, self.buttons, into=self, margins=None)
        self.keep.setDefault(True)
        self.keep.setEnabled(False)
        self.keep.clicked.connect(self._keep)
        self._work(lambda store: read_noise(store, run_id), self._show)

    def attach(self, path: Path, column: str | None = None) -> None:
        """Reads a meter's file and keeps the levels that it tells."""
        number = self._run_id

        def work(store: RunStore) -> NoiseOfRun:
            reading = read_noise_file(path, store, number, column)
            store.set_facts(number, told_noise(path, **reading.levels))
            return replace(read_noise(store, number), notes=reading.notes)

        self._work(work, self._done, path)

    def _file_kinds(self) -> str:
        return tr("Tables (*.csv *.tsv *.txt);;All files (*)")

    def _show(self, noise: NoiseOfRun) -> None:
        facts = noise.facts.model_dump()
        for name, field in self.fields.items():
            self._before[name] = "" if facts[name] is None else plain("{value:g}", value=facts[name])
            field.setText(self._before[name])
        self.figures.setText("\n".join((*noise.sentences, *noise.notes)))
        self._review()
        self.adjustSize()

    @Slot()
    def _review(self) -> None:
        """What no meter shows is said while it is typed."""
        problem = ""
        try:
            changes = self._changes()
        except BadInput as error:
            problem, changes = str(error), {}
        self._say(problem)
        self.keep.setEnabled(bool(changes))

    def _changes(self) -> dict[str, str]:
        """What differs from what was told before. Raises BadInput."""
        texts = {name: field.text().strip() for name, field in self.fields.items()}
        changed = {name: text for name, text in texts.items() if text != self._before.get(name, "")}
        readings: dict[str, Any] = {name: text.replace(",", ".") for name, text in changed.items() if text}
        return told_noise(**readings) | taken_back(name for name, text in changed.items() if not text)

    @Slot()
    def _keep(self) -> None:
        changes, number = self._changes(), self._run_id

        def work(store: RunStore) -> NoiseOfRun:
            store.set_facts(number, changes)
            return read_noise(store, number)

        self._work(work, self._done)

    def _done(self, noise: NoiseOfRun) -> None:
        self._show(noise)
        self.stored.emit()


class WallDialog(MeterDialog):
    """The figures in sentences, and the import of a file: its clock's offset, and what a UPS is rated for."""

    def __init__(self, data_dir: Path, run_id: int, parent: QWidget | None = None) -> None:
        super().__init__(data_dir, run_id, parent)
        self.setWindowTitle(tr("Power at the wall of run {number}", number=run_id))
        shift, rated = tr("Shift the file's times by"), tr("Rated power of the UPS")
        self.offset = fine_spin_box(self, shift, (-MOST_HOURS, MOST_HOURS), " h", decimals=2)
        self.offset.setToolTip(tip(tr("Where the meter's clock is off, or its file tells another time zone")))
        self.rated = fine_spin_box(self, rated, (0, 100_000), " W", decimals=0)
        self.rated.setToolTip(tip(tr("Where its file tells a load in per cent of it")))
        self.rated.setSpecialValueText(tr("not needed"))
        meaning = tr("CSV: time and W, kW, Wh, kWh, or volts and amperes; or a log of upslog")
        self._add_buttons(tr("Import a wall meter's file…"), meaning)
        form = form_of((shift, self.offset), (rated, self.rated), margins=None, spacing=None)
        words = tr("A file that is attached is shown beside the prediction and changes no verdict.")
        column_of(sentence(self, words), self.figures, form, self.problem, self.buttons, into=self, margins=None)
        self._work(lambda store: read_wall(store, run_id), self._show)

    def attach(self, path: Path, column: str | None = None) -> None:
        """Reads a meter's file and keeps what it tells of the run."""
        request = MeterFile(path, column, self.rated.value() or None, 3600 * self.offset.value())
        number = self._run_id

        def work(store: RunStore) -> tuple[MeasuredWall, ...]:
            request.attach(store, number)
            return read_wall(store, number)

        self._work(work, self._done, path if column is None else None)

    def _file_kinds(self) -> str:
        return tr("Tables (*.csv *.txt *.log);;All files (*)")

    def _done(self, walls: tuple[MeasuredWall, ...]) -> None:
        self._say("")
        self._show(walls)
        self.stored.emit()

    def _show(self, walls: tuple[MeasuredWall, ...]) -> None:
        self.figures.setText(_wall_sentences(walls, "\n"))
        self.adjustSize()


def _wall_sentences(walls: Sequence[MeasuredWall], separator: str = " ") -> str:
    return joined([wall.sentence for wall in walls], separator) or NOT_MEASURED
