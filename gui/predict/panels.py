"""The sections of the predictions by name. Each is made, with the libraries it needs, when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from gui.catalogue_connection import CatalogueConnection
from gui.planner.document import PlanDocument
from gui.predict.panel import Panel

Maker = Callable[[QWidget], Panel]


def makers(
    document: PlanDocument, connection: CatalogueConnection, data_dir: Path, figure_wanted: Callable[[str, str], None]
) -> dict[str, Maker]:
    """In the order in which they are listed. `figure_wanted(part id, field)` is called for a figure to be entered."""

    def power(parent: QWidget) -> Panel:
        from gui.predict.power_panel import PowerPanel

        return PowerPanel(document, parent)

    def temperature(parent: QWidget) -> Panel:
        from gui.predict.temperature_panel import TemperaturePanel

        return TemperaturePanel(document, parent)

    def noise(parent: QWidget) -> Panel:
        from gui.predict.noise_panel import NoisePanel

        return NoisePanel(document, parent)

    def energy(parent: QWidget) -> Panel:
        from gui.predict.energy_panel import EnergyPanel

        return EnergyPanel(document, parent)

    def speed(parent: QWidget) -> Panel:
        from gui.predict.speed_panel import SpeedPanel

        return SpeedPanel(document, parent)

    def gpus(parent: QWidget) -> Panel:
        from gui.predict.ranking_panel import RankingPanel

        return RankingPanel(document, connection, parent)

    def limit(parent: QWidget) -> Panel:
        from gui.predict.limit_panel import LimitPanel

        return LimitPanel(document, parent)

    def quiet(parent: QWidget) -> Panel:
        from gui.predict.quiet_panel import QuietPanel

        return QuietPanel(document, parent)

    def calibration(parent: QWidget) -> Panel:
        from gui.predict.calibration_panel import CalibrationPanel

        return CalibrationPanel(document, data_dir, parent)

    def basis(parent: QWidget) -> Panel:
        from gui.predict.basis_panel import BasisPanel

        panel = BasisPanel(document, parent)
        panel.figure_wanted.connect(figure_wanted)
        return panel

    return {
        "power": power,
        "temperature": temperature,
        "noise": noise,
        "energy": energy,
        "speed": speed,
        "gpus": gpus,
        "limit": limit,
        "quiet": quiet,
        "calibration": calibration,
        "basis": basis,
    }
