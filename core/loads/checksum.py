"""Checksums of memory that do not depend on the order of summation, so that any device computes the same ones.

64-bit words are folded (a bijection, so that no single change can hide) and summed as integers that wrap around, once
plainly and once weighted with their position: the first sees any one changed word, the second words in wrong places.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import cast

import torch

WORD_BYTES = 8
WORDS_AT_ONCE = {"cpu": 2**15, "cuda": 2**23}
"""By device: small enough for a core's cache and for one thread, or large enough to keep a GPU busy."""
FOLD = 31
_UNSIGNED = 2 ** (64 - FOLD) - 1
"""torch shifts its integers with their sign, with which a word and its complement would fold to the same."""
_WRAP = 2**64


@dataclass(frozen=True, slots=True)
class Checksum:
    """Two sums modulo 2**64."""

    plain: int
    weighted: int

    def __str__(self) -> str:
        return f"{self.plain:016x}-{self.weighted:016x}"

    def repeated(self, words: int, times: int) -> Checksum:
        """The checksum of memory that holds these `words` words `times` times in a row."""
        shifts = words * (times * (times - 1) // 2)
        return Checksum(self.plain * times % _WRAP, (self.weighted * times + self.plain * shifts) % _WRAP)


def checksum(tensor: torch.Tensor) -> Checksum:
    """The checksum of a contiguous tensor of whole 64-bit words, computed where it lies. Waits for the device."""
    steps = checksum_steps(tensor)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return cast(Checksum, ended.value)


def checksum_steps(tensor: torch.Tensor) -> Generator[None, None, Checksum]:
    """The same in slices, for large tensors: the caller can show signs of life between them."""
    plain = weighted = 0
    for sums in _slices(words_of(tensor)):
        more, placed = sums.tolist()
        plain, weighted = (plain + more) % _WRAP, (weighted + placed) % _WRAP
        yield
    return Checksum(plain, weighted)


def sums_of(words: torch.Tensor) -> torch.Tensor:
    """Both sums of a row of 64-bit words, as signed integers that stay on the device: nothing waits for it."""
    total = None
    for sums in _slices(words):
        total = sums if total is None else total + sums
    return torch.zeros(2, dtype=torch.int64, device=words.device) if total is None else total


def _slices(words: torch.Tensor) -> Iterator[torch.Tensor]:
    """Both sums of one part of the words after another; integers that wrap around are integers modulo 2**64."""
    size = WORDS_AT_ONCE[words.device.type]
    places = torch.arange(1, min(size, len(words)) + 1, device=words.device)
    for start in range(0, len(words), size):
        part = words[start : start + size]
        folded = (part >> FOLD).bitwise_and_(_UNSIGNED).bitwise_xor_(part)
        total = folded.sum()
        yield torch.stack([total, folded.mul_(places[: len(part)]).sum() + total * start])


def words_of(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory as one row of 64-bit integers. Raises ValueError where it is not made of whole words."""
    if tensor.nbytes % WORD_BYTES or not tensor.is_contiguous():
        raise ValueError(f"{tensor.nbytes} bytes are not whole 64-bit words in a row.")
    return tensor.view(-1).view(torch.int64)
