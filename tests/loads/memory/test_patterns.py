"""Patterns through memory: what a healthy memory holds, what a faulty one does not, and where that is."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.memory import mismatches as mismatches_module
from core.loads.memory import patterns
from core.loads.memory.contract import SHORT, TESTS
from core.loads.memory.faults import InjectedFault
from core.loads.memory.mismatches import ANALYSED_AT_ONCE, KEPT, Mismatches, Pass, in_words
from core.loads.memory.sweeps import Sweeps

CPU = torch.device("cpu")
BLOCK_BYTES = 4096
PATTERNS: tuple[patterns.Pattern, ...] = (
    *patterns.SOLIDS, patterns.Address(), patterns.Random(7), patterns.RandomOrder(7), patterns.Walking(0),
    patterns.Walking(13), patterns.Modulo20(3, -5), patterns.Striped(),
)  # fmt: skip


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "CPU_CHUNK_BYTES", 1024)


class Swept:
    """A small memory with what was found in it."""

    def __init__(self, target_bytes: int = 3 * BLOCK_BYTES + 808, fault: InjectedFault | None = None) -> None:
        self.memory = patterns.Memory(CPU, target_bytes, block_bytes=BLOCK_BYTES, fault=fault)
        self.findings, self.mismatches = Findings(), Mismatches()
        self.sweeps = Sweeps(self.memory, self.findings, self.mismatches, seed=3)

    def all_patterns(self, tests: Sequence[str] = SHORT) -> list[str]:
        """The names of the patterns that found something."""
        failed_patterns = []
        for name, steps in self.sweeps.pattern_steps(0, tests):
            before = self.findings.errors
            exhaust(steps)
            if self.findings.errors > before:
                failed_patterns.append(name)
        return failed_patterns


def own(word: int) -> Pass:
    return Pass(patterns.Solid("own", word), inverted=False, name="own", sweep=4)


def exhaust(steps: Iterator[StepReport]) -> int:
    """The number of wrong words that the steps told."""
    return sum(fault.count for report in steps for fault in report.faults)


def test_blocks_and_chunks_cover_all_memory_once_in_both_directions() -> None:
    memory = patterns.Memory(CPU, 3 * BLOCK_BYTES + 808, block_bytes=BLOCK_BYTES)
    assert [block.nbytes for block in memory.blocks] == [BLOCK_BYTES] * 3 + [808]
    up, down = list(memory.chunks()), list(memory.chunks(backwards=True))
    assert [chunk.address for chunk in up] == [chunk.address for chunk in reversed(down)]
    covered = np.concatenate([np.arange(chunk.address, chunk.address + len(chunk.words)) for chunk in up])
    assert (covered == np.arange(memory.words)).all()


@given(address=st.integers(0, 3 * BLOCK_BYTES // 8 + 100))
def test_every_address_is_a_word_of_its_own(address: int) -> None:
    memory = patterns.Memory(CPU, BLOCK_BYTES, 2 * BLOCK_BYTES + 808, block_bytes=BLOCK_BYTES)
    assert memory.regions == [range(1), range(1, 4)]
    for chunk in memory.chunks():
        torch.arange(chunk.address, chunk.address + len(chunk.words), out=chunk.words)
    block, offset = memory.located(address)
    assert int(memory.word(address)) == address
    assert int(memory.blocks[block][offset]) == address


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_what_a_pattern_writes_is_what_it_expects(pattern: patterns.Pattern, inverted: bool) -> None:
    memory = patterns.Memory(CPU, 2 * BLOCK_BYTES, block_bytes=BLOCK_BYTES)
    for chunk in memory.chunks():
        pattern.write(chunk, memory.scratch, inverted=inverted)
        assert int(pattern.wrong(chunk, memory.scratch, inverted=inverted)) == 0
        assert int(pattern.wrong(chunk, memory.scratch, inverted=not inverted)) == len(chunk.words)
        for part in chunk.parts(memory.scratch.count):
            expected = pattern.expected(part, memory.scratch, inverted=inverted)
            assert bool((part.words == expected).all())


def test_patterns_are_the_bytes_of_their_names() -> None:
    for solid in (patterns.ZEROS, patterns.ONES, patterns.EVEN, patterns.ODD):
        assert f"{solid.word % 2**64:016X}" == solid.name * 8


def test_random_words_set_half_of_all_bits_and_differ_from_place_to_place_and_pass_to_pass() -> None:
    chunk = patterns.Chunk(torch.empty(4096, dtype=torch.int64), 0, 0, 0)
    scratch = patterns.Scratch.taken(CPU, 4096)
    patterns.Random(1).write(chunk, scratch, inverted=False)
    ones = np.bitwise_count(chunk.words.numpy().view(np.uint64)).mean()
    assert ones == pytest.approx(32, abs=0.5)
    elsewhere = patterns.Chunk(chunk.words, 0, 0, 512)
    for seed, place in ((2, chunk), (1, elsewhere)):
        other = patterns.Random(seed).expected(place, scratch, inverted=False)
        assert int((other == chunk.words).sum()) == 0


def test_healthy_memory_holds_every_pattern() -> None:
    swept = Swept()
    assert swept.all_patterns(TESTS) == []
    assert exhaust(swept.sweeps.fade(0.05)) == 0
    assert swept.findings.checks > 100


@pytest.mark.parametrize("seed", range(6))
def test_a_bit_that_flips_once_is_one_wrong_word_at_its_place(seed: int) -> None:
    fault = InjectedFault("bitflip", at=seed, seed=seed)
    swept = Swept(fault=fault)
    assert len(swept.all_patterns()) == 1
    [wrong] = swept.mismatches.first
    assert (swept.findings.errors, swept.mismatches.words, wrong.bits) == (1, 1, 1)
    assert [{"block": wrong.block, "byte": wrong.byte}] == fault.places
    assert wrong.mask == f"{1 << (fault.bit or 0):016x}"
    assert list(np.flatnonzero(swept.mismatches.by_bit)) == [fault.bit]
    assert f"block {wrong.block}, byte 0x{wrong.byte:x}" in swept.findings.first_fault


def test_a_word_that_cannot_be_changed_is_found_by_every_pattern() -> None:
    fault = InjectedFault("stuck", at=0, seed=5)
    swept = Swept(fault=fault)
    assert len(swept.all_patterns(TESTS)) == 17
    [place] = fault.places
    assert all({"block": word.block, "byte": word.byte} == place for word in swept.mismatches.first)
    assert swept.findings.errors == swept.mismatches.words


@pytest.mark.parametrize("seed", range(6))
def test_two_addresses_of_one_cell_are_found_where_words_differ(seed: int) -> None:
    """Solid patterns cannot see it: that is what the address pattern is for."""
    failed_patterns = Swept(fault=InjectedFault("shared", at=0, seed=seed)).all_patterns()
    assert {"address", "address inverted", "random", "random inverted"} <= set(failed_patterns)
    assert not {"00", "FF", "AA", "55"} & set(failed_patterns)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("kind", ["bitflip", "stuck", "stuck_bit"])
def test_each_test_alone_finds_faulty_cells(test: str, kind: str) -> None:
    swept = Swept(fault=InjectedFault(kind, at=0, seed=11))
    assert swept.all_patterns([test])


@pytest.mark.parametrize(
    ("cell", "others", "needed"),
    [
        (10, range(11, 1200), "a write to a higher address clears it"),
        (1200, range(1200), "a write to a lower address clears it"),
    ],
)
def test_a_cell_disturbed_by_its_neighbours_is_found_from_either_side(cell: int, others: range, needed: str) -> None:
    class Disturbed:
        def after_write(self, memory: patterns.Memory, chunk: patterns.Chunk) -> None:
            if any(chunk.address <= other < chunk.address + len(chunk.words) for other in others):
                memory.word(cell).fill_(0)

    swept = Swept()
    swept.memory._fault = Disturbed()
    assert len(swept.all_patterns()) >= 3, needed


def test_bits_that_fade_are_found_and_their_direction_is_reported() -> None:
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
    memory = patterns.Memory(CPU, 1024, block_bytes=1024)
    [chunk] = memory.chunks()
    chunk.words.fill_(0b1100)
    chunk.words[3] = 0b1001
    chunk.words[7] = -(2**63) | 0b1100
    mismatches = Mismatches()
    first = mismatches.add(chunk, patterns.Scratch.taken(CPU, 128), own(0b1100), words=2)
    assert first is not None
    assert in_words(first) == (
        "block 0, byte 0x18: 0000000000000009 instead of 000000000000000c, 2 bits wrong (mask 0000000000000005)"
    )
    evidence = mismatches.figures()
    assert (evidence["wrong_bits"], evidence["set_to_cleared"], evidence["cleared_to_set"]) == (3, 1, 2)
    assert evidence["wrong_bits_by_place"] == {"0": 1, "2": 1, "63": 1}
    assert [word.byte for word in evidence["first_wrong"]] == [24, 56]


def test_words_that_are_right_when_read_again_are_told_apart() -> None:
    [chunk] = patterns.Memory(CPU, 1024, block_bytes=1024).chunks()
    chunk.words.zero_()
    mismatches = Mismatches()
    assert mismatches.add(chunk, patterns.Scratch.taken(CPU, 128), own(0), words=2) is None
    assert (mismatches.words, mismatches.gone, mismatches.analysed) == (2, 2, 0)


def test_a_dead_block_is_counted_in_full_and_listed_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "CPU_CHUNK_BYTES", 2**20)
    words = 2 * ANALYSED_AT_ONCE
    memory = patterns.Memory(CPU, 8 * words, block_bytes=2**20)
    [chunk] = memory.chunks()
    chunk.words.fill_(-1)
    mismatches = Mismatches()
    mismatches.add(chunk, memory.scratch, own(0), words=words)
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
        (word.block, word.byte // 8): int(word.mask, 16) for word in swept.mismatches.first
    }


@pytest.mark.parametrize("free_blocks", [0, 2])
def test_memory_takes_what_there_is(monkeypatch: pytest.MonkeyPatch, free_blocks: int) -> None:
    monkeypatch.setattr(patterns, "SMALLEST_BLOCK_BYTES", BLOCK_BYTES)
    real: Callable[..., torch.Tensor] = torch.empty
    left = [2 * BLOCK_BYTES * free_blocks + 8 * 144]

    def limited(words: int, **others: object) -> torch.Tensor:
        left[0] -= 8 * words
        if left[0] < 0:
            left[0] += 8 * words
            raise RuntimeError("CUDA error: out of memory")
        return real(words, **others)

    monkeypatch.setattr(torch, "empty", limited)
    if free_blocks == 0:
        with pytest.raises(MemoryError):
            patterns.Memory(CPU, 20 * BLOCK_BYTES, block_bytes=2 * BLOCK_BYTES)
    else:
        memory = patterns.Memory(CPU, 20 * BLOCK_BYTES, block_bytes=2 * BLOCK_BYTES)
        assert memory.words * 8 == 2 * BLOCK_BYTES * free_blocks


def test_parts_leave_room_for_their_masks_and_no_more() -> None:
    for words in (1, 64, 128, 1000, 2**20):
        scratch = patterns.Scratch.taken(CPU, words)
        assert scratch.count >= words
        assert len(scratch.mask) == scratch.count
        assert scratch.held.nbytes == scratch.count * 9
        again = patterns.Scratch(scratch.held)
        assert again.count == scratch.count
    assert patterns.scratch_bytes(torch.device("cuda", 0), 2**31) == patterns.GPU_CHUNK_BYTES // 16 * 9 // 8
    assert patterns.part_words(CPU, 2**30, 512) == 32


def test_the_scratch_and_a_block_change_places() -> None:
    memory = patterns.Memory(CPU, 8 * 144, 2 * BLOCK_BYTES, block_bytes=BLOCK_BYTES)
    assert len(memory.scratch.held) == len(memory.blocks[0]) == 144
    was_scratch, was_block = memory.scratch.held, memory.blocks[0]
    assert memory.swap_scratch(0) == 8 * 144
    assert memory.blocks[0] is was_scratch
    assert memory.scratch.held is was_block
    assert memory.swap_scratch(1) == 0, "of another size"
    findings = Findings()
    exhaust(Sweeps(memory, findings, Mismatches(), seed=1).check(patterns.Address(), name="own"))
    assert findings.errors > 0, "what it holds was not written yet"


def test_a_block_taken_anew_lies_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = patterns.Memory(CPU, 2 * BLOCK_BYTES, block_bytes=BLOCK_BYTES)
    before = memory.blocks[1].data_ptr()
    assert memory.renew(1) == BLOCK_BYTES
    assert memory.blocks[1].data_ptr() != before

    def full(like: torch.Tensor) -> torch.Tensor:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(torch, "empty_like", full)
    assert memory.renew(1) == 0


@given(count=st.integers(1, 10_000))
def test_random_order_reaches_each_place_once(count: int) -> None:
    stride = patterns.coprime_stride(count)
    assert len({place * stride % count for place in range(count)}) == count


def test_a_walking_bit_is_each_bit_of_each_word_once() -> None:
    chunk = patterns.Chunk(torch.empty(70, dtype=torch.int64), 0, 5, 5)
    scratch, seen = patterns.Scratch.taken(CPU, 128), [0] * 70
    for shift in range(64):
        patterns.Walking(shift).write(chunk, scratch, inverted=False)
        seen = [bits | word % 2**64 for bits, word in zip(seen, chunk.words.tolist(), strict=True)]
        assert all((word % 2**64).bit_count() == 1 for word in chunk.words.tolist())
    assert seen == [2**64 - 1] * 70


@given(first=st.integers(0, patterns.MODULUS - 1), offset=st.integers(0, 100), count=st.integers(1, 200))
def test_modulo_20_rewrites_all_but_every_20th_word(first: int, offset: int, count: int) -> None:
    chunk = patterns.Chunk(torch.empty(count, dtype=torch.int64), 0, offset, offset)
    patterns.Modulo20(first, 9).write(chunk, patterns.Scratch.taken(CPU, 128), inverted=False)
    assert chunk.words.tolist() == [9 if (offset + at) % patterns.MODULUS == first else ~9 for at in range(count)]


def test_a_row_disturbed_by_reads_of_the_rows_beside_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which a march test does not do: each word is read once there."""
    monkeypatch.setattr(patterns, "CPU_CHUNK_BYTES", 2**16)
    memory = patterns.Memory(CPU, 2**16, block_bytes=2**16)
    findings, mismatches = Findings(), Mismatches()
    sweeps = Sweeps(memory, findings, mismatches, seed=1)
    real, reads = torch.Tensor.sum, []

    def leaking(self: torch.Tensor, *args: object, **how: object) -> torch.Tensor:
        if self.dim() == 2 and self.shape[1] == patterns.ROW_WORDS:
            reads.append(1)
            if len(reads) == 5:
                memory.word(patterns.ROW_WORDS + 3).bitwise_xor_(1 << 9)
        return real(self, *args, **how)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(torch.Tensor, "sum", leaking)
    [(name, steps)] = sweeps.pattern_steps(0, ["row-hammer"])
    assert (name, exhaust(steps)) == ("row hammer", 1)
    assert mismatches.first[0].byte == 8 * (patterns.ROW_WORDS + 3)
    assert len(reads) > 5


