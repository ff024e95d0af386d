"""Power at the wall: by the wall meter that a run read, else by the machine's own; held against plan, circuit, PSUs and
what the devices report of themselves. What was attached later from the file of a meter stands beside the prediction
too, and changes no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import MACHINE, Outcome, Reason, Run, StageRow
from core.burnin.record.run_facts import WallFacts, attached_at, attached_loads, wall_of
from core.burnin.verdict.plan import SETTLED_S, PlanComparison, last_third, reason_of, source_of
from core.burnin.verdict.predicted import LOADS, PlannedRun
from core.burnin.verdict.recorded import Recorded
from core.machine.tables.wall_columns import WallForm
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import WALL
from core.machine.telemetry.source import CPU_ID, WALL_ID
from core.plan.build import Build
from core.plan.psus import boxes
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.power import drawn_at_the_wall, left_of_circuits_w, supplied_w
from core.words import joined, tr
from core.words.units import quantity

Values = NDArray[np.float64]
Series = tuple[Values, Values]
"""Times in s since the start of the run, and W; NaN was not measured."""

UNDER_LOAD = ("soak", "whole-system")
"""Stages with one load, in which the power at the wall is compared: the first kind that ran long enough."""
AT_REST = ("idle",)
MINUTE_S = 60.0
"""What circuits and PSUs bear for hours is held against the highest mean of a minute: peaks pass."""
COVERED = 0.8
"""Share of the time in which the meter must have been read."""
METERS_PCT = 5.0
"""By how much cards may report too many watts of themselves (architecture of their sensors)."""


@dataclass(frozen=True, slots=True)
class WallRecord:
    """What was read at the wall during a run."""

    measured: Series
    meter: Device | None = None
    """The wall meter; None: the figures are of the machine's own meter, or there are none."""
    of_devices: Mapping[str, Series] = field(default_factory=dict)
    """By label what each GPU and the CPU reported, where there is a wall meter."""

    @property
    def origin(self) -> str:
        """Whose figures these are: "APC Smart-UPS 1500, office@localhost, ups.realpower"."""
        if self.meter is None:
            return tr("the machine's own meter")
        detail = self.meter.detail
        return joined([self.meter.name, *(detail[name] for name in ("wall meter", "reading") if name in detail)], ", ")


def read_wall(store: RunReader, run_id: int) -> WallRecord:
    """Of the wall meter where the run has read one, else what board or PSUs told of the machine; often nothing."""
    devices = [row.device for row in store.devices(run_id)]
    meter = next((device for device in devices if device.kind is DeviceKind.WALL), None)
    if meter is None:
        return WallRecord(_series(store, run_id, CPU_ID, WALL))
    whole = [device for device in devices if device.kind is not DeviceKind.WALL and not device.parent]
    of_devices = {device.label: _series(store, run_id, device.id, "power_w") for device in whole}
    return WallRecord(_series(store, run_id, WALL_ID, WALL), meter, of_devices)


def _series(store: RunReader, run_id: int, device_id: str, metric: str) -> Series:
    block = store.samples(run_id, device_id, names=(metric,))
    return block[:, 0], block[:, 1]


def wall_comparison(
    planned: PlannedRun,
    stages: Sequence[StageRow],
    measured: Series,
    *,
    tolerance_pct: float = 0.0,
    kinds: Sequence[str] = UNDER_LOAD,
) -> PlanComparison | None:
    """The whole machine in the last third of the last stage of these kinds; None where no meter told of such a one."""
    steady = steady_stage(stages, measured, kinds)
    if steady is None:
        return None
    stage, watts = steady
    load = LOADS[stage.kind]
    title = tr("At the wall in {stage}", stage=stage.title)
    return PlanComparison(
        MACHINE, stage.number, title, load, "power_w", planned.prediction.wall_w[load], watts, tolerance_pct
    )


def steady_stage(stages: Sequence[StageRow], measured: Series, kinds: Sequence[str]) -> tuple[StageRow, float] | None:
    """The last stage of the first of these kinds that was measured when it was steady, and its W."""
    ours = [stage for stage in stages if stage.kind in kinds]
    for stage in sorted(ours, key=lambda stage: (kinds.index(stage.kind), -stage.number)):
        if (watts := last_third(stage, *measured, "power_w")) is not None:
            return stage, watts
    return None


