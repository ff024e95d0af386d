"""What driver and kernel tell between the samples: Xids, link errors, errors of the processor, readings that hang."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from core.burnin.record.rows import EventLevel
from core.protocol import Message
from core.telemetry.machine_check import UNCORRECTED
from core.telemetry.throttle import Severity
from core.telemetry.xid import Xid, xid

MOST_KEPT = 50
"""Incidents of a device that go into the evidence of its stages."""
LONGEST_TEXT = 1000
PCIE_ERROR, MACHINE_CHECK = "PCIe error: ", "Machine check: "
"""Said before what the kernel wrote."""
_OF_SEVERITY = {Severity.FAIL: EventLevel.ERROR, Severity.WARN: EventLevel.WARN, Severity.NORMAL: EventLevel.INFO}


@dataclass(frozen=True, slots=True)
class Told:
    """An incident as an event."""

    level: EventLevel
    kind: str
    text: str
    device_id: str | None


@dataclass(slots=True)
class Incidents:
    """All of a run. Times in s since its start. The sampler tells what repeats itself once in ten seconds."""

    _weighed: dict[str | None, set[int]] = field(default_factory=lambda: defaultdict(set))
    """By device: the Xids that weighed by themselves."""
    _kept: dict[str | None, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def take(self, message: Message, now_s: float, *, we_ended_it: bool = False) -> Told:
        """The event for a report of the sampler. What follows from our own ending of a worker is no finding."""
        device_id, text = message.get("device"), str(message.get("text", ""))[:LONGEST_TEXT]
        self._keep(message, device_id, now_s)
        match message["type"]:
            case "xid":
                meaning = xid(int(message["xid"]))
                level = EventLevel.INFO if meaning.follows and we_ended_it else self._level(meaning, device_id)
                sentence = text if meaning.sentence in text else f"{meaning.sentence} {text}".strip()
                return Told(level, "xid", sentence, device_id)
            case "aer":
                level = EventLevel.WARN if message.get("severity") == "correctable" else EventLevel.ERROR
                return Told(level, "aer", f"{PCIE_ERROR}{text}", device_id)
            case "mce":
                # The kernel survives and logs on: one of which no line says that it was uncorrected is no failure.
                level = EventLevel.ERROR if message.get("severity") == UNCORRECTED else EventLevel.WARN
                return Told(level, "mce", f"{MACHINE_CHECK}{text}", device_id)
            case _:
                waits = f"{message.get('waiting_for')} has not answered for {message.get('seconds', 0):g} s"
                text = f"{waits[:1].upper()}{waits[1:]}: nothing is measured meanwhile."
                return Told(EventLevel.ERROR, "overdue", text, None)

    def of(self, device_id: str, since_s: float) -> list[dict[str, Any]]:
        """What was told of a device since a moment, as evidence."""
        return [incident for incident in self._kept.get(device_id, ()) if incident["time_s"] >= since_s]

    def _level(self, meaning: Xid, device_id: str | None) -> EventLevel:
        """One that only follows another error accompanies it; where none as grave came before, it weighs by itself."""
        own, weighed = _OF_SEVERITY[meaning.severity], self._weighed[device_id]
        before = (xid(number).severity for number in weighed - {meaning.number})
        if meaning.follows and any(severity in (meaning.severity, Severity.FAIL) for severity in before):
            return EventLevel.INFO
        weighed.add(meaning.number)
        return own

    def _keep(self, message: Message, device_id: str | None, now_s: float) -> None:
        kept = self._kept[device_id]
        if len(kept) < MOST_KEPT:
            told = {name: value for name, value in message.items() if name not in ("type", "device")}
            kept.append({"time_s": round(now_s, 1), "kind": message["type"], **told})
