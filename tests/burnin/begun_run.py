"""A run that is begun in a recording, as the runner begins it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.burnin.profile.file import find_profile
from core.burnin.profile.profile import Profile
from core.burnin.record.rows import RunDevice
from core.burnin.record.store import RunStore
from core.machine.telemetry.device import Device, DeviceKind

CARD = Device("GPU-1", DeviceKind.GPU, "Card")
PROFILE = find_profile("quick-test")


def begun(
    store: RunStore, boot: str = "boot", devices: Sequence[RunDevice] = (), profile: Profile = PROFILE, **other: Any
) -> int:
    """Of these devices, else of one card, before its first stage; its number. A stage is called by its kind."""
    devices = devices or (RunDevice(CARD, 0, burned=True),)
    titles = [stage.kind for stage in profile.stages]
    row = {"title": profile.title, "stage_titles": titles, "boot_id": boot, "machine": "here", "version": "1", **other}
    return store.create_run(profile=profile, devices=devices, **row)
