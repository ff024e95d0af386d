"""Formats in turns: all of the time is shared out, nobody is left out, rotation comes after the first."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.loads.products.turns import LEAST_BESIDE_S, FormatTurn, Rotation, beside_memory, format_of, names_in, turns

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
    found = list(
        itertools.islice(turns(names, seconds, rotation=Rotation(each_s, first_s), beside_pct=beside_pct), 999)
    )
    ends = [turn.until_s for turn in found]
    assert ends == sorted(ends)
    if len(found) < 999:
        assert ends[-1] == pytest.approx(seconds)
    assert found[0].name == names[0]
    if not each_s:
        assert {turn.format for turn in found} == {format_of(name) for name in names}


def test_each_format_has_its_share_once() -> None:
    assert list(turns(NAMES, 90, rotation=ONCE)) == [
        FormatTurn("bfloat16", 30), FormatTurn("float8", 60), FormatTurn("tf32", 90),
    ]  # fmt: skip


def test_a_share_beside_the_memory_stream_ends_the_time_of_each() -> None:
    found = list(turns(("bfloat16", "float8+memory"), 80, rotation=ONCE, beside_pct=25))
    assert found == [FormatTurn("bfloat16", 30), FormatTurn("bfloat16+memory", 40), FormatTurn("float8+memory", 80)]
    assert [turn.beside_memory for turn in found] == [False, True, True]
    assert {turn.format for turn in found} == {"bfloat16", "float8"}


def test_a_share_too_short_to_tell_its_power_is_left_out() -> None:
    seconds = 3 * LEAST_BESIDE_S / 0.25 - 1
    assert len(list(turns(NAMES, seconds, rotation=ONCE, beside_pct=25))) == 3


def test_rotation_begins_after_the_first_has_run_alone() -> None:
    found = list(turns(NAMES, 3600, rotation=Rotation(600, 1800)))
    assert [(turn.name, turn.until_s) for turn in found] == [
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
