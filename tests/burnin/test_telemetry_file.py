"""What a run measured is written as lines that can be read by anything, and played back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.burnin.profile.file import find_profile
from core.burnin.record.incidents import Incidents
from core.burnin.record.rows import EventLevel, RunDevice
from core.burnin.record.store import RunStore
from core.burnin.record.telemetry_file import write_telemetry
from core.errors import BadInput, EnvironmentProblem
from core.telemetry.device import Device, DeviceKind
from core.telemetry.incident import Incident
from core.telemetry.simulated.replay import ReplaySource
from core.telemetry.simulated.simulation import RecordedReplay

CARD = Device("GPU-1", DeviceKind.GPU, "Card", bus_id="0000:41:00.0")
CPU = Device("cpu", DeviceKind.CPU, "Processor")
SECONDS = 12


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with closing(RunStore(tmp_path)) as store:
        yield store


def record(store: RunStore) -> int:
    profile = find_profile("quick-test")
    run_id = store.create_run(
        title="Run",
        profile=profile,
        devices=[RunDevice(CARD, 0, burned=True), RunDevice(CPU, 1, burned=False)],
        stage_titles=["" for _ in profile.stages],
        boot_id="boot",
        machine="machine",
        version="0",
    )
    for second in range(SECONDS):
        card = {"temperature_c": 40.0 + second, "throughput_tflops": 60.0, "loss": None}
        samples: dict[str, dict[str, float | None]] = {"cpu": {"power_w": 100.25}}
        store.add_tick(run_id, float(second), samples | ({"GPU-1": card} if second < 8 else {}))
    ecc = Incident("xid", "memory error", "nvml", "GPU-1", 48)
    store.add_incident(run_id, 6.5, EventLevel.ERROR, "A memory error.", ecc)
    store.add_event(run_id, 8.0, EventLevel.ERROR, "lost", "fallen off", device_id="GPU-1")
    store.add_event(run_id, 9.0, EventLevel.INFO, "mark", "a remark", device_id="GPU-1")
    return run_id


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_devices_samples_and_errors_stand_in_the_order_of_time(store: RunStore, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    assert write_telemetry(store, record(store), file) == SECONDS
    first, *rest = lines(file)
    assert [device["id"] for device in first["devices"]] == ["GPU-1", "cpu"]
    assert (first["run"], first["simulated"]) == (1, False)
    times = [line["time_s"] for line in rest]
    assert times == sorted(times)
    assert [line["type"] for line in rest if line["type"] != "samples"] == ["xid", "lost"]
    assert rest[0]["samples"] == {"GPU-1": {"temperature_c": 40.0}, "cpu": {"power_w": 100.25}}
    assert rest[-1]["samples"] == {"cpu": {"power_w": 100.25}}


@pytest.mark.parametrize("level", [EventLevel.WARN, EventLevel.ERROR])
def test_a_link_error_is_as_loud_when_it_is_played_back_as_it_was(
    store: RunStore, tmp_path: Path, level: EventLevel
) -> None:
    run_id, file = record(store), tmp_path / "run.jsonl"
    severity = "correctable" if level is EventLevel.WARN else "fatal"
    incident = Incident("aer", "receiver error.", "kernel", "GPU-1", severity=severity)
    store.add_incident(run_id, 9.5, level, "PCIe error: receiver error.", incident)
    write_telemetry(store, run_id, file)
    told = next(line for line in lines(file) if line["type"] == "aer")
    event = Incidents().take(told, 1.0)
    assert (event.level, event.text) == (level, "PCIe error: receiver error.")
    assert event.incident == incident


def test_what_was_written_plays_back(store: RunStore, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    write_telemetry(store, record(store), file)
    now = [0.0]
    source = ReplaySource(RecordedReplay(file), clock=lambda: now[0])
    told: list[tuple[str | None, int | None]] = []
    source.listen(lambda incident: told.append((incident.device, incident.xid)))
    assert source.read()["REPLAY-GPU-1"] == {"temperature_c": 40}
    now[0] = 7.2
    assert source.read()["REPLAY-GPU-1"] == {"temperature_c": 47}
    assert told == [("REPLAY-GPU-1", 48)]
    now[0] = 8.5
    assert list(source.read()) == ["REPLAY-cpu"]
    assert list(source.lost()) == ["REPLAY-GPU-1"]
    source.close()


def test_a_run_without_measurements_or_a_place_without_room_is_a_sentence(store: RunStore, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no run 7"):
        write_telemetry(store, 7, tmp_path / "run.jsonl")
    with pytest.raises(EnvironmentProblem, match="could not be written"):
        write_telemetry(store, record(store), tmp_path / "none" / "run.jsonl")
    assert not (tmp_path / "none").exists()
