"""A run that is begun in a recording, as the runner begins it."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from core.burnin.profile.file import find_profile
from core.burnin.profile.profile import Profile
from core.burnin.record.patient_store import OpenedRun, PatientStore
from core.burnin.record.rows import RunDevice
from core.burnin.record.store import RunStore
from core.burnin.run.supervision import Supervision
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


def supervised(store: RunStore, folder: Path, **readings: float) -> Supervision:
    """A run of one card between two stages, whose sensors report all the time and whose sampler counts when asked."""
    inbox: Any = queue.SimpleQueue()
    sampler = SimpleNamespace(mark=None, alive=True)
    sensors: Any = SimpleNamespace(
        sampler=sampler, silent_s=lambda: 0.0, fresh=lambda _id: readings,
        device_silent_s=lambda _id: 0.0, look_for_freeze=lambda _s: None, hangs=False,
        ask_counts=lambda: inbox.put((sampler, {"type": "counts", "counts": {}})), take_counts=lambda _counts: None,
    )  # fmt: skip
    run = OpenedRun(begun(store), PROFILE, [CARD], [CARD], [], folder)
    return Supervision(folder, PatientStore(folder), run, sensors, inbox)
