"""Errors that happen at a moment: Xids, errors of a PCIe link, machine checks; told once each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

KERNEL = "kernel"
REPEATED_WITHIN_S = 10.0
"""The driver tells of an error by two ways, and the kernel often in many lines: within this time it is one."""


@dataclass(frozen=True, slots=True)
class Incident:
    """`kind` is the type of the message that tells of it (see core.protocol): xid, sxid, driver, aer, mce, edac, reset,
    noise, or drill (a simulated fault has begun)."""

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
    def told(cls, message: Mapping[str, Any]) -> Incident:
        """Of a message, or of what was recorded of it: what is not of its field's type is unknown."""
        number, pid = message.get("xid"), message.get("pid")
        return cls(
            kind=str(message.get("type", "")),
            text=_bounded(message.get("text", "")),
            source=str(message.get("source", "")),
            device=message["device"] if isinstance(message.get("device"), str) else None,
            xid=number if isinstance(number, int) and not isinstance(number, bool) else None,
            severity=message["severity"] if isinstance(message.get("severity"), str) else None,
            pid=pid if isinstance(pid, int) and not isinstance(pid, bool) else None,
            program=message["program"] if isinstance(message.get("program"), str) else None,
        )

    @property
    def fields(self) -> dict[str, Any]:
        """What the message carries besides its type; unknown values are absent."""
        known = {
            "device": self.device,
            "xid": self.xid,
            "severity": self.severity,
            "pid": self.pid,
            "program": self.program,
            "text": self.text,
            "source": self.source,
        }
        return {name: value for name, value in known.items() if value is not None}


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
        self._told_s: dict[tuple[object, ...], float] = {}
        self._lock = threading.Lock()

    def __call__(self, incident: Incident) -> None:
        """Tells of an incident, unless the same was told just now by whomever."""
        what = (incident.kind, incident.device, incident.xid, incident.severity, incident.pid)
        now_s = self._clock()
        with self._lock:
            repeated = now_s - self._told_s.get(what, float("-inf")) < REPEATED_WITHIN_S
            if not repeated:
                self._told_s[what] = now_s
        if not repeated:
            self._report(incident)
