"""What driver and kernel tell between the samples: how loud it is, and what of it is kept."""

from __future__ import annotations

from typing import Any

import pytest

from core.burnin.record.incidents import MOST_KEPT, Incidents
from core.burnin.record.rows import EventLevel
from core.language import into, tr
from core.telemetry.xid import xid as xid_of


def told(incidents: Incidents, now_s: float = 0.0, **message: Any) -> EventLevel:
    return incidents.take({"source": "simulated", "text": "as the kernel wrote it", **message}, now_s).level


def xid(number: int, device: str | None = "GPU-1") -> dict[str, Any]:
    return {"type": "xid", "xid": number, "device": device}


@pytest.mark.parametrize(
    ("message", "level", "says"),
    [
        (xid(79), EventLevel.ERROR, "fallen off the bus"),
        (xid(63), EventLevel.WARN, "as the kernel wrote it"),
        (xid(45), EventLevel.WARN, "Xid 45"),
        (xid(9999), EventLevel.ERROR, "unknown to this version"),
        (xid(48, None), EventLevel.ERROR, "Xid 48"),
        ({"type": "aer", "device": "GPU-1", "severity": "correctable"}, EventLevel.WARN, "PCIe error: as the kernel"),
        ({"type": "aer", "device": "GPU-1", "severity": "fatal"}, EventLevel.ERROR, "PCIe error"),
        (
            {"type": "mce", "device": "cpu", "severity": "fatal", "text": "Uncorrected error in bank 5"},
            EventLevel.ERROR,
            "bank 5",
        ),
        ({"type": "mce", "device": "cpu", "severity": "correctable"}, EventLevel.WARN, "Machine check"),
        ({"type": "mce", "device": "cpu"}, EventLevel.WARN, "Machine check"),
        ({"type": "overdue", "seconds": 2.0, "waiting_for": "the driver"}, EventLevel.ERROR, "The driver has not"),
    ],
    ids=lambda value: f"{value['type']} {value.get('xid', '')}" if isinstance(value, dict) else str(value),
)
def test_an_incident_is_as_loud_as_it_weighs(message: dict[str, Any], level: EventLevel, says: str) -> None:
    event = Incidents().take({"source": "kernel", "text": "as the kernel wrote it", **message}, 0.0)
    assert (event.level, event.kind, event.incident and event.incident.device) == (
        level,
        message["type"],
        message.get("device"),
    )
    assert says in event.text


def test_the_sentence_of_an_xid_is_not_said_twice() -> None:
    message = {"type": "xid", "device": "GPU-1", "xid": 48, "text": xid_of(48).sentence}
    for source in ("nvml", "simulated", "replay"):
        assert Incidents().take({**message, "source": source}, 0.0).text == message["text"]
    line = "NVRM: Xid (PCI:0000:3d:00): 48"
    told_by_kernel = Incidents().take({**message, "source": "kernel", "text": line}, 0.0)
    assert told_by_kernel.text == f"{message['text']} {line}"


def test_one_that_follows_another_only_accompanies_it_on_the_same_device() -> None:
    incidents = Incidents()
    assert told(incidents, **xid(48)) is EventLevel.ERROR
    assert told(incidents, **xid(45)) is EventLevel.INFO
    assert told(incidents, **xid(45, "GPU-2")) is EventLevel.WARN


@pytest.mark.parametrize("before", [(45,), (63,), (121, 45)], ids=str)
def test_one_that_follows_weighs_by_itself_where_nothing_as_grave_came_before(before: tuple[int, ...]) -> None:
    incidents = Incidents()
    for number in before:
        told(incidents, **xid(number))
    assert told(incidents, **xid(171)) is EventLevel.ERROR


def test_what_follows_from_our_own_ending_of_a_worker_is_no_finding() -> None:
    message = {"source": "kernel", "text": "", **xid(45)}
    assert Incidents().take(message, 1.0, we_ended_it=True).level is EventLevel.INFO
    assert Incidents().take(message | {"xid": 79}, 1.0, we_ended_it=True).level is EventLevel.ERROR


def test_of_very_many_the_first_are_kept() -> None:
    incidents = Incidents()
    for n in range(200):
        told(incidents, float(n), **xid(13))
    assert [kept["time_s"] for kept in incidents.of("GPU-1", 0.0)] == list(range(MOST_KEPT))


def test_the_evidence_of_a_stage_has_what_was_told_since_its_start_in_full() -> None:
    incidents = Incidents()
    told(incidents, 5.0, **xid(63))
    told(incidents, 15.0, **xid(48))
    kept = {"time_s": 15.0, "kind": "xid", "xid": 48, "text": "as the kernel wrote it", "source": "simulated"}
    assert incidents.of("GPU-1", 10.0) == [kept]
    assert incidents.of("GPU-2", 0.0) == []


def test_what_was_seen_is_told_in_the_language_of_its_reader() -> None:
    """Driver and kernel speak English; what the program itself says of an error it says in any language."""
    sentence = tr("SIMULATED: {sentence}", sentence=xid_of(48).sentence)
    event = Incidents().take({"source": "simulated", "text": sentence, **xid(48)}, 0.0)
    said = into(event.text, "de")
    assert said.startswith("SIMULIERT: ")
    assert "Speicherfehler" in said


@pytest.mark.parametrize("number", [13, 31, 43, 45, 69, 109])
def test_an_error_of_another_program_warns_with_its_name(number: int) -> None:
    message = {
        "source": "kernel",
        "text": "as the kernel wrote it.",
        "pid": 2222,
        "program": "plasmashell",
        **xid(number),
    }
    event = Incidents().take(message, 1.0, is_ours=lambda pid, _: pid == 1)
    assert (event.level, event.incident and event.incident.device) == (EventLevel.WARN, "GPU-1")
    assert "plasmashell (process 2222)" in event.text
    assert "hardware is at fault" not in event.text
    assert Incidents().take(message | {"pid": 1}, 1.0, is_ours=lambda pid, _: pid == 1).level is (
        EventLevel.WARN if number in (43, 45) else EventLevel.ERROR
    )


@pytest.mark.parametrize(
    ("message", "level", "says"),
    [
        ({"type": "driver", "device": "GPU-1", "severity": "fatal"}, EventLevel.ERROR, "GPU driver: as the kernel"),
        ({"type": "driver", "device": "GPU-1", "severity": "correctable"}, EventLevel.WARN, "GPU driver"),
        ({"type": "sxid", "severity": "fatal"}, EventLevel.ERROR, "NVSwitch error"),
        ({"type": "sxid", "severity": "nonfatal"}, EventLevel.WARN, "NVSwitch error"),
        ({"type": "edac", "severity": "fatal"}, EventLevel.ERROR, "Memory error"),
        ({"type": "edac", "severity": "correctable"}, EventLevel.WARN, "Memory error"),
        ({"type": "edac", "severity": "nonfatal"}, EventLevel.ERROR, "Memory error"),
        ({"type": "mce", "device": "cpu", "severity": "nonfatal"}, EventLevel.ERROR, "Machine check"),
        (xid(106), EventLevel.INFO, "Test message"),
    ],
)
def test_records_of_other_kinds_weigh_as_they_say(message: dict[str, Any], level: EventLevel, says: str) -> None:
    event = Incidents().take({"source": "kernel", "text": "as the kernel wrote it", **message}, 0.0)
    assert event.level is level
    assert says in event.text
