"""The load on memory: all patterns at least once, exact counts, what could not be tested said."""

import time
from typing import Any

import pytest
import torch

from core.loads.device import Room, room_on
from core.loads.load import LoadStatus
from core.loads.memory import patterns, vram
from core.loads.memory.contract import SHORT, TESTS, VramParams
from core.loads.memory.faults import InjectedFault
from core.loads.memory.sweeps import Sweeps
from core.loads.memory.vram import VramLoad
from core.loads.params import checked
from core.platform.errors import BadInput
from tests.loads.conftest import running

CPU = torch.device("cpu")
SELF_TEST = {"bit flip": "seen", "stuck address": "seen", "stuck bit": "seen", "two addresses of one cell": "seen"}


run = running("vram", seconds=0.05, host_mib=4, block_mib=1)


def test_all_memory_holds_all_patterns_at_least_once(channel: Any) -> None:
    ending = run(channel)
    evidence = ending.evidence.as_dict()
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert evidence["tested_bytes"] == 4 * 2**20
    assert evidence["largest_block_bytes"] == 2**20
    assert evidence["passes"] == 1
    assert len(evidence["patterns"]) == 11
    assert set(evidence["patterns"].values()) == {1}
    assert evidence["wrong_words"] == evidence["errors"] == 0
    assert evidence["self_test"] == SELF_TEST
    assert evidence["bandwidth_gbps"] > 0
    assert channel.of("progress")[-1]["metrics"]["checks"] == evidence["checks"]


def test_tests_for_which_the_time_does_not_suffice_are_reported(channel: Any) -> None:
    """The short list always runs; no load outlasts its time by minutes because a card is large."""
    ending = run(channel, patterns="all")
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert ending.evidence.as_dict()["left_out"] == [test for test in TESTS if test not in SHORT]
    assert ending.evidence.as_dict()["passes"] == 1


def test_all_tests_run_when_they_are_asked_for_by_passes(channel: Any) -> None:
    ending = run(channel, patterns="all", passes=1, host_mib=1)
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert ending.evidence.as_dict()["left_out"] == []
    assert {"walking ones", "walking zeros", "modulo 20", "random order", "row hammer"} <= set(
        ending.evidence.as_dict()["patterns"]
    )


@pytest.mark.parametrize("patterns", ["solid", "row-hammer,address"])
def test_the_self_test_sees_every_kind_of_fault_whatever_tests_were_chosen(channel: Any, patterns: str) -> None:
    ending = run(channel, patterns=patterns, passes=1, host_mib=1)
    assert ending.status is LoadStatus.PASSED, ending.reason
    assert ending.evidence.as_dict()["self_test"] == SELF_TEST


def test_there_is_no_test_of_another_name() -> None:
    with pytest.raises(BadInput, match="there is no memory test 'dance'; choose from all, solid, address"):
        checked(VramParams, {"patterns": "solid, dance"})


