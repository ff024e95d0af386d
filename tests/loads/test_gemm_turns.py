"""Number formats that take turns in the products load, real and simulated, with a memory stream beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from core.loads.load import Ending, LoadStatus
from core.loads.loop import Loop, Totals
from core.loads.products.contract import GemmParams
from core.loads.products.gemm import GemmLoad
from core.loads.products.memory_stream import MemoryStream
from core.loads.products.turns import FormatTurn
from core.loads.simulated.bench import open_simulated

CPU = torch.device("cpu")
TURNS = {"dtypes": "float32,float64", "rotate_s": 0.2, "first_s": 0.4}


class BesideMemory(GemmLoad):
    """The same load, which runs the memory stream on a CPU too."""

    def _turns(self, seconds: float) -> Iterator[FormatTurn]:
        return iter((FormatTurn("float32", seconds / 2), FormatTurn("float32+memory", seconds)))


@pytest.fixture(autouse=True)
def _small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.loads.products.memory_stream.BUFFER_BYTES", 2**16)
    monkeypatch.setattr("core.loads.products.memory_stream.TILE_WORDS", 2**10)
    monkeypatch.setattr("core.loads.products.memory_stream.BURST_S", 0.001)


def run(channel: Any, load: Any, seconds: float = 0.1) -> Ending:
    return Loop(load, channel, seconds=seconds, totals=Totals()).run()


def real(kind: type[GemmLoad] = GemmLoad, **params: Any) -> GemmLoad:
    return kind(GemmParams(**{"size": 64, **params}), CPU)


def test_formats_in_turns_are_counted_together_and_dated_by_their_first_turn(channel: Any) -> None:
    ending = run(channel, real(**TURNS), seconds=0.8)
    assert ending.status is LoadStatus.PASSED, ending.reason
    evidence = ending.evidence.as_dict()
    assert set(evidence["rates"]) == {"float32", "float64"}
    assert evidence["known_answers"]["float32"] >= 4, "before and after each of two turns"
    (began_s, ended_s), (later_s, _) = evidence["periods"]["float32"], evidence["periods"]["float64"]
    assert began_s <= ended_s <= later_s, "its second turn came after that of the other"


def test_a_soak_that_was_over_before_the_second_had_its_turn_has_passed(channel: Any) -> None:
    ending = run(channel, real(**{**TURNS, "first_s": 60}), seconds=0.1)
    assert (ending.status, list(ending.evidence.as_dict()["rates"])) == (LoadStatus.PASSED, ["float32"])
    shared = real(dtypes="float32,float64")
    assert "float64" not in shared.finish().evidence.as_dict()["rates"]
    assert shared.finish().status is LoadStatus.NOT_RUN


def test_the_rate_beside_a_memory_stream_is_told_apart(channel: Any) -> None:
    ending = run(channel, real(BesideMemory, dtypes="float32"))
    assert ending.status is LoadStatus.PASSED, ending.reason
    evidence = ending.evidence.as_dict()
    assert set(evidence["rates"]) == set(evidence["beside_memory_tflops"]) == {"float32"}
    assert set(evidence["periods"]) == {"float32", "float32+memory"}


def test_what_the_memory_stream_found_fails_the_load(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryStream, "problem", lambda _: "a word differs")
    ending = run(channel, real(BesideMemory, dtypes="float32"))
    assert (ending.status, ending.evidence.as_dict()["errors"]) == (LoadStatus.FAILED, 1)
    assert ending.reason == "Memory stream alongside float32+memory: a word differs."


def test_a_cpu_runs_the_products_alone(channel: Any) -> None:
    load = real(dtypes="float32+memory,float32", beside_memory_pct=50)
    assert [turn.name for turn in load._turns(100)] == ["float32"]
    ending = run(channel, load)
    assert (ending.status, ending.evidence.as_dict()["beside_memory_tflops"]) == (LoadStatus.PASSED, {})


def test_a_simulated_card_takes_the_same_turns(channel: Any) -> None:
    card = open_simulated("RTX 3090", device_id="SIM-0")
    load = card.make("gemm", {"dtypes": "bfloat16+memory,tf32", "rotate_s": 0.2, "first_s": 0.3})
    ending = run(channel, load, seconds=0.7)
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.periods == {"bfloat16+memory": (0.0, 0.3), "tf32": (0.3, pytest.approx(0.5))}
    assert set(ending.evidence.as_dict()["rates"]) == {"tf32"}
    assert set(ending.evidence.as_dict()["beside_memory_tflops"]) == {"bfloat16"}


def test_a_simulated_sweep_ends_each_format_beside_memory(channel: Any) -> None:
    load = open_simulated("RTX 3090", device_id="SIM-0").make("gemm", {"dtypes": "tf32", "beside_memory_pct": 50})
    list(zip(range(1), load.steps(100), strict=False))
    assert load.finish().evidence.periods == {"tf32": (0.0, 50.0), "tf32+memory": (50.0, 100)}
