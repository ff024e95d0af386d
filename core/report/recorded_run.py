"""A recorded run, read once: everything that its report says is taken from here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.burnin.follow import COLUMN, Follower
from core.burnin.record import Event, Run, RunDevice, StageResult, StageRow, Verdict
from core.burnin.store import RunStore
from core.telemetry.device import Device
from core.telemetry.metrics import NAMES

Samples = NDArray[np.float64]


_NEEDLESS = re.compile(r"^NVIDIA (?=.)|(?<=@ )0+:")


def short_title(device: Device) -> str:
    """The device's title without the maker and the PCI domain 0, which all devices of a machine share."""
    return _NEEDLESS.sub("", device.title)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The rows of one run. `samples` has an array for every device, empty where nothing was recorded."""

    run: Run
    devices: tuple[RunDevice, ...]
    stages: tuple[StageRow, ...]
    results: Mapping[tuple[int, str], StageResult]
    """By stage number and device id."""
    samples: Mapping[str, Samples]
    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    seconds: float
    """Time of the newest sample or event since the start of the run."""

    @classmethod
    def read(cls, store: RunStore, run_id: int) -> RecordedRun:
        """Everything recorded so far. Raises BadInput if there is no such run."""
        follower = Follower(store, run_id)
        update = follower.poll()
        nothing = np.empty((0, 1 + len(NAMES)))
        return cls(
            run=update.run,
            devices=tuple(follower.devices),
            stages=tuple(update.stages),
            results={(result.number, result.device_id): result for result in update.results},
            samples={row.device.id: update.samples.get(row.device.id, nothing) for row in follower.devices},
            events=tuple(update.events),
            verdicts=tuple(update.verdicts),
            seconds=store.last_time_s(run_id),
        )

    @property
    def burned(self) -> tuple[Device, ...]:
        """The devices that carried loads."""
        return tuple(row.device for row in self.devices if row.burned)

    def label(self, device_id: str) -> str:
        """A device's name and place, with its id where another device would be called the same."""
        labels = {row.device.id: short_title(row.device) for row in self.devices}
        label = labels.get(device_id, device_id)
        return label if Counter(labels.values())[label] <= 1 else f"{label} [{device_id}]"

    def series(self, device_id: str, metric: str) -> tuple[Samples, Samples]:
        """Times in s and values of one metric, NaN where not measured."""
        block = self.samples[device_id]
        return block[:, 0], block[:, COLUMN[metric]]
