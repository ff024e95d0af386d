"""The self-tests of the checks on memory and transfers: a small memory swept with all patterns, and small transfers to
the device and back, each with a fault made on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from core.language import tr
from core.loads.checksum import WORD_BYTES
from core.loads.drill import Drill
from core.loads.findings import Findings
from core.loads.load import StepReport, alive_through
from core.loads.memory.blocks import MIB, Memory
from core.loads.memory.faults import InjectedFault
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.params import SHORT
from core.loads.memory.sweeps import Sweeps
from core.loads.memory.transfers import WAYS, Transfers
from core.loads.selftest import BIT_FLIP, CORRUPTED_TRANSFER, SHARED_ADDRESS, STUCK_ADDRESS, STUCK_BIT, SelfTest

KINDS = {"bitflip": BIT_FLIP, "stuck": STUCK_ADDRESS, "stuck_bit": STUCK_BIT, "shared": SHARED_ADDRESS}
BLOCK_BYTES = MIB // 4
BLOCKS = 2


def try_patterns(
    self_test: SelfTest, device: torch.device, *, seed: int, tests: Sequence[str] = SHORT
) -> Iterator[StepReport]:
    """Sweeps one small memory with each kind of fault. The steps report no faults: these are not the device's."""
    for kind, name in KINDS.items():
        fault = InjectedFault(kind, at=0, seed=seed)
        memory = Memory(device, BLOCKS * BLOCK_BYTES, block_bytes=BLOCK_BYTES, fault=fault)
        findings, mismatches = Findings(fault), Mismatches()
        for _, steps in Sweeps(memory, findings, mismatches, seed=seed).pattern_steps(0, tests):
            for _ in steps:
                yield StepReport()
        self_test.note(name, _told(memory, fault, mismatches), tr("memory patterns"))


def try_transfers(self_test: SelfTest, device: torch.device, *, seed: int) -> Iterator[StepReport]:
    """Two transfers each way, of which the second is spoilt where it arrives."""
    for direction in WAYS:
        transfers = Transfers(device, BLOCK_BYTES // WORD_BYTES, seed, Drill("corrupt", 1))
        yield from alive_through(transfers.prepare())
        _, right = yield from transfers.go(direction)
        _, wrong = yield from transfers.go(direction)
        seen = wrong is not None and right is None
        self_test.note(CORRUPTED_TRANSFER, seen, tr("transfers {direction}", direction=direction.label))


def _told(memory: Memory, fault: InjectedFault, mismatches: Mismatches) -> bool:
    """Whether the fault was found where it is."""
    found = {(word.block, word.byte // WORD_BYTES) for word in mismatches.first}
    injected = {memory.located(place) for place in (fault.address, fault.other) if place is not None}
    return bool(found & injected)
