"""What the fans move: every group at its operating point, and what crosses the case."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from core.build.build import Build
from core.predict.airflow.airflow import Airflow
from core.predict.airflow.flow_paths import FanRole
from gui.predict.figures_model import Cell, FiguresModel, Heading, Row
from gui.predict.figures_view import FiguresView
from gui.predict.words import band_cell, nothing_cell, percent_cell, unknown_cell

translate = QCoreApplication.translate


class AirView(FiguresView):
    """One row per group of fans that share a way."""

    def __init__(self, parent: QWidget) -> None:
        headings = (
            Heading(translate("AirView", "Fans"), words=True),
            Heading(translate("AirView", "Qty")),
            Heading(translate("AirView", "Air,\nm³/h"), translate("AirView", "All of them together")),
            Heading(translate("AirView", "Against,\nPa"), translate("AirView", "Static pressure over each")),
            Heading(translate("AirView", "Speed,\n%"), translate("AirView", "Of their highest")),
            Heading(translate("AirView", "Speed,\nrpm")),
        )
        super().__init__(FiguresModel(headings, parent), translate("AirView", "What the fans move"), parent)

    def show_air(self, build: Build, air: Airflow) -> None:
        """Shows the air of a build in training."""
        self.figures.show_rows(list(self._rows(build, air)))

    def _rows(self, build: Build, air: Airflow) -> Iterator[Row]:
        for group in air.groups:
            cells = (
                Cell(self._words(group.group)),
                Cell(str(group.count)),
                band_cell(build, group.flow_m3h),
                band_cell(build, group.pressure_pa),
                percent_cell(build, group.speed_share),
                band_cell(build, group.rpm) if group.rpm else unknown_cell(self.tr("A fan's speed is unknown.")),
            )
            yield Row(group.group, cells)
        through = air.through_m3h
        if through is not None:
            missing = through.noting(missing=air.missing)
            rest = (nothing_cell(),) * 3
            yield Row("through", (Cell(self.tr("Through the case")), nothing_cell(), band_cell(build, missing), *rest))

    def _words(self, group: FanRole) -> str:
        return {
            FanRole.INTAKE: self.tr("Blowing in"),
            FanRole.EXHAUST: self.tr("Blowing out"),
            FanRole.RADIATOR: self.tr("On radiators in the case"),
            FanRole.BESIDE: self.tr("On radiators beside the case"),
        }[group]
