"""Transfers over the link: every one has contents of its own and is checked; a CPU has no link."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch

from core.loads.load import Ending, LoadStatus
from core.loads.memory.contract import HostLinkParams
from core.loads.memory.host_link import WAYS, Direction, Transfers, parsed, processors_near, staying_near
from tests.loads.conftest import OverTheLink, driven, result_of

CPU = torch.device("cpu")
WORDS = 2**15


def run(channel: Any, *, seconds: float = 0.05, **params: Any) -> Ending:
    load = OverTheLink(HostLinkParams(**{"buffer_mib": 1, "transfers": 3, **params}), CPU)
    return driven(load, channel, seconds)


def prepared(**options: Any) -> Transfers:
    transfers = Transfers(CPU, WORDS, 3, **options)
    for _ in transfers.prepare():
        pass
    return transfers


def test_all_directions_are_measured_and_every_transfer_is_checked(channel: Any) -> None:
    ending = run(channel)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert set(evidence["rates"]) == {"to_device", "to_host", "both"}
    assert evidence["checks"] == evidence["transfers"] >= 9
    assert evidence["rounds"] >= 1
    assert evidence["self_test"] == {"corrupted transfer": "seen"}
    assert any(beat["metrics"].get("bandwidth_gbps", 0) > 0 for beat in channel.of("progress"))


@pytest.mark.parametrize(("number", "way"), [(0, "to device"), (2, "to device"), (4, "to host"), (7, "to device")])
def test_one_flipped_bit_of_one_transfer_is_found(channel: Any, number: int, way: str) -> None:
    ending = run(channel, inject="corrupt", inject_at=number)
    assert ending.status is LoadStatus.FAILED
    assert ending.evidence.as_dict()["errors"] == ending.evidence.as_dict()["injected_on_purpose"]["times"] == 1
    assert f"The data arrived corrupted: {way}" in ending.reason
    assert "1 word is wrong" in ending.reason


@pytest.mark.parametrize("direction", Direction)
def test_a_transfer_that_never_happened_is_found(direction: Direction, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the transfer before it left there has other contents."""
    transfers = prepared()
    assert result_of(transfers.go(direction))[1] is None
    real = torch.Tensor.copy_
    arrived = {id(tensor) for tensor in transfers._arrived.values()}
    monkeypatch.setattr(
        torch.Tensor, "copy_", lambda self, *args, **how: self if id(self) in arrived else real(self, *args, **how)
    )
    assert "wrong" in str(result_of(transfers.go(direction))[1])


def test_both_ways_at_once_are_checked_both() -> None:
    transfers = prepared()
    for way in WAYS:
        transfers._sent[way][1].buffer[5] += 1
    assert result_of(transfers.go(Direction.BOTH))[1] is None, "the other contents"
    problem = str(result_of(transfers.go(Direction.BOTH))[1])
    assert "to device: " in problem
    assert "to host: " in problem
    assert problem.count("it was wrong before it was sent, 1 word is wrong (first at byte 0x28: ") == 2
    assert transfers.bytes_of(Direction.BOTH) == 2 * transfers.bytes_of(Direction.TO_HOST) == 2 * 8 * WORDS


def test_what_is_spoilt_only_on_the_way_back_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    transfers = prepared()
    on_device = transfers._arrived[Direction.TO_DEVICE]
    real, times = torch.Tensor.copy_, []

    def spoiling(self: torch.Tensor, *args: Any, **how: Any) -> torch.Tensor:
        real(self, *args, **how)
        if self is on_device and not times:
            times.append(1)
            self[7] ^= 1
        return self

    monkeypatch.setattr(torch.Tensor, "copy_", spoiling)
    problem = str(result_of(transfers.go(Direction.TO_HOST))[1])
    assert problem.startswith("to host: 1 word is wrong (first at byte 0x38: ")
    assert problem.endswith(", on the way back")


@pytest.mark.parametrize(
    ("text", "numbers"), [("0-3,8\n", {0, 1, 2, 3, 8}), ("5", {5}), ("", set()), ("0-1,4-5", {0, 1, 4, 5})]
)
def test_lists_of_processors_are_read(text: str, numbers: set[int]) -> None:
    assert parsed(text) == numbers


def test_processors_near_a_gpu_come_from_the_system_where_it_tells_them(tmp_path: Path) -> None:
    gpu = tmp_path / "0000:65:00.0"
    gpu.mkdir()
    (gpu / "local_cpulist").write_text("16-31\n")
    assert processors_near("0000:65:00.0", tmp_path) == set(range(16, 32))
    assert processors_near("0000:66:00.0", tmp_path) == set()
    assert processors_near(None, tmp_path) == set()
    (gpu / "local_cpulist").write_text("none\n")
    assert processors_near("0000:65:00.0", tmp_path) == set()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system cannot bind threads")
def test_a_thread_stays_near_only_meanwhile_and_only_where_it_may_run() -> None:
    before = os.sched_getaffinity(0)
    one = min(before)
    with staying_near({one, 100_000}) as chosen:
        assert chosen == {one} == os.sched_getaffinity(0)
    assert os.sched_getaffinity(0) == before
    with staying_near({100_000}) as chosen:
        assert chosen == set()
        assert os.sched_getaffinity(0) == before
