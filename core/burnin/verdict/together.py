"""What GPUs do together against what their links allow; what like GPUs must agree in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.burnin.record.rows import Outcome, Reason, StageResult, StageRow
from core.burnin.stages.replay import compare_replays
from core.burnin.verdict.links import links_between, nvlink_gbps
from core.burnin.verdict.recorded import Recorded, rates_of
from core.language import tr
from core.loads.findings import SEEN_BY_OTHERS
from core.loads.group.contract import DataParallelEvidence, NetworkEvidence
from core.loads.training.contract import ReplayEvidence
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
                    yield from _scaling(recorded, stage, _what(network, size), told)
        if stage.kind == COLLECTIVES:
            yield from _all_reduce(recorded, device, stage, rates_of(result).get("all_reduce"))


def _what(network: str, devices: str | None) -> str:
    return network if devices is None else tr("{network} on {number} devices", network=network, number=devices)


def _by_size(evidence: DataParallelEvidence) -> Iterator[tuple[str | None, DataParallelEvidence]]:
    """The evidence of each number of devices, as a text; None where all worked together."""
    if evidence.by_size:
        yield from evidence.by_size.items()
    else:
        yield None, evidence


def _scaling(recorded: Recorded, stage: StageRow, what: str, told: NetworkEvidence) -> Iterator[Reason]:
    """The time that the gradients took by themselves is the worst that they may cost."""
    efficiency, floor = told.efficiency_pct, told.no_overlap_pct
    if efficiency is None or floor is None:
        return
    criteria = recorded.criteria
    least = floor * (1 - criteria.scaling_below_plan_warn_pct / 100)
    fail_pct = criteria.scaling_below_plan_fail_pct
    source = tr("the measured gradient all-reduce time, with no overlap assumed")
    fields = {"stage": stage.title, "what": what, "efficiency": efficiency}
    text, outcome = tr("{stage}, {what}: {efficiency:.0f} % of what the devices do alone.", **fields), Outcome.PASS
    if efficiency < least:
        text = tr(
            "{stage}, {what}: {efficiency:.0f} % of what the devices do alone; the gradient "
            "all-reduce explains a drop to {floor:.0f} %, no further.",
            floor=floor,
            **fields,
        )
        fails = fail_pct is not None and efficiency < floor * (1 - fail_pct / 100)
        outcome = Outcome.FAIL if fails else Outcome.WARN
    yield Reason(outcome, text, efficiency, round(least, 1), "%", source)


def _all_reduce(recorded: Recorded, device: Device, stage: StageRow, busbw_gbps: float | None) -> Iterator[Reason]:
    """Over NVLink where it joins the card to every other one; else the slowest step of the ring goes over PCIe."""
    way = _way(recorded, device)
    if busbw_gbps is None or way is None:
        return
    gbps, share, words = way
    floor = share / 100 * gbps
    if busbw_gbps < floor:
        fields = {"stage": stage.title, "rate": busbw_gbps, "share": share, "way": words}
        text = tr("{stage}: {rate:.1f} GB/s, less than {share:.0f} % of {way}.", **fields)
        source = tr("our proposal, to be compared with the plan")
        yield Reason(Outcome.WARN, text, busbw_gbps, round(floor, 1), "GB/s", source)


def _way(recorded: Recorded, device: Device) -> tuple[float, float, str] | None:
    """What the way to the other cards carries in GB/s each way, the share of it in per cent that is asked for, words.

    None where nothing is known of the way.
    """
    criteria = recorded.criteria
    others = [other for other in recorded.burned if other.id != device.id]
    if (over_nvlink := nvlink_gbps(device, others)) is not None:
        words = tr("the {rate:.0f} GB/s of its NVLinks", rate=over_nvlink)
        return over_nvlink, criteria.all_reduce_nvlink_warn_pct, words
    generation, lanes = device.pcie_generation_max, device.pcie_lanes_max
    if generation not in GT_PER_S or not lanes or (others and all(links_between(device, other) for other in others)):
        return None
    if others and all(device.p2p.get(other.id, {}).get("read") == "ok" for other in others):
        share, way = criteria.all_reduce_direct_warn_pct, tr("the PCIe link with direct access between cards")
    else:
        share, way = criteria.all_reduce_warn_pct, tr("the PCIe link through the main memory")
    return link_gbps(generation, lanes), share, way


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
                yield replace(reason, text=tr("{stage}: {finding}", stage=stage.title, finding=reason.text))
            elif _deviates(results[device.id]):
                text = tr(
                    "{stage}: a fault was injected that only other devices of this model can show, and none differed. "
                    "Inject it on one device (inject_on) of two or more.",
                    stage=stage.title,
                )
                yield Reason(Outcome.INCOMPLETE, text)


def _deviates(result: StageResult | None) -> bool:
    """Whether a fault was injected on the device that it cannot find by itself."""
    drill = result.told(ReplayEvidence).injected_on_purpose if result is not None else None
    return drill is not None and drill.kind in SEEN_BY_OTHERS
