"""Patterns through memory: what a healthy memory holds, what a faulty one does not, and where that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.memory import blocks as blocks_module
from core.loads.memory.blocks import Chunk, Memory
from core.loads.memory.faults import InjectedFault
from core.loads.memory.mismatches import ANALYSED_AT_ONCE, KEPT, Mismatches
from core.loads.memory.patterns import EVEN, ODD, ONES, SOLIDS, ZEROS, Address, Pattern, Random
from core.loads.memory.sweeps import Sweeps

CPU = torch.device("cpu")
BLOCK_BYTES = 4096
PATTERNS: tuple[Pattern, ...] = (*SOLIDS, Address(), Random(7))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "CPU_CHUNK_BYTES", 1024)


class Swept:
    """A small memory with what was found in it."""

    def __init__(self, target_bytes: int = 3 * BLOCK_BYTES + 808, fault: InjectedFault | None = None) -> None:
        self.memory = Memory(CPU, target_bytes, block_bytes=BLOCK_BYTES, fault=fault)
        self.findings, self.mismatches = Findings(), Mismatches()
        self.sweeps = Sweeps(self.memory, self.findings, self.mismatches, seed=3)

    def all_patterns(self) -> list[str]:
        """The names of the patterns that found something."""
        found = []
        for name, steps in self.sweeps.pattern_steps(0):
            before = self.findings.errors
            exhaust(steps)
            if self.findings.errors > before:
                found.append(name)
        return found


def exhaust(steps: Iterator[StepReport]) -> int:
    """The number of wrong words that the steps told."""
    return sum(fault.count for report in steps for fault in report.faults)


def test_blocks_and_chunks_cover_all_memory_once_in_both_directions() -> None:
    memory = Memory(CPU, 3 * BLOCK_BYTES + 808, block_bytes=BLOCK_BYTES)
    assert [block.nbytes for block in memory.blocks] == [BLOCK_BYTES] * 3 + [808]
    up, down = list(memory.chunks()), list(memory.chunks(backwards=True))
    assert [chunk.address for chunk in up] == [chunk.address for chunk in reversed(down)]
    covered = np.concatenate([np.arange(chunk.address, chunk.address + len(chunk.words)) for chunk in up])
    assert (covered == np.arange(memory.words)).all()


@given(address=st.integers(0, 3 * BLOCK_BYTES // 8 + 100))
def test_every_address_is_a_word_of_its_own(address: int) -> None:
    memory = Memory(CPU, 3 * BLOCK_BYTES + 808, block_bytes=BLOCK_BYTES, first_block=5)
    for chunk in memory.chunks():
        torch.arange(chunk.address, chunk.address + len(chunk.words), out=chunk.words)
    block, offset = memory.located(address)
    assert int(memory.word(address)) == address
    assert int(memory.blocks[block - 5][offset]) == address


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_what_a_pattern_writes_is_what_it_expects(pattern: Pattern, inverted: bool) -> None:
    memory = Memory(CPU, 2 * BLOCK_BYTES, block_bytes=BLOCK_BYTES)
    for chunk in memory.chunks():
        pattern.fill(chunk.words, chunk, inverted=inverted)
        expected = pattern.expected(chunk, memory.scratch, inverted=inverted)
        other = pattern.expected(chunk, memory.scratch.clone(), inverted=not inverted)
        assert bool((chunk.words == expected).all())
        assert bool((chunk.words == ~other).all())


def test_patterns_are_the_bytes_of_their_names() -> None:
    for solid in (ZEROS, ONES, EVEN, ODD):
        assert f"{solid.word % 2**64:016X}" == solid.name * 8


def test_random_words_set_half_of_all_bits_and_differ_from_place_to_place_and_pass_to_pass() -> None:
    chunk = Chunk(torch.empty(4096, dtype=torch.int64), 0, 0, 0)
    Random(1).fill(chunk.words, chunk, inverted=False)
    ones = np.bitwise_count(chunk.words.numpy().view(np.uint64)).mean()
    assert ones == pytest.approx(32, abs=0.5)
    elsewhere = Chunk(chunk.words, 0, 0, 512)
    for seed, place in ((2, chunk), (1, elsewhere)):
        other = Random(seed).expected(place, torch.empty_like(chunk.words), inverted=False)
        assert int((other == chunk.words).sum()) == 0


def test_healthy_memory_holds_every_pattern() -> None:
    swept = Swept()
    assert swept.all_patterns() == []
    assert exhaust(swept.sweeps.fade(0.05)) == 0
    assert swept.findings.checks > 100


@pytest.mark.parametrize("seed", range(6))
def test_a_bit_that_flips_once_is_one_wrong_word_at_its_place(seed: int) -> None:
    fault = InjectedFault("bitflip", at=seed, seed=seed)
    swept = Swept(fault=fault)
    assert len(swept.all_patterns()) == 1
    [wrong] = swept.mismatches.first
    assert (swept.findings.errors, swept.mismatches.words, wrong.mask.bit_count()) == (1, 1, 1)
    assert [{"block": wrong.block, "byte": wrong.byte}] == fault.places
    assert wrong.mask == 1 << (fault.bit or 0)
    assert list(np.flatnonzero(swept.mismatches.by_bit)) == [fault.bit]
    assert f"block {wrong.block}, byte 0x{wrong.byte:x}" in swept.findings.first_fault


def test_a_word_that_cannot_be_changed_is_found_by_every_pattern() -> None:
    fault = InjectedFault("stuck", at=0, seed=5)
    swept = Swept(fault=fault)
    assert len(swept.all_patterns()) == 11
    [place] = fault.places
    assert all({"block": word.block, "byte": word.byte} == place for word in swept.mismatches.first)
    assert swept.findings.errors == swept.mismatches.words


@pytest.mark.parametrize("seed", range(6))
def test_two_addresses_of_one_cell_are_found_where_words_differ(seed: int) -> None:
    """Solid patterns cannot see it: that is what the address pattern is for."""
    found = Swept(fault=InjectedFault("shared", at=0, seed=seed)).all_patterns()
    assert {"address", "address inverted", "random", "random inverted"} <= set(found)
    assert not {"00", "FF", "AA", "55"} & set(found)


@pytest.mark.parametrize(
    ("cell", "others", "needed"),
    [
        (10, range(11, 1200), "a write to a higher address clears it"),
        (1200, range(1200), "a write to a lower address clears it"),
    ],
)
def test_a_cell_disturbed_by_its_neighbours_is_found_from_either_side(cell: int, others: range, needed: str) -> None:
    class Disturbed:
        def after_write(self, memory: Memory, chunk: Chunk) -> None:
            if any(chunk.address <= other < chunk.address + len(chunk.words) for other in others):
                memory.word(cell).fill_(0)

    swept = Swept()
    swept.memory._fault = Disturbed()
    assert len(swept.all_patterns()) >= 3, needed


def test_bits_that_fade_are_found_and_their_direction_is_told() -> None:
    swept = Swept()
    steps = swept.sweeps.fade(0.3)
    wrong = 0
    for step, report in enumerate(steps):
        wrong += sum(fault.count for fault in report.faults)
        if step == len(list(swept.memory.chunks())):
            swept.memory.word(100).bitwise_and_(~0b1001)
            swept.memory.word(900).bitwise_and_(~(1 << 40))
    assert wrong == 2
    assert (swept.mismatches.set_to_cleared, swept.mismatches.cleared_to_set) == (3, 0)
    assert swept.findings.first_fault.startswith("pattern bit fade of FF")


def test_wrong_bits_are_counted_by_place_and_direction() -> None:
    memory = Memory(CPU, 1024, block_bytes=1024)
    [chunk] = memory.chunks()
    chunk.words.fill_(0b1100)
    chunk.words[3] = 0b1001
    chunk.words[7] = -(2**63) | 0b1100
    mismatches = Mismatches()
    first = mismatches.add(chunk, 0b1100, words=2, pattern="own", sweep=4)
    assert str(first) == (
        "block 0, byte 0x18: 0000000000000009 instead of 000000000000000c, 2 bits wrong (mask 0000000000000005)"
    )
    evidence = mismatches.evidence()
    assert (evidence["wrong_bits"], evidence["set_to_cleared"], evidence["cleared_to_set"]) == (3, 1, 2)
    assert evidence["wrong_bits_by_place"] == {"0": 1, "2": 1, "63": 1}
    assert [word["byte"] for word in evidence["first_wrong"]] == [24, 56]


def test_words_that_are_right_when_read_again_are_told_apart() -> None:
    [chunk] = Memory(CPU, 1024, block_bytes=1024).chunks()
    chunk.words.zero_()
    mismatches = Mismatches()
    assert mismatches.add(chunk, 0, words=2, pattern="own", sweep=1) is None
    assert (mismatches.words, mismatches.gone, mismatches.analysed) == (2, 2, 0)


def test_a_dead_block_is_counted_in_full_and_listed_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "CPU_CHUNK_BYTES", 2**20)
    words = 2 * ANALYSED_AT_ONCE
    memory = Memory(CPU, 8 * words, block_bytes=2**20)
    [chunk] = memory.chunks()
    chunk.words.fill_(-1)
    mismatches = Mismatches()
    mismatches.add(chunk, 0, words=words, pattern="00", sweep=1)
    assert (mismatches.words, mismatches.analysed, len(mismatches.first)) == (words, ANALYSED_AT_ONCE, KEPT)
    assert (mismatches.by_bit == ANALYSED_AT_ONCE).all()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_bits_flipped_anywhere_are_found_exactly(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS))
    inverted = data.draw(st.booleans())
    swept = Swept()
    exhaust(swept.sweeps.write(pattern, inverted=inverted))
    masks = data.draw(st.dictionaries(st.integers(0, swept.memory.words - 1), st.integers(1, 2**64 - 1), max_size=5))
    for address, mask in masks.items():
        swept.memory.word(address).bitwise_xor_(mask - 2**64 if mask >= 2**63 else mask)
    assert exhaust(swept.sweeps.check(pattern, name="own", inverted=inverted)) == len(masks)
    assert {swept.memory.located(a): mask for a, mask in masks.items()} == {
        (word.block, word.byte // 8): word.mask for word in swept.mismatches.first
    }


@pytest.mark.parametrize("free_blocks", [0, 2])
def test_memory_takes_what_there_is(monkeypatch: pytest.MonkeyPatch, free_blocks: int) -> None:
    monkeypatch.setattr(blocks_module, "SMALLEST_BLOCK_BYTES", BLOCK_BYTES)
    real: Callable[..., torch.Tensor] = torch.empty
    left = [2 * BLOCK_BYTES * free_blocks + 1024]

    def limited(words: int, **others: object) -> torch.Tensor:
        left[0] -= 8 * words
        if left[0] < 0:
            left[0] += 8 * words
            raise RuntimeError("CUDA error: out of memory")
        return real(words, **others)

    monkeypatch.setattr(torch, "empty", limited)
    if free_blocks == 0:
        with pytest.raises(MemoryError):
            Memory(CPU, 20 * BLOCK_BYTES, block_bytes=2 * BLOCK_BYTES)
    else:
        memory = Memory(CPU, 20 * BLOCK_BYTES, block_bytes=2 * BLOCK_BYTES)
        assert memory.words * 8 == 2 * BLOCK_BYTES * free_blocks
