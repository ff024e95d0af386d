"""How sharply a GPU warms when its load begins, beside its peers: what lies between its chip and its heat sink.

In the first seconds of a load the heat sink and the air are still as they were; the chip rises above its heat sink by
power x resistance between the two, within a time constant of some seconds. Neighbours, fans and room have no part in
it, so cards of one model should agree wherever they sit. Dried or missing thermal paste, or a cooler that does not lie
flat, shows as a rise that is a multiple of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.asbuilt.recognition import same_card
from core.build.build import Build
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import Samples, column
from core.burnin.verdict.recorded import Recorded
from core.language import tr
from core.telemetry.device import Device, DeviceKind

AFTER_S = (5.0, 9.0)
"""Since the load began: the chip has followed, the heat sink has not."""
REST_SHARE, LOAD_SHARE = 0.35, 0.6
"""Of the highest power in the run: at rest below, under load above."""
REST_S = 8.0
"""At rest for so long before the load began: the chip has come down to its heat sink, as that of its peers has."""
STEADY_SHARE = 0.1
"""Of the highest power: by no more does it change in that time. A light load that has just ended was no rest."""
LEAST_PEERS = 2
WARN_AT, FAIL_AT = 1.3, 1.6
"""Multiples of the peers' rise; those of sound cards of one model differ by a tenth or two (our proposal)."""
LEAST_EXCESS_K = 5.0
"""Sensors tell whole degrees."""


def paste_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs that have at least two peers of the same model with a load that began from rest."""
    if device.kind is not DeviceKind.GPU or device.parent:
        return
    own = rise_k_per_w(recorded.samples[device.id])
    twins = [other for other in recorded.burned if other.name == device.name and other.id != device.id]
    rises = [rise for other in twins if (rise := rise_k_per_w(recorded.samples[other.id])) is not None]
    if own is None or len(rises) < LEAST_PEERS:
        return
    usual, power_w = float(np.median(rises)), _power_w(recorded.samples[device.id])
    ratio, excess_k = own / max(usual, 1e-6), (own - usual) * power_w
    if ratio < WARN_AT or excess_k < LEAST_EXCESS_K:
        return
    alike = _coolers_alike(recorded.plan, device)
    fields = {"own": own * power_w, "usual": usual * power_w}
    text = tr(
        "It warms {own:.0f} K in the first seconds of a load, other cards of its model "
        "{usual:.0f} K: thermal paste or cooler contact.",
        **fields,
    )
    if not alike:
        text = tr(
            "It warms {own:.0f} K in the first seconds of a load, other cards of its model "
            "{usual:.0f} K: thermal paste or cooler contact, unless its cooler differs from "
            "theirs.",
            **fields,
        )
    outcome = Outcome.FAIL if ratio >= FAIL_AT and alike else Outcome.WARN
    limit = (FAIL_AT if outcome is Outcome.FAIL else WARN_AT) * usual * power_w
    source = tr("the median of the other cards of its model")
    yield Reason(outcome, text, round(own * power_w, 1), round(limit, 1), "K", source)


def _coolers_alike(plan: Build | None, device: Device) -> bool:
    """Whether the plan has all cards of this model as one part. Drivers do not tell a blower from a water block."""
    return plan is not None and sum(same_card(spec, device) for _, spec in plan.gpus()) == 1


def rise_k_per_w(samples: Samples) -> float | None:
    """The median over all loads that began from rest and lasted; None without one."""
    times, power, temperature = samples[:, 0], column(samples, "power_w"), column(samples, "temperature_c")
    most_w = _power_w(samples)
    rises = [
        rise
        for start in _starts(times, power, most_w)
        if (rise := _rise(times - times[start], power, temperature, start, most_w)) is not None
    ]
    return float(np.median(rises)) if rises else None


def _starts(times: Samples, power: Samples, most_w: float) -> list[int]:
    """The last sample at rest before each load that followed a long enough rest."""
    rest = power < REST_SHARE * most_w
    ends = np.flatnonzero(rest[:-1] & ~rest[1:])
    begins = np.flatnonzero(rest & ~np.concatenate(([False], rest[:-1])))
    rests = zip(begins, ends, strict=False)  # one that goes on to the end of the run begins no load
    return [
        int(end)
        for begin, end in rests
        if times[end] - times[begin] >= REST_S
        and np.ptp(power[begin : end + 1][times[begin : end + 1] >= times[end] - REST_S]) <= STEADY_SHARE * most_w
    ]


def _rise(since_s: Samples, power: Samples, temperature: Samples, start: int, most_w: float) -> float | None:
    window = (since_s >= AFTER_S[0]) & (since_s <= AFTER_S[1])
    loaded = (since_s > 1.5) & (since_s <= AFTER_S[1])
    if not window.any() or np.isnan(temperature[start]) or not (power[loaded] > LOAD_SHARE * most_w).all():
        return None
    warmed = float(np.nanmax(temperature[window], initial=-np.inf)) - float(temperature[start])
    watts = float(np.nanmean(power[loaded])) - float(power[start])
    return warmed / watts if watts > 0 and np.isfinite(warmed) else None


def _power_w(samples: Samples) -> float:
    power = column(samples, "power_w")
    return float(np.nanmax(power, initial=0.0))
