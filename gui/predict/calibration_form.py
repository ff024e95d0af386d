"""What a calibration is made of: a run, a file of measurements, readings by hand; and the work beside the window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QPushButton, QWidget

from core.burnin.measured.run import measured_run
from core.burnin.record.store import in_store
from core.lab.calibrate.measurements import RANGES, Measurements, SoundReading, read_measurements
from core.lab.calibrate.outcome import CalibrationOutcome
from core.plan.build import Build
from core.plan.seats import read_slots
from core.predict.conditions import Conditions
from core.present.report.run_list import RunLine
from core.words import tr
from gui.predict.figure_box import FieldRange, FigureBox, OptionalFigureBox
from gui.widgets import files
from gui.widgets.form import form_of, row_of
from gui.widgets.text import sentence


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """A recorded run, a file, or neither: then only the sound reading. None: not measured, or as the source has it."""

    run: int | None = None
    file: Path | None = None
    slots: str = ""
    room_c: float | None = None
    altitude_m: float | None = None
    case_air_c: float | None = None
    coolant_c: float | None = None
    sound: SoundReading | None = None
    allow_simulated: bool = False


def work_out(data_dir: Path, build: Build, request: CalibrationRequest, stop: Event) -> CalibrationOutcome | None:
    """What the measurements tell of the build. Raises BadInput in a sentence."""
    from core.lab.calibrate.fit import calibrate

    measurements = _measurements(data_dir, build, request)
    measurements = replace(
        measurements,
        room_c=measurements.room_c if request.room_c is None else request.room_c,
        altitude_m=measurements.altitude_m if request.altitude_m is None else request.altitude_m,
        case_air_c=measurements.case_air_c if request.case_air_c is None else request.case_air_c,
        coolant_c=measurements.coolant_c if request.coolant_c is None else request.coolant_c,
        sounds=(*measurements.sounds, *((request.sound,) if request.sound else ())),
    )
    return None if stop.is_set() else calibrate(build, measurements)


def _measurements(data_dir: Path, build: Build, request: CalibrationRequest) -> Measurements:
    if request.file is not None:
        return read_measurements(request.file)
    if request.run is None:
        return Measurements(run=tr("a sound reading"), on=datetime.now(tz=UTC).date().isoformat())
    slots = read_slots(request.slots) if request.slots.strip() else ()
    simulated = request.allow_simulated
    measured = partial(measured_run, run_id=request.run, build=build, slots=slots, allow_simulated=simulated)
    return in_store(data_dir, measured)


FILE, SOUND = "file", "sound"


class CalibrationForm(QWidget):
    """`requested(CalibrationRequest)` at the press of the button."""

    requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._file: Path | None = None
        self.source = QComboBox(self)
        self.source.setAccessibleName(tr("Measured by"))
        self.source.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.source.setMinimumContentsLength(36)
        self.choose = QPushButton(tr("&Choose file …"), self)
        self.file_name = sentence(self)
        self.simulated = QCheckBox(tr("Use this run although it is S&IMULATED, to try it out"), self)
        self.slots = QLineEdit(self)
        self.slots.setPlaceholderText(tr("such as 1,3,5"))
        self.slots.setAccessibleName(tr("Slots of the run's GPUs"))
        self.slots.setToolTip(tr("In the order of their PCI bus ids; empty: matched by the cards' names"))
        self.room = OptionalFigureBox(tr("&Room temperature"), _measure("room_c", "°C"), self)
        self.altitude = OptionalFigureBox(tr("Al&titude"), _measure("altitude_m", " m", decimals=0, first=0), self)
        self.case_air = OptionalFigureBox(tr("Intake air of the c&ards"), _measure("case_air_c", "°C"), self)
        coolant = _measure("coolant_c", "°C", first=40)
        self.coolant = OptionalFigureBox(tr("Coolant at the &water blocks"), coolant, self)
        self.level = OptionalFigureBox(tr("Sound &level"), _measure("level_dba", " dBA", first=40), self)
        self.distance = FigureBox(tr("Its distance"), _measure("distance_m", " m", decimals=2), self)
        self.background = FigureBox(tr("Its background"), _measure("background_dba", " dBA"), self)
        self.work_out = QPushButton(tr("&Calibrate"), self)
        self._lay_out()
        self.set_runs([])
        self.source.currentIndexChanged.connect(self._follow)
        self.choose.clicked.connect(self._choose_file)
        self.level.switched.connect(self._follow)
        self.work_out.clicked.connect(self._ask)

    def set_runs(self, runs: list[RunLine]) -> None:
        """Offers the recorded runs, the newest first; the choice stays."""
        chosen = self.source.currentData()
        self._simulated = {row.run.id for row in runs if row.run.simulated}
        self.source.blockSignals(True)
        self.source.clear()
        for row in runs:
            self.source.addItem(self._words(row), row.run.id)
        self.source.addItem(tr("A file of measurements"), FILE)
        self.source.addItem(tr("Only a sound reading"), SOUND)
        self.source.setCurrentIndex(max(self.source.findData(chosen), 0))
        self.source.blockSignals(False)
        self._follow()

    def offer(self, conditions: Conditions) -> None:
        """Begins with the place of the predictions; the room's temperature counts only when it was measured."""
        if not self.room.box.isChecked():
            self.room.setValue(conditions.room_c)
        if not self.altitude.box.isChecked():
            self.altitude.show_figure(conditions.altitude_m or None)
        if not self.level.box.isChecked():
            self.distance.setValue(conditions.distance_m)
            self.background.setValue(conditions.background_dba)

    def request(self) -> CalibrationRequest:
        """What the fields say."""
        source, level = self.source.currentData(), self.level.figure
        sound = None if level is None else SoundReading(level, self.distance.value(), self.background.value())
        run = source if isinstance(source, int) else None
        return CalibrationRequest(
            run=run,
            file=self._file if source == FILE else None,
            slots=self.slots.text() if run is not None else "",
            room_c=self.room.figure,
            altitude_m=self.altitude.figure,
            case_air_c=self.case_air.figure,
            coolant_c=self.coolant.figure,
            sound=sound,
            allow_simulated=run in self._simulated and self.simulated.isChecked(),
        )

    def set_busy(self, busy: bool) -> None:
        """While it is worked out, nothing more is asked."""
        self.work_out.setEnabled(not busy and self._complete())

    @Slot()
    def _ask(self) -> None:
        self.requested.emit(self.request())

    @Slot()
    def _choose_file(self) -> None:
        path = files.file_to_open(self, tr("Measurements"), Path.home(), tr("Measurements (*.json);;All files (*)"))
        if path is not None:
            self._file = path
            self.file_name.setText(path.name)
            self._follow()

    @Slot()
    def _follow(self) -> None:
        source = self.source.currentData()
        is_run = isinstance(source, int)
        self.choose.setVisible(source == FILE)
        self.file_name.setVisible(source == FILE)
        self.slots.setEnabled(is_run)
        self.simulated.setVisible(is_run and source in self._simulated)
        for field in (self.distance, self.background):
            field.setEnabled(self.level.box.isChecked())
        self.work_out.setEnabled(self._complete())

    def _complete(self) -> bool:
        source = self.source.currentData()
        if source == FILE:
            return self._file is not None
        return source != SOUND or self.level.box.isChecked()

    def _words(self, row: RunLine) -> str:
        day, devices = row.run.started_at[:10], ", ".join(row.devices)
        words = tr("Run {number}, {day}: {devices}", number=row.run.id, day=day, devices=devices)
        return tr("SIMULATED {words}", words=words) if row.run.simulated else words

    def _lay_out(self) -> None:
        form = form_of(into=self)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        form.addRow(tr("&Measured by"), self.source)
        form.addRow(row_of(self.choose, (self.file_name, 1)))
        form.addRow(self.simulated)
        form.addRow(tr("&Slots of its GPUs"), self.slots)
        measured = (self.room, self.altitude, self.case_air, self.coolant, self.level, self.distance, self.background)
        for field in measured:
            form.addRow(field.head, field)
        form.addRow(row_of(self.work_out, 1))


def _measure(name: str, unit: str, *, decimals: int = 1, first: float = 25.0) -> FieldRange:
    low, high, _ = RANGES[name]
    return FieldRange(low, high, unit, decimals=decimals, first=first)
