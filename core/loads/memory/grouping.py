"""What wrong words have in common: bits, rows, lines of addresses, places. It tells a repairer where to look.

Offsets are within blocks of our own. Below 2 MiB, the page of a GPU's memory, they are those of the memory; how a
controller spreads them over chips and rows it does not tell, so that every sentence is a hint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

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
        known = self._last is not None and self._last[:2] == (sweep, block)
        before = [self._last[2]] if known and self._last is not None else []
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

    def evidence(self) -> dict[str, dict[str, int]]:
        """Strides as people say them, the smallest first."""
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
            return f"{_all(gone)} right when read again: look at the way to the memory, not at its cells."
        if analysed < FEW:
            return f"{analysed} wrong {'word is' if analysed == 1 else 'words are'} too few to tell a cause."
        return f"{_all(analysed)} {self._common(sorted(bits), wrong_bits / analysed)}."

    def _common(self, bits: list[int], bits_a_word: float) -> str:
        spacing = self.varying & -self.varying
        if len(self.places) == 1:
            return "in one word: a cell"
        if self.only_by_place and bits_a_word >= MANY_BITS:
            return "in patterns that differ from word to word: words in each other's place, an address line"
        if len(bits) == 1:
            return f"in bit {bits[0]}: a data line"
        if self.varying < ROW_BYTES and len(self.by_block) == 1:
            return f"within {in_bytes(1 << self.varying.bit_length())}: a row"
        if spacing >= COLUMN_BYTES:
            return f"a multiple of {in_bytes(spacing)} apart: a column, or an address line"
        if bits[0] // BYTE_BITS == bits[-1] // BYTE_BITS:
            return f"in bits {bits[0]} to {bits[-1]}: one byte of the bus, a chip"
        return f"spread over {len(bits)} bits and no single row: look at heat, voltage and the memory clock"


def in_bytes(count: int) -> str:
    """ "4 KiB"."""
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= factor:
            return f"{count // factor} {unit}"
    return f"{count} bytes"


def _all(count: int) -> str:
    return "The one error is" if count == 1 else f"All {count} errors are"
