"""Checksums see every changed and every misplaced word, whatever computes them."""

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.loads import words as module
from core.loads.words import Checksum, checksum

words = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40)


def of(values: list[int]) -> Checksum:
    return checksum(torch.tensor(values, dtype=torch.int64))


@given(values=words)
def test_it_is_the_sum_of_folded_words_in_integers_that_wrap_around(values: list[int]) -> None:
    folded = [(value ^ (value >> 31)) for value in (value % 2**64 for value in values)]
    assert of(values).plain == sum(folded) % 2**64
    assert of(values).weighted == sum(at * word for at, word in enumerate(folded, start=1)) % 2**64


@given(values=words, data=st.data())
def test_any_flipped_bit_changes_it(values: list[int], data: st.DataObject) -> None:
    memory = torch.tensor(values, dtype=torch.int64)
    before = checksum(memory)
    at, bit = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(0, 63))
    memory[at] ^= (1 << bit) - (2**64 if bit == 63 else 0)
    assert checksum(memory).plain != before.plain


@given(values=words, new=st.integers(-(2**63), 2**63 - 1), data=st.data())
@example(values=[0x5555555555555555], new=~0x5555555555555555, data=None)  # what a pattern's complement left behind
def test_any_other_word_in_its_place_changes_it(values: list[int], new: int, data: st.DataObject | None) -> None:
    at = data.draw(st.integers(0, len(values) - 1)) if data else 0
    other = [*values[:at], new, *values[at + 1 :]]
    assert (of(other).plain == of(values).plain) == (other == values)


@given(values=words, data=st.data())
def test_two_words_in_each_other_s_place_change_it(values: list[int], data: st.DataObject) -> None:
    one, other = (data.draw(st.integers(0, len(values) - 1)) for _ in range(2))
    swapped = list(values)
    swapped[one], swapped[other] = values[other], values[one]
    assert (of(swapped) == of(values)) == (swapped == values)


def test_floats_far_apart_in_each_other_s_place_change_it() -> None:
    memory = torch.arange(2**18, dtype=torch.float32)
    swapped = memory.clone()
    swapped[2 : 2**17 : 2**16], swapped[2 + 2**17 :: 2**16] = memory[2 + 2**17 :: 2**16], memory[2 : 2**17 : 2**16]
    assert checksum(swapped) != checksum(memory)


@given(values=words, times=st.integers(1, 9))
def test_repetition_is_known_without_reading_it(values: list[int], times: int) -> None:
    assert of(values).repeated(len(values), times) == of(values * times)


@settings(max_examples=20)
@given(values=words, at_once=st.integers(1, 7))
def test_the_size_of_its_slices_does_not_matter(values: list[int], at_once: int) -> None:
    whole = of(values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WORDS_AT_ONCE", {"cpu": at_once})
        assert of(values) == whole


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8])
def test_it_is_of_the_bits_whatever_they_mean(dtype: torch.dtype) -> None:
    memory = torch.from_numpy(np.random.default_rng(1).integers(0, 255, 4096, dtype=np.uint8))
    assert checksum(memory.view(dtype)) == checksum(memory)
    assert len(str(checksum(memory))) == 33


def test_odd_ends_are_refused() -> None:
    with pytest.raises(ValueError, match="whole 64-bit words"):
        checksum(torch.zeros(7, dtype=torch.uint8))
    with pytest.raises(ValueError, match="in a row"):
        checksum(torch.zeros((8, 8), dtype=torch.int64).T)
