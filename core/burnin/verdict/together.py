"""What GPUs do together against what their links allow; what like GPUs must agree in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.burnin.record.rows import Outcome, Reason, StageRow
from core.burnin.stages.replay import compare_replays
from core.burnin.verdict.links import links_between, nvlink_gbps
from core.burnin.verdict.recorded import Recorded, rates_of
from core.loads.group.evidence import DataParallelEvidence, NetworkEvidence
from core.loads.training.evidence import ReplayEvidence
from core.placement.links import GT_PER_S, link_gbps
from core.telemetry.device import Device, DeviceKind

COLLECTIVES, DATA_PARALLEL = "collectives", "data-parallel"


def together_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs: the ranks of a CPU share their processors."""
    if device.kind is not DeviceKind.GPU:
        return
    for stage in recorded.stages:
        result = recorded.result(stage, device)
        if result is None:
            continue
        if stage.kind == DATA_PARALLEL:
            for size, evidence in _by_size(result.told(DataParallelEvidence)):
                for network, told in (evidence.networks or {}).items():
                    yield from _scaling(recorded, stage, f"{network}{size}", told)
        if stage.kind == COLLECTIVES:
            yield from _all_reduce(recorded, device, stage, rates_of(result).get("all_reduce"))


def _by_size(evidence: DataParallelEvidence) -> Iterator[tuple[str, DataParallelEvidence]]:
    """The evidence of each number of devices, with words for it."""
    if evidence.by_size:
        yield from ((f" on {size} devices", told) for size, told in evidence.by_size.items())
    else:
        yield "", evidence


def _scaling(recorded: Recorded, stage: StageRow, what: str, told: NetworkEvidence) -> Iterator[Reason]:
    """The time that the gradients took by themselves is the worst that they may cost."""
    efficiency, floor = told.efficiency_pct, told.no_overlap_pct
    if efficiency is None or floor is None:
        return
    criteria = recorded.criteria
    least = floor * (1 - criteria.scaling_below_plan_warn_pct / 100)
    fail_pct = criteria.scaling_below_plan_fail_pct
    text = f"{stage.title}, {what}: {efficiency:.0f} % of what the devices do alone"
    source = "the measured time of adding up all gradients, as if none of it were hidden"
    if efficiency < least:
        more = f"{text}; adding up the gradients explains no less than {floor:.0f} %."
        fails = fail_pct is not None and efficiency < floor * (1 - fail_pct / 100)
        yield Reason(Outcome.FAIL if fails else Outcome.WARN, more, efficiency, round(least, 1), "%", source)
    else:
        yield Reason(Outcome.PASS, f"{text}.", efficiency, round(least, 1), "%", source)


def _all_reduce(recorded: Recorded, device: Device, stage: StageRow, busbw_gbps: float | None) -> Iterator[Reason]:
    """Over NVLink where it joins the card to every other one; else the slowest step of the ring goes over PCIe."""
    way = _way(recorded, device)
    if busbw_gbps is None or way is None:
        return
    gbps, share, words = way
    floor = share / 100 * gbps
    if busbw_gbps < floor:
        text = f"{stage.title}: {busbw_gbps:.1f} GB/s, less than {share:.0f} % of {words}."
        yield Reason(Outcome.WARN, text, busbw_gbps, round(floor, 1), "GB/s", "our proposal, to be held to the plan")


def _way(recorded: Recorded, device: Device) -> tuple[float, float, str] | None:
    """What the way to the other cards carries in GB/s each way, the share of it in per cent that is asked for, words.

    None where nothing is known of the way.
    """
    criteria = recorded.criteria
    others = [other for other in recorded.burned if other.id != device.id]
    if (over_nvlink := nvlink_gbps(device, others)) is not None:
        return over_nvlink, criteria.all_reduce_nvlink_warn_pct, f"the {over_nvlink:.0f} GB/s of its NVLinks"
    generation, lanes = device.pcie_generation_max, device.pcie_lanes_max
    if generation not in GT_PER_S or not lanes or (others and all(links_between(device, other) for other in others)):
        return None
    if others and all(device.p2p.get(other.id, {}).get("read") == "ok" for other in others):
        share, how = criteria.all_reduce_direct_warn_pct, "with direct access between cards"
    else:
        share, how = criteria.all_reduce_warn_pct, "through the main memory"
    return link_gbps(generation, lanes), share, f"the PCIe link {how}"


STAGE = "replay"


def replay_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """A device whose own two runs differ has failed its stage already; here it is held against the others."""
    for stage in recorded.stages:
        if stage.kind == STAGE:
            results = {other.id: recorded.result(stage, other) for other in recorded.burned}
            replays = {
                device_id: replay
                for device_id, result in results.items()
                if result is not None and (replay := result.told(ReplayEvidence).replay) is not None
            }
            if reason := compare_replays(replays).get(device.id):
                yield replace(reason, text=f"{stage.title}: {reason.text}")
