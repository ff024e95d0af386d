"""Samples at rest: packed and unpacked to their digits, folded into chunks, and written as lines for other programs."""

from __future__ import annotations

import json
import math
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from core.burnin.record.incidents import Incidents
from core.burnin.record.reader import FILE
from core.burnin.record.rows import EventLevel, RunDevice
from core.burnin.record.sample_files import write_telemetry
from core.burnin.record.sample_table import CHUNK, FOLDED_TICKS, packed, unpacked
from core.burnin.record.samples import COLUMN
from core.burnin.record.schema import migrations
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.replay import ReplaySource
from core.machine.telemetry.simulated.simulation import RecordedReplay
from core.machine.telemetry.source import Incident
from core.platform.errors import BadInput, EnvironmentProblem
from tests.burnin.begun_run import begun
from tests.burnin.test_store import CARD, CPU, record_run

VALUES = st.floats(allow_nan=True, allow_infinity=False, width=64)


@given(st.lists(VALUES, min_size=1, max_size=60))
def test_exact_columns_come_back_to_the_last_bit(values: list[float]) -> None:
    given_back = unpacked(packed(np.array(values, dtype=np.float64), exact=True))
    assert np.array_equal(given_back, values, equal_nan=True)


@given(st.lists(st.floats(-1e7, 1e7) | st.just(math.nan), min_size=1, max_size=60))
def test_sensors_come_back_with_seven_digits(values: list[float]) -> None:
    given_back = unpacked(packed(np.array(values, dtype=np.float64)))
    assert np.allclose(given_back, values, rtol=1e-7, atol=1e-37, equal_nan=True)


def test_counts_beyond_what_single_precision_holds_stay_exact() -> None:
    counts = 2.0**24 + np.arange(100)
    assert np.array_equal(unpacked(packed(counts)), counts)


@pytest.mark.parametrize("value", [350.0, 0.0, -0.0, math.nan, 2.0**40])
@pytest.mark.parametrize("length", [1, 2, CHUNK])
def test_what_stands_still_is_kept_once(value: float, length: int) -> None:
    still = packed(np.full(length, value))
    assert len(still) <= 2 + 8 + 4
    assert np.array_equal(unpacked(still), np.full(length, value), equal_nan=True)
    assert np.signbit(unpacked(still)).tolist() == [math.copysign(1, value) < 0] * length


def test_what_hardly_changes_takes_hardly_any_room() -> None:
    steps, noise = 350.0 + np.arange(CHUNK) // 100, np.random.default_rng(1).normal(300, 4, CHUNK)
    assert len(packed(steps)) < CHUNK / 4
    assert len(packed(noise)) <= 4 * CHUNK + 2


def sample(tick: int) -> dict[str, float | None]:
    """One metric always, one from the second chunk on, one at times."""
    late = {"fan_rpm": float(tick)} if tick > CHUNK else {}
    return {"power_w": 100.0 + tick % 7, "temperature_c": None if tick % 3 else 50.0 + tick % 5, **late}


@pytest.mark.parametrize("ticks", [1, FOLDED_TICKS - 1, FOLDED_TICKS, 3 * FOLDED_TICKS + 5, CHUNK + FOLDED_TICKS + 1])
def test_rows_and_chunks_read_as_one_series(tmp_path: Path, ticks: int) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = record_run(store)
        with store._db.atomic():  # one flush instead of thousands
            for tick in range(ticks):
                store.add_tick(run_id, tick + 0.125, {CARD.id: sample(tick), CPU.id: {"clock_mhz": 4000.0}})
        block = store.samples(run_id, CARD.id)
        assert block[:, 0].tolist() == [tick + 0.125 for tick in range(ticks)]
        for name in ("power_w", "temperature_c", "fan_rpm", "loss"):
            expected = [np.nan if (value := sample(tick).get(name)) is None else value for tick in range(ticks)]
            assert np.array_equal(block[:, COLUMN[name]], expected, equal_nan=True)
        few = store.samples(run_id, CARD.id, ticks / 2, ("fan_rpm", "power_w"))
        assert np.array_equal(few[:, 2], block[block[:, 0] > ticks / 2, COLUMN["power_w"]])
        assert store.last_time_s(run_id) == ticks - 1 + 0.125
        assert len(store.samples(run_id, CPU.id)) == ticks


