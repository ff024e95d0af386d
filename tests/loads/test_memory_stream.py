"""The memory stream: copies go on while it is fed, and a word that changes on the way is found."""

from __future__ import annotations

import pytest
import torch

from core.loads.inject import flip_bit
from core.loads.products.memory_stream import MemoryStream

CPU = torch.device("cpu")


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
