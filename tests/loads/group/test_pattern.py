"""Known numbers: made alike everywhere, exact in sums, and any one wrong element is counted."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.loads.group.pattern import PERIOD, SLICE, differing, small_integers, try_pattern, words
from core.loads.group.replicas import own_problem
from core.loads.group.timings import Timings, all_reduce_bus_factor
from core.loads.inject import flip_bit
from core.loads.selftest import SelfTest

CPU = torch.device("cpu")


def test_sums_over_three_hundred_ranks_are_exact() -> None:
    pattern = small_integers(2 * PERIOD + 3, CPU)
    ranks = 300
    total = torch.zeros_like(pattern)
    for rank in range(ranks):
        total += pattern * (rank + 1)
    assert int(differing(total, pattern, times=ranks * (ranks + 1) // 2)) == 0
    assert float(pattern.max()) == PERIOD


def test_words_all_differ() -> None:
    assert len(set(words(10_000, CPU).tolist())) == 10_000


@given(element=st.integers(0, 999), bit=st.integers(0, 63), plus=st.integers(-(10**9), 10**9))
def test_any_flipped_bit_of_a_word_is_counted(element: int, bit: int, plus: int) -> None:
    pattern = words(1000, CPU)
    arrived = pattern + plus
    assert int(differing(arrived, pattern, plus=plus)) == 0
    flip_bit(arrived, element, bit)
    assert int(differing(arrived, pattern, plus=plus)) == 1


@given(element=st.integers(0, 499), bit=st.integers(0, 31), times=st.integers(1, 36))
def test_any_flipped_bit_of_a_sum_is_counted(element: int, bit: int, times: int) -> None:
    pattern = small_integers(500, CPU)
    summed = pattern * times
    flip_bit(summed, element, bit)
    assert int(differing(summed, pattern, times=times)) == 1


def test_slices_are_joined() -> None:
    pattern = small_integers(SLICE + 10, CPU)
    arrived = pattern.clone()
    arrived[3], arrived[SLICE + 5] = float("nan"), 0
    assert int(differing(arrived, pattern)) == 2


@pytest.mark.parametrize("pattern", [small_integers(5000, CPU), words(5000, CPU)], ids=["sums", "words"])
def test_the_self_test_sees_what_it_spoils(pattern: torch.Tensor) -> None:
    before = pattern.clone()
    self_test = SelfTest()
    try_pattern(self_test, pattern)
    assert self_test.blind is None
    assert torch.equal(before, pattern)


@pytest.mark.parametrize(("ranks", "factor"), [(1, 0.0), (2, 1.0), (4, 1.5), (8, 1.75)])
def test_the_bus_carries_more_the_more_ranks_there_are(ranks: int, factor: float) -> None:
    assert all_reduce_bus_factor(ranks) == factor


def test_bandwidth_is_by_the_median_time() -> None:
    told = Timings(10**9, [0.5, 0.1, 0.1, 0.1, 9.0]).evidence(1.5)
    assert (told["algbw_gbps"], told["busbw_gbps"]) == (10.0, 15.0)
    assert told["p50_ms"] == 100.0
    assert told["p99_ms"] > 500.0


@pytest.mark.parametrize(
    ("hashes", "accused"),
    [("aa", ""), ("aaaa", ""), ("ab", "01"), ("aab", "2"), ("abab", "0123"), ("abc", "012"), ("aaabb", "34")],
)
def test_replicas_vote(hashes: str, accused: str) -> None:
    blamed = [str(rank) for rank in range(len(hashes)) if own_problem(list(hashes), rank)]
    assert "".join(blamed) == accused
