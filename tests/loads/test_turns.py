"""Formats in turns: all of the time is shared out, nobody is left out, rotation comes after the first; in the products
load, real and simulated, with a memory stream beside them, in which a word that changes on the way is found."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.loads.load import LoadStatus
from core.loads.products.contract import GemmParams
from core.loads.products.gemm import GemmLoad, MemoryStream
from core.loads.products.turns import LEAST_BESIDE_S, FormatTurn, Rotation, beside_memory, format_of, turns
from core.loads.table import open_simulated
from core.loads.words import flip_bit
from core.words.phrasing import names_in
from tests.loads.conftest import driven

NAMES = ("bfloat16", "float8", "tf32")
ONCE = Rotation()


@given(
    st.lists(st.sampled_from(["a", "b", "c+memory", "d"]), min_size=1, max_size=4, unique=True),
    st.floats(0.1, 1e6),
    st.floats(0, 1e4),
    st.floats(0, 1e4),
    st.floats(0, 90),
)
def test_turns_follow_each_other_to_the_end_and_everybody_has_one(
    names: list[str], seconds: float, each_s: float, first_s: float, beside_pct: float
) -> None:
    schedule = list(
        itertools.islice(turns(names, seconds, rotation=Rotation(each_s, first_s), beside_pct=beside_pct), 999)
    )
    ends = [turn.until_s for turn in schedule]
    assert ends == sorted(ends)
    if len(schedule) < 999:
        assert ends[-1] == pytest.approx(seconds)
    assert schedule[0].name == names[0]
    if not each_s:
        assert {turn.format for turn in schedule} == {format_of(name) for name in names}


def test_each_format_has_its_share_once() -> None:
    assert list(turns(NAMES, 90, rotation=ONCE)) == [
        FormatTurn("bfloat16", 30), FormatTurn("float8", 60), FormatTurn("tf32", 90),
    ]  # fmt: skip


def test_a_share_beside_the_memory_stream_ends_the_time_of_each() -> None:
    schedule = list(turns(("bfloat16", "float8+memory"), 80, rotation=ONCE, beside_pct=25))
    assert schedule == [FormatTurn("bfloat16", 30), FormatTurn("bfloat16+memory", 40), FormatTurn("float8+memory", 80)]
    assert [turn.beside_memory for turn in schedule] == [False, True, True]
    assert {turn.format for turn in schedule} == {"bfloat16", "float8"}


def test_a_share_too_short_to_tell_its_power_is_left_out() -> None:
    seconds = 3 * LEAST_BESIDE_S / 0.25 - 1
    assert len(list(turns(NAMES, seconds, rotation=ONCE, beside_pct=25))) == 3


def test_rotation_begins_after_the_first_has_run_alone() -> None:
    schedule = list(turns(NAMES, 3600, rotation=Rotation(600, 1800)))
    assert [(turn.name, turn.until_s) for turn in schedule] == [
        ("bfloat16", 1800), ("float8", 2400), ("tf32", 3000), ("bfloat16", 3600),
    ]  # fmt: skip


@pytest.mark.parametrize(("seconds", "ends"), [(2500, [1800, 2500]), (2750, [1800, 2400, 2750]), (1000, [1000])])
def test_a_last_turn_of_less_than_half_is_joined_to_the_one_before(seconds: float, ends: list[float]) -> None:
    assert [turn.until_s for turn in turns(NAMES, seconds, rotation=Rotation(600, 1800))] == ends


def test_one_format_alone_does_not_rotate() -> None:
    assert list(turns(("tf32",), 3600, rotation=Rotation(600, 1800))) == [FormatTurn("tf32", 3600)]


def test_names() -> None:
    assert names_in(" a, b ,a,,") == ("a", "b")
    assert format_of(beside_memory("a")) == format_of("a") == "a"


CPU = torch.device("cpu")
TURNS = {"dtypes": "float32,float64", "rotate_s": 0.2, "first_s": 0.4}


class BesideMemory(GemmLoad):
    """The same load, which runs the memory stream on a CPU too."""

    def _turns(self, seconds: float) -> Iterator[FormatTurn]:
        return iter((FormatTurn("float32", seconds / 2), FormatTurn("float32+memory", seconds)))


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.loads.products.gemm.BUFFER_BYTES", 2**16)
    monkeypatch.setattr("core.loads.products.gemm.TILE_WORDS", 2**10)
    monkeypatch.setattr("core.loads.products.gemm.BURST_S", 0.001)


def real(kind: type[GemmLoad] = GemmLoad, **params: Any) -> GemmLoad:
    return kind(GemmParams(**{"size": 64, **params}), CPU)


@pytest.mark.usefixtures("small_buffers")
def test_formats_in_turns_are_counted_together_and_dated_by_their_first_turn(channel: Any) -> None:
    ending = driven(real(**TURNS), channel, 0.8)
    assert ending.status is LoadStatus.PASSED, ending.reason
    evidence = ending.evidence.as_dict()
    assert set(evidence["rates"]) == {"float32", "float64"}
    assert evidence["known_answers"]["float32"] >= 4, "before and after each of two turns"
    (began_s, ended_s), (later_s, _) = evidence["periods"]["float32"], evidence["periods"]["float64"]
    assert began_s <= ended_s <= later_s, "its second turn came after that of the other"


@pytest.mark.usefixtures("small_buffers")
def test_a_soak_that_was_over_before_the_second_had_its_turn_has_passed(channel: Any) -> None:
    ending = driven(real(**{**TURNS, "first_s": 60}), channel, 0.1)
    assert (ending.status, list(ending.evidence.as_dict()["rates"])) == (LoadStatus.PASSED, ["float32"])
    shared = real(dtypes="float32,float64")
    assert "float64" not in shared.finish().evidence.as_dict()["rates"]
    assert shared.finish().status is LoadStatus.NOT_RUN


@pytest.mark.usefixtures("small_buffers")
def test_the_rate_beside_a_memory_stream_is_told_apart(channel: Any) -> None:
    ending = driven(real(BesideMemory, dtypes="float32"), channel, 0.1)
    assert ending.status is LoadStatus.PASSED, ending.reason
    evidence = ending.evidence.as_dict()
    assert set(evidence["rates"]) == set(evidence["beside_memory_tflops"]) == {"float32"}
    assert set(evidence["periods"]) == {"float32", "float32+memory"}


@pytest.mark.usefixtures("small_buffers")
def test_what_the_memory_stream_found_fails_the_load(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryStream, "problem", lambda _: "a word differs")
    ending = driven(real(BesideMemory, dtypes="float32"), channel, 0.1)
    assert (ending.status, ending.evidence.as_dict()["errors"]) == (LoadStatus.FAILED, 1)
    assert ending.reason == "Memory stream alongside float32+memory: a word differs."


@pytest.mark.usefixtures("small_buffers")
def test_a_cpu_runs_the_products_alone(channel: Any) -> None:
    load = real(dtypes="float32+memory,float32", beside_memory_pct=50)
    assert [turn.name for turn in load._turns(100)] == ["float32"]
    ending = driven(load, channel, 0.1)
    assert (ending.status, ending.evidence.as_dict()["beside_memory_tflops"]) == (LoadStatus.PASSED, {})


def test_a_simulated_card_takes_the_same_turns(channel: Any) -> None:
    card = open_simulated("RTX 3090", device_id="SIM-0")
    load = card.make("gemm", {"dtypes": "bfloat16+memory,tf32", "rotate_s": 0.2, "first_s": 0.3})
    ending = driven(load, channel, 0.7)
    assert ending.status is LoadStatus.PASSED
    assert ending.evidence.periods == {"bfloat16+memory": (0.0, 0.3), "tf32": (0.3, pytest.approx(0.5))}
    assert set(ending.evidence.as_dict()["rates"]) == {"tf32"}
    assert set(ending.evidence.as_dict()["beside_memory_tflops"]) == {"bfloat16"}


def test_a_simulated_sweep_ends_each_format_beside_memory(channel: Any) -> None:
    load = open_simulated("RTX 3090", device_id="SIM-0").make("gemm", {"dtypes": "tf32", "beside_memory_pct": 50})
    list(zip(range(1), load.steps(100), strict=False))
    assert load.finish().evidence.periods == {"tf32": (0.0, 50.0), "tf32+memory": (50.0, 100)}


def stream() -> MemoryStream:
    return MemoryStream(CPU, seed=3, buffer_bytes=2**16)


def test_it_copies_while_it_is_fed() -> None:
    copying = stream()
    before = copying.moved_bytes
    copying.feed()
    assert copying.moved_bytes > before > 0
    assert copying.problem() is None


@pytest.mark.parametrize("bit", [0, 31, 63])
def test_a_bit_that_changes_in_either_buffer_is_found(bit: int) -> None:
    for buffer in ("_here", "_there"):
        copying = stream()
        copying.feed()
        flip_bit(getattr(copying, buffer), 100, bit)
        assert "1 words differ" in str(copying.problem())


def test_a_bit_that_was_copied_on_is_found_too() -> None:
    copying = stream()
    for buffer in ("_here", "_there"):
        flip_bit(getattr(copying, buffer), 100, 7)
    copying.feed()
    assert "came out changed" in str(copying.problem())
