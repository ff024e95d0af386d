"""The one interface of everything that measures, and the errors that happen at a moment, told once each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.machine.telemetry.device import Device

KERNEL = "kernel"
REPEATED_WITHIN_S = 10.0
"""The driver tells of an error by two ways, and the kernel often in many lines: within this time it is one."""


@dataclass(frozen=True, slots=True)
class Incident:
    """`kind` is the type of the report that tells of it (see core.platform.child_reports): xid, sxid, driver, aer, mce,
    edac, reset, noise, or drill (a simulated fault has begun)."""

    kind: str
    text: str
    source: str
    """Who saw it: nvml, kernel, simulated, or replay. The kernel alone does not say what an Xid means."""
    device: str | None = None
    """Id of the device, None where it is not known."""
    xid: int | None = None
    severity: str | None = None
    """Of an error of a link: correctable, nonfatal, fatal. Of a machine check: correctable, fatal, or unknown.
    Of a drill: the fault as it was ordered."""
    pid: int | None = None
    """Whose work was on the GPU, where a program's mistake can be the cause; None where nobody said."""
    program: str | None = None

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Incident:
        """Of a message, or of what was recorded of it: what is not of its field's type is unknown."""
        words = str(message.get("type", "")), _bounded(message.get("text", "")), str(message.get("source", ""))
        fields: dict[str, Any] = {
            name: value
            for name, type_ in _TYPES.items()
            if isinstance(value := message.get(name), type_) and not isinstance(value, bool)
        }
        return cls(*words, **fields)

    @property
    def fields(self) -> dict[str, Any]:
        """What the message carries besides its type; unknown values are absent."""
        fields = {name: getattr(self, name) for name in (*_TYPES, "text", "source")}
        return {name: value for name, value in fields.items() if value is not None}


_TYPES = {"device": str, "xid": int, "severity": str, "pid": int, "program": str}
LONGEST_TEXT = 1000
"""Of what driver or kernel wrote; a machine check has many lines."""


def _bounded(text: object) -> str:
    """As it was told: what is cut is no sentence that can be said in another language any more."""
    whole = text if isinstance(text, str) else str(text)
    return whole if len(whole) <= LONGEST_TEXT else whole[:LONGEST_TEXT]


Report = Callable[[Incident], None]


class Once:
    """Passes incidents on, but not those that repeat one of the last seconds. Safe to use from several threads."""

    def __init__(self, report: Report, clock: Callable[[], float] = time.monotonic) -> None:
        self._report = report
        self._clock = clock
        self._reported_s: dict[tuple[object, ...], float] = {}
        self._lock = threading.Lock()

    def __call__(self, incident: Incident) -> None:
        """Tells of an incident, unless the same was told just now by whomever."""
        what = (incident.kind, incident.device, incident.xid, incident.severity, incident.pid)
        now_s = self._clock()
        with self._lock:
            repeated = now_s - self._reported_s.get(what, float("-inf")) < REPEATED_WITHIN_S
            if not repeated:
                self._reported_s[what] = now_s
        if not repeated:
            self._report(incident)


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
