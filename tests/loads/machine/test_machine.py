"""Processors, memory and disk at once: each checked, each fault found where it is, everything over in a second."""

import hashlib
import os
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import torch

from core.loads.findings import Findings
from core.loads.load import Ending, LoadStatus, StepReport
from core.loads.loop import Loop, Totals
from core.loads.machine import disk, processors
from core.loads.machine.contract import MachineParams
from core.loads.machine.load import MachineLoad
from core.loads.machine.processors import DIGEST, MESSAGE, Crew, Golden, HostTask, right_digest
from tests.patience import given_time

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def clock() -> None:
    """The parts work in threads of their own, on the clock of the machine."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "SIZE", 128)
    monkeypatch.setattr(disk, "IN_MEMORY", frozenset())


@pytest.fixture
def run(channel: Any, tmp_path: Path) -> Any:
    def go(*, seconds: float = 0.7, **params: Any) -> Ending:
        own_params = {"memory_share_pct": 0.1, "disk_mib": 16, "folder": str(tmp_path), **params}

        def once(seconds: float) -> Ending:
            return Loop(MachineLoad(MachineParams(**own_params), CPU), channel, seconds=seconds, totals=Totals()).run()

        return given_time(once, seconds, lambda ending: "Ended before" not in ending.reason)

    return go


def test_everything_runs_at_once_and_is_checked(run: Any, channel: Any, tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    ending = run()
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert evidence["parts"] == ["processors", "memory", "disk"]
    assert evidence["processors"]["count"] == threads
    assert evidence["processors"]["products"] > 0
    assert evidence["processors"]["hashed_bytes"] > 0
    assert evidence["memory"]["tested_bytes"] >= 2**20
    assert evidence["memory"]["moved_bytes"] > 0
    assert evidence["disk"]["read_bytes"] > 0
    assert (evidence["not_run"], evidence["wrong_by_processor"], evidence["errors"]) == ({}, {}, 0)
    assert set(evidence["self_test"].values()) == {"seen"}
    assert any(beat["metrics"].get("throughput_tflops", 0) > 0 for beat in channel.of("progress"))
    assert list(tmp_path.iterdir()) == [], "the file is gone"
    assert torch.get_num_threads() == threads
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]


@pytest.mark.parametrize(
    ("inject", "reason"),
    [
        ("hash", "the SHA-256 of the test message is wrong"),
        ("product", "product: 1 element is wrong"),
        ("memory", "1 wrong word"),
        ("disk", "the disk gave 1 wrong byte"),
    ],
)
def test_an_injected_fault_is_found_in_its_part(run: Any, inject: str, reason: str) -> None:
    ending = run(inject=inject)
    assert ending.status is LoadStatus.FAILED
    assert reason in ending.reason
    assert ending.reason.endswith("(injected on purpose).")
    assert ending.evidence.as_dict()["errors"] == ending.evidence.as_dict()["injected_on_purpose"]["times"] == 1
    if inject in ("hash", "product"):
        first = min(os.sched_getaffinity(0))
        assert ending.evidence.as_dict()["wrong_by_processor"] == {str(first): 1}
        assert ending.reason.startswith(f"processor {first}: ")


def test_a_part_that_cannot_run_is_reported_and_is_no_failure(run: Any, tmp_path: Path) -> None:
    ending = run(folder=str(tmp_path / "nowhere"), seconds=0.5)
    assert ending.status is LoadStatus.PASSED
    assert "no such file" in ending.evidence.as_dict()["not_run"]["disk"]
    assert ending.evidence.as_dict()["warnings"] == [ending.evidence.as_dict()["not_run"]["disk"]]
    assert ending.evidence.as_dict()["parts"] == ["processors", "memory"]


def test_nothing_but_what_cannot_run_is_not_run_and_ends_at_once(run: Any, tmp_path: Path) -> None:
    ending = run(parts="disk", folder=str(tmp_path / "nowhere"), seconds=3600)
    assert ending.status is LoadStatus.NOT_RUN
    assert "no such file" in ending.reason


def test_only_what_was_asked_for_runs(run: Any) -> None:
    evidence = run(parts="processors", seconds=0.3).evidence.as_dict()
    assert evidence["parts"] == ["processors"]
    assert evidence["disk"] is None
    assert evidence["memory"]["tested_bytes"] == 0


def test_a_stop_ends_all_threads(run: Any, channel: Any) -> None:
    channel.later(20, "stop")
    assert run(seconds=3600).status is LoadStatus.STOPPED
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]


def test_short_memory_takes_less(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.loads.machine import load as ram

    real, sizes = ram.Memory, []

    def short(device: Any, target_bytes: int, **others: Any) -> Any:
        sizes.append(target_bytes)
        if len(sizes) % 3:  # each time that it is tried anew, with more time
            raise MemoryError("Not one block is free.")
        return real(device, target_bytes, **others)

    monkeypatch.setattr(ram, "Memory", short)
    ending = run(parts="memory", seconds=2)
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.as_dict()["shrunk"] == 2
    assert sizes[2] < 0.5 * sizes[0]


def test_a_golden_product_that_is_wrong_itself_is_found(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.mm

    def faulty(left: torch.Tensor, right: torch.Tensor, **others: Any) -> torch.Tensor:
        return real(left * 1.01, right, **others)

    monkeypatch.setattr(torch, "mm", faulty)
    ending = run(parts="processors", seconds=0.2)
    assert ending.status is LoadStatus.FAILED
    assert "the reference product for all processors" in ending.reason


def test_a_gpu_leaves_it_to_the_cpu(channel: Any) -> None:
    ending = Loop(MachineLoad(MachineParams(), torch.device("cuda", 0)), channel, seconds=1, totals=Totals()).run()
    assert ending.status is LoadStatus.NOT_RUN
    assert "by the CPU, not by a GPU" in ending.reason


def test_the_hash_is_the_published_one() -> None:
    assert hashlib.sha256(MESSAGE).hexdigest() == DIGEST
    assert right_digest()
    assert not right_digest(MESSAGE + b"a")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system cannot bind threads")
def test_each_thread_stays_on_its_processor() -> None:
    seen: list[set[int]] = []

    class Looking(processors.Processor):
        def turns(self) -> Generator[StepReport, None, None]:
            first = next(super().turns())
            seen.append(os.sched_getaffinity(0))
            yield first

    before = os.sched_getaffinity(0)
    number = max(before)
    crew = Crew([Looking(number, Golden.drawn(1), Findings())])
    while crew.at_work:
        crew.next_report(0.1)
    assert crew.stop() == []
    assert seen == [{number}]
    assert os.sched_getaffinity(0) == before


def test_what_a_part_raises_reaches_the_load() -> None:
    class Broken(HostTask):
        name = "broken"

        def turns(self) -> Generator[StepReport, None, None]:
            yield StepReport(checks=1)
            raise RuntimeError("a bug")

    crew = Crew([Broken(Findings())])
    assert crew.next_report(5) == StepReport(checks=1)
    with pytest.raises(RuntimeError, match="a bug"):
        while True:
            crew.next_report(5)
    crew.stop()


def test_a_part_that_is_stuck_is_named_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.loads.machine.processors.JOIN_S", 0.1)
    free = threading.Event()

    class Stuck(HostTask):
        name = "stuck"

        def turns(self) -> Generator[StepReport, None, None]:
            free.wait(20)
            yield StepReport()

    crew = Crew([Stuck(Findings())])
    assert crew.stop() == ["stuck"]
    free.set()


@pytest.mark.parametrize("parts", ["", "cores", "disk,fan"])
def test_unknown_parts_are_refused(parts: str) -> None:
    with pytest.raises(ValueError, match="choose from processors, memory, disk"):
        MachineParams(parts=parts)