def test_a_follower_gets_every_sample_once_while_rows_become_chunks(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store, closing(RunStore(tmp_path)) as viewer:
        run_id = record_run(store)
        follower = Follower(viewer, run_id)
        seen: list[float] = []
        for tick in range(2 * FOLDED_TICKS + 10):
            store.add_tick(run_id, float(tick), {CARD.id: {"power_w": float(tick)}})
            if tick % 37 == 0 or tick % FOLDED_TICKS in (0, FOLDED_TICKS - 1):
                seen += [time for block in follower.poll().samples.values() for time in block[:, 0]]
        seen += [time for block in follower.poll().samples.values() for time in block[:, 0]]
        assert seen == [float(tick) for tick in range(2 * FOLDED_TICKS + 10)]


def test_what_an_older_program_recorded_is_folded_and_kept(tmp_path: Path) -> None:
    with closing(Database(tmp_path / FILE)) as old:
        migrations.apply(old, stop_before="m003_samples_in_chunks")
        old.execute(
            "INSERT INTO runs (id, title, status, profile, started_at, boot_id, machine, simulated, version)"
            " VALUES (7, 'old', 'finished', '{}', '2026-01-01', 'b', 'm', 0, '0')"
        )
        old.conn.executemany(
            "INSERT INTO samples (run_id, device_id, time_s, power_w, checks) VALUES (7, 'GPU-1', ?, ?, ?)",
            [(float(tick), None if tick == 3 else 200.5, 2.0 * tick) for tick in range(10)],
        )
        old.conn.commit()
    with closing(RunStore(tmp_path)) as store:
        block = store.samples(7, "GPU-1", names=("power_w", "checks", "loss"))
    assert block[:, 0].tolist() == [float(tick) for tick in range(10)]
    assert block[:, 2].tolist() == [2.0 * tick for tick in range(10)]
    assert np.isnan(block[3, 1])
    assert np.isnan(block[:, 3]).all()
    assert (np.delete(block[:, 1], 3) == 200.5).all()


def test_deleting_a_run_takes_its_chunks_along(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = record_run(store)
        with store._db.atomic():
            for tick in range(FOLDED_TICKS):
                store.add_tick(run_id, float(tick), {CARD.id: {"power_w": 1.0}})
        store.delete(run_id)
        assert store._rows("SELECT count(*) FROM chunks") == [(0,)]


GPU = Device("GPU-1", DeviceKind.GPU, "Card", bus_id="0000:41:00.0")
PROCESSOR = Device("cpu", DeviceKind.CPU, "Processor")
SECONDS = 12


def record(store: RunStore) -> int:
    run_id = begun(store, devices=[RunDevice(GPU, 0, burned=True), RunDevice(PROCESSOR, 1, burned=False)])
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
    report = next(line for line in lines(file) if line["type"] == "aer")
    event = Incidents().take(report, 1.0)
    assert (event.level, event.text) == (level, "PCIe error: receiver error.")
    assert event.incident == incident


def test_what_was_written_plays_back(store: RunStore, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    write_telemetry(store, record(store), file)
    now = [0.0]
    source = ReplaySource(RecordedReplay(file), clock=lambda: now[0])
    incidents: list[tuple[str | None, int | None]] = []
    source.listen(lambda incident: incidents.append((incident.device, incident.xid)))
    assert source.read()["REPLAY-GPU-1"] == {"temperature_c": 40}
    now[0] = 7.2
    assert source.read()["REPLAY-GPU-1"] == {"temperature_c": 47}
    assert incidents == [("REPLAY-GPU-1", 48)]
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
