"""Power at the wall: by the wall meter that a run read, else by the machine's own; held against plan, circuit, PSUs and
what the devices report of themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.build.boxes import boxes
from core.build.build import Build
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import MACHINE, Outcome, Reason, StageRow
from core.burnin.verdict.plan import SETTLED_S, PlanComparison, last_third, reason_of, source_of
from core.burnin.verdict.predicted import LOADS, PlannedRun
from core.burnin.verdict.recorded import Recorded
from core.language import joined, tr
from core.predict.band import Band
from core.predict.power import drawn_at_the_wall, left_of_circuits_w, supplied_w
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import WALL
from core.telemetry.source import CPU_ID, WALL_ID

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
        for kinds in (AT_REST, UNDER_LOAD):
            comparison = wall_comparison(
                recorded.planned,
                recorded.stages,
                wall.measured,
                tolerance_pct=recorded.criteria.power_above_plan_warn_pct,
                kinds=kinds,
            )
            if comparison is not None:
                yield reason_of(comparison, source, WALL)
        yield from _borne(recorded.planned.plan, wall)
    yield from _beside_devices(recorded, wall)


def _unread(recorded: Recorded, wall: WallRecord) -> Reason | None:
    """What a wall meter did not tell is not compared, and never counts as within any limit."""
    times, watts = wall.measured
    if wall.meter is None or not len(times):
        return None
    read = np.isfinite(watts)
    for stage in recorded.stages:
        if stage.kind in (*AT_REST, *UNDER_LOAD) and stage.started_s is not None and stage.ended_s is not None:
            if stage.ended_s - stage.started_s < SETTLED_S["power_w"]:
                continue
            read_here = read[(times >= stage.started_s) & (times <= stage.ended_s)]
            if len(read_here) and read_here.mean() < COVERED:
                return Reason(
                    Outcome.WARN,
                    tr(
                        "Power at the wall: NOT RUN. The wall meter told nothing for {lost:.0f} of {count} samples "
                        "of {stage}; see the events.",
                        lost=float((~read_here).sum()),
                        count=len(read_here),
                        stage=stage.title,
                    ),
                    source=wall.origin,
                    about=WALL,
                    stage=stage.number,
                )
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
    fields = {"highest": highest, "limit": left_w, "circuit": circuit.title}
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
        text = tr(
            "At the wall {highest:.0f} W in the highest minute, more than the {limit:.0f} W that the PSUs draw at "
            "their rating of {rated:.0f} W: they are overloaded.",
            highest=highest,
            limit=most_w,
            rated=rated_w,
        )
        yield Reason(
            Outcome.WARN, text, round(highest, 1), round(most_w, 1), "W", tr("rating of the planned PSUs"), about=WALL
        )


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