def wall_reasons(recorded: Recorded, wall: WallRecord) -> Iterator[Reason]:
    """Of the machine: beyond plan, circuit or PSUs is a warning. What fails a run is a limit that its profile sets."""
    gap = _unread(recorded, wall)
    if gap is not None:
        yield gap
        return
    if recorded.planned is not None:
        source = source_of(recorded.planned, simulated=wall.meter is not None and wall.meter.simulated)
        stages, tolerance = recorded.stages, recorded.criteria.power_above_plan_warn_pct
        for kinds in (AT_REST, UNDER_LOAD):
            compared = wall_comparison(recorded.planned, stages, wall.measured, tolerance_pct=tolerance, kinds=kinds)
            if compared is not None:
                yield reason_of(compared, source, WALL)
        yield from _borne(recorded.planned.plan, wall)
    yield from _beside_devices(recorded, wall)


def _unread(recorded: Recorded, wall: WallRecord) -> Reason | None:
    """What a wall meter did not tell is not compared, and never counts as within any limit."""
    times, watts = wall.measured
    if wall.meter is None or not len(times):
        return None
    read = np.isfinite(watts)
    for stage in recorded.stages:
        if stage.kind in (*AT_REST, *UNDER_LOAD) and stage.lasted_s >= SETTLED_S["power_w"]:
            read_here = read[(times >= (stage.started_s or 0.0)) & (times <= (stage.ended_s or 0.0))]
            if len(read_here) and read_here.mean() < COVERED:
                fields = {"lost": float((~read_here).sum()), "count": len(read_here), "stage": stage.title}
                text = tr(
                    "Power at the wall: NOT RUN. The wall meter told nothing for {lost:.0f} of {count} samples of "
                    "{stage}; see the events.",
                    **fields,
                )
                return Reason(Outcome.WARN, text, source=wall.origin, about=WALL, stage=stage.number)
    if read.any():
        return None
    sentence = tr("Power at the wall: NOT RUN. The wall meter told nothing; see the events.")
    return Reason(Outcome.WARN, sentence, source=wall.origin, about=WALL)


def _borne(plan: Build, wall: WallRecord) -> Iterator[Reason]:
    """The highest minute against what the circuit carries for hours, and what the PSUs draw at their rating; the meter
    may or may not count external boxes beside them."""
    highest = highest_minute_w(*wall.measured)
    if highest is None:
        return
    circuit, left_w, rated_w = plan.circuit, left_of_circuits_w(plan), supplied_w(plan)
    fields: dict[str, Any] = {"highest": highest, "limit": left_w, "circuit": circuit.title}
    text = tr("At the wall {highest:.0f} W in the highest minute; {circuit} leaves {limit:.0f} W for hours.", **fields)
    outcome = Outcome.WARN if highest > left_w else Outcome.PASS
    if highest > left_w:
        text = tr(
            "At the wall {highest:.0f} W in the highest minute, more than the {limit:.0f} W that {circuit} leaves for "
            "hours: lower the power limits, or use another circuit.",
            **fields,
        )
    if highest > left_w or wall.meter is not None:
        yield Reason(outcome, text, round(highest, 1), round(left_w, 1), "W", circuit.source, about=WALL)
    if rated_w is None or any(box.cards for box in boxes(plan)):
        return
    most_w = drawn_at_the_wall(plan, Band(rated_w, rated_w, rated_w, "W")).expected
    if highest > most_w:
        fields |= {"limit": most_w, "rated": rated_w}
        text = tr(
            "At the wall {highest:.0f} W in the highest minute, more than the {limit:.0f} W that the PSUs draw at "
            "their rating of {rated:.0f} W: they are overloaded.",
            **fields,
        )
        source = tr("rating of the planned PSUs")
        yield Reason(Outcome.WARN, text, round(highest, 1), round(most_w, 1), "W", source, about=WALL)


def highest_minute_w(times: Values, watts: Values) -> float | None:
    """The highest mean of a minute that was read for most of its time; None where no minute was."""
    read = np.isfinite(watts)
    times, watts = times[read], watts[read]
    if not len(times):
        return None
    totals = np.concatenate(([0.0], np.cumsum(watts)))
    ends = np.searchsorted(times, times + MINUTE_S)
    starts = np.arange(len(times))
    whole = (times[ends - 1] - times >= COVERED * MINUTE_S) & (ends - starts >= COVERED * MINUTE_S)
    means = (totals[ends] - totals[starts])[whole] / (ends - starts)[whole]
    return float(means.max()) if len(means) else None


