"""Errors that the sampler tells of at the moment they happen, as events of the run: who, how grave, in which words."""

from __future__ import annotations

from dataclasses import dataclass

from core.burnin.record import EventLevel
from core.protocol import Message
from core.telemetry.throttle import Severity
from core.telemetry.xid import xid

_LEVELS = {Severity.FAIL: EventLevel.ERROR, Severity.WARN: EventLevel.WARN, Severity.NORMAL: EventLevel.INFO}
_AER = {"correctable": EventLevel.WARN}


@dataclass(frozen=True, slots=True)
class Told:
    """An event that is to be recorded; `device_id` None is the machine's."""

    level: EventLevel
    kind: str
    text: str
    device_id: str | None


def told_by(message: Message) -> Told | None:
    """The event behind a message of the sampler; None for messages of another kind."""
    kind, device_id, text = message["type"], message.get("device"), str(message.get("text", ""))
    match kind:
        case "xid":
            known = xid(int(message["xid"]))
            sentence = text if known.sentence in text else f"{known.sentence} {text}".strip()
            return Told(_LEVELS[known.severity], kind, sentence, device_id)
        case "aer":
            level = _AER.get(str(message.get("severity")), EventLevel.ERROR)
            return Told(level, kind, f"PCIe error: {text}", device_id)
        case "mce":
            return Told(EventLevel.ERROR, kind, f"Machine check: {text}", device_id)
        case "overdue":
            waits = f"{message['waiting_for']} has not answered for {message['seconds']:g} s"
            return Told(EventLevel.ERROR, kind, f"{waits[:1].upper()}{waits[1:]}: nothing is measured meanwhile.", None)
        case "cost":
            figures = (
                f"Measuring takes {message['cpu_pct']:.2g} % of one core; a reading {message['tick_p50_ms']:.3g} ms, "
                f"one in a hundred {message['tick_p99_ms']:.3g} ms or more."
            )
            return Told(EventLevel.INFO, kind, figures, None)
        case _:
            return None
