"""The one interface of everything that measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from core.machine.telemetry.device import Device
from core.machine.telemetry.incident import Report

CPU_ID = "cpu"
"""The machine's processor as a device, whatever the number of sockets."""
WALL_ID = "wall"
"""The wall meter as a device."""


class NoiseMeter(Protocol):
    """Something that hears the machine; see core.machine.telemetry.host.microphone."""

    def read_dba(self) -> float | None:
        """A-weighted equivalent level of the last second; None while there is none. Never waits."""

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Calls with a sentence, from another thread, when no level can be told any more."""

    def close(self) -> None:
        """Stops listening."""


class TelemetrySource(Protocol):
    """Something that measures devices. One that is opened is closed by its owner."""

    def devices(self) -> list[Device]:
        """What is present; it does not change."""

    def read(self) -> Mapping[str, Mapping[str, float | None]]:
        """By device id: metrics of core.machine.telemetry.metrics (not of loads) now. None or absent is "not measured".

        All numbers are finite: JSON knows no others.
        """

    def count(self) -> Mapping[str, Mapping[str, float | None]]:
        """By device id: the counters of errors that `read` renews only now and then, as they are now.

        The readings that follow hold them, too. Empty where every reading has all counters.
        """

    def lost(self) -> Mapping[str, str]:
        """By id: devices that stopped answering since the start, with the reason. They are not read any more."""

    def set_activity(self, device_id: str, load: float) -> None:
        """Tells a simulated device how busy it is, 0 to 1. Real ones know."""

    def listen(self, report: Report) -> None:
        """Begins to tell of errors as they happen, from any thread; called once at most."""

    def asking(self) -> str | None:
        """What a reading waits for at this moment, asked by another thread; None where that is not known."""

    def slowest(self) -> str | None:
        """What took longest to answer since the last call, in words; None where nobody tells."""

    def close(self) -> None:
        """Lets go of drivers."""
