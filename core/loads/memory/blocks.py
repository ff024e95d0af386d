"""Memory to be tested: many blocks, read and written in chunks, each word with an address of its own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import torch

from core.language import tr
from core.loads.blame import out_of_memory
from core.loads.checksum import WORD_BYTES
from core.loads.pattern import LANE

MIB = 2**20
GPU_CHUNK_BYTES = 1024 * MIB
CPU_CHUNK_BYTES = 8 * MIB
"""Queued at once: enough for a GPU's full bandwidth; on a CPU a tenth of a heartbeat while other programs compute."""
GPU_PARTS, CPU_PARTS = 16, 2
"""Of a chunk. What one should hold is computed at a time."""
LEAST_GPU_PART_BYTES = MIB
"""Smaller ones would take longer to start than to compute."""
SMALLEST_BLOCK_BYTES = 16 * MIB


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of one block. `offset` counts words from the block's start, `address` from the start of all blocks."""

    words: torch.Tensor
    block: int
    offset: int
    address: int

    def parts(self, words: int) -> Iterator[Chunk]:
        """The same in pieces of so many words."""
        for start in range(0, len(self.words), words):
            piece = self.words[start : start + words]
            yield Chunk(piece, self.block, self.offset + start, self.address + start)


class Scratch:
    """Memory beside what is tested: room for what a part of a chunk should hold, and for where it does not."""

    def __init__(self, held: torch.Tensor) -> None:
        self.held = held
        count = len(held) * LANE // (LANE + LANE // WORD_BYTES) // LANE * LANE
        self.words = held[:count]
        self.mask = held[count : count + count // WORD_BYTES].view(torch.bool)

    @classmethod
    def taken(cls, device: torch.device, part_words: int) -> Scratch:
        """For parts of at least so many words. Raises what the framework raises when memory is short."""
        lanes = -(-max(part_words, 1) // LANE)
        return cls(torch.empty(lanes * (LANE + LANE // WORD_BYTES), dtype=torch.int64, device=device))

    @property
    def count(self) -> int:
        """Words of a part."""
        return len(self.words)


class MemoryFault(Protocol):
    """A fault made on purpose."""

    def after_write(self, memory: Memory, chunk: Chunk) -> None:
        """Injects it into what was just written to a chunk."""
        ...


class Memory:
    """Regions of so many bytes each, in blocks of 64-bit words on a device; the last one has less where there is less.

    Raises MemoryError when not even a small block could be had.
    """

    def __init__(
        self, device: torch.device, *region_bytes: int, block_bytes: int, fault: MemoryFault | None = None
    ) -> None:
        self.device = device
        self.sweeps = 0
        """How often all of it was written."""
        self._fault = fault
        self._chunk_words = min(_chunk_bytes(device), block_bytes, max(region_bytes)) // WORD_BYTES
        self.scratch = Scratch.taken(device, part_words(device, block_bytes, max(region_bytes)))
        self.blocks: list[torch.Tensor] = []
        self.regions: list[range] = []
        """The numbers of the blocks of each region."""
        for wanted in region_bytes:
            before = len(self.blocks)
            self.blocks += _taken(device, wanted, block_bytes)
            self.regions.append(range(before, len(self.blocks)))
        if not self.blocks:
            raise MemoryError(tr("No block of {size} MiB is free.", size=block_bytes // MIB))
        self._starts = [0]
        for block in self.blocks:
            self._starts.append(self._starts[-1] + len(block))

    @property
    def words(self) -> int:
        """All of them; addresses count from 0."""
        return self._starts[-1]

    def chunks(self, numbers: range | None = None, *, backwards: bool = False) -> Iterator[Chunk]:
        """All memory, or the blocks of these numbers, in order of addresses or in the opposite order."""
        numbers = range(len(self.blocks)) if numbers is None else numbers
        for number in reversed(numbers) if backwards else numbers:
            starts = range(0, len(self.blocks[number]), self._chunk_words)
            for start in reversed(starts) if backwards else starts:
                yield self._chunk(number, start)

    def write(self, chunk: Chunk, fill: Callable[[], object]) -> None:
        """Every write goes through here, so that a fault can be injected."""
        fill()
        if self._fault is not None:
            self._fault.after_write(self, chunk)

    def word(self, address: int) -> torch.Tensor:
        """The word at an address, as a tensor of one element in place."""
        number, offset = self.located(address)
        return self.blocks[number][offset : offset + 1]

    def located(self, address: int) -> tuple[int, int]:
        """Number of the block and word offset of an address."""
        block = bisect_right(self._starts, address) - 1
        return block, address - self._starts[block]

    # -- moving ---------------------------------------------------------------------------------------------------

    def swap_scratch(self, number: int) -> int:
        """A block of the scratch's size and the scratch change places: so many bytes more are tested from now on."""
        if len(self.blocks[number]) != len(self.scratch.held):
            return 0
        self.blocks[number], self.scratch = self.scratch.held, Scratch(self.blocks[number])
        return self.blocks[number].nbytes

    def renew(self, number: int) -> int:
        """Takes a block anew while all others are still held, then lets the old one go: so many bytes lie elsewhere.

        0 where there is no memory for it. What was let go must have been returned to the driver before.
        """
        try:
            new = torch.empty_like(self.blocks[number])
        except (RuntimeError, MemoryError) as error:
            if not out_of_memory(error):
                raise
            return 0
        self.blocks[number] = new
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        return new.nbytes

    def _chunk(self, number: int, start: int) -> Chunk:
        words = self.blocks[number][start : start + self._chunk_words]
        return Chunk(words, number, start, self._starts[number] + start)


def part_words(device: torch.device, *limits_bytes: int) -> int:
    """Words whose contents are computed at once, in blocks of this size: a part of a chunk."""
    words = min(_chunk_bytes(device), *limits_bytes) // WORD_BYTES
    if device.type != "cuda":
        return words // CPU_PARTS
    return max(words // GPU_PARTS, min(words, LEAST_GPU_PART_BYTES // WORD_BYTES))


def scratch_bytes(device: torch.device, block_bytes: int) -> int:
    """What the scratch of a memory with such blocks takes."""
    lanes = -(-max(part_words(device, block_bytes), 1) // LANE)
    return lanes * (LANE + LANE // WORD_BYTES) * WORD_BYTES


def _chunk_bytes(device: torch.device) -> int:
    return GPU_CHUNK_BYTES if device.type == "cuda" else CPU_CHUNK_BYTES


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
    return blocks
