"""Wrong words in memory: where, which bits, in which direction, and whether they are still wrong when read again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.checksum import WORD_BYTES
from core.loads.memory.blocks import Chunk, Scratch
from core.loads.memory.grouping import Grouping
from core.loads.memory.patterns import Pattern

KEPT = 32
"""Wrong words that the evidence lists one by one."""
ANALYSED_AT_ONCE = 2**16
"""Of a chunk with more wrong words only so many are looked at bit by bit; all are counted."""
PIECE_WORDS = 2**20
"""Searched at once: the places of wrong words take as much memory as the words, and little of it is free."""

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


@dataclass(frozen=True, slots=True)
class Check:
    """What memory was read for: a pattern, by the `name` of the test, in so many a `sweep`."""

    pattern: Pattern
    inverted: bool
    name: str
    sweep: int


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
    grouping: Grouping = field(default_factory=Grouping)

    def add(self, chunk: Chunk, scratch: Scratch, check: Check, *, words: int) -> WrongWord | None:
        """Takes in a chunk in which so many `words` were wrong, and reads it again; the first one still wrong."""
        self.words += words
        still, left, first = 0, ANALYSED_AT_ONCE, None
        for part in chunk.parts(scratch.count):
            right = check.pattern.expected(part, scratch, inverted=check.inverted)
            for start in range(0, len(part.words), PIECE_WORDS):
                piece = slice(start, start + PIECE_WORDS)
                expected = right[piece] if isinstance(right, torch.Tensor) else right
                places = torch.nonzero(part.words[piece] != expected).view(-1)
                still += len(places)
                places = places[:left] + start
                if len(places):
                    found = self._analysed(part, right, places, check)
                    left -= len(places)
                    first = first or found
        self.gone += max(words - still, 0)
        return first

    def join(self, other: Mismatches) -> None:
        """Takes in what was found elsewhere."""
        self.words += other.words
        self.analysed += other.analysed
        self.gone += other.gone
        self.set_to_cleared += other.set_to_cleared
        self.cleared_to_set += other.cleared_to_set
        self.by_bit += other.by_bit
        self.first = [*self.first, *other.first][:KEPT]
        self.grouping.join(other.grouping)

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
            **self.grouping.evidence(),
            "errors_point_to": self.sentence().removesuffix("."),
            "first_wrong": [word.evidence() for word in self.first],
        }

    def sentence(self) -> str:
        """What the wrong words have in common; empty where none was wrong."""
        bits = [bit for bit, count in enumerate(self.by_bit) if count]
        wrong_bits = self.set_to_cleared + self.cleared_to_set
        return self.grouping.sentence(bits, words=self.words, wrong_bits=wrong_bits, gone=self.gone)

    def _analysed(self, part: Chunk, expected: torch.Tensor | int, places: torch.Tensor, check: Check) -> WrongWord:
        """Looks at the words at these places of a part bit by bit; the first one."""
        found = _unsigned(part.words[places])
        right = _unsigned(expected[places]) if isinstance(expected, torch.Tensor) else _all(expected, len(found))
        self._count(found, right)
        offsets = (places.cpu().numpy() + part.offset) * WORD_BYTES
        self.grouping.add(part.block, offsets, by_place=check.pattern.by_place, sweep=(check.sweep, check.name))
        wrong = [
            WrongWord(check.name, check.sweep, part.block, int(offset), int(should), int(has))
            for offset, should, has in zip(offsets[:KEPT], right[:KEPT], found[:KEPT], strict=True)
        ]
        self.first.extend(wrong[: KEPT - len(self.first)])
        return wrong[0]

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
