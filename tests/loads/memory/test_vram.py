"""The load on memory: all patterns at least once, exact counts, what could not be tested said."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
import torch

from core.loads.load import Ending, Status
from core.loads.loop import Loop, Totals
from core.loads.memory import blocks, patterns
from core.loads.memory.params import VramParams
from core.loads.memory.sweeps import Sweeps
from core.loads.memory.vram import VramLoad
from core.loads.room import Room, room_on

CPU = torch.device("cpu")
SELF_TEST = {"bit flip": "seen", "stuck address": "seen", "stuck bit": "seen", "two addresses of one cell": "seen"}


def run(channel: Any, *, seconds: float = 0.05, **params: Any) -> Ending:
    load = VramLoad(VramParams(**{"host_mib": 4, "block_mib": 1, **params}), CPU)
    return Loop(load, channel, seconds=seconds, totals=Totals()).run()


def test_all_memory_holds_all_patterns_at_least_once(channel: Any) -> None:
    ending = run(channel)
    evidence = ending.evidence
    assert ending.status is Status.PASSED, ending.reason
    assert evidence["tested_bytes"] == 4 * 2**20
    assert evidence["largest_block_bytes"] == 2**20
    assert evidence["passes"] == 1
    assert len(evidence["patterns"]) == 11
    assert set(evidence["patterns"].values()) == {1}
    assert evidence["wrong_words"] == evidence["errors"] == 0
    assert evidence["self_test"] == SELF_TEST
    assert evidence["bandwidth_gbps"] > 0
    assert channel.of("progress")[-1]["metrics"]["checks"] == evidence["checks"]


def test_as_many_passes_as_asked_for_and_no_more(channel: Any) -> None:
    ending = run(channel, seconds=60, passes=2, host_mib=1)
    assert ending.evidence["passes"] == 2
    assert set(ending.evidence["patterns"].values()) == {2}


def test_without_a_number_passes_fill_the_time(channel: Any) -> None:
    assert run(channel, seconds=1.0, host_mib=1).evidence["passes"] > 1


@pytest.mark.parametrize(("inject", "errors"), [("bitflip", 1), ("stuck", None), ("stuck_bit", None), ("shared", None)])
def test_an_injected_fault_is_found_at_its_place(channel: Any, inject: str, errors: int | None) -> None:
    ending = run(channel, inject=inject, inject_at=3)
    evidence = ending.evidence
    injected = evidence["injected_on_purpose"]
    assert ending.status is Status.FAILED
    assert injected["times"] > 0
    assert evidence["errors"] == evidence["wrong_words"] == (errors or evidence["errors"]) > 0
    assert evidence["first_wrong"]
    assert all({"block": word["block"], "byte": word["byte"]} in injected["places"] for word in evidence["first_wrong"])
    assert "injected on purpose" in ending.reason
    assert sum(fault["count"] for fault in channel.of("fault")) == evidence["errors"]


def test_what_is_written_once_is_read_again_and_again(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell that loses what it holds while other memory is written; it is counted once."""
    real = Sweeps.check
    told: list[str] = []

    def leaking(self: Sweeps, pattern: Any, *, name: str, inverted: bool = False) -> Any:
        told.append(name)
        if name == "written once" and told.count(name) == 4:
            self._memory.word(1234).bitwise_xor_(1 << 5)
        return real(self, pattern, name=name, inverted=inverted)

    monkeypatch.setattr(Sweeps, "check", leaking)
    ending = run(channel)
    assert told.count("written once") == 12
    assert ending.status is Status.FAILED
    assert ending.evidence["errors"] == 1
    assert ending.evidence["first_wrong"][0]["byte"] == 8 * 1234
    assert ending.reason.startswith("pattern written once")
    assert ending.reason.endswith("1 wrong word is too few to tell a cause.")


def test_memory_is_left_alone_at_the_end(channel: Any) -> None:
    started = time.monotonic()
    ending = run(channel, fade_s=0.6, host_mib=1)
    assert time.monotonic() - started >= 0.6
    assert ending.evidence["faded_s"] == 0.6


def test_a_stop_within_a_fade_is_heeded_at_once(channel: Any) -> None:
    threading.Timer(0.5, channel.commands.put, [{"type": "stop"}]).start()
    started = time.monotonic()
    ending = run(channel, fade_s=60, host_mib=1)
    assert ending.status is Status.STOPPED
    assert time.monotonic() - started < 10


def test_blind_checks_fail_the_self_test(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "unequal", lambda found, expected, mask: torch.tensor(0))
    ending = run(channel)
    assert ending.status is Status.FAILED
    assert ending.reason.startswith("self-test: ")
    assert all(seen.startswith("not seen") for seen in ending.evidence["self_test"].values())
    assert ending.evidence["passes"] == 0


def test_patterns_that_never_ended_are_no_pass() -> None:
    ending = VramLoad(VramParams(host_mib=1), CPU).finish()
    assert ending.status is Status.NOT_RUN


def test_short_memory_takes_less(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = blocks.Memory.write
    refused = []

    def short(self: blocks.Memory, chunk: Any, fill: Any) -> None:
        if self.words * 8 > 3 * 2**20:
            refused.append(self.words)
            raise torch.OutOfMemoryError("CUDA out of memory.")
        real(self, chunk, fill)

    monkeypatch.setattr(blocks.Memory, "write", short)
    ending = run(channel)
    assert ending.status is Status.PASSED
    assert refused
    assert ending.evidence["tested_bytes"] < 4 * 2**20
    assert ending.evidence["shrunk"] == len(refused)


def test_a_cpu_is_not_asked_for_more_than_half_of_what_is_available() -> None:
    room = room_on(CPU)
    assert 0 < room.usable < room.total
    assert room.share(0.001) == int(room.total * 0.00001)
    assert Room(100, 30).share(50) == 30
