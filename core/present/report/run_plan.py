"""Plan and measurement of a run side by side: cards, power at the wall, noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.burnin.verdict.noise import NOT_MEASURED, MeasuredNoise, measured_noise
from core.burnin.verdict.plan import BandSide, PlanComparison, comparisons
from core.burnin.verdict.predicted import PlannedRun
from core.burnin.verdict.wall import MeasuredWall, measured_wall, read_wall, wall_comparison
from core.chart import PredictedBand
from core.loads.inference.contract import DECODE
from core.machine.asbuilt.identities import same_card
from core.machine.telemetry.device import Device, DeviceKind
from core.plan.build import Build
from core.plan.file import parse_build
from core.platform.errors import BadInput
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.present.report.document import Badge, Block, Cell, Heading, KeyValues, Paragraph, ReportColumn, Tone, table
from core.present.report.formatting import band_text
from core.present.report.recorded_run import RecordedRun
from core.words import tr, trc
from core.words.units import quantity

NOT_COMPARED = tr("Nothing was compared for this device: no stage with a predicted load lasted until it was steady.")
NO_NOISE = tr("NOT RUN: simulated devices make no noise.")
_WHAT = {"power_w": trc("figure", "Power"), "temperature_c": tr("Temperature"), DECODE: tr("Decode")}


@dataclass(frozen=True)
class RunPlan:
    """What was recorded of a run beside the plan that was recorded with it; without one `planned` is None."""

    record: RecordedRun
    planned: PlannedRun | None
    problem: str = ""
    """Why the recorded plan cannot be opened, in a sentence."""

    @classmethod
    def read(cls, record: RecordedRun) -> RunPlan:
        """The plan in a run's record."""
        if record.run.build is None:
            return cls(record, None)
        try:
            build = parse_build(record.run.build, lambda _: None, tr("The plan of this run"))
        except BadInput as error:
            return cls(record, None, error.args[0])
        return cls(record, PlannedRun(build, record.as_built, record.run.profile.criteria.room_c))

    @cached_property
    def compared(self) -> list[PlanComparison]:
        """All figures that have a prediction, device by device."""
        return [one for device in self.record.burned for one in self._of_device(device)]

    def _of_device(self, device: Device) -> Iterator[PlanComparison]:
        record = self.record
        if self.planned is None:
            return
        results = {number: result for (number, device_id), result in record.results.items() if device_id == device.id}
        tolerance = record.run.profile.criteria.power_above_plan_warn_pct
        yield from comparisons(self.planned, device, record.stages, results, record.series, tolerance_pct=tolerance)

    @cached_property
    def at_the_wall(self) -> PlanComparison | None:
        """The power of the whole machine beside its prediction; None where no meter told it under a steady load."""
        record = self.record
        if self.planned is None:
            return None
        measured = read_wall(record.store, record.run.id).measured
        tolerance = record.run.profile.criteria.power_above_plan_warn_pct
        return wall_comparison(self.planned, record.stages, measured, tolerance_pct=tolerance)

    @property
    def _build(self) -> Build | None:
        return self.planned.plan if self.planned else None

    @cached_property
    def walls(self) -> list[MeasuredWall]:
        """Power at the wall, as read in the run, and as attached by now."""
        return measured_wall(self.record.store, self.record.run.id, self._build)

    @cached_property
    def noises(self) -> list[MeasuredNoise]:
        """Levels, as told or recorded by now."""
        return measured_noise(self.record.store, self.record.run.id, self._build)

    @property
    def expected(self) -> dict[str, PredictedBand]:
        """What is expected of each metric under full load, where that is the same of all burned cards."""
        gpus = [device for device in self.record.burned if device.kind is DeviceKind.GPU]
        if self.planned is None or not gpus:
            return {}
        bands = [self.planned.bands("soak", device) for device in gpus]
        metrics = [metric for metric in _WHAT if all(bands[0].get(metric) == other.get(metric) for other in bands)]
        return {metric: _expected(bands[0][metric]) for metric in metrics if metric in bands[0]}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        plan: dict[str, Any] | None = None
        if self.problem:
            plan = {"name": None, "problem": self.problem, "prediction": None, "compared": []}
        elif self.planned is not None:
            plan = {
                "name": self.planned.plan.name,
                "problem": None,
                "prediction": self.planned.prediction.as_dict(),
                "compared": [one.as_dict() for one in self.compared],
                "wall": self.at_the_wall.as_dict() if self.at_the_wall else None,
            }
        walls, noises = ([one.as_dict() for one in measured] for measured in (self.walls, self.noises))
        return {"plan": plan, "wall": walls, "noise": noises}


def _expected(band: Band) -> PredictedBand:
    text = tr("predicted per card under full load: {figure}", figure=band_text(band))
    return PredictedBand(0.0, math.inf, band.low, band.high, text)


