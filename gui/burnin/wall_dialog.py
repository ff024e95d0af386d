"""What a run drew at the wall: read by a meter during it, or attached from a meter's file, beside the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QInputDialog,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.burnin.measured.meter_files import MeterFile
from core.burnin.planned import read_plan
from core.burnin.record.store import RunStore
from core.burnin.verdict.wall import MeasuredWall, measured_wall
from core.language import joined, tr
from core.predict.conditions import LoadCase
from core.tables.wall_table import SeveralColumns
from core.units import quantity
from gui.background import run_in_background
from gui.report_export import documents_folder
from gui.theme import theme
from gui.widgets import files
from gui.widgets.text import sentence, tip

NOT_MEASURED = tr(
    "Not measured: no wall meter was read in this run. Import the file of a metering plug, PDU or UPS that ran "
    "meanwhile."
)
MOST_HOURS = 26.0


def read_wall_of(data_dir: Path, run_id: int) -> tuple[MeasuredWall, ...]:
    """Takes a moment where there is a plan: it is predicted. Raises RigwrightError."""
    with closing(RunStore(data_dir)) as store:
        return _read(store, run_id)


def _read(store: RunStore, run_id: int) -> tuple[MeasuredWall, ...]:
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
                return _read(store, number)

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
