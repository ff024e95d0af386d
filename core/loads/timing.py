"""Marks in a device's queue of work and the time between them: events on CUDA, the monotonic clock on a CPU."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Protocol

import torch

from core.loads.load import StepReport

LONGEST_STEP_S = 10.0
POLL_S = 0.001
SIGN_OF_LIFE_S = 0.2


class TimingMark(Protocol):
    """A place in the device's queue."""

    def wait(self) -> None:
        """Returns when the device has come to this place."""
        ...

    def reached(self) -> bool:
        """Whether the device has come to this place."""
        ...

    def seconds_since(self, earlier: TimingMark) -> float:
        """Device time between two marks that were both waited for."""
        ...


class HostMark:
    """A moment: a CPU has finished what was called before it."""

    __slots__ = ("_at",)

    def __init__(self) -> None:
        self._at = time.perf_counter()

    def wait(self) -> None:
        """Nothing is queued."""

    def reached(self) -> bool:
        """Always."""
        return True

    def seconds_since(self, earlier: TimingMark) -> float:
        """Seconds between the two moments."""
        assert isinstance(earlier, HostMark)
        return self._at - earlier._at


class CudaMark:
    """An event on the current stream: launches return at once, so wall time would measure the launching only.

    Whoever waits for it sleeps: spinning would keep one core busy for each GPU.
    """

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = torch.cuda.Event(enable_timing=True, blocking=True)  # type: ignore[no-untyped-call]
        self._event.record()

    def wait(self) -> None:
        """Blocks until the device has reached the event."""
        self._event.synchronize()

    def reached(self) -> bool:
        """Whether the device has reached the event."""
        return bool(self._event.query())  # type: ignore[no-untyped-call]

    def seconds_since(self, earlier: TimingMark) -> float:
        """Seconds on the device's own clock."""
        assert isinstance(earlier, CudaMark)
        return float(earlier._event.elapsed_time(self._event)) / 1e3


def mark(device: torch.device) -> TimingMark:
    """A mark after all work queued so far."""
    return CudaMark() if device.type == "cuda" else HostMark()


def waited_for(place: TimingMark) -> Iterator[StepReport]:
    """Waits for the device with signs of life: one slow step is no hang. A hang gives none after 10 s."""
    until = time.monotonic() + LONGEST_STEP_S
    alive_at = time.monotonic()
    while not place.reached() and time.monotonic() < until:
        time.sleep(POLL_S)
        if time.monotonic() - alive_at > SIGN_OF_LIFE_S:
            alive_at = time.monotonic()
            yield StepReport()
    place.wait()
