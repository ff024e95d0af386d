"""Checksums of memory that do not depend on the order of summation, so that any device computes the same ones.

64-bit words are folded (a bijection, so that no single change can hide) and summed as integers that wrap around, once
plainly and once weighted with their position: the first sees any one changed word, the second words in wrong places.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

WORD_BYTES = 8
WORDS_AT_ONCE = 2**22
"""Temporary memory of 32 MiB at a time, however large the tensor is."""
FOLD = 31
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
    return Checksum(*(int(total) % _WRAP for total in sums(tensor).tolist()))


def sums(tensor: torch.Tensor) -> torch.Tensor:
    """Both sums as a tensor of two 64-bit integers that stays on the device."""
    words = words_of(tensor)
    total = torch.zeros(2, dtype=torch.int64, device=words.device)
    for start in range(0, len(words), WORDS_AT_ONCE):
        part = words[start : start + WORDS_AT_ONCE]
        folded = (part >> FOLD).bitwise_xor_(part)
        total[0] += folded.sum()
        positions = torch.arange(start + 1, start + 1 + len(part), device=words.device)
        total[1] += folded.mul_(positions).sum()
    return total


def words_of(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory as one row of 64-bit integers. Raises ValueError where it is not made of whole words."""
    if tensor.nbytes % WORD_BYTES or not tensor.is_contiguous():
        raise ValueError(f"{tensor.nbytes} bytes are not whole 64-bit words in a row.")
    return tensor.view(-1).view(torch.int64)
