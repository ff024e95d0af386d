"""The PCIe link under load: its generation and lanes against what card and slot can do, and what it carried."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.planned import least_planned_link
from core.burnin.record import Outcome, Reason, StageRow
from core.burnin.samples import Samples, column
from core.burnin.verdict.recorded import Recorded, rates_of
from core.placement.links import GT_PER_S, link_gbps
from core.telemetry.device import Device

STAGE = "host-link"
BEGINS_WITHIN_S = 2.0
"""So much of a stage may pass before the first copy."""
ENOUGH = 4
"""Fewer readings tell nothing."""
SLOT = "what card and slot can do together, as the driver reports it"


def link_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Judged under traffic alone: at rest links fall back to save power."""
    most = 0.0
    for stage, samples in recorded.loads(device):
        lanes = _used(samples, "pcie_lanes")
        before, most = max(most, _usual(samples, "pcie_lanes") or 0.0), lanes or most
        if lanes is not None and lanes < before:
            text = f"{stage.title}: the link fell from {before:.0f} to {lanes:.0f} PCIe lanes under load."
            yield Reason(Outcome.FAIL, text, lanes, before, "PCIe lanes", "what the same link carried before")
        if stage.kind == STAGE:
            yield from _width(recorded, device, stage, samples)
            yield from _speed(recorded, device, stage, samples)


def _width(recorded: Recorded, device: Device, stage: StageRow, samples: Samples) -> Iterator[Reason]:
    """FAIL only below what the plan gives: without one nobody knows how the board shares its lanes."""
    link = least_planned_link(recorded.plan, device) if recorded.plan else None
    planned = (link.generation, link.lanes) if link else (None, None)
    for metric, most, least, what in (
        ("pcie_generation", device.pcie_generation_max, planned[0], "PCIe generation"),
        ("pcie_lanes", device.pcie_lanes_max, planned[1], "PCIe lanes"),
    ):
        used = _used(samples, metric)
        if used is not None and most is not None and used < most:
            text = f"{stage.title}: {what} {used:.0f} under traffic, {most} are possible. Check riser, slot and BIOS."
            below_plan = least is not None and used < least
            yield Reason(Outcome.FAIL if below_plan else Outcome.WARN, text, used, most, what, SLOT)


def _speed(recorded: Recorded, device: Device, stage: StageRow, samples: Samples) -> Iterator[Reason]:
    generation = _usual(samples, "pcie_generation") or device.pcie_generation_max
    lanes = _usual(samples, "pcie_lanes") or device.pcie_lanes_max
    if not generation or not lanes or int(generation) not in GT_PER_S:
        return
    floor_pct = recorded.criteria.link_floor_pct
    floor = floor_pct / 100 * link_gbps(int(generation), int(lanes))
    for name, rate in rates_of(recorded.result(stage, device)).items():
        if rate < floor:
            text = f"{stage.title}, {name}: {rate:.1f} GB/s, less than {floor_pct:.0f} % of generation {generation:.0f}"
            source = "floors of Azure's node checks, scaled by lanes"
            yield Reason(Outcome.FAIL, f"{text} with {lanes:.0f} lanes.", rate, round(floor, 1), "GB/s", source)


def _used(samples: Samples, metric: str) -> float | None:
    """What was usual; of lanes, which no card gives up to save power, what the last readings tell where that is less.

    A link that falls back near the end of its stage stays so.
    """
    usual = _usual(samples, metric)
    if usual is None or metric != "pcie_lanes":
        return usual
    read = column(samples, metric)
    last = np.sort(read[~np.isnan(read)][-ENOUGH:])
    return min(usual, float(last[len(last) // 2]))


def _usual(samples: Samples, metric: str) -> float | None:
    """The median of the readings once the load has begun; a few tell nothing."""
    under_traffic = samples[samples[:, 0] >= samples[0, 0] + BEGINS_WITHIN_S] if len(samples) else samples
    values = column(under_traffic, metric)
    values = values[~np.isnan(values)]
    return float(np.median(values)) if len(values) >= ENOUGH else None
