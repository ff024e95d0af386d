"""What the sampler tells of becomes an event with its weight."""

from __future__ import annotations

from typing import Any

import pytest

from core.burnin.incidents import Told, told_by
from core.burnin.record import EventLevel


@pytest.mark.parametrize(
    ("message", "level", "says"),
    [
        ({"type": "xid", "device": "GPU-0", "xid": 79, "text": ""}, EventLevel.ERROR, "fallen off the bus"),
        ({"type": "xid", "device": "GPU-0", "xid": 63, "text": "kernel line"}, EventLevel.WARN, "kernel line"),
        ({"type": "xid", "xid": 9999, "text": ""}, EventLevel.ERROR, "does not know"),
        ({"type": "aer", "device": "GPU-0", "severity": "correctable", "text": "x"}, EventLevel.WARN, "PCIe error: x"),
        ({"type": "aer", "device": "GPU-0", "severity": "fatal", "text": "x"}, EventLevel.ERROR, "PCIe error: x"),
        ({"type": "mce", "text": "bank 5"}, EventLevel.ERROR, "Machine check: bank 5"),
        ({"type": "overdue", "waiting_for": "the driver", "seconds": 2.0}, EventLevel.ERROR, "The driver has not"),
        (
            {"type": "cost", "cpu_pct": 0.4, "tick_p50_ms": 2.0, "tick_p99_ms": 9.0},
            EventLevel.INFO,
            "0.4 % of one core",
        ),
    ],
)
def test_each_kind_has_its_weight_and_its_words(message: dict[str, Any], level: EventLevel, says: str) -> None:
    told = told_by(message)
    assert told is not None
    assert (told.level, told.kind, told.device_id) == (level, message["type"], message.get("device"))
    assert says in told.text


def test_the_sentence_of_an_xid_is_not_said_twice() -> None:
    first = told_by({"type": "xid", "device": "GPU-0", "xid": 48, "text": "raw"})
    assert first is not None
    again = told_by({"type": "xid", "device": "GPU-0", "xid": 48, "text": f"SIMULATED: {first.text}"})
    assert isinstance(again, Told)
    assert again.text.count("Xid 48:") == 1


def test_other_messages_are_no_incidents() -> None:
    assert told_by({"type": "samples", "samples": {}}) is None
