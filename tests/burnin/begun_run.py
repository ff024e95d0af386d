"""A run that is begun in a recording, as the runner begins it."""

from __future__ import annotations

from dataclasses import replace

from core.burnin.profile.file import find_profile
from core.burnin.record.rows import RunDevice
from core.burnin.record.store import RunStore
from core.telemetry.device import Device, DeviceKind

CARD = Device("GPU-1", DeviceKind.GPU, "Card")
PROFILE = find_profile("quick-test")


def begun(store: RunStore, boot: str = "boot", *, simulated: bool = False) -> int:
    """Of one card, before its first stage; its number."""
    return store.create_run(
        title=PROFILE.title,
        profile=PROFILE,
        devices=[RunDevice(replace(CARD, simulated=simulated), 0, burned=True)],
        stage_titles=[stage.kind for stage in PROFILE.stages],
        boot_id=boot,
        machine="here",
        version="1",
    )
