"""Links under load: PCIe against what card and slot can do, NVLink against the card's, its twins' and the plan; what
GPUs do together against what their links allow, and what like GPUs must agree in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.burnin.planned import joined_by_nvlink, least_planned_link
from core.burnin.record.rows import Outcome, Reason, StageResult, StageRow
from core.burnin.record.samples import Samples, column, readings
from core.burnin.stages.replay import compare_replays
from core.burnin.verdict.recorded import Recorded, rate_words, rates_of
from core.loads.findings import SEEN_BY_OTHERS
from core.loads.group.contract import DataParallelEvidence, NetworkEvidence, P2pEvidence
from core.loads.training.contract import ReplayEvidence
from core.machine.telemetry.device import Device, DeviceKind
from core.plan.placement.links import GT_PER_S, CardLink, link_gbps
from core.words import joined, tr

STAGE = "host-link"
BEGINS_WITHIN_S = 2.0
"""So much of a stage may pass before the first copy."""
ENOUGH = 4
"""Fewer readings tell nothing."""
BUSY_PCT = 50.0
"""Of utilisation: below it a card may have gone to rest between two pieces of work."""
FULL_CLOCKS_STATE = 2
"""GeForce cards compute in P2; in higher states clocks and link are lowered on purpose."""
CHECK = tr("Check riser, slot and BIOS.")
SLOT = tr("what card and slot support together, as the driver reports it")


def link_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Judged under load alone: at rest links fall back to save power."""
    yield from _falls(recorded, device, "pcie_lanes", tr("PCIe lanes"), Outcome.FAIL)
    yield from _falls(recorded, device, "pcie_generation", tr("PCIe generation"), Outcome.WARN)
    for stage, samples in recorded.loads(device):
        if stage.kind == STAGE:
            yield from _width(recorded, device, stage, samples)
            yield from _speed(recorded, device, stage, samples)


def _falls(recorded: Recorded, device: Device, metric: str, what: str, outcome: Outcome) -> Iterator[Reason]:
    """In any stage with a load: a link that carries less than it did before, each fall once."""
    before = 0.0
    for stage, samples in recorded.loads(device):
        before, now = _lasting(_readings(samples, metric), before)
        if now < before:
            fields = {"stage": stage.title, "before": before, "now": now, "what": what}
            text = tr("{stage}: the link fell from {before:.0f} to {now:.0f} ({what}) under load.", **fields)
            source = tr("what the same link carried before")
            yield Reason(outcome, joined([text, CHECK]), now, before, what, source, about=metric)
            before = now


def _under_way(samples: Samples) -> Samples:
    """Once the load has begun."""
    return samples[samples[:, 0] >= samples[0, 0] + BEGINS_WITHIN_S] if len(samples) else samples


def _readings(samples: Samples, metric: str) -> Samples:
    """Those that count: cards lower the generation, never the lanes, whenever they have little to do."""
    samples = _under_way(samples)
    values = column(samples, metric)
    if metric == "pcie_generation":
        used, state = column(samples, "utilisation_pct"), column(samples, "performance_state")
        copies = ~np.isnan(column(samples, "bandwidth_gbps"))  # which the driver does not count as use
        values = values[(copies | ~(used < BUSY_PCT)) & ~(state > FULL_CLOCKS_STATE)]
    return values[~np.isnan(values)]


def _lasting(values: Samples, before: float) -> tuple[float, float]:
    """The most that a few readings in a row have shown until the deepest fall from it, and the least after that.

    The same figure twice where nothing fell. `before` is what earlier stages have shown.
    """
    if len(values) < ENOUGH:
        return before, before
    rows = sliding_window_view(values, ENOUGH)
    most = np.maximum.accumulate(np.maximum(rows.min(axis=1), before))
    place = int(np.argmax(most - rows.max(axis=1)))
    least = float(rows.max(axis=1)[place])
    return (float(most[place]), least) if least < most[place] else (float(most[-1]), float(most[-1]))


def _width(recorded: Recorded, device: Device, stage: StageRow, samples: Samples) -> Iterator[Reason]:
    """FAIL only below what the plan gives: without one nobody knows how the board shares its lanes."""
    link, where = _planned(recorded, device)
    planned = (link.generation, link.lanes) if link else (None, None)
    for metric, most, least, what in (
        ("pcie_generation", device.pcie_generation_max, planned[0], tr("PCIe generation")),
        ("pcie_lanes", device.pcie_lanes_max, planned[1], tr("PCIe lanes")),
    ):
        used = _used(samples, metric)
        if used is None:
            continue
        fields = {"stage": stage.title, "what": what, "used": used, "check": CHECK, "least": least, "where": where}
        if least is not None and used < least:
            text = tr("{stage}: {what} {used:.0f} under traffic, the plan has {least} for {where}. {check}", **fields)
            source = tr("the plan {plan}", plan=recorded.plan.name) if recorded.plan else ""
            yield Reason(Outcome.FAIL, text, used, least, what, source, about=metric)
        elif most is not None and used < most:
            text = tr("{stage}: {what} {used:.0f} under traffic, {most} are possible. {check}", most=most, **fields)
            yield Reason(Outcome.WARN, text, used, most, what, SLOT, about=metric)


