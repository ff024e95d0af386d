"""A run of several cards that is begun in a recording."""

from __future__ import annotations

from core.burnin.profile.profile import Profile
from core.burnin.record.rows import RunDevice
from core.burnin.record.store import RunStore
from core.machine.telemetry.device import Device, DeviceKind
from tests.burnin.begun_run import PROFILE, begun


def card_id(number: int) -> str:
    """Of the n-th card."""
    return f"GPU-{number}"


def cards(count: int) -> list[Device]:
    """Alike, numbered from 0."""
    name = "NVIDIA GeForce RTX 3090"
    return [Device(card_id(n), DeviceKind.GPU, name, index=n, bus_id=f"0000:{n:02x}:00.0") for n in range(count)]


def begun_with(store: RunStore, count: int, profile: Profile | None = None) -> int:
    """Before its first stage; its number."""
    devices = [RunDevice(card, card.index, burned=True) for card in cards(count)]
    return begun(store, devices=devices, profile=profile or PROFILE)
