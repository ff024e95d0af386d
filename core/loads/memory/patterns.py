"""What is written to memory, and read back: any word can be computed again from its place, on the device itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

import torch

from core.loads.memory.blocks import Chunk, Scratch
from core.loads.pattern import Words, signed, unequal

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
        for places, values, found in self._steps(chunk, scratch, inverted=inverted):
            torch.gather(chunk.words, 0, places, out=found)
            counts.append(unequal(found, values, scratch.mask))
        return torch.stack(counts).sum()

    def _steps(
        self, chunk: Chunk, scratch: Scratch, *, inverted: bool
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Places, what stands there, and room to read it, a third of the scratch each."""
        count, third = len(chunk.words), max(scratch.count // 3, 1)
        stride, words = coprime_stride(count), Words.drawn(self.seed)
        for start in range(0, count, third):
            size = min(third, count - start)
            places, values, found = (scratch.words[third * part :][:size] for part in range(3))
            Words(0, stride).fill(places, start).remainder_(count)
            torch.mul(places, words.step, out=values).add_(words.word(chunk.address))
            yield places, values.bitwise_not_() if inverted else values, found

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
