"""The recording as the runner writes it: while another program holds it, what is to be written waits in memory.

Guards read no recording, so they go on. Nothing is lost by that unless the machine is reset meanwhile.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from core.burnin.record.store import RunStore
from core.database import DatabaseLocked, set_patience

ATTEMPT_S = 0.05
"""How long a write waits for its turn while loads run: the guards wait with it."""
RETRY_EVERY_S = 0.25
PATIENCE_S = 150.0
"""Who has held the recording for longer will not let go of it soon."""


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

    def _in_turn(self, write: Callable[..., None], *given: Any, **named: Any) -> None:
        if self._writing or self._db.conn.in_transaction:  # a part of another write, which has its turn
            write(*given, **named)
            return
        self._waiting.append(partial(write, *given, **named))
        self.catch_up()

    # -- what a run writes while it goes on ---------------------------------------------------------------------------

    def add_tick(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().add_tick, *given, **named)

    def add_event(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().add_event, *given, **named)

    def add_incident(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().add_incident, *given, **named)

    def add_interruption(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().add_interruption, *given, **named)

    def add_process(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().add_process, *given, **named)

    def add_libraries(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().add_libraries, *given, **named)

    def start_stage(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().start_stage, *given, **named)

    def end_stage(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().end_stage, *given, **named)

    def add_result(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().add_result, *given, **named)

    def answer(self, *given: Any, **named: Any) -> None:
        self._in_turn(super().answer, *given, **named)
