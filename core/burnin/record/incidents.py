"""What driver and kernel tell between the samples: Xids, link errors, errors of the processor, readings that hang."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.burnin.record.rows import EventLevel
from core.machine.telemetry.kernel_log.finding import CORRECTED, FATAL, NONFATAL
from core.machine.telemetry.source import KERNEL, Incident
from core.machine.telemetry.throttle import Severity
from core.machine.telemetry.xid import Xid, xid
from core.platform.protocol import Message, text_field
from core.words import capital, joined, tr

MOST_KEPT = 50
"""Incidents of a device that go into the evidence of its stages."""
_OF_SEVERITY = {Severity.FAIL: EventLevel.ERROR, Severity.WARN: EventLevel.WARN, Severity.NORMAL: EventLevel.INFO}
_WORDS: Mapping[str, Callable[[str], str]] = {
    "driver": lambda text: tr("GPU driver: {text}", text=text),
    "sxid": lambda text: tr("NVSwitch error: {text}", text=text),
    "edac": lambda text: tr("Memory error: {text}", text=text),
}


@dataclass(frozen=True, slots=True)
class IncidentEvent:
    """An incident as an event."""

    level: EventLevel
    kind: str
    text: str
    incident: Incident | None = None
    """Nothing happened to a device where a reading hangs."""


@dataclass(slots=True)
class Incidents:
    """All of a run. Times in s since its start. The sampler tells what repeats itself once in ten seconds."""

    _weighed: dict[str | None, set[int]] = field(default_factory=lambda: defaultdict(set))
    """By device: the Xids that weighed by themselves."""
    _recorded: dict[str | None, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def take(
        self,
        message: Message,
        now_s: float,
        *,
        we_ended_it: bool = False,
        is_ours: Callable[[int, str], bool] = lambda *_: True,
    ) -> IncidentEvent:
        """The event for a report of the sampler. What follows from our own ending of a worker is no finding.

        `is_ours` tells of a process, by its number and name, whether it is one of the run's: what another's program may
        have done itself warns, and fails no card.
        """
        incident = Incident.from_message(message)
        self._keep(message, incident.device, now_s)
        match incident:
            case Incident(kind="xid" | "driver", pid=int(pid)) if not is_ours(pid, incident.program or ""):
                return _of_another_program(incident)
            case Incident(kind="xid", xid=int(number)):
                meaning = xid(number, incident.text)
                level = EventLevel.INFO if meaning.follows and we_ended_it else self._level(meaning, incident.device)
                text = joined([meaning.sentence, incident.text]) if incident.source == KERNEL else incident.text
                return IncidentEvent(level, "xid", text, incident)
            case Incident(kind="driver" | "sxid" | "edac" as kind):
                graves = (FATAL,) if kind == "sxid" else (FATAL, NONFATAL)
                level = EventLevel.ERROR if incident.severity in graves else EventLevel.WARN
                return IncidentEvent(level, kind, _WORDS[kind](incident.text), incident)
            case Incident(kind="aer"):
                level = EventLevel.WARN if incident.severity == CORRECTED else EventLevel.ERROR
                return IncidentEvent(level, "aer", tr("PCIe error: {text}", text=incident.text), incident)
            case Incident(kind="drill"):
                return IncidentEvent(EventLevel.INFO, "drill", incident.text, incident)
            case Incident(kind="mce"):
                # The kernel survives and logs on: one of which no line says that it was uncorrected is no failure.
                level = EventLevel.ERROR if incident.severity in (FATAL, NONFATAL) else EventLevel.WARN
                return IncidentEvent(level, "mce", tr("Machine check: {text}", text=incident.text), incident)
            case _:
                fields = {"device": capital(text_field(message, "waiting_for")), "seconds": message.get("seconds", 0)}
                text = tr("{device} has not answered for {seconds:g} s: nothing is measured until it does.", **fields)
                return IncidentEvent(EventLevel.ERROR, "overdue", text)

    def of(self, device_id: str, since_s: float) -> list[dict[str, Any]]:
        """What was told of a device since a moment, as evidence."""
        return [incident for incident in self._recorded.get(device_id, ()) if incident["time_s"] >= since_s]

    def _level(self, meaning: Xid, device_id: str | None) -> EventLevel:
        """One that only follows another error accompanies it; where none as grave came before, it weighs by itself."""
        own, weighed = _OF_SEVERITY[meaning.severity], self._weighed[device_id]
        before = (xid(number).severity for number in weighed - {meaning.number})
        if meaning.follows and any(severity in (meaning.severity, Severity.FAIL) for severity in before):
            return EventLevel.INFO
        weighed.add(meaning.number)
        return own

    def _keep(self, message: Message, device_id: str | None, now_s: float) -> None:
        incidents = self._recorded[device_id]
        if len(incidents) < MOST_KEPT:
            fields = {name: value for name, value in message.items() if name not in ("type", "device")}
            incidents.append({"time_s": round(now_s, 1), "kind": message["type"], **fields})


def _of_another_program(incident: Incident) -> IncidentEvent:
    fields = {"program": incident.program or tr("A program"), "pid": incident.pid, "text": incident.text}
    text = tr(
        "{program} (process {pid}), which is not part of this run, had an error on the GPU: {text} End other programs "
        "before a burn-in.",
        **fields,
    )
    return IncidentEvent(EventLevel.WARN, incident.kind, text, incident)