@pytest.mark.parametrize("ahead", [0, 3])
@pytest.mark.parametrize("kind", ["bitflip", "stuck", "stuck_bit", "shared"])
def test_queued_ahead_as_much_is_found_and_nothing_is_overwritten_unseen(kind: str, ahead: int) -> None:
    """A wrong word that the next write covered before it was looked at would be gone when read again."""
    for seed in range(4):
        swept = Swept(fault=InjectedFault(kind, at=0, seed=seed))
        swept.sweeps._ahead = ahead
        assert swept.all_patterns()
        assert swept.mismatches.gone == 0
        assert swept.mismatches.words == swept.findings.errors


@pytest.mark.parametrize("backwards", [False, True])
def test_a_cell_disturbed_within_what_is_queued_is_found_by_a_march_either_way(backwards: bool) -> None:
    """Chunks beside each other are checked before either is written."""
    chunk_words = 128
    cell, other = (chunk_words + 5, 7) if backwards else (7, chunk_words + 5)

    class Coupled:
        def after_write(self, memory: patterns.Memory, chunk: patterns.Chunk) -> None:
            if chunk.address <= other < chunk.address + len(chunk.words):
                memory.word(cell).bitwise_xor_(1 << 9)

    swept = Swept()
    swept.memory._fault = Coupled()
    swept.sweeps._ahead = 3
    failed_patterns = swept.all_patterns(["moving-inversions"])
    assert len(failed_patterns) == 3


def test_a_dead_block_is_searched_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """The places of its wrong words would take as much memory as the block, and so much is not free."""
    monkeypatch.setattr(mismatches_module, "PIECE_WORDS", 16)
    real: Callable[[torch.Tensor], torch.Tensor] = torch.nonzero

    def small_only(words: torch.Tensor) -> torch.Tensor:
        if len(words) > 16:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return real(words)

    monkeypatch.setattr(torch, "nonzero", small_only)
    swept = Swept()
    exhaust(swept.sweeps.write(patterns.ONES))
    assert exhaust(swept.sweeps.check(patterns.ZEROS, name="own")) == swept.memory.words
    assert swept.mismatches.analysed == swept.memory.words
    assert swept.mismatches.first[0].byte == 0
