"""Known words and numbers: made alike everywhere, exact in sums, and any one wrong element is counted."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.loads.findings import SelfTest
from core.loads.group.contract import Timings, all_reduce_bus_factor
from core.loads.group.data_parallel import own_problem
from core.loads.words import (
    EXACT_BELOW,
    LANE,
    PART_WORDS,
    Words,
    differing,
    flip_bit,
    mask_for,
    signed,
    summands,
    try_comparison,
    unequal,
)
from tests.loads.conftest import result_of

CPU = torch.device("cpu")
PART = PART_WORDS["cpu"]
any_words = st.builds(Words, *[st.integers(-(2**63), 2**63 - 1)] * 2)


def made(words: Words, count: int, place: int = 0) -> torch.Tensor:
    return words.fill(torch.empty(count, dtype=torch.int64), place)


def problem(words: Words, buffer: torch.Tensor) -> str | None:
    return result_of(words.problem(buffer))


@given(words=any_words, place=st.integers(0, 2**40), count=st.integers(1, 50))
def test_a_word_is_told_by_its_place(words: Words, place: int, count: int) -> None:
    assert made(words, count, place).tolist() == [words.word(place + at) for at in range(count)]


@given(one=any_words, other=any_words, times=st.integers(-9, 9))
def test_sums_of_words_are_foretold(one: Words, other: Words, times: int) -> None:
    summed = torch.add(made(one, 20, 3), made(other, 20, 3), alpha=times)
    assert torch.equal(summed, made(one.plus(other, times=times), 20, 3))


def test_words_all_differ_from_place_to_place_and_from_seed_to_seed() -> None:
    drawn = [word for seed in range(20) for word in made(Words.drawn(seed), 1000).tolist()]
    assert len(set(drawn)) == len(drawn)


@given(data=st.data(), bit=st.integers(0, 63))
def test_any_flipped_bit_of_a_word_is_counted_and_its_place_is_reported(data: st.DataObject, bit: int) -> None:
    words, count = Words.drawn(5), data.draw(st.integers(1, 1000))
    buffer = made(words, count)
    assert int(words.wrong(buffer)) == 0
    assert problem(words, buffer) is None
    element = data.draw(st.integers(0, count - 1))
    flip_bit(buffer, element, bit)
    assert int(words.wrong(buffer)) == 1
    assert f"1 word is wrong (first at byte 0x{8 * element:x}: " in str(problem(words, buffer))


def test_parts_are_joined() -> None:
    words, buffer = Words.drawn(1), torch.empty(2 * PART + 10, dtype=torch.int64)
    assert len(list(words.filling(buffer))) == 3
    assert torch.equal(buffer, made(words, len(buffer)))
    buffer[3], buffer[PART + 5], buffer[2 * PART + 9] = 0, 0, 0
    assert int(words.wrong(buffer)) == 3
    sums = summands(PART + 10, CPU, ranks=2)
    arrived = sums.clone()
    arrived[3], arrived[PART + 5] = float("nan"), 0
    assert int(differing(arrived, sums)) == 2


def test_a_word_that_is_right_when_read_again_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words.drawn(2)
    monkeypatch.setattr(Words, "_counts", lambda self, buffer: iter([torch.tensor(2)]))
    assert problem(words, made(words, 9)) == "2 words are wrong, but correct on re-read"


@given(count=st.integers(1, 3 * LANE), data=st.data())
def test_comparisons_are_counted_exactly_whatever_the_mask_held_before(count: int, data: st.DataObject) -> None:
    wrong = data.draw(st.sets(st.integers(0, count - 1)))
    buffer, mask = torch.zeros(count, dtype=torch.int64), mask_for(torch.empty(3 * LANE)).fill_(True)
    for element in wrong:
        buffer[element] = 7
    assert int(unequal(buffer, 0, mask)) == int(unequal(buffer, torch.zeros_like(buffer), mask)) == len(wrong)


@given(word=st.integers(-(2**70), 2**70))
def test_words_wrap_around_as_those_of_torch_do(word: int) -> None:
    assert -(2**63) <= signed(word) < 2**63
    assert (signed(word) - word) % 2**64 == 0


@pytest.mark.parametrize("ranks", [1, 2, 8, 300])
def test_sums_over_many_ranks_are_exact(ranks: int) -> None:
    pattern = summands(1000, CPU, ranks=ranks)
    total = torch.zeros_like(pattern)
    for rank in range(ranks):
        total += pattern * (rank + 1)
    assert int(differing(total, pattern, times=ranks * (ranks + 1) // 2)) == 0
    assert float(pattern.min()) >= 1
    assert float(total.max()) < EXACT_BELOW


@pytest.mark.parametrize("shift", [1, 2, 251, 4096, 2**17, PART])
def test_what_arrives_in_another_place_is_seen(shift: int) -> None:
    pattern = summands(2 * PART, CPU, ranks=8)
    assert int(differing(pattern.roll(shift), pattern)) > 0.99 * len(pattern)


@given(element=st.integers(0, 499), bit=st.integers(0, 31), times=st.integers(1, 36))
def test_any_flipped_bit_of_a_sum_is_counted(element: int, bit: int, times: int) -> None:
    pattern = summands(500, CPU, ranks=8)
    summed = pattern * times
    flip_bit(summed, element, bit)
    assert int(differing(summed, pattern, times=times)) == 1


@pytest.mark.parametrize("kind", ["sums", "words"])
def test_the_self_test_sees_what_it_spoils(kind: str) -> None:
    right = summands(1000, CPU, ranks=2) if kind == "sums" else made(Words(), 1000)
    before = right.clone()
    count: Any = (lambda words: differing(words, before)) if kind == "sums" else Words().wrong
    self_test = SelfTest()
    try_comparison(self_test, right, count)
    assert self_test.blind is None
    assert torch.equal(before, right)
    try_comparison(self_test, right, lambda words: torch.tensor(0))
    assert self_test.blind is not None


@pytest.mark.parametrize(("ranks", "factor"), [(1, 0.0), (2, 1.0), (4, 1.5), (8, 1.75)])
def test_the_bus_carries_more_the_more_ranks_there_are(ranks: int, factor: float) -> None:
    assert all_reduce_bus_factor(ranks) == factor


def test_bandwidth_is_by_the_median_time() -> None:
    evidence = Timings(10**9, [0.5, 0.1, 0.1, 0.1, 9.0]).evidence(1.5)
    assert (evidence.algbw_gbps, evidence.busbw_gbps) == (10.0, 15.0)
    assert evidence.p50_ms == 100.0
    assert evidence.p99_ms > 500.0


@pytest.mark.parametrize(
    ("hashes", "accused"),
    [("aa", ""), ("aaaa", ""), ("ab", "01"), ("aab", "2"), ("abab", "0123"), ("abc", "012"), ("aaabb", "34")],
)
def test_replicas_vote(hashes: str, accused: str) -> None:
    blamed = [str(rank) for rank in range(len(hashes)) if own_problem(list(hashes), rank)]
    assert "".join(blamed) == accused
