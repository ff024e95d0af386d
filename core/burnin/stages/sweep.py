"""The sweep over number formats, with the power that each of them draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.burnin.record import Result
from core.burnin.samples import Samples, between, mean
from core.burnin.stages.loading import LoadStage

if TYPE_CHECKING:
    from core.burnin.underway import Underway

KIND = "gemm"
WARM_UP_SHARE = 0.25
"""Of a format's time is left out: power is a mean over the last second or so, and clocks settle."""


class Sweep(LoadStage):
    """Matrix products in one number format after another; the evidence of the load tells when each of them ran."""

    def conclude(self, underway: Underway, device_id: str, result: Result) -> Result:
        """Adds the mean power by format, where power is measured."""
        status, reason, evidence = result
        began_s = underway.began_s.get(device_id, underway.started_s)
        power = power_by_format(underway.samples(device_id), evidence.get("periods", {}), began_s)
        return status, reason, evidence | ({"power_by_format_w": power} if power else {})


def power_by_format(samples: Samples, periods: Mapping[str, Sequence[float]], began_s: float) -> dict[str, float]:
    """Mean power in W by format. `periods` are start and end of each in s after the load began."""
    found = {}
    for name, (start_s, end_s) in periods.items():
        settled_s = start_s + WARM_UP_SHARE * (end_s - start_s)
        power = mean(between(samples, began_s + settled_s, began_s + end_s), "power_w")
        if power is not None:
            found[name] = round(power, 1)
    return found


def sweep_of(underway: Underway, device_id: str) -> dict[str, float]:
    """Mean power in W by number format, from the last sweep of this run on the device; empty where there was none."""
    for _, results in reversed(underway.earlier(KIND)):
        if device_id in results and (found := results[device_id].evidence.get("power_by_format_w")):
            return dict(found)
    return {}


def with_hottest_format(underway: Underway, device_id: str) -> dict[str, Any]:
    """The stage's parameters, with the format that drew the most power in the sweep where the profile names none."""
    params = dict(underway.settings.params)
    if not params.get("dtypes") and (power := sweep_of(underway, device_id)):
        params["dtypes"] = max(power, key=lambda name: power[name])
    return params
