"""Copy and triad: both measured, both checked, buffers that no cache holds."""

from pathlib import Path
from typing import Any

import pytest
import torch

from core.loads.device import Room, cache_bytes, last_level_bytes
from core.loads.load import LoadStatus
from core.loads.memory import bandwidth
from core.loads.memory.bandwidth import BandwidthLoad
from core.loads.memory.contract import BandwidthParams
from tests.loads.conftest import running

CPU = torch.device("cpu")
MIB = 2**20


run = running("bandwidth", seconds=0.3, buffer_mib=4)


def test_copy_and_triad_are_measured_and_checked(channel: Any) -> None:
    ending = run(channel, seconds=0.6)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert set(evidence["rates"]) == {"copy", "triad"}
    assert all(rate > 0 for rate in evidence["rates"].values())
    assert (evidence["rate_unit"], evidence["buffer_bytes"], evidence["checks"]) == ("GB/s", 4 * MIB, 2)
    assert evidence["self_test"] == {"corrupted transfer": "seen"}
    assert any(beat["metrics"].get("bandwidth_gbps", 0) > 0 for beat in channel.of("progress"))


def test_bytes_are_counted_as_stream_counts_them(channel: Any) -> None:
    load = BandwidthLoad(BandwidthParams(buffer_mib=1), CPU)
    moved = [report.moved_bytes for report in load.steps(0.001) if report.moved_bytes]
    assert list(dict.fromkeys(moved)) == [2 * MIB, 3 * MIB]


@pytest.mark.parametrize(("inject_at", "operation"), [(0, "copy"), (1, "triad")])
def test_one_flipped_bit_of_a_result_is_found(channel: Any, inject_at: int, operation: str) -> None:
    ending = run(channel, inject="corrupt", inject_at=inject_at)
    assert ending.status is LoadStatus.FAILED
    assert ending.evidence.as_dict()["errors"] == ending.evidence.as_dict()["injected_on_purpose"]["times"] == 1
    assert f"The result of {operation} is wrong" in ending.reason
    assert f"1 word is wrong (first at byte 0x{8 * (4 * MIB // 8 // 3):x}" in ending.reason
    assert "injected on purpose" in ending.reason


def test_a_sum_that_was_never_written_is_found(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "add", lambda left, right, *, alpha, out: out)
    ending = run(channel)
    assert ending.status is LoadStatus.FAILED
    assert "The result of triad is wrong" in ending.reason


def test_buffers_are_eight_times_the_cache_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bandwidth, "cache_bytes", lambda device: 40 * MIB)
    for usable, expected, warned in ((9000, 320, False), (300, 100, True)):
        monkeypatch.setattr(bandwidth, "room_on", lambda device, usable=usable: Room(2 * usable * MIB, usable * MIB))
        load = BandwidthLoad(BandwidthParams(), CPU)
        evidence = load.finish().evidence.as_dict()
        assert evidence["buffer_bytes"] == expected * MIB
        assert ("warnings" in evidence) == warned
    monkeypatch.setattr(bandwidth, "room_on", lambda device: Room(2**35, 2**34))
    assert BandwidthLoad(BandwidthParams(), torch.device("cuda", 0))._bytes == 2**30
    monkeypatch.setattr(bandwidth, "cache_bytes", lambda device: 256 * MIB)
    assert BandwidthLoad(BandwidthParams(), torch.device("cuda", 0))._bytes == 2**31


def test_caches_shared_by_several_processors_count_once(tmp_path: Path) -> None:
    for cpu, sharers in ((0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")):
        for index, level, size, shared in ((0, 1, "48K", str(cpu)), (3, 3, "32M", sharers)):
            folder = tmp_path / f"cpu{cpu}" / "cache" / f"index{index}"
            folder.mkdir(parents=True)
            for name, text in (("level", level), ("size", size), ("shared_cpu_list", shared)):
                (folder / name).write_text(f"{text}\n")
    assert last_level_bytes(tmp_path) == 64 * MIB
    (tmp_path / "cpu0" / "cache" / "index3" / "size").write_text("unknown\n")
    assert last_level_bytes(tmp_path) == 64 * MIB, "its neighbour tells it"
    assert last_level_bytes(tmp_path / "nothing") is None
    size = cache_bytes(CPU)
    assert size is None or size > 2**16