def _beside_devices(recorded: Recorded, wall: WallRecord) -> Iterator[Reason]:
    """Cards and CPU draw less than the machine does at the wall; if not, the meter does not measure all of it."""
    steady = steady_stage(recorded.stages, wall.measured, UNDER_LOAD)
    if wall.meter is None or steady is None:
        return
    stage, watts = steady
    each = [last_third(stage, *series, "power_w") for series in wall.of_devices.values()]
    total = sum(watts_of_device for watts_of_device in each if watts_of_device is not None)
    fields: dict[str, Any] = {"stage": stage.title, "watts": watts, "total": total, "rest": watts - total}
    outcome, limit = Outcome.PASS, round(total, 1) or None
    if not total:
        text: str = tr("{stage}: {watts:.0f} W at the wall; no device reports its own power.", **fields)
    elif watts < total * (1 - METERS_PCT / 100):
        text = tr(
            "{stage}: {watts:.0f} W at the wall, less than the {total:.0f} W that GPUs and CPU report of themselves. "
            "Does the meter feed all PSUs of this machine?",
            **fields,
        )
        outcome = Outcome.WARN
    else:
        text = tr(
            "{stage}: {watts:.0f} W at the wall; GPUs and CPU report {total:.0f} W of it, {rest:.0f} W are left for "
            "the rest of the machine and PSU losses.",
            **fields,
        )
    yield Reason(outcome, text, round(watts, 1), limit, "W", wall.origin, about=WALL, stage=stage.number)


@dataclass(frozen=True, slots=True)
class MeasuredWall:
    """A figure at the wall, and what is predicted there."""

    load: LoadCase
    watts: float
    origin: str
    """Whose figure it is: a wall meter, the machine's own, or a file with its column and digest."""
    attached: bool
    """Whether a user attached it: the verdict knows nothing of it."""
    predicted: Band | None = None
    file: str = ""
    sha256: str = ""
    """Of the file."""
    at: str = ""
    """When it was attached, UTC."""

    @property
    def place(self) -> str:
        """ "above the 400 to 500 W predicted"; "" without a prediction."""
        band = self.predicted
        if band is None:
            return ""
        ends = {"low": f"{band.low:.0f}", "high": f"{band.high:.0f}"}
        if self.watts > band.high:
            return tr("above the {low} to {high} W predicted", **ends)
        if self.watts < band.low:
            return tr("below the {low} to {high} W predicted", **ends)
        return tr("within the {low} to {high} W predicted", **ends)

    @property
    def sentence(self) -> str:
        """ "At the wall in training: 1,840 W, above the 1,500 to 1,700 W predicted (plug.csv, Power)." """
        fields = {"load": self.load.phrase, "watts": quantity(self.watts, "W", decimals=0), "origin": self.origin}
        if self.predicted is None:
            return tr("At the wall {load}: {watts} ({origin}).", **fields)
        return tr("At the wall {load}: {watts}, {place} ({origin}).", place=self.place, **fields)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "load": self.load.value,
            "measured_w": round(self.watts, 1),
            "origin": self.origin,
            "attached": self.attached,
            "file_sha256": self.sha256 or None,
            "attached_at": self.at or None,
            "predicted": self.predicted and self.predicted.as_dict(),
        }


def measured_wall(store: RunReader, run_id: int, plan: Build | None) -> list[MeasuredWall]:
    """The run's own figures first; empty where there are none. A simulated run draws no power."""
    run = store.run(run_id)
    if run.simulated:
        return []
    bands = predicted_wall(plan, run) if plan is not None else {}
    changes = store.fact_changes(run_id)
    facts = wall_of(changes)
    return [*_recorded(store, run_id, bands), *(of_file(facts, bands, attached_at(changes)) if facts else ())]


def predicted_wall(plan: Build, run: Run) -> Mapping[LoadCase, Band]:
    """In the room of the run."""
    return PlannedRun(plan, room_c=run.profile.criteria.room_c).prediction.wall_w


def _recorded(store: RunReader, run_id: int, bands: Mapping[LoadCase, Band]) -> Iterator[MeasuredWall]:
    wall = read_wall(store, run_id)
    stages = store.stages(run_id)
    for kinds in (AT_REST, UNDER_LOAD):
        if (steady := steady_stage(stages, wall.measured, kinds)) is not None:
            load = LOADS[steady[0].kind]
            yield MeasuredWall(load, steady[1], wall.origin, False, bands.get(load))


def of_file(facts: WallFacts, bands: Mapping[LoadCase, Band], attached_at: str = "") -> list[MeasuredWall]:
    """What a file tells; `bands` is empty where no plan predicts, `attached_at` is when it was attached, UTC."""
    form = WallForm(facts.form).words if facts.form in list(WallForm) else ""
    offset = tr("clock shifted by {seconds:g} s", seconds=facts.offset_s) if facts.offset_s else ""
    origin = joined([part for part in (facts.file, facts.column, form, offset) if part], ", ")
    return [
        MeasuredWall(load, watts, origin, True, bands.get(load), facts.file, facts.sha256, attached_at)
        for load, watts in attached_loads(facts).items()
    ]
