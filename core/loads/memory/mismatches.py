"""Wrong words in memory: where, which bits, in which direction, and whether they are still wrong when read again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.checksum import WORD_BYTES
from core.loads.memory.blocks import Chunk

KEPT = 32
"""Wrong words that the evidence lists one by one."""
ANALYSED_AT_ONCE = 2**16
"""Of a chunk with more wrong words only so many are looked at bit by bit; all are counted."""

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class WrongWord:
    """One wrong word. `byte` counts from the start of its block."""

    pattern: str
    sweep: int
    block: int
    byte: int
    expected: int
    found: int

    @property
    def mask(self) -> int:
        """The wrong bits."""
        return self.expected ^ self.found

    def __str__(self) -> str:
        bits = self.mask.bit_count()
        noun = "bit" if bits == 1 else "bits"
        return (
            f"block {self.block}, byte 0x{self.byte:x}: {self.found:016x} instead of {self.expected:016x}, "
            f"{bits} {noun} wrong (mask {self.mask:016x})"
        )

    def evidence(self) -> dict[str, Any]:
        """Plain values; words in hexadecimal."""
        return {
            "pattern": self.pattern,
            "sweep": self.sweep,
            "block": self.block,
            "byte": self.byte,
            "expected": f"{self.expected:016x}",
            "found": f"{self.found:016x}",
            "mask": f"{self.mask:016x}",
            "bits": self.mask.bit_count(),
        }


@dataclass(slots=True)
class Mismatches:
    """All that was found wrong. `by_bit` counts wrong bits by their place in the 64-bit word."""

    words: int = 0
    analysed: int = 0
    gone: int = 0
    """Wrong at first, right when read again: what was read was wrong, or what carried it, not what is stored."""
    set_to_cleared: int = 0
    cleared_to_set: int = 0
    by_bit: NDArray[np.int64] = field(default_factory=lambda: np.zeros(64, dtype=np.int64))
    first: list[WrongWord] = field(default_factory=list)

    def add(
        self, chunk: Chunk, expected: torch.Tensor | int, *, words: int, pattern: str, sweep: int
    ) -> WrongWord | None:
        """Takes in a chunk in which so many `words` were wrong, and reads it again; the first one still wrong."""
        self.words += words
        places = torch.nonzero(chunk.words != expected).view(-1)
        self.gone += max(words - len(places), 0)
        places = places[:ANALYSED_AT_ONCE]
        if len(places) == 0:
            return None
        found = _unsigned(chunk.words[places])
        right = _unsigned(expected[places]) if isinstance(expected, torch.Tensor) else _all(expected, len(found))
        self._count(found, right)
        offsets = (places.cpu().numpy() + chunk.offset) * WORD_BYTES
        wrong = [
            WrongWord(pattern, sweep, chunk.block, int(offset), int(should), int(has))
            for offset, should, has in zip(offsets[:KEPT], right[:KEPT], found[:KEPT], strict=True)
        ]
        self.first.extend(wrong[: KEPT - len(self.first)])
        return wrong[0]

    def join(self, other: Mismatches) -> None:
        """Takes in what was found elsewhere."""
        self.words += other.words
        self.analysed += other.analysed
        self.gone += other.gone
        self.set_to_cleared += other.set_to_cleared
        self.cleared_to_set += other.cleared_to_set
        self.by_bit += other.by_bit
        self.first = [*self.first, *other.first][:KEPT]

    def evidence(self) -> dict[str, Any]:
        """`wrong_bits` and what follows are of the analysed words."""
        return {
            "wrong_words": self.words,
            "analysed_words": self.analysed,
            "right_when_read_again": self.gone,
            "wrong_bits": self.set_to_cleared + self.cleared_to_set,
            "set_to_cleared": self.set_to_cleared,
            "cleared_to_set": self.cleared_to_set,
            "wrong_bits_by_place": {str(bit): int(count) for bit, count in enumerate(self.by_bit) if count},
            "first_wrong": [word.evidence() for word in self.first],
        }

    def _count(self, found: Words, right: Words) -> None:
        masks = found ^ right
        self.analysed += len(masks)
        self.set_to_cleared += int(np.bitwise_count(masks & right).sum(dtype=np.int64))
        self.cleared_to_set += int(np.bitwise_count(masks & found).sum(dtype=np.int64))
        little_endian = np.ascontiguousarray(masks).astype("<u8").view(np.uint8).reshape(-1, 8)
        self.by_bit += np.unpackbits(little_endian, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)


def _unsigned(words: torch.Tensor) -> Words:
    return words.cpu().numpy().view(np.uint64)


def _all(word: int, count: int) -> Words:
    return np.full(count, word % 2**64, dtype=np.uint64)