def plan_blocks(plan: RunPlan) -> Iterator[Block]:
    """The chapters of a report on what was planned, power at the wall, and noise."""
    if plan.problem:
        yield Heading(tr("Plan and measurement"))
        yield Paragraph(tr("The plan cannot be shown. {why}", why=plan.problem), Tone.UNKNOWN)
    elif plan.planned is not None:
        yield from _card_blocks(plan, plan.planned)
    if plan.walls:
        yield from _wall_blocks(plan.walls)
    yield Heading(tr("Noise"))
    if plan.noises:
        yield _noise_table(plan.noises)
    else:
        yield Paragraph(NO_NOISE if plan.record.run.simulated else NOT_MEASURED, Tone.UNKNOWN)


def _card_blocks(plan: RunPlan, planned: PlannedRun) -> Iterator[Block]:
    wall = planned.prediction.wall_w[LoadCase.TRAINING]
    unmeasured = tr("predicted {power} in training; not measured by this run", power=band_text(wall))
    present = sum(row.device.kind is DeviceKind.GPU for row in plan.record.devices)
    yield Heading(tr("Plan and measurement"))
    yield KeyValues(
        (
            (tr("Plan"), planned.plan.name),
            ("GPUs", tr("planned {planned}, present {present}", planned=planned.plan.worker_count, present=present)),
            (tr("Mains power"), plan.at_the_wall.sentence if plan.at_the_wall else unmeasured),
        )
    )
    columns = (
        ReportColumn(tr("Device"), 2.4),
        ReportColumn(tr("Planned slot"), 1.3),
        ReportColumn(tr("Stage"), 1.7),
        ReportColumn(tr("What"), 1.2),
        ReportColumn(tr("Predicted"), 1.8, numeric=True),
        ReportColumn(tr("Measured"), 1.1, numeric=True),
        ReportColumn("", 1.1),
    )
    rows = [row for device in plan.record.burned for row in _card_rows(plan, planned, device)]
    yield table(columns, rows, empty=tr("No device was burned in."))


def _card_rows(plan: RunPlan, planned: PlannedRun, device: Device) -> Iterator[tuple[Cell, ...]]:
    head = (plan.record.label(device.id), _planned_slot(planned, device))
    compared = [one for one in plan.compared if one.device_id == device.id]
    if not compared:
        yield (*head, NOT_COMPARED, "", "", "", "")
    for one in compared:
        tone = Tone.PASS if one.place is BandSide.WITHIN else Tone.WARN if one.suspicious else Tone.NOTE
        measured = quantity(round(one.measured, 1 if one.is_rate else 0), one.predicted.unit)
        what = _WHAT.get(one.what, one.what)
        yield (*head, one.title, what, band_text(one.predicted), measured, Badge(one.place.label, tone))
        head = ("", "")


def _planned_slot(planned: PlannedRun, device: Device) -> str:
    if not any(same_card(spec, device) for _, spec in planned.plan.gpus()):
        return tr("not in the plan")
    slot = planned.slot(device)
    return tr("not known") if slot is None else tr("slot {slot}", slot=slot)


def _predicted(band: Band | None) -> str:
    return tr("no plan") if band is None else band_text(band)


def _wall_blocks(walls: list[MeasuredWall]) -> Iterator[Block]:
    """A row for each figure that a meter told."""
    yield Heading(tr("Power at the wall"))
    columns = (
        ReportColumn("", 1.3),
        ReportColumn(tr("Measured"), 1.0, numeric=True),
        ReportColumn(tr("Predicted"), 1.6, numeric=True),
        ReportColumn(tr("How"), 3.2),
    )
    yield table(columns, [(one.load.label, wall_text(one), _predicted(one.predicted), one.origin) for one in walls])
    attached = next((wall for wall in walls if wall.attached), None)
    if attached is not None:
        fields = {"at": attached.at[:19], "sha256": attached.sha256}
        yield Paragraph(
            tr("Attached {at} from a file with the SHA-256 {sha256}. The verdict does not count it.", **fields)
        )


def wall_text(wall: MeasuredWall) -> str:
    """Its figure."""
    return quantity(wall.watts, "W", decimals=0)


def noise_text(noise: MeasuredNoise) -> tuple[str, str]:
    """Its level, and the distance at which it was measured."""
    return quantity(noise.level_dba, "dBA", decimals=1), quantity(noise.distance_m, "m")


def _noise_table(noises: list[MeasuredNoise]) -> Block:
    """A row for rest and for training."""
    columns = (
        ReportColumn("", 1.4),
        ReportColumn(tr("Measured"), 1.1, numeric=True),
        ReportColumn(tr("At"), 0.7, numeric=True),
        ReportColumn(tr("How"), 1.6),
        ReportColumn(tr("Predicted in the room"), 1.8, numeric=True),
        ReportColumn("", 1.0),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in noises:
        badge: Cell = Badge(tr("above"), Tone.WARN) if one.too_loud else Badge(tr("not above"), Tone.PASS)
        badge = badge if one.predicted else ""
        rows.append((one.load.label, *noise_text(one), one.origin, _predicted(one.predicted), badge))
    return table(columns, rows)
