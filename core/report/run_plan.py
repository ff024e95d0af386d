"""The plan beside the run: the build that was recorded with it, its predicted watts, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.build.build import Build
from core.build.file import parse_build
from core.burnin.record.rows import RunDevice
from core.burnin.stages.registry import BY_KIND
from core.errors import BadInput
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.prediction import Prediction, predict
from core.report.document import Block, Cell, Column, Heading, KeyValues, Paragraph, Tone, table
from core.report.formatting import NOT_MEASURED, band_text
from core.report.recorded_run import RecordedRun
from core.report.time_chart import Expected
from core.telemetry.device import DeviceKind
from core.units import quantity


@dataclass(frozen=True, slots=True)
class Plan:
    """The build that a run is compared with, and what is predicted of it."""

    build: Build
    prediction: Prediction

    def card_power_w(self, device_name: str) -> tuple[str, Band] | None:
        """Title and predicted board power in training of the plan's card with the device's product name."""
        counts = {part.part_id: part for part in self.prediction.components}
        for line, spec in self.build.gpus():
            if spec.product.casefold() in device_name.casefold() and line.part.id in counts:
                component = counts[line.part.id]
                return line.part.title, component.dc_w[LoadCase.TRAINING].times(1 / component.count)
        return None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A recorded build that this program cannot open."""

    why: str


def read_plan(text: str | None) -> Plan | Unreadable | None:
    """The plan in a run's record; None if the run has none."""
    if text is None:
        return None
    try:
        build = parse_build(text, lambda _: None, "The plan of this run")
    except BadInput as error:
        return Unreadable(str(error))
    return Plan(build, predict(build))


def expected_bands(plan: Plan | Unreadable | None, record: RecordedRun) -> dict[str, Expected]:
    """What the plan expects of each metric: board power, where all burned cards are one planned product."""
    if not isinstance(plan, Plan):
        return {}
    found = {plan.card_power_w(device.name) for device in record.burned}
    if len(found) != 1 or (only := found.pop()) is None:
        return {}
    _, band = only
    return {"power_w": Expected(f"predicted per card: {band_text(band)}", band.low, band.high)}


def plan_blocks(plan: Plan | Unreadable | None, record: RecordedRun) -> Iterator[Block]:
    """Predicted and measured, side by side."""
    if plan is None:
        return
    yield Heading("Plan and measurement")
    if isinstance(plan, Unreadable):
        yield Paragraph(f"The plan cannot be shown. {plan.why}", Tone.UNKNOWN)
        return
    wall = plan.prediction.wall_w[LoadCase.TRAINING]
    present = sum(row.device.kind is DeviceKind.GPU for row in record.devices)
    yield KeyValues(
        (
            ("Plan", plan.build.name),
            ("GPUs", f"planned {plan.build.count(Category.GPU)}, present {present}"),
            ("Mains power", f"predicted {band_text(wall)} in training; {NOT_MEASURED} by this run"),
        )
    )
    columns = (
        Column("Device", 2.5),
        Column("Card of the plan", 2.5),
        Column("Predicted in training", 1.8, numeric=True),
        Column("Measured under load", 1.5, numeric=True),
    )
    rows = [_row(plan, record, row) for row in record.devices if row.burned]
    yield table(columns, rows, empty="No device was burned in.")


def plan_data(plan: Plan | Unreadable | None) -> dict[str, Any] | None:
    """For JSON."""
    if plan is None:
        return None
    if isinstance(plan, Unreadable):
        return {"name": None, "problem": plan.why, "prediction": None}
    return {"name": plan.build.name, "problem": None, "prediction": plan.prediction.as_dict()}


def _row(plan: Plan, record: RecordedRun, row: RunDevice) -> tuple[Cell, ...]:
    card = plan.card_power_w(row.device.name)
    measured = quantity(_power_under_load_w(record, row.device.id), "W", missing=NOT_MEASURED)
    label = record.label(row.device.id)
    if card is None:
        return (label, "not in the plan", "", measured)
    return (label, card[0], band_text(card[1]), measured)


def _power_under_load_w(record: RecordedRun, device_id: str) -> float | None:
    """Mean board power over the stages that put a load on, W."""
    time_s, power_w = record.series(device_id, "power_w")
    loaded = np.zeros(len(time_s), dtype=bool)
    for stage in record.stages:
        known = BY_KIND.get(stage.kind)
        if known is not None and known.load and stage.started_s is not None:
            ended_s = record.seconds if stage.ended_s is None else stage.ended_s
            loaded |= (time_s >= stage.started_s) & (time_s <= ended_s)
    power_w = power_w[loaded & np.isfinite(power_w)]
    return float(power_w.mean()) if len(power_w) else None
