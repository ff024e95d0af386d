"""64-bit words of memory: their checksums, what they should hold, and bits that are flipped in them on purpose.

Checksums do not depend on the order of summation, so that any device computes the same ones: words are folded (a
bijection, so that no single change can hide) and summed as integers that wrap around, once plainly and once weighted
with their position: the first sees any one changed word, the second words in wrong places.

What memory and messages should hold follows from the place: senders, receivers and devices each make it by themselves.
Integers that wrap around are the same on every device, and the checks need no second copy of what was sent.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from core.loads.device import mark
from core.loads.findings import SelfTest, TriedFault
from core.words import trn

WORD_BYTES = 8
WORDS_AT_ONCE = {"cpu": 2**15, "cuda": 2**23}
"""By device: small enough for a core's cache and for one thread, or large enough to keep a GPU busy."""
FOLD = 31
_UNSIGNED = 2 ** (64 - FOLD) - 1
"""torch shifts its integers with their sign, with which a word and its complement would fold to the same."""
_WRAP = 2**64


@dataclass(frozen=True, slots=True)
class Checksum:
    """Two sums modulo 2**64."""

    plain: int
    weighted: int

    def __str__(self) -> str:
        return f"{self.plain:016x}-{self.weighted:016x}"

    def repeated(self, words: int, times: int) -> Checksum:
        """The checksum of memory that holds these `words` words `times` times in a row."""
        shifts = words * (times * (times - 1) // 2)
        return Checksum(self.plain * times % _WRAP, (self.weighted * times + self.plain * shifts) % _WRAP)


def checksum(tensor: torch.Tensor) -> Checksum:
    """The checksum of a contiguous tensor of whole 64-bit words, computed where it lies. Waits for the device."""
    steps = checksum_steps(tensor)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return cast(Checksum, ended.value)


def checksum_steps(tensor: torch.Tensor) -> Generator[None, None, Checksum]:
    """The same in slices, for large tensors: the caller can show signs of life between them."""
    plain = weighted = 0
    for sums in _slices(words_of(tensor)):
        more, placed = sums.tolist()
        plain, weighted = (plain + more) % _WRAP, (weighted + placed) % _WRAP
        yield
    return Checksum(plain, weighted)


def sums_of(words: torch.Tensor) -> torch.Tensor:
    """Both sums of a row of 64-bit words, as signed integers that stay on the device: nothing waits for it."""
    total = None
    for sums in _slices(words):
        total = sums if total is None else total + sums
    return torch.zeros(2, dtype=torch.int64, device=words.device) if total is None else total


def _slices(words: torch.Tensor) -> Iterator[torch.Tensor]:
    """Both sums of one part of the words after another; integers that wrap around are integers modulo 2**64."""
    size = WORDS_AT_ONCE[words.device.type]
    places = torch.arange(1, min(size, len(words)) + 1, device=words.device)
    for start in range(0, len(words), size):
        part = words[start : start + size]
        folded = (part >> FOLD).bitwise_and_(_UNSIGNED).bitwise_xor_(part)
        total = folded.sum()
        yield torch.stack([total, folded.mul_(places[: len(part)]).sum() + total * start])


def words_of(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory as one row of 64-bit integers. Raises ValueError where it is not made of whole words."""
    if tensor.nbytes % WORD_BYTES or not tensor.is_contiguous():
        raise ValueError(f"{tensor.nbytes} bytes are not whole 64-bit words in a row.")
    return tensor.view(-1).view(torch.int64)


BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
LOW_BIT = 1
"""Flips are made here: far below what any tolerance could show."""


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory read as integers of the same width."""
    return tensor.view(BITS[tensor.element_size()])


def flip_bit(tensor: torch.Tensor, element: int, bit: int) -> None:
    """Inverts one bit of one element in place."""
    width = 8 * tensor.element_size()
    mask = 1 << bit
    signed = mask - (1 << width) if bit == width - 1 else mask
    bits(tensor).view(-1)[element] ^= signed


def set_nan(tensor: torch.Tensor, element: int) -> None:
    """Makes one element NaN in place; integers know none, and get their least number."""
    tensor.view(-1)[element] = float("nan") if tensor.is_floating_point() else torch.iinfo(tensor.dtype).min


GOLDEN = 0x9E37_79B9_7F4A_7C15 - 2**64
"""Odd: 2**64 divided by the golden ratio, which spreads a count over all bits (Knuth, TAOCP 3, 6.4)."""
EXACT_BELOW = 2**24
"""Whole numbers that a 32-bit floating-point number holds."""
UPPER_BITS = 40
"""The 24 bits above them depend on all bits of the place."""
PART_WORDS = {"cpu": 2**18, "cuda": 2**23}
"""Compared at once, so that the temporary memory stays small and a CPU gives signs of life."""
LANE = 128
"""So many comparisons are added up in 8 bits: to add them up in 64 would take eight times the memory of the mask."""


@dataclass(frozen=True, slots=True)
class Words:
    """At place p stands the 64-bit word `first` + p x `step`. With an odd step all are different."""

    first: int = 0
    step: int = GOLDEN

    @classmethod
    def drawn(cls, seed: int) -> Words:
        """Others for each seed."""
        return cls(first=signed(0x2545_F491_4F6C_DD1D * (seed + 1)))

    def plus(self, other: Words, *, times: int) -> Words:
        """The sum of both, place by place."""
        return Words(signed(self.first + times * other.first), signed(self.step + times * other.step))

    def word(self, place: int) -> int:
        """One of them."""
        return signed(self.first + place * self.step)

    def fill(self, words: Tensor, place: int = 0) -> Tensor:
        """Writes them from `place` on, and gives the tensor back."""
        torch.arange(place, place + len(words), out=words)
        if self.step != 1:
            words.mul_(self.step)
        return words.add_(self.first) if self.first else words

    def filling(self, words: Tensor) -> Iterator[None]:
        """The same a part at a time, for large tensors: the caller can show signs of life."""
        for place, part in parts(words):
            self.fill(part, place)
            yield

    def wrong(self, tensor: Tensor) -> Tensor:
        """How many words of a tensor that begins at place 0 are wrong: a scalar on the device."""
        counts = list(self._counts(tensor))
        return torch.stack(counts).sum()

    def problem(self, tensor: Tensor) -> Generator[None, None, str | None]:
        """What is wrong with a tensor that begins at place 0, in words; None if nothing is."""
        counts = []
        for count in self._counts(tensor):
            counts.append(count)
            yield
        wrong = value_of(torch.stack(counts).sum())
        return self._description(tensor, wrong) if wrong else None

    def _counts(self, tensor: Tensor) -> Iterator[Tensor]:
        length = min(len(tensor), PART_WORDS[tensor.device.type])
        expected = torch.empty(length, dtype=torch.int64, device=tensor.device)
        mask = mask_for(expected)
        for place, part in parts(tensor):
            yield unequal(part, self.fill(expected[: len(part)], place), mask)

    def _description(self, tensor: Tensor, wrong: int) -> str:
        """With the first one that is still wrong."""
        for place, part in parts(tensor):
            differs = part != self.fill(torch.empty_like(part), place)
            if value_of(differs.any()):
                at = place + int(torch.argmax(differs.to(torch.uint8)))
                got, right = int(tensor[at]) % 2**64, self.word(at) % 2**64
                fields = {"count": wrong, "byte": WORD_BYTES * at, "got": got, "right": right}
                return trn(
                    "{count} word is wrong (first at byte 0x{byte:x}: {got:016x} instead of {right:016x})",
                    "{count} words are wrong (first at byte 0x{byte:x}: {got:016x} instead of {right:016x})",
                    **fields,
                )
        return trn(
            "{count} word is wrong, but correct on re-read",
            "{count} words are wrong, but correct on re-read",
            count=wrong,
        )


def summands(count: int, device: torch.device, *, ranks: int) -> Tensor:
    """Whole numbers told by place, in 32 bits of floating point: exact where rank r adds r + 1 times them."""
    largest = (EXACT_BELOW - 1) // (ranks * (ranks + 1) // 2)
    numbers = torch.empty(count, device=device)
    for place, part in parts(numbers):
        words = Words().fill(torch.empty(len(part), dtype=torch.int64, device=device), place)
        part.copy_(words.bitwise_right_shift_(UPPER_BITS).remainder_(largest).add_(1))
    return numbers


def differing(tensor: Tensor, pattern: Tensor, *, times: int = 1) -> Tensor:
    """How many elements are not `pattern` x `times`: a scalar on the device. NaN differs from everything."""
    total = torch.zeros((), dtype=torch.int64, device=tensor.device)
    mask = mask_for(tensor[: PART_WORDS[tensor.device.type]])
    for place, part in parts(tensor):
        total += unequal(part, pattern[place : place + len(part)] * times, mask)
    return total


def unequal(tensor: Tensor, expected: Tensor | int, mask: Tensor) -> Tensor:
    """How many elements differ: a scalar on the device. Takes no memory beside the `mask` (see `mask_for`)."""
    count = tensor.numel()
    whole = -(-count // LANE) * LANE
    torch.ne(tensor, expected, out=mask[:count])
    mask[count:whole].zero_()
    return mask[:whole].view(torch.uint8).view(-1, LANE).sum(1, dtype=torch.uint8).sum(dtype=torch.int64)


def mask_for(tensor: Tensor) -> Tensor:
    """Room for one comparison of each element."""
    return torch.empty(-(-tensor.numel() // LANE) * LANE, dtype=torch.bool, device=tensor.device)


def parts(tensor: Tensor) -> Iterator[tuple[int, Tensor]]:
    """Slices with the place of their first element."""
    size = PART_WORDS[tensor.device.type]
    for place in range(0, len(tensor), size):
        yield place, tensor[place : place + size]


def value_of(value: Tensor) -> int:
    """A scalar's value. The host sleeps until the device has it; to ask at once would spin."""
    mark(value.device).wait()
    return int(value)


def signed(word: int) -> int:
    """A word as torch counts: two's complement."""
    return (word + 2**63) % 2**64 - 2**63


def try_comparison(self_test: SelfTest, right: Tensor, wrong: Callable[[Tensor], Tensor]) -> None:
    """The self-test of a comparison, on a copy that is spoiled on purpose."""
    few = right.clone()
    alike = value_of(wrong(few)) == 0
    flip_bit(few, len(few) // 2, LOW_BIT)
    self_test.note(TriedFault.CORRUPTED_TRANSFER, alike and value_of(wrong(few)) == 1)
    if few.is_floating_point():
        few[0] = float("nan")
        self_test.note(TriedFault.NAN, value_of(wrong(few)) == 2, "sums")
