"""Faults of memory made on purpose, at an address that the seed chooses, and the self-test of the checks on memory by
them: a small memory swept with all patterns."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch

from core.loads.evidence import Injected
from core.loads.findings import Drill, Findings, SelfTest, TriedFault
from core.loads.load import StepReport
from core.loads.memory.contract import SHORT
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.patterns import MIB, Chunk, Memory
from core.loads.memory.sweeps import Sweeps
from core.loads.words import WORD_BYTES, signed
from core.words import tr


@dataclass(slots=True)
class InjectedFault(Drill):
    """From sweep `at` on. "bitflip", in the machine's memory "memory": one bit, once. "stuck": a word that cannot be
    changed. "stuck_bit": a bit that cannot be cleared. "shared": two addresses of one cell, where the last write to
    either counts."""

    seed: int = 0
    address: int | None = None
    other: int | None = None
    bit: int | None = None
    places: list[dict[str, int]] = field(default_factory=list)
    """Block and byte, as mismatches are told."""
    _stuck_word: int | None = None

    def after_write(self, memory: Memory, chunk: Chunk) -> None:
        """Changes what was written, if the place of the fault is in the chunk."""
        if not self.kind:
            return
        if self.address is None:
            self._choose(memory)
        assert self.address is not None
        if memory.sweeps <= self.at or not self._touches(chunk):
            return
        match self.kind:
            case "bitflip" | "memory" if self.times == 0:
                memory.word(self.address).bitwise_xor_(self._mask)
                self._struck()
            case "stuck":
                assert self._stuck_word is not None
                memory.word(self.address).fill_(self._stuck_word)
                self._struck()
            case "stuck_bit":
                memory.word(self.address).bitwise_or_(self._mask)
                self._struck()
            case "shared":
                self._share(memory, chunk)

    def evidence(self) -> Injected | None:
        """What was injected and where, for the record; None if nothing was asked for."""
        # Without zero arguments: a dataclass with slots is another class than the one that was written.
        injected = Drill.evidence(self)
        return injected and replace(injected, places=tuple(self.places))

    def _choose(self, memory: Memory) -> None:
        choose = random.Random(self.seed)
        self.address = choose.randrange(memory.words)
        # It differs from the first one in one line, as if that line were stuck.
        others = [self.address ^ (1 << line) for line in range(memory.words.bit_length())]
        self.other = choose.choice([other for other in others if other < memory.words] or [self.address])
        self.bit = choose.randrange(64)
        self._stuck_word = choose.randrange(-(2**63), 2**63)
        for address in (self.address, self.other) if self.kind == "shared" else (self.address,):
            block, offset = memory.located(address)
            self.places.append({"block": block, "byte": offset * WORD_BYTES})

    def _touches(self, chunk: Chunk) -> bool:
        places = (self.address, self.other) if self.kind == "shared" else (self.address,)
        return any(place is not None and chunk.address <= place < chunk.address + len(chunk.words) for place in places)

    @property
    def _mask(self) -> int:
        assert self.bit is not None
        return signed(1 << self.bit)

    def _share(self, memory: Memory, chunk: Chunk) -> None:
        assert self.address is not None
        assert self.other is not None
        first, second = sorted((self.address, self.other))
        inside = [place for place in (first, second) if chunk.address <= place < chunk.address + len(chunk.words)]
        written = memory.word(inside[-1])
        memory.word(first if inside[-1] == second else second).copy_(written)
        self._struck()

    def _struck(self) -> None:
        place = self.places[0]
        self.strike(tr("byte {byte} of block {block}", byte=place["byte"], block=place["block"]))


KINDS = {
    "bitflip": TriedFault.BIT_FLIP,
    "stuck": TriedFault.STUCK_ADDRESS,
    "stuck_bit": TriedFault.STUCK_BIT,
    "shared": TriedFault.SHARED_ADDRESS,
}
BLOCK_BYTES = MIB // 4
BLOCKS = 2


def try_patterns(
    self_test: SelfTest, device: torch.device, *, seed: int, tests: Sequence[str] = SHORT
) -> Iterator[StepReport]:
    """Sweeps one small memory with each kind of fault. The steps report no faults: these are not the device's."""
    for kind, tried in KINDS.items():
        fault = InjectedFault(kind, at=0, seed=seed)
        memory = Memory(device, BLOCKS * BLOCK_BYTES, block_bytes=BLOCK_BYTES, fault=fault)
        findings, mismatches = Findings(fault), Mismatches()
        for _, steps in Sweeps(memory, findings, mismatches, seed=seed).pattern_steps(0, tests):
            for _ in steps:
                yield StepReport()
        self_test.note(tried, _found_in_place(fault, mismatches), tr("memory patterns"))


def _found_in_place(fault: InjectedFault, mismatches: Mismatches) -> bool:
    """Whether the fault was found where it is."""
    return any({"block": word.block, "byte": word.byte} in fault.places for word in mismatches.first)