def _planned(recorded: Recorded, device: Device) -> tuple[CardLink | None, str]:
    """The link of the device's slot where that is known, else the slowest that the plan has for its product."""
    planned = recorded.planned
    if planned is None:
        return None, ""
    if (link := planned.link(device)) is not None:
        return link, tr("slot {position}", position=link.slot.position)
    least = None if device.simulated else least_planned_link(planned.plan, device)
    return least, tr("any card of this model")


def _speed(recorded: Recorded, device: Device, stage: StageRow, samples: Samples) -> Iterator[Reason]:
    generation = _usual(samples, "pcie_generation") or device.pcie_generation_max
    lanes = _usual(samples, "pcie_lanes") or _ever(recorded, device, "pcie_lanes") or device.pcie_lanes_max
    if not generation or not lanes or int(generation) not in GT_PER_S:
        return
    floor_pct = recorded.criteria.link_floor_pct
    floor = floor_pct / 100 * link_gbps(int(generation), int(lanes))
    for name, rate in rates_of(recorded.result(stage, device)).items():
        if rate < floor:
            text = tr(
                "{stage}, {name}: {rate:.1f} GB/s, less than {floor:.0f} % of generation {generation:.0f} with "
                "{lanes:.0f} lanes.",
                stage=stage.title,
                name=rate_words(name),
                rate=rate,
                floor=floor_pct,
                generation=generation,
                lanes=lanes,
            )
            source = tr("floors of Azure's node checks, scaled by lanes")
            yield Reason(Outcome.FAIL, text, rate, round(floor, 1), "GB/s", source, about=name)


def _ever(recorded: Recorded, device: Device, metric: str) -> float | None:
    """The middle one of all stages, for one too short to be read: a board that shares its lanes always does."""
    read = np.concatenate([readings(samples, metric) for _, samples in recorded.stage_samples(device)])
    return _middle(read) if len(read) else None


def _used(samples: Samples, metric: str) -> float | None:
    """What was usual; of lanes, which no card gives up to save power, what the last readings tell where that is less.

    A link that falls back near the end of its stage stays so.
    """
    usual = _usual(samples, metric)
    if usual is None or metric != "pcie_lanes":
        return usual
    return min(usual, _middle(readings(samples, metric)[-ENOUGH:]))


def _usual(samples: Samples, metric: str) -> float | None:
    """The middle one of the readings once the load has begun; a few tell nothing."""
    values = readings(_under_way(samples), metric)
    return _middle(values) if len(values) >= ENOUGH else None


