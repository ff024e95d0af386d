"""Wrong words in memory: where, which bits, in which direction, and whether they are still wrong when read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.memory.contract import WrongWord
from core.loads.memory.patterns import Chunk, Pattern, Scratch
from core.loads.words import WORD_BYTES
from core.words import tr, trn

KEPT = 32
"""Wrong words that the evidence lists one by one."""
ANALYSED_AT_ONCE = 2**16
"""Of a chunk with more wrong words only so many are looked at bit by bit; all are counted."""
PIECE_WORDS = 2**20
"""Searched at once: the places of wrong words take as much memory as the words, and little of it is free."""

Words = NDArray[np.uint64]


def in_words(word: WrongWord) -> str:
    """Where it is, what it holds, and which of its bits are wrong."""
    assert word.found and word.expected and word.mask, "what was looked at bit by bit"
    held, right, mask = (int(digits, 16) for digits in (word.found, word.expected, word.mask))
    return trn(
        "block {block}, byte 0x{byte:x}: {found:016x} instead of {right:016x}, {count} bit wrong (mask {mask:016x})",
        "block {block}, byte 0x{byte:x}: {found:016x} instead of {right:016x}, {count} bits wrong (mask {mask:016x})",
        block=word.block,
        byte=word.byte,
        found=held,
        right=right,
        count=mask.bit_count(),
        mask=mask,
    )


ROW_BYTES = 8192
"""Rows of a bank are not longer in GDDR, HBM and DDR (JEDEC JESD250, JESD235, JESD79-5)."""
COLUMN_BYTES = 4096
MOST_PLACES = 1024
FEW = 3
"""Fewer errors have nothing in common that says anything."""
BYTE_BITS = 8
MANY_BITS = 8
"""Wrong in one word on average: it is another word, not a spoilt one."""


@dataclass(slots=True)
class Grouping:
    """Counts of the wrong words looked at: by block, by pattern, by the largest power of two that divides the distance
    to the wrong word before."""

    by_block: Counter[int] = field(default_factory=Counter)
    by_stride: Counter[int] = field(default_factory=Counter)
    only_by_place: bool = True
    """Whether only patterns that differ from word to word found any."""
    varying: int = 0
    """Bits in which the byte offsets differ."""
    places: set[tuple[int, int]] = field(default_factory=set)
    """Block and byte, up to 1024."""
    _last: tuple[object, int, int] | None = None
    _first_byte: int | None = None

    def add(self, block: int, offsets: NDArray[np.int64], *, by_place: bool, sweep: object) -> None:
        """Takes in wrong words of one block by their byte offsets; those of one `sweep` come in order."""
        if not len(offsets):
            return
        self.by_block[block] += len(offsets)
        self.only_by_place = self.only_by_place and by_place
        if self._first_byte is None:
            self._first_byte = int(offsets[0])
        self.varying |= int(np.bitwise_or.reduce(offsets ^ self._first_byte))
        self.places.update((block, int(byte)) for byte in offsets[: MOST_PLACES - len(self.places)])
        continues = self._last is not None and self._last[:2] == (sweep, block)
        before = [self._last[2]] if continues and self._last is not None else []
        gaps = np.abs(np.diff(np.concatenate([np.array(before, dtype=np.int64), offsets])))
        self.by_stride.update((gaps & -gaps)[gaps > 0].tolist())
        self._last = (sweep, block, int(offsets[-1]))

    def join(self, other: Grouping) -> None:
        """Takes in what was found elsewhere."""
        self.by_block += other.by_block
        self.by_stride += other.by_stride
        self.only_by_place = self.only_by_place and other.only_by_place
        self.varying |= other.varying
        self.places |= other.places
        if self._first_byte is not None and other._first_byte is not None:
            self.varying |= self._first_byte ^ other._first_byte
        self._first_byte = other._first_byte if self._first_byte is None else self._first_byte

    def figures(self) -> dict[str, dict[str, int]]:
        """Fields of `WrongMemory`. Strides as people say them, the smallest first."""
        return {
            "wrong_by_block": {str(block): count for block, count in sorted(self.by_block.items())},
            "wrong_by_stride": {in_bytes(stride): count for stride, count in sorted(self.by_stride.items())},
        }

    def sentence(self, bits: Iterable[int], *, words: int, wrong_bits: int, gone: int) -> str:
        """What they have in common, and what that points to; empty where no word was wrong."""
        analysed = sum(self.by_block.values())
        if not words:
            return ""
        if not analysed:
            return trn(
                "The one error was gone on re-read: suspect the path to the memory, not its cells.",
                "All {count} errors were gone on re-read: suspect the path to the memory, not its cells.",
                count=gone,
            )
        if analysed < FEW:
            return trn(
                "{count} wrong word is too few to name a cause.",
                "{count} wrong words are too few to name a cause.",
                count=analysed,
            )
        fields = {"count": analysed, "common": self._common(sorted(bits), wrong_bits / analysed)}
        return trn("The one error is {common}.", "All {count} errors are {common}.", **fields)

    def _common(self, bits: list[int], bits_a_word: float) -> str:
        spacing = self.varying & -self.varying
        if len(self.places) == 1:
            return tr("in one word: a cell")
        if self.only_by_place and bits_a_word >= MANY_BITS:
            return tr("in patterns that differ from word to word: swapped words, an address line")
        if len(bits) == 1:
            return tr("in bit {bit}: a data line", bit=bits[0])
        if self.varying < ROW_BYTES and len(self.by_block) == 1:
            return tr("within {size}: a row", size=in_bytes(1 << self.varying.bit_length()))
        if spacing >= COLUMN_BYTES:
            return tr("a multiple of {size} apart: a column, or an address line", size=in_bytes(spacing))
        if bits[0] // BYTE_BITS == bits[-1] // BYTE_BITS:
            return tr("in bits {first} to {last}: one byte of the bus, a chip", first=bits[0], last=bits[-1])
        return tr("spread over {bits} bits and no single row: check heat, voltage and the memory clock", bits=len(bits))


def in_bytes(count: int) -> str:
    """ "4 KiB"."""
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= factor:
            return f"{count // factor} {unit}"
    return f"{count} bytes"


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over memory: a pattern to write or, with the `name` of a test, to look for in sweep number `sweep`."""

    pattern: Pattern
    inverted: bool
    name: str = ""
    sweep: int = 0


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

    def add(self, chunk: Chunk, scratch: Scratch, check: Pass, *, words: int) -> WrongWord | None:
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
                    word = self._analysed(part, right, places, check)
                    left -= len(places)
                    first = first or word
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

    def figures(self) -> dict[str, Any]:
        """The fields of `WrongMemory`."""
        return {
            "wrong_words": self.words,
            "analysed_words": self.analysed,
            "right_when_read_again": self.gone,
            "wrong_bits": self.set_to_cleared + self.cleared_to_set,
            "set_to_cleared": self.set_to_cleared,
            "cleared_to_set": self.cleared_to_set,
            "wrong_bits_by_place": {str(bit): int(count) for bit, count in enumerate(self.by_bit) if count},
            **self.grouping.figures(),
            "errors_point_to": self.sentence().removesuffix("."),
            "first_wrong": tuple(self.first),
        }

    def sentence(self) -> str:
        """What the wrong words have in common; empty where none was wrong."""
        bits = [bit for bit, count in enumerate(self.by_bit) if count]
        wrong_bits = self.set_to_cleared + self.cleared_to_set
        return self.grouping.sentence(bits, words=self.words, wrong_bits=wrong_bits, gone=self.gone)

    def _analysed(self, part: Chunk, expected: torch.Tensor | int, places: torch.Tensor, check: Pass) -> WrongWord:
        """Looks at the words at these places of a part bit by bit; the first one."""
        held = _unsigned(part.words[places])
        if isinstance(expected, torch.Tensor):
            right = _unsigned(expected[places])
        else:
            right = np.full(len(held), expected % 2**64, dtype=np.uint64)
        self._count(held, right)
        offsets = (places.cpu().numpy() + part.offset) * WORD_BYTES
        self.grouping.add(part.block, offsets, by_place=check.pattern.by_place, sweep=(check.sweep, check.name))
        wrong = [
            WrongWord(
                pattern=check.name,
                sweep=check.sweep,
                block=part.block,
                byte=int(offset),
                expected=f"{should:016x}",
                found=f"{has:016x}",
                mask=f"{should ^ has:016x}",
                bits=int(np.bitwise_count(should ^ has)),
            )
            for offset, should, has in zip(offsets[:KEPT], right[:KEPT], held[:KEPT], strict=True)
        ]
        self.first.extend(wrong[: KEPT - len(self.first)])
        return wrong[0]

    def _count(self, held: Words, right: Words) -> None:
        masks = held ^ right
        self.analysed += len(masks)
        self.set_to_cleared += int(np.bitwise_count(masks & right).sum(dtype=np.int64))
        self.cleared_to_set += int(np.bitwise_count(masks & held).sum(dtype=np.int64))
        little_endian = np.ascontiguousarray(masks).astype("<u8").view(np.uint8).reshape(-1, 8)
        self.by_bit += np.unpackbits(little_endian, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)


def _unsigned(words: torch.Tensor) -> Words:
    return words.cpu().numpy().view(np.uint64)
