"""What the devices of an order will draw, and how simulated ones are asked for again. Qt-free."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.telemetry.device import Device

_SIMULATED = re.compile(r"SIM-\d+-(?P<model>.+?)(?:-slow(?P<slow>\d+))?")
"""Ids of simulated cards, which name their model and what makes them slow."""


@dataclass(frozen=True, slots=True)
class ExpectedLoad:
    """The sum of the power limits that are known. Simulated devices draw nothing."""

    power_w: float
    complete: bool
    """Whether the limit of every real device is known."""


def expected_load(devices: list[Device]) -> ExpectedLoad:
    """Of these devices at their limits."""
    limits = [device.power_limit_w for device in devices if not device.simulated]
    return ExpectedLoad(sum(limit for limit in limits if limit is not None), None not in limits)


def simulation_of(devices: list[Device]) -> str | None:
    """The wish that brings the same simulated devices again ("rtx-3090,rtx-4090,fault=slow20@1").

    None for real ones, and for those of a recording that is played back. Give all devices of a run: ids have places.
    """
    found = [_SIMULATED.fullmatch(device.id) for device in devices if device.simulated]
    cards = [match for match in found if match]
    if len(cards) != len(found):
        return None
    slow = [f"fault=slow{match['slow']}@{place}" for place, match in enumerate(cards) if match["slow"]]
    return ",".join([*(match["model"] for match in cards), *slow]) or None
