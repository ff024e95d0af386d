"""A recording plays back what was measured then, at its own pace or faster, and never passes for a live measurement."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.replay import ReplaySource
from core.machine.telemetry.simulated.simulation import RecordedReplay
from core.machine.telemetry.source import Incident
from core.platform.errors import BadInput

CARD = Device("GPU-1", DeviceKind.GPU, "Card", bus_id="0000:41:00.0", p2p={"GPU-2": {"read": "ok"}})
CPU = Device("cpu", DeviceKind.CPU, "Processor")


def samples(time_s: float, degrees: float) -> dict[str, Any]:
    return {"type": "samples", "time_s": time_s, "samples": {"GPU-1": {"temperature_c": degrees}, "cpu": {}}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lines = [
        {"type": "devices", "devices": [CARD.as_dict(), CPU.as_dict()]},
        samples(1.0, 40.0),
        samples(2.0, 50.0),
        {"type": "xid", "time_s": 2.5, "device": "GPU-1", "xid": 48, "text": "Xid 48: memory error."},
        samples(3.0, 60.0),
        {"type": "lost", "time_s": 3.5, "device": "GPU-1", "reason": "fallen off"},
        {"type": "a word of a later version", "time_s": 3.6},
        samples(4.0, 70.0),
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


class Player:
    """A source with a clock that is set by hand."""

    def __init__(self, path: Path, speed: float = 1.0) -> None:
        self.now_s = 100.0
        self.source = ReplaySource(RecordedReplay(path, speed), clock=lambda: self.now_s)
        self.incidents: list[Incident] = []
        self.source.listen(self.incidents.append)
        self.source.read()

    def degrees(self, time_s: float) -> float | None:
        self.now_s = 100.0 + time_s
        return self.source.read().get("REPLAY-GPU-1", {}).get("temperature_c")


def test_recorded_devices_are_marked_as_a_replay(file: Path) -> None:
    card, cpu = Player(file, 10).source.devices()
    assert (card.id, cpu.id) == ("REPLAY-GPU-1", "REPLAY-cpu")
    assert card.title == "Card @ 0000:41:00.0 (SIMULATED: REPLAY)"
    assert card.detail["replay"] == "10 times as fast as it was recorded"
    assert (card.simulated, cpu.simulated, card.p2p) == (True, True, {})


def test_samples_come_when_their_time_comes(file: Path) -> None:
    player = Player(file)
    assert [player.degrees(time_s) for time_s in (0.5, 1.0, 1.9, 2.0)] == [None, 40, 40, 50]


def test_a_faster_replay_skips_what_lies_between_two_readings(file: Path) -> None:
    player = Player(file, 10)
    assert player.degrees(0.31) == 60
    assert [incident.xid for incident in player.incidents] == [48]


def test_errors_and_losses_are_reported_again(file: Path) -> None:
    player = Player(file)
    player.degrees(2.6)
    (incident,) = player.incidents
    assert (incident.device, incident.xid, incident.source) == ("REPLAY-GPU-1", 48, "replay")
    assert incident.text == "REPLAY: Xid 48: memory error."
    assert player.degrees(3.9) is None
    assert player.source.lost() == {"REPLAY-GPU-1": "REPLAY: fallen off"}


def test_after_its_end_a_recording_says_nothing(file: Path) -> None:
    player = Player(file)
    player.now_s = 104.0
    assert list(player.source.read()) == ["REPLAY-cpu"]
    assert player.source.read() == {}
    player.source.close()


def test_a_recording_that_breaks_off_is_reported_with_its_line(file: Path) -> None:
    file.write_text(file.read_text() + '\n{"type": "sam')
    player = Player(file)
    with pytest.raises(BadInput, match="line 9"):
        player.degrees(9.0)


FIRST = json.dumps({"type": "devices", "devices": [CARD.as_dict()]})


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("", "does not name 1 to 256 devices"),
        ("[]", "gives no type"),
        ("no json", "line 1, column 1"),
        ('{"type": "samples"}', "its samples are not tables by device"),
        ('{"type": 5}', "gives no type"),
        ("{", "line 1, column 2"),
        ("[" * 5000, "nested too deeply"),
        ("9" * 5000, "more than 300 digits"),
        ('{"type": "devices"}', "does not name 1 to 256 devices"),
        ('{"type": "devices", "devices": []}', "does not name 1 to 256 devices"),
        ('{"type": "devices", "devices": 7}', "does not name 1 to 256 devices"),
        ('{"type": "devices", "devices": [7]}', "devices.0: "),
        ('{"type": "devices", "devices": [{"id": "a", "kind": "gpu"}]}', "devices.0.name: this is missing"),
        ('{"type": "devices", "devices": [{"id": 5, "kind": "gpu", "name": "a"}]}', "devices.0.id: 5 is not text"),
        ('{"type": "devices", "devices": [{"id": "a", "kind": "cat", "name": "a"}]}', "devices.0.kind: 'cat' is not"),
        (
            '{"type": "devices", "devices": [{"id": "a", "kind": "gpu", "name": "a", "memory_mb": "much"}]}',
            "devices.0.memory_mb: 'much' is not a whole number",
        ),
        (
            '{"type": "devices", "devices": [{"id": "a", "kind": "gpu", "name": "a", "logged_before": 5}]}',
            "devices.0.logged_before: 5 is not a list",
        ),
        (
            '{"type": "devices", "devices": [' + ",".join(['{"id": "a", "kind": "gpu", "name": "a"}'] * 2) + "]}",
            "names a device twice",
        ),
        ('{"type": "devices", "time_s": "now"}', "time_s is not a number"),
        ('{"type": "' + "x" * 2_000_000 + '"}', "more than 1048576 characters"),
        ("\udcff", "is not UTF-8"),
    ],
    ids=lambda text: text[:40],
)
def test_a_recording_with_a_wrong_first_line_is_reported(tmp_path: Path, first: str, why: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(first.encode("utf-8", errors="surrogateescape"))
    with pytest.raises(BadInput, match=rf"bad\.jsonl.*{why}"):
        ReplaySource(RecordedReplay(path, 1.0))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("no JSON", "line 1, column 1"),
        ('{"type": "samples", "time_s": 1, "samples": {"GPU-1": {"temperature_c": "hot"}}}', "temperature_c of GPU-1"),
        ('{"type": "samples", "time_s": 1, "samples": {"GPU-1": {"temperature_c": true}}}', "temperature_c of GPU-1"),
        (
            '{"type": "samples", "time_s": 1, "samples": {"GPU-1": {"power_w": NaN}}}',
            "power_w of GPU-1 is not a number",
        ),
        ('{"type": "samples", "time_s": 1, "samples": {"GPU-1": 5}}', "samples are not tables"),
        ('{"type": "samples", "time_s": 1}', "samples are not tables"),
        ('{"type": "samples", "time_s": null, "samples": {}}', "time_s is not a number"),
        ('{"type": "samples", "time_s": Infinity, "samples": {}}', "time_s is not a number"),
        ('{"type": "xid", "device": 5, "text": "Xid"}', "device is not text"),
        ('{"type": "xid", "xid": "48", "text": "Xid"}', "xid is not a whole number"),
        ('{"type": "aer", "severity": [], "text": "aer"}', "severity is not text"),
    ],
    ids=lambda text: text[:60],
)
def test_a_wrong_line_of_a_recording_is_reported_with_its_number(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{FIRST}\n{json.dumps(samples(0.0, 40.0))}\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=rf"bad\.jsonl, line 3: .*{why}"):
        Player(path)
