"""The recording as the runner writes it: while another program holds it, what is to be written waits in memory.

Guards read no recording, so they go on. Nothing is lost by that unless the machine is reset meanwhile.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock

from core.burnin.profile.profile import Profile
from core.burnin.record.store import RunStore
from core.machine.telemetry.device import Device
from core.platform.database import DatabaseLocked, set_patience


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run that this process records from now on. `elapsed_s` is what it had lasted when it was interrupted."""

    id: int
    profile: Profile
    burned: list[Device]
    watched: list[Device]
    companions: list[Device]
    """Not burned in themselves, but under load in stages of the whole system: the CPU beside GPUs."""
    folder: Path
    """Of its logs and of what its workers meet by."""
    elapsed_s: float = 0.0
    shortened: bool = False
    """Whether the user gave it less time than its stages take: what that cut is told once, and warns of nothing."""
    locks: tuple[FileLock, ...] = ()
    """Of the devices that carry loads, held until this process ends."""

    @property
    def simulated(self) -> bool:
        """Whether any device of it is."""
        return any(device.simulated for device in self.watched)


ATTEMPT_S = 0.05
"""How long a write waits for its turn while loads run: the guards wait with it."""
RETRY_EVERY_S = 0.25
PATIENCE_S = 150.0
"""Who has held the recording for longer will not let go of it soon."""


def _in_turn(name: str) -> Callable[..., None]:
    """The method of the store with this name, of which each call waits for its turn."""

    def wait(store: PatientStore, /, *args: Any, **fields: Any) -> None:
        store.in_turn(partial(getattr(super(PatientStore, store), name), *args, **fields))

    return wait


class PatientStore(RunStore):
    """Keeps what it is given in its order. Errors other than a held recording are raised by whichever write is next."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self._waiting: deque[Callable[[], None]] = deque()
        self._writing = False
        self._held_since_s: float | None = None
        self._retry_at_s = float("-inf")
        self._was_held_s = 0.0

    @property
    def behind(self) -> bool:
        """Whether anything is still to be written."""
        return bool(self._waiting)

    @property
    def held_s(self) -> float:
        """For how long the recording has been held by another program, 0 while it is not."""
        return 0.0 if self._held_since_s is None else time.monotonic() - self._held_since_s

    def take_was_held_s(self) -> float:
        """How long it was held that is over now, once; 0 where it was not."""
        lasted_s, self._was_held_s = self._was_held_s, 0.0
        return lasted_s

    def hurry(self) -> None:
        """From now on no write waits for long."""
        set_patience(self._db, ATTEMPT_S)

    def wait(self, seconds: float = PATIENCE_S) -> None:
        """From now on every write waits for its turn, since no load runs any more. Raises DatabaseLocked."""
        set_patience(self._db, seconds)
        self._write_waiting()

    def catch_up(self) -> None:
        """Writes what waits, if the recording is free again."""
        if time.monotonic() < self._retry_at_s:
            return
        try:
            self._write_waiting()
        except DatabaseLocked:
            now_s = time.monotonic()
            self._held_since_s = now_s if self._held_since_s is None else self._held_since_s
            self._retry_at_s = now_s + RETRY_EVERY_S

    def _write_waiting(self) -> None:
        self._writing = True
        try:
            while self._waiting:
                self._waiting[0]()
                self._waiting.popleft()
        finally:
            self._writing = False
        self._was_held_s, self._held_since_s, self._retry_at_s = self.held_s, None, float("-inf")

    def in_turn(self, write: Callable[[], None]) -> None:
        """Writes at once what is a part of another write, which has its turn; anything else after what waits."""
        if self._writing or self._db.conn.in_transaction:
            write()
            return
        self._waiting.append(write)
        self.catch_up()

    # -- what a run writes while it goes on ---------------------------------------------------------------------------

    add_tick = _in_turn("add_tick")
    add_event = _in_turn("add_event")
    add_incident = _in_turn("add_incident")
    add_interruption = _in_turn("add_interruption")
    add_process = _in_turn("add_process")
    add_libraries = _in_turn("add_libraries")
    start_stage = _in_turn("start_stage")
    end_stage = _in_turn("end_stage")
    add_result = _in_turn("add_result")
    answer = _in_turn("answer")