@pytest.mark.parametrize("seed", range(3))
def test_what_was_scratch_in_one_pass_is_tested_in_the_next(
    channel: Any, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """A cell that is wrong there is found, though no pattern reached it in the first pass."""
    real, blocks = VramLoad._taken, []

    def taken(self: VramLoad) -> Any:
        memory = real(self)
        blocks.append((memory, memory.scratch.held))
        return memory

    def spoilt(_: InjectedFault, memory: Any, chunk: Any) -> None:
        for burned, scratch in blocks:
            if memory is burned and memory.blocks[chunk.block] is scratch:
                scratch[seed].bitwise_or_(1 << 4)

    monkeypatch.setattr(VramLoad, "_taken", taken)
    monkeypatch.setattr(InjectedFault, "after_write", spoilt)
    monkeypatch.setattr(vram, "try_patterns", lambda *args, **more: iter([]))
    first = run(channel, passes=1)
    second = run(channel, passes=2)
    assert (first.status, second.status) == (LoadStatus.PASSED, LoadStatus.FAILED)
    assert first.evidence.as_dict()["reached_bytes"] == first.evidence.as_dict()["tested_bytes"] == 4 * 2**20
    assert second.evidence.as_dict()["reached_bytes"] > second.evidence.as_dict()["tested_bytes"] == 4 * 2**20
    assert {word["byte"] for word in second.evidence.as_dict()["first_wrong"]} == {8 * seed}


def test_as_many_passes_as_asked_for_and_no_more(channel: Any) -> None:
    ending = run(channel, seconds=60, passes=2, host_mib=1)
    assert ending.evidence.as_dict()["passes"] == 2
    assert set(ending.evidence.as_dict()["patterns"].values()) == {2}


def test_without_a_number_passes_fill_the_time(channel: Any) -> None:
    assert run(channel, seconds=4.0, host_mib=1, patterns="solid").evidence.as_dict()["passes"] > 1


@pytest.mark.parametrize(("inject", "errors"), [("bitflip", 1), ("stuck", None), ("stuck_bit", None), ("shared", None)])
def test_an_injected_fault_is_found_at_its_place(channel: Any, inject: str, errors: int | None) -> None:
    ending = run(channel, inject=inject, inject_at=3)
    evidence = ending.evidence.as_dict()
    injected = evidence["injected_on_purpose"]
    assert ending.status is LoadStatus.FAILED
    assert injected["times"] > 0
    assert evidence["errors"] == evidence["wrong_words"] == (errors or evidence["errors"]) > 0
    assert evidence["first_wrong"]
    assert all({"block": word["block"], "byte": word["byte"]} in injected["places"] for word in evidence["first_wrong"])
    assert "injected on purpose" in ending.reason
    assert sum(fault["count"] for fault in channel.of("fault")) == evidence["errors"]


def test_what_is_written_once_is_read_again_and_again(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell that loses what it holds while other memory is written; it is counted once."""
    real = Sweeps.check
    messages: list[str] = []

    def leaking(self: Sweeps, pattern: Any, *, name: str, inverted: bool = False) -> Any:
        messages.append(name)
        if name == "written once" and messages.count(name) == 4:
            self._memory.word(1234).bitwise_xor_(1 << 5)
        return real(self, pattern, name=name, inverted=inverted)

    monkeypatch.setattr(Sweeps, "check", leaking)
    ending = run(channel)
    assert messages.count("written once") == 12
    assert ending.status is LoadStatus.FAILED
    assert ending.evidence.as_dict()["errors"] == 1
    assert ending.evidence.as_dict()["first_wrong"][0]["byte"] == 8 * 1234
    assert ending.reason.startswith("pattern written once")
    assert ending.reason.endswith("1 wrong word is too few to name a cause.")


def test_memory_is_left_alone_at_the_end(channel: Any) -> None:
    started = time.monotonic()
    ending = run(channel, fade_s=0.6, host_mib=1)
    assert time.monotonic() - started >= 0.6
    assert ending.evidence.as_dict()["faded_s"] == 0.6


def test_a_stop_within_a_fade_is_heeded_at_once(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        channel.commands.put({"type": "stop"})

    monkeypatch.setattr(time, "sleep", rest)
    ending = run(channel, fade_s=60, host_mib=1)
    assert ending.status is LoadStatus.STOPPED
    assert len(rests) == 1


def test_short_memory_takes_less(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = patterns.Memory.write
    refused = []

    def short(self: patterns.Memory, chunk: Any, fill: Any) -> None:
        if self.words * 8 > 3 * 2**20:
            refused.append(self.words)
            raise torch.OutOfMemoryError("CUDA out of memory.")
        real(self, chunk, fill)

    monkeypatch.setattr(patterns.Memory, "write", short)
    ending = run(channel)
    assert ending.status is LoadStatus.PASSED
    assert refused
    assert ending.evidence.as_dict()["tested_bytes"] < 4 * 2**20
    assert ending.evidence.as_dict()["shrunk"] == len(refused)


def test_a_cpu_is_not_asked_for_more_than_half_of_what_is_available() -> None:
    room = room_on(CPU)
    assert 0 < room.usable < room.total
    assert room.share(0.001) == int(room.total * 0.00001)
    assert Room(100, 30).share(50) == 30
