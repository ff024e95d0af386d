"""What is written to memory, and read back: any word can be computed again from its address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch

from core.loads.memory.blocks import Chunk

ALL_ONES = -1


class Pattern(Protocol):
    """The contents of memory, and the inverse of them."""

    @property
    def name(self) -> str: ...

    def fill(self, words: torch.Tensor, chunk: Chunk, *, inverted: bool) -> None:
        """Writes into `words` what `chunk` should hold."""
        ...

    def expected(self, chunk: Chunk, scratch: torch.Tensor, *, inverted: bool) -> torch.Tensor | int:
        """What the chunk should hold: one number for all of it, or a tensor that lies in `scratch`."""
        ...


@dataclass(frozen=True, slots=True)
class Solid:
    """The same word everywhere."""

    name: str
    word: int

    def fill(self, words: torch.Tensor, chunk: Chunk, *, inverted: bool) -> None:
        """Constant."""
        words.fill_(self.expected(chunk, words, inverted=inverted))

    def expected(self, chunk: Chunk, scratch: torch.Tensor, *, inverted: bool) -> int:
        """One number."""
        del chunk, scratch
        return ~self.word if inverted else self.word


class _Computed:
    """Patterns that differ from word to word."""

    def fill(self, words: torch.Tensor, chunk: Chunk, *, inverted: bool) -> None:
        """Computed in place, so that an earlier error does not outlive it."""
        self._compute(words, chunk)
        if inverted:
            words.bitwise_not_()

    def expected(self, chunk: Chunk, scratch: torch.Tensor, *, inverted: bool) -> torch.Tensor:
        """Computed again."""
        words = scratch[: len(chunk.words)]
        self.fill(words, chunk, inverted=inverted)
        return words

    def _compute(self, words: torch.Tensor, chunk: Chunk) -> None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Address(_Computed):
    """Each word holds its own address: two addresses of one cell cannot both be right."""

    name: str = "address"

    def _compute(self, words: torch.Tensor, chunk: Chunk) -> None:
        torch.arange(chunk.address, chunk.address + len(words), out=words)


@dataclass(frozen=True, slots=True)
class Random(_Computed):
    """Random words, the same ones again for the same seed."""

    seed: int
    name: str = "random"

    def _compute(self, words: torch.Tensor, chunk: Chunk) -> None:
        generator = torch.Generator(words.device).manual_seed((self.seed + chunk.address) % 2**63)
        words.random_(-(2**63), None, generator=generator)


ZEROS, ONES = Solid("00", 0), Solid("FF", ALL_ONES)
EVEN, ODD = Solid("AA", -0x5555_5555_5555_5556), Solid("55", 0x5555_5555_5555_5555)
SOLIDS = (ZEROS, ONES, EVEN, ODD)