def _middle(values: Samples) -> float:
    """The median as one of the readings, of two in the middle the higher: there is no half a lane."""
    return float(np.sort(values)[len(values) // 2])


P2P = "p2p"
LASTS = 12
"""Samples a second apart: the driver is asked every ten seconds, so that fewer are one single reading."""
ONE_BRIDGE_LINKS = 4
"""Cards with so many links (RTX 2080 Ti, 3090, A6000) are joined by one bridge; those with more by up to three."""
OWN = tr("the links that the driver reports")


def nvlink_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of cards with NVLink, and of those that the plan joins by it. Errors on links are counters, judged as such."""
    yield from _up(recorded, device)
    yield from _lost(recorded, device)
    for stage, result in recorded.ended(device, P2P):
        yield from _pairs(recorded, device, stage, result.evidence_as(P2pEvidence))


def links_up(device: Device) -> int:
    """At the start of the run."""
    return sum(end is not None for end in device.nvlinks.values())


def links_between(device: Device, other: Device) -> int:
    """NVLinks on which this card reaches another: those that end there, or all of them over a switch."""
    ends = [end for end in device.nvlinks.values() if end is not None]
    direct = sum(end == other.bus_id for end in ends)
    return direct or (len(ends) if device.p2p.get(other.id, {}).get("nvlink") == "ok" else 0)


def nvlink_gbps(device: Device, others: Sequence[Device]) -> float | None:
    """GB/s each way that the links of this card carry to all of these together, where they join it to each of them.

    None where one of them is reached in another way, or the speed of a link is not told.
    """
    between = [links_between(device, other) for other in others]
    if not between or not all(between) or device.nvlink_gbps is None:
        return None
    return min(sum(between), links_up(device)) * device.nvlink_gbps


def _up(recorded: Recorded, device: Device) -> Iterator[Reason]:
    up, there = links_up(device), len(device.nvlinks)
    is_real = not device.simulated
    if is_real and recorded.plan is not None and not up and joined_by_nvlink(recorded.plan, device):
        text = tr("The plan joins this card by NVLink, and no link is up. Check the bridge and its seating.")
        yield Reason(Outcome.FAIL, text, 0, 1, "NVLinks", tr("the plan {plan}", plan=recorded.plan.name))
        return
    if not there:
        return
    twins = [links_up(other) for other in recorded.burned if other.name == device.name]
    most = max(twins, default=up)
    fields = {"up": up, "there": there, "most": most}
    if up < most:
        text = tr(
            "{up} NVLinks are up, {most} on another card of this model. Check the bridge and its seating.", **fields
        )
        yield Reason(Outcome.WARN, text, up, most, "NVLinks", OWN)
    elif 0 < up < there <= ONE_BRIDGE_LINKS:
        text = tr(
            "{up} of {there} NVLinks are up; one bridge carries all of them. Check the bridge and its seating.",
            **fields,
        )
        yield Reason(Outcome.WARN, text, up, there, "NVLinks", OWN)
    elif up:
        yield Reason(Outcome.PASS, tr("{up} of {there} NVLinks are up.", **fields), up, there, "NVLinks", OWN)


def _lost(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """A link that goes down under load; at rest links may sleep."""
    before = float(links_up(device))
    for stage, samples in recorded.loads(device):
        up = readings(samples, "nvlink_active")
        if len(up) < LASTS:
            continue
        now = _middle(up[-LASTS:])
        if now < before:
            fields = {"stage": stage.title, "before": before, "now": now}
            text = tr(
                "{stage}: NVLinks fell from {before:.0f} to {now:.0f} under load. Check the bridge and its seating.",
                **fields,
            )
            yield Reason(Outcome.FAIL, text, now, before, "NVLinks", tr("the same card before"))
        before = now


def _pairs(recorded: Recorded, device: Device, stage: StageRow, evidence: P2pEvidence) -> Iterator[Reason]:
    """The slowest way from this card over NVLink. A warning at most: the floor is not calibrated on hardware."""
    ids, matrix = evidence.devices, evidence.matrix_gbps
    if device.nvlink_gbps is None or not matrix or device.id not in ids:
        return
    share_pct = recorded.criteria.nvlink_pair_warn_pct
    others = {other.id: other for other in recorded.burned}
    for place, rate in enumerate(matrix[ids.index(device.id)]):
        other = others.get(ids[place])
        links = links_between(device, other) if other and other.id != device.id else 0
        if other is None or rate is None or not links:
            continue
        carry = links * device.nvlink_gbps
        floor, source = share_pct / 100 * carry, tr("our proposal, not yet calibrated on hardware")
        fields = {"stage": stage.title, "other": other.title, "rate": rate, "carry": carry, "links": links}
        text = tr("{stage}, to {other}: {rate:.1f} GB/s of {carry:.1f} that {links} NVLinks carry.", **fields)
        if rate < floor:
            text = tr(
                "{stage}, to {other}: {rate:.1f} GB/s of {carry:.1f} that {links} NVLinks carry, less than "
                "{share:.0f} %.",
                share=share_pct,
                **fields,
            )
        yield Reason(Outcome.WARN if rate < floor else Outcome.PASS, text, rate, round(floor, 1), "GB/s", source)


COLLECTIVES, DATA_PARALLEL = "collectives", "data-parallel"


def together_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs: the ranks of a CPU share their processors."""
    if device.kind is not DeviceKind.GPU:
        return
    for stage, result in recorded.ended(device, DATA_PARALLEL, COLLECTIVES):
        if stage.kind == COLLECTIVES:
            yield from _all_reduce(recorded, device, stage, rates_of(result).get("all_reduce"))
            continue
        evidence = result.evidence_as(DataParallelEvidence)
        for size, of_size in (evidence.by_size or {"": evidence}).items():  # "": all worked together
            for network, measured in (of_size.networks or {}).items():
                what = tr("{network} on {number} devices", network=network, number=size) if size else network
                yield from _scaling(recorded, stage, what, measured)


def _scaling(recorded: Recorded, stage: StageRow, what: str, measured: NetworkEvidence) -> Iterator[Reason]:
    """The time that the gradients took by themselves is the worst that they may cost."""
    efficiency, floor = measured.efficiency_pct, measured.no_overlap_pct
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


REPLAY = "replay"


def replay_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """A device whose own two runs differ has failed its stage already; here it is held against the others."""
    for stage in recorded.stages:
        if stage.kind == REPLAY:
            results = {other.id: recorded.result(stage, other) for other in recorded.burned}
            replays = {
                device_id: replay
                for device_id, result in results.items()
                if result is not None and (replay := result.evidence_as(ReplayEvidence).replay) is not None
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
    drill = result.evidence_as(ReplayEvidence).injected_on_purpose if result is not None else None
    return drill is not None and drill.kind in SEEN_BY_OTHERS
