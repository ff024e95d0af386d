"""Memory to be tested: many blocks, read and written in chunks, each word with an address of its own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import torch

from core.loads.blame import out_of_memory
from core.loads.checksum import WORD_BYTES

MIB = 2**20
GPU_CHUNK_BYTES = 256 * MIB
CPU_CHUNK_BYTES = 8 * MIB
"""Small enough that a chunk takes a tenth of a heartbeat even while other programs compute."""
SMALLEST_BLOCK_BYTES = 16 * MIB


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of one block. `offset` counts words from the block's start, `address` from the start of all blocks."""

    words: torch.Tensor
    block: int
    offset: int
    address: int


class MemoryFault(Protocol):
    """A fault made on purpose."""

    def after_write(self, memory: Memory, chunk: Chunk) -> None:
        """Spoils what was just written to a chunk."""
        ...


class Memory:
    """Blocks of 64-bit words on a device, about `target_bytes` of them: fewer where there are fewer.

    The first block has the number `first_block`. Raises MemoryError when not even a small block could be had.
    """

    def __init__(
        self,
        device: torch.device,
        target_bytes: int,
        *,
        block_bytes: int,
        first_block: int = 0,
        fault: MemoryFault | None = None,
    ) -> None:
        self.device = device
        self.sweeps = 0
        """How often all of it was written."""
        self._fault = fault
        self._first_block = first_block
        chunk_bytes = GPU_CHUNK_BYTES if device.type == "cuda" else CPU_CHUNK_BYTES
        self._chunk_words = min(chunk_bytes, block_bytes, target_bytes) // WORD_BYTES
        self.scratch = torch.empty(self._chunk_words, dtype=torch.int64, device=device)
        """Room for what a chunk should hold."""
        self.blocks = _taken(device, target_bytes, block_bytes)
        self._starts = [0]
        for block in self.blocks:
            self._starts.append(self._starts[-1] + len(block))

    @property
    def words(self) -> int:
        """All of them; addresses count from 0."""
        return self._starts[-1]

    def chunks(self, *, backwards: bool = False) -> Iterator[Chunk]:
        """All memory in order of addresses, or in the opposite order."""
        numbers = range(len(self.blocks))
        for number in reversed(numbers) if backwards else numbers:
            starts = range(0, len(self.blocks[number]), self._chunk_words)
            for start in reversed(starts) if backwards else starts:
                yield self._chunk(number, start)

    def write(self, chunk: Chunk, fill: Callable[[torch.Tensor], object]) -> None:
        """Every write goes through here, so that a fault made on purpose can spoil it."""
        fill(chunk.words)
        if self._fault is not None:
            self._fault.after_write(self, chunk)

    def word(self, address: int) -> torch.Tensor:
        """The word at an address, as a tensor of one element in place."""
        number, offset = self.located(address)
        return self.blocks[number - self._first_block][offset : offset + 1]

    def located(self, address: int) -> tuple[int, int]:
        """Number of the block and word offset of an address."""
        block = bisect_right(self._starts, address) - 1
        return self._first_block + block, address - self._starts[block]

    def _chunk(self, number: int, start: int) -> Chunk:
        words = self.blocks[number][start : start + self._chunk_words]
        return Chunk(words, self._first_block + number, start, self._starts[number] + start)


def _taken(device: torch.device, target_bytes: int, block_bytes: int) -> list[torch.Tensor]:
    """As many blocks as there is memory for; smaller ones towards the end."""
    blocks: list[torch.Tensor] = []
    left, size = target_bytes, block_bytes
    while left >= WORD_BYTES:
        try:
            words = min(size, left) // WORD_BYTES
            blocks.append(torch.empty(words, dtype=torch.int64, device=device))
            left -= words * WORD_BYTES
        except (RuntimeError, MemoryError) as error:
            if not out_of_memory(error):
                raise
            size //= 2
            if size < SMALLEST_BLOCK_BYTES:
                break
    if not blocks:
        raise MemoryError(f"Not one block of {block_bytes // MIB} MiB is free.")
    return blocks
