"""A buffer filled with one small tile again and again: what it should hold, and its checksum, are known without it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.checksum import WORD_BYTES, Checksum, checksum, checksum_steps

TILE_NUMBERS = 2**18
TILE_BYTES = 4 * TILE_NUMBERS
LARGEST = 2**11
ROWS_AT_ONCE = 64


class Tile:
    """Whole numbers as 32-bit floating-point ones; `numbers` come from integer arithmetic on the host."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self.numbers = numbers
        self.host = torch.from_numpy(numbers.astype(np.float32))

    @classmethod
    def drawn(cls, seed: int) -> Tile:
        """Random numbers that are exact in 32 bits, also when multiplied by small ones and added."""
        return cls(np.random.default_rng(seed).integers(-LARGEST, LARGEST + 1, TILE_NUMBERS))

    @cached_property
    def checksum(self) -> Checksum:
        """Of one tile, on the host."""
        return checksum(self.host)

    def checksum_of(self, buffer: torch.Tensor) -> Checksum:
        """Which checksum the buffer should have."""
        return self.checksum.repeated(TILE_BYTES // WORD_BYTES, buffer.numel() // TILE_NUMBERS)

    def spread(self, buffer: torch.Tensor) -> Iterator[None]:
        """Fills a buffer of whole tiles, a part at a time."""
        tile = self.host.to(buffer.device)
        for rows in _rows(buffer):
            rows.copy_(tile.expand_as(rows))
            yield

    def problem(self, buffer: torch.Tensor) -> Generator[None, None, str | None]:
        """What is wrong with the contents of a buffer, in words; None if nothing is."""
        found = yield from checksum_steps(buffer)
        expected = self.checksum_of(buffer)
        if found == expected:
            return None
        told = f"its checksum is {found} instead of {expected}"
        return f"{told}; {self._where(buffer) or 'read again, every number is right'}"

    def _where(self, buffer: torch.Tensor) -> str | None:
        tile = self.host.to(buffer.device)
        wrong, first = 0, None
        for start, rows in enumerate(_rows(buffer)):
            unequal = rows != tile
            here = int(torch.count_nonzero(unequal))
            if here and first is None:
                first = start * ROWS_AT_ONCE * TILE_NUMBERS + int(torch.argmax(unequal.flatten().to(torch.uint8)))
            wrong += here
        if first is None:
            return None
        got, right = float(buffer[first]), float(self.host[first % TILE_NUMBERS])
        noun = "number is" if wrong == 1 else "numbers are"
        return f"{wrong} {noun} wrong (first at byte 0x{4 * first:x}: {got:.9g} instead of {right:.9g})"


def _rows(buffer: torch.Tensor) -> Iterator[torch.Tensor]:
    tiles = buffer.view(-1, TILE_NUMBERS)
    for start in range(0, len(tiles), ROWS_AT_ONCE):
        yield tiles[start : start + ROWS_AT_ONCE]
