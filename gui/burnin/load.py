"""What the devices of an order will draw, and how simulated ones are asked for again. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass

from core.telemetry.device import Device


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
    """The wish that brings the same simulated devices again ("rtx-3090,rtx-4090"); None for real ones."""
    models = [device.id.split("-", 2)[2] for device in devices if device.simulated]
    return ",".join(models) or None
