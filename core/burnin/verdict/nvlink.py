"""NVLink: links that are up against the card's, its twins' and the plan; links lost under load; rates of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.burnin.planned import joined_by_nvlink
from core.burnin.record.rows import Outcome, Reason, StageRow
from core.burnin.record.samples import known
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device

P2P = "p2p"
LASTS = 12
"""Samples a second apart: the driver is asked every ten seconds, so that fewer are one single reading."""
ONE_BRIDGE_LINKS = 4
"""Cards with so many links (RTX 2080 Ti, 3090, A6000) are joined by one bridge; those with more by up to three."""
OWN = "the links that the driver tells of"


def nvlink_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of cards with NVLink, and of those that the plan joins by it. Errors on links are counters, judged as such."""
    yield from _up(recorded, device)
    yield from _lost(recorded, device)
    for stage in recorded.stages:
        if stage.kind == P2P:
            yield from _pairs(recorded, device, stage)


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
        text = "The plan joins this card by NVLink, and no link is up. Check the bridge and its seat."
        yield Reason(Outcome.FAIL, text, 0, 1, "NVLinks", f"the plan {recorded.plan.name}")
        return
    if not there:
        return
    twins = [links_up(other) for other in recorded.burned if other.name == device.name]
    most = max(twins, default=up)
    if up < most:
        text = f"{up} NVLinks are up, {most} on another card of this model. Check the bridge and its seat."
        yield Reason(Outcome.WARN, text, up, most, "NVLinks", OWN)
    elif 0 < up < there <= ONE_BRIDGE_LINKS:
        text = f"{up} of {there} NVLinks are up; one bridge carries all of them. Check the bridge and its seat."
        yield Reason(Outcome.WARN, text, up, there, "NVLinks", OWN)
    elif up:
        yield Reason(Outcome.PASS, f"{up} of {there} NVLinks are up.", up, there, "NVLinks", OWN)


def _lost(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """A link that goes down under load; at rest links may sleep."""
    before = float(links_up(device))
    for stage, samples in recorded.loads(device):
        up = known(samples, "nvlink_active")
        if len(up) < LASTS:
            continue
        now = float(np.median(up[-LASTS:]))
        if now < before:
            text = (
                f"{stage.title}: NVLinks fell from {before:.0f} to {now:.0f} under load. Check the bridge and its seat."
            )
            yield Reason(Outcome.FAIL, text, now, before, "NVLinks", "the same card before")
        before = now


def _pairs(recorded: Recorded, device: Device, stage: StageRow) -> Iterator[Reason]:
    """The slowest way from this card over NVLink. A warning at most: the floor is not calibrated on hardware."""
    result = recorded.result(stage, device)
    ids, matrix = (result.evidence.get(name) if result else None for name in ("devices", "matrix_gbps"))
    if not ids or not matrix or device.id not in ids or device.nvlink_gbps is None:
        return
    share_pct = recorded.criteria.nvlink_pair_warn_pct
    others = {other.id: other for other in recorded.burned}
    for place, rate in enumerate(matrix[ids.index(device.id)]):
        other = others.get(ids[place])
        links = links_between(device, other) if other and other.id != device.id else 0
        if other is None or rate is None or not links:
            continue
        carry = links * device.nvlink_gbps
        text = f"{stage.title}, to {other.title}: {rate:.1f} GB/s of {carry:.1f} that {links} NVLinks carry"
        floor, source = share_pct / 100 * carry, "our proposal, not yet calibrated on hardware"
        if rate < floor:
            less = f"{text}, less than {share_pct:.0f} %."
            yield Reason(Outcome.WARN, less, rate, round(floor, 1), "GB/s", source)
        else:
            yield Reason(Outcome.PASS, f"{text}.", rate, round(floor, 1), "GB/s", source)
