"""The plan beside the run: the build that was recorded with it, what is predicted of it, and what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.asbuilt.recognition import same_card
from core.build.file import parse_build
from core.burnin.verdict.plan import BandSide, PlanComparison, comparisons
from core.burnin.verdict.predicted import PlannedRun
from core.burnin.verdict.wall import read_wall, wall_comparison
from core.chart import PredictedBand
from core.errors import BadInput
from core.language import tr, trc
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.report.document import Badge, Block, Cell, Heading, KeyValues, Paragraph, ReportColumn, Tone, table
from core.report.formatting import band_text
from core.report.recorded_run import RecordedRun
from core.telemetry.device import Device, DeviceKind
from core.units import quantity

NOT_COMPARED = tr("Nothing was compared for this device: no stage with a predicted load lasted until it was steady.")
_WHAT = {"power_w": trc("figure", "Power"), "temperature_c": tr("Temperature")}


@dataclass(frozen=True, slots=True)
class UnreadablePlan:
    """A recorded build that this program cannot open."""

    why: str


def read_plan(record: RecordedRun) -> PlannedRun | UnreadablePlan | None:
    """The plan in a run's record; None if the run has none."""
    text = record.run.build
    if text is None:
        return None
    try:
        build = parse_build(text, lambda _: None, tr("The plan of this run"))
    except BadInput as error:
        return UnreadablePlan(error.args[0])
    return PlannedRun(build, record.as_built, record.run.profile.criteria.room_c)


def expected_bands(plan: PlannedRun | UnreadablePlan | None, record: RecordedRun) -> dict[str, PredictedBand]:
    """What the plan expects of each metric under full load, where that is the same of all burned cards."""
    gpus = [device for device in record.burned if device.kind is DeviceKind.GPU]
    if not isinstance(plan, PlannedRun) or not gpus:
        return {}
    bands = [plan.bands("soak", device) for device in gpus]
    metrics = [metric for metric in _WHAT if all(bands[0].get(metric) == other.get(metric) for other in bands)]
    return {metric: _expected(bands[0][metric]) for metric in metrics if metric in bands[0]}


def _expected(band: Band) -> PredictedBand:
    text = tr("predicted per card under full load: {figure}", figure=band_text(band))
    return PredictedBand(0.0, math.inf, band.low, band.high, text)


def plan_blocks(plan: PlannedRun | UnreadablePlan | None, record: RecordedRun) -> Iterator[Block]:
    """Predicted and measured, side by side."""
    if plan is None:
        return
    yield Heading(tr("Plan and measurement"))
    if isinstance(plan, UnreadablePlan):
        yield Paragraph(tr("The plan cannot be shown. {why}", why=plan.why), Tone.UNKNOWN)
        return
    planned = plan.plan.worker_count
    present = sum(row.device.kind is DeviceKind.GPU for row in record.devices)
    yield KeyValues(
        (
            (tr("Plan"), plan.plan.name),
            ("GPUs", tr("planned {planned}, present {present}", planned=planned, present=present)),
            (tr("Mains power"), _wall_words(plan, record)),
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
    rows = [row for device in record.burned for row in _rows(plan, record, device)]
    yield table(columns, rows, empty=tr("No device was burned in."))


def compared(plan: PlannedRun | UnreadablePlan | None, record: RecordedRun) -> list[PlanComparison]:
    """All figures that have a prediction, device by device."""
    if not isinstance(plan, PlannedRun):
        return []
    return [one for device in record.burned for one in _of(plan, record, device)]


def read_at_the_wall(plan: PlannedRun, record: RecordedRun) -> PlanComparison | None:
    """The power of the whole machine beside its prediction; None where no meter told it under a steady load."""
    tolerance = record.run.profile.criteria.power_above_plan_warn_pct
    return wall_comparison(
        plan, record.stages, read_wall(record.store, record.run.id).measured, tolerance_pct=tolerance
    )


def _wall_words(plan: PlannedRun, record: RecordedRun) -> str:
    one = read_at_the_wall(plan, record)
    if one is not None:
        return one.sentence
    wall = plan.prediction.wall_w[LoadCase.TRAINING]
    return tr("predicted {power} in training; not measured by this run", power=band_text(wall))


def plan_data(plan: PlannedRun | UnreadablePlan | None, record: RecordedRun) -> dict[str, Any] | None:
    """For JSON."""
    if plan is None:
        return None
    if isinstance(plan, UnreadablePlan):
        return {"name": None, "problem": plan.why, "prediction": None, "compared": []}
    return {
        "name": plan.plan.name,
        "problem": None,
        "prediction": plan.prediction.as_dict(),
        "compared": [one.as_dict() for one in compared(plan, record)],
        "wall": at_the_wall.as_dict() if (at_the_wall := read_at_the_wall(plan, record)) else None,
    }


def _of(plan: PlannedRun, record: RecordedRun, device: Device) -> Iterator[PlanComparison]:
    results = {number: result for (number, device_id), result in record.results.items() if device_id == device.id}
    tolerance = record.run.profile.criteria.power_above_plan_warn_pct
    return comparisons(plan, device, record.stages, results, record.series, tolerance_pct=tolerance)


def _rows(plan: PlannedRun, record: RecordedRun, device: Device) -> Iterator[tuple[Cell, ...]]:
    label, slot = record.label(device.id), _slot(plan, device)
    found = list(_of(plan, record, device))
    if not found:
        yield (label, slot, NOT_COMPARED, "", "", "", "")
    for place, one in enumerate(found):
        band, unit = one.predicted, one.predicted.unit
        head = (label, slot) if place == 0 else ("", "")
        measured = quantity(round(one.measured, 1 if one.is_rate else 0), unit)
        yield (*head, one.title, _WHAT.get(one.what, one.what), band_text(band), measured, _badge(one))


def _slot(plan: PlannedRun, device: Device) -> str:
    if not any(same_card(spec, device) for _, spec in plan.plan.gpus()):
        return tr("not in the plan")
    slot = plan.slot(device)
    return tr("not known") if slot is None else tr("slot {slot}", slot=slot)


def _badge(one: PlanComparison) -> Badge:
    if one.place is BandSide.WITHIN:
        return Badge(one.place.label, Tone.PASS)
    return Badge(one.place.label, Tone.WARN if one.suspicious else Tone.NOTE)
