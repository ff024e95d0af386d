"""Chosen runs side by side: one chart by the time of a stage, and the table of what differs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, Slot
from PySide6.QtWidgets import QComboBox, QHeaderView, QSplitter, QTableView, QVBoxLayout, QWidget

from core.chart import Scenery
from core.machine.telemetry.metrics import BY_NAME
from core.present.report.run_list import marked_simulated
from core.present.report.run_verdict import run_badge
from core.words import joined, plain, tr
from gui.burnin.chart.layers import DeviceTrace
from gui.burnin.chart.metric_chart import MetricChart, ReadoutValue
from gui.burnin.devices.device_card import Swatch
from gui.burnin.words import figure
from gui.history.comparison import (
    METRICS,
    ComparedRun,
    RunDifference,
    differences,
    read_runs,
    shared_devices,
    shared_stages,
    unit_of,
)
from gui.widgets.background import run_in_background
from gui.widgets.flow import Columns
from gui.widgets.form import column_of, row_of
from gui.widgets.table import TableColumn, TableModel
from gui.widgets.text import Label, sentence
from gui.widgets.views import small_table


class CompareView(QWidget):
    """Reads the runs beside the window."""

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self.run_ids: tuple[int, ...] = ()
        """The runs that are compared, or being read."""
        self.runs: list[ComparedRun] = []
        self.stage = QComboBox(self)
        self.metric_choice = QComboBox(self)
        self.device = QComboBox(self)
        self.table = QTableView(self)
        self.notice = sentence(self)
        self._legend = Columns(self)
        self._split = QSplitter(Qt.Orientation.Vertical, self)
        self._charts = QVBoxLayout()
        self.chart: MetricChart | None = None
        self._model: TableModel[RunDifference] | None = None
        self._arrange()
        self.stage.currentIndexChanged.connect(self._draw)
        self.metric_choice.currentIndexChanged.connect(self._draw)
        self.device.currentIndexChanged.connect(self._device_chosen)

    def compare(self, run_ids: tuple[int, ...]) -> None:
        """Shows these runs, the first as the one that the others are held against."""
        if run_ids != self.run_ids:
            self.run_ids = run_ids
            self.notice.setText(tr("Reading {count} runs…", count=len(run_ids)))
            self.notice.show()
            run_in_background(self, lambda: read_runs(self._data_dir, run_ids), self._show_runs)

    def forget(self) -> None:
        """Compares nothing; the next choice is read anew."""
        self.run_ids = ()

    def _show_runs(self, runs: list[ComparedRun]) -> None:
        if tuple(run.run.id for run in runs) != self.run_ids:
            return
        self.runs = runs
        stages = shared_stages(runs)
        self._refill(self.stage, stages, next((kind for kind, _ in stages if kind in ("soak", "gemm")), ""))
        self._refill(self.device, [("", tr("Mean of all cards")), *shared_devices(runs)], "")
        self._show_legend()
        self.notice.setText("" if stages else tr("These runs have no stage in common."))
        self.notice.setVisible(not stages)
        self._device_chosen()

    @Slot()
    def _device_chosen(self) -> None:
        self._show_table()
        self._draw()

    @Slot()
    def _draw(self) -> None:
        """One curve per run over the time since the stage began."""
        if not self.runs:
            return
        metric, kind = str(self.metric_choice.currentData()), str(self.stage.currentData())
        if self.chart is not None:
            self._charts.removeWidget(self.chart)
            self.chart.deleteLater()
        self.chart = MetricChart(BY_NAME[metric], len(self.runs), self)
        self._charts.addWidget(self.chart, 1)
        curves = [run.during(kind, self.device.currentData() or None, metric) for run in self.runs]
        longest = max((float(times[-1]) for times, _ in curves if len(times)), default=60.0)
        empty = all(not np.isfinite(values).any() for _, values in curves)
        title = BY_NAME[metric].title
        notice = tr("{metric}: not measured in this stage", metric=title) if empty else ""
        self.chart.show_span(0.0, max(longest, 1.0), follows=False)
        self.chart.show_traces([DeviceTrace(*curve) for curve in curves], Scenery(notice=notice), 0.0)
        highest = [float(np.nanmax(values)) if np.isfinite(values).any() else float("nan") for _, values in curves]
        pairs = enumerate(zip(self.runs, highest, strict=True))
        values = [ReadoutValue(number, self._name(run), top) for number, (run, top) in pairs]
        self.chart.show_values(tr("highest"), values)

    def _show_table(self) -> None:
        model = TableModel(self._columns(), lambda row: (row.stage, row.metric), self)
        rows = differences(self.runs, self.device.currentData() or None)
        model.show_rows(sorted(rows, key=lambda row: -(row.spread_pct or 0.0)))
        self.table.setModel(model)
        if self._model is not None:
            self._model.deleteLater()
        self._model = model
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self.table.clicked.connect(self._show_row, Qt.ConnectionType.UniqueConnection)

    @Slot(QModelIndex)
    def _show_row(self, index: QModelIndex) -> None:
        """A click on a row draws its stage and metric."""
        row = self._model.row(index) if self._model else None
        if row is not None:
            self.metric_choice.setCurrentIndex(self.metric_choice.findData(row.metric))
            self.stage.setCurrentIndex(self.stage.findText(row.stage))

    def _columns(self) -> tuple[TableColumn[RunDifference], ...]:
        stage: TableColumn[RunDifference] = TableColumn(tr("Stage"), lambda row: row.stage)
        mean: TableColumn[RunDifference] = TableColumn(
            tr("Mean"),
            lambda row: plain("{metric}, {unit}", metric=BY_NAME[row.metric].title, unit=unit_of(row.metric)),
        )
        spread: TableColumn[RunDifference] = TableColumn(
            tr("Spread"),
            lambda row: "–" if row.spread_pct is None else plain("{percent:.1f} %", percent=row.spread_pct),
            meaning=tr("From the lowest to the highest, in percent of the first run"),
            side=Qt.AlignmentFlag.AlignRight,
        )
        rest: TableColumn[RunDifference] = TableColumn("", lambda _: "")
        runs = (self._column_of(place, run) for place, run in enumerate(self.runs))
        return (stage, mean, *runs, spread, rest)

    def _column_of(self, place: int, run: ComparedRun) -> TableColumn[RunDifference]:
        right = Qt.AlignmentFlag.AlignRight
        return TableColumn(self._name(run), lambda row: figure(row.figures[place], row.metric), side=right)

    def _name(self, run: ComparedRun) -> str:
        return tr("Run {number}", number=run.run.id)

    def _show_legend(self) -> None:
        cells = []
        for place, run in enumerate(self.runs):
            cell = QWidget(self)
            swatch = Swatch(place, self._name(run), cell)
            swatch.setEnabled(False)
            verdict = run_badge(run.run, run.outcome, changed=run.changed).word
            words = joined([marked_simulated(run.run.title, run.run), verdict], ", ")
            row_of(swatch, Label(tr("{run}: {words}", run=self._name(run), words=words), cell), 1, into=cell)
            cells.append(cell)
        self._legend.set_cells(cells)

    def _refill(self, box: QComboBox, entries: list[tuple[str, str]], usual: str) -> None:
        """Keeps what was chosen where it is there again."""
        before = box.currentData()
        box.blockSignals(True)
        box.clear()
        for data, text in entries:
            box.addItem(text, data)
        place = box.findData(before) if before else -1
        box.setCurrentIndex(place if place >= 0 else max(box.findData(usual), 0))
        box.blockSignals(False)

    def _arrange(self) -> None:
        for box, name in ((self.stage, tr("Stage")), (self.metric_choice, tr("Quantity")), (self.device, tr("Card"))):
            box.setAccessibleName(name)
            box.setToolTip(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for metric in METRICS:
            self.metric_choice.addItem(BY_NAME[metric].title, metric)
        small_table(self.table)
        self.table.setAccessibleName(tr("Differences"))
        self.table.verticalHeader().hide()
        upper = QWidget(self)
        upper.setLayout(self._charts)
        self._charts.setContentsMargins(0, 0, 0, 0)
        self._split.addWidget(upper)
        self._split.addWidget(self.table)
        self._split.setSizes([400, 200])
        self._split.setChildrenCollapsible(False)
        tools = row_of(self.stage, self.metric_choice, self.device, 1)
        column_of(self._legend, self.notice, tools, (self._split, 1), into=self)
