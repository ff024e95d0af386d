"""Memory to be tested (many blocks, read and written in chunks, each word with an address of its own) and what is
written to it: any word can be computed again from its place, on the device itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import Protocol

import torch

from core.loads.blame import out_of_memory
from core.loads.words import LANE, WORD_BYTES, Words, signed, unequal
from core.words import tr

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
        for size_bytes in region_bytes:
            before = len(self.blocks)
            self.blocks += _taken(device, size_bytes, block_bytes)
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
                words = self.blocks[number][start : start + self._chunk_words]
                yield Chunk(words, number, start, self._starts[number] + start)

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


ALL_ONES = -1
WORD_BITS = 64
ROW_WORDS = 256
"""2 KiB, a row of GDDR and DDR chips; HBM has rows of 1 KiB (JEDEC JESD250, JESD79-5, JESD235)."""
MODULUS = 20
REWRITES = 2
GOLDEN_SHARE = 0.618


class Pattern:
    """The contents of memory, and the inverse of them. `by_place` ones differ from word to word."""

    name: str
    by_place: bool = True

    def write(self, chunk: Chunk, scratch: Scratch, *, inverted: bool) -> None:
        """Computed in place, so that an earlier error does not outlive it."""
        for part in chunk.parts(scratch.count):
            self._compute(part.words, part)
            if inverted:
                part.words.bitwise_not_()

    def wrong(self, chunk: Chunk, scratch: Scratch, *, inverted: bool) -> torch.Tensor:
        """How many words do not hold it: a scalar that stays on the device."""
        counts = [
            unequal(part.words, self.expected(part, scratch, inverted=inverted), scratch.mask)
            for part in chunk.parts(scratch.count)
        ]
        return torch.stack(counts).sum()

    def expected(self, part: Chunk, scratch: Scratch, *, inverted: bool) -> torch.Tensor | int:
        """What a part should hold: one number for all of it, or a tensor that lies in `scratch`."""
        words = scratch.words[: len(part.words)]
        self._compute(words, part)
        return words.bitwise_not_() if inverted else words

    def _compute(self, words: torch.Tensor, part: Chunk) -> None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Solid(Pattern):
    """The same word everywhere."""

    name: str
    word: int
    by_place: bool = False

    def expected(self, part: Chunk, scratch: Scratch, *, inverted: bool) -> int:
        """One number."""
        del part, scratch
        return ~self.word if inverted else self.word

    def _compute(self, words: torch.Tensor, part: Chunk) -> None:
        del part
        words.fill_(self.word)


@dataclass(frozen=True, slots=True)
class Address(Pattern):
    """Each word holds its own address: two addresses of one cell cannot both be right."""

    name: str = "address"

    def _compute(self, words: torch.Tensor, part: Chunk) -> None:
        Words(0, 1).fill(words, part.address)


@dataclass(frozen=True, slots=True)
class Random(Pattern):
    """Random words, the same ones again for the same seed."""

    seed: int
    name: str = "random"

    def _compute(self, words: torch.Tensor, part: Chunk) -> None:
        generator = torch.Generator(words.device).manual_seed((self.seed + part.address) % 2**63)
        words.random_(-(2**63), None, generator=generator)


@dataclass(frozen=True, slots=True)
class RandomOrder(Pattern):
    """Words by address that are written and read in an order in which no two neighbours follow each other."""

    seed: int
    name: str = "random order"

    def write(self, chunk: Chunk, scratch: Scratch, *, inverted: bool) -> None:
        """Each word of the chunk once."""
        for places, values, _ in self._steps(chunk, scratch, inverted=inverted):
            chunk.words.scatter_(0, places, values)

    def wrong(self, chunk: Chunk, scratch: Scratch, *, inverted: bool) -> torch.Tensor:
        """Read in the same order."""
        counts = []
        for places, values, readback in self._steps(chunk, scratch, inverted=inverted):
            torch.gather(chunk.words, 0, places, out=readback)
            counts.append(unequal(readback, values, scratch.mask))
        return torch.stack(counts).sum()

    def _steps(
        self, chunk: Chunk, scratch: Scratch, *, inverted: bool
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Places, what stands there, and room to read it, a third of the scratch each."""
        count, third = len(chunk.words), max(scratch.count // 3, 1)
        stride, words = coprime_stride(count), Words.drawn(self.seed)
        for start in range(0, count, third):
            size = min(third, count - start)
            places, values, readback = (scratch.words[third * part :][:size] for part in range(3))
            Words(0, stride).fill(places, start).remainder_(count)
            torch.mul(places, words.step, out=values).add_(words.word(chunk.address))
            yield places, values.bitwise_not_() if inverted else values, readback

    def _compute(self, words: torch.Tensor, part: Chunk) -> None:
        Words.drawn(self.seed).fill(words, part.address)


class _Tiled(Pattern):
    """The same few words again and again, from the start of each block."""

    def _compute(self, words: torch.Tensor, part: Chunk) -> None:
        table = self._table(words.device)
        period = len(table)
        table = table.roll(-(part.offset % period))
        whole = len(words) // period * period
        words[:whole].view(-1, period).copy_(table)
        words[whole:].copy_(table[: len(words) - whole])

    def _table(self, device: torch.device) -> torch.Tensor:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Walking(_Tiled):
    """One bit set in each word, the next one in the next word; with all 64 shifts each word holds each bit once.

    The inverse is a walking zero.
    """

    shift: int
    name: str = "walking ones"

    def _table(self, device: torch.device) -> torch.Tensor:
        bits = torch.arange(self.shift, self.shift + WORD_BITS, device=device).remainder_(WORD_BITS)
        return torch.ones_like(bits).bitwise_left_shift_(bits)


@dataclass(frozen=True, slots=True)
class Modulo20(_Tiled):
    """Every 20th word is written once, the 19 between them then twice with the inverse: do they disturb it?

    Twenty is no power of two, so that no cache or row holds it all (Memtest86, "Modulo 20").
    """

    first: int
    word: int
    name: str = "modulo 20"

    def write(self, chunk: Chunk, scratch: Scratch, *, inverted: bool) -> None:
        """The others again, after the pattern."""
        super(Modulo20, self).write(chunk, scratch, inverted=inverted)
        whole = len(chunk.words) // MODULUS * MODULUS
        rows = chunk.words[:whole].view(-1, MODULUS)
        own = (self.first - chunk.offset) % MODULUS
        for _ in range(REWRITES):
            for others in (rows[:, :own], rows[:, own + 1 :]):
                others.fill_(self.word if inverted else ~self.word)

    def _table(self, device: torch.device) -> torch.Tensor:
        table = torch.full((MODULUS,), ~self.word, device=device)
        table[self.first : self.first + 1].fill_(self.word)
        return table


@dataclass(frozen=True, slots=True)
class Striped(_Tiled):
    """Rows of 01 01 and of 10 10 by turns."""

    name: str = "rows"

    def _table(self, device: torch.device) -> torch.Tensor:
        return torch.cat([torch.full((ROW_WORDS,), word, device=device) for word in (EVEN.word, ODD.word)])


def coprime_stride(count: int) -> int:
    """Steps of this length reach each of `count` places once; about 0.618 of them, so that each step is a long one."""
    stride = int(count * GOLDEN_SHARE) | 1
    while gcd(stride, count) != 1:
        stride += 2
    return stride


ZEROS, ONES = Solid("00", 0), Solid("FF", ALL_ONES)
EVEN, ODD = Solid("AA", signed(0xAAAA_AAAA_AAAA_AAAA)), Solid("55", 0x5555_5555_5555_5555)
SOLIDS = (ZEROS, ONES, EVEN, ODD)
