"""A part of the host's memory under patterns while the processors compute."""

from __future__ import annotations

from collections.abc import Generator

import torch

from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.machine.part import Part
from core.loads.memory.blocks import Memory
from core.loads.memory.faults import InjectedFault
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.sweeps import Sweeps

BLOCK_BYTES = 2**30


class Sweeper(Part):
    """All patterns again and again in so many bytes."""

    def __init__(self, number: int, wanted_bytes: int, findings: Findings, *, fault: InjectedFault, seed: int) -> None:
        super().__init__(findings)
        self.name = f"memory {number}"
        self.mismatches = Mismatches()
        self.tested_bytes = 0
        self.moved_bytes = 0
        self.passes = 0
        self._fault = fault
        self._wanted_bytes = wanted_bytes
        self._seed = seed

    def turns(self) -> Generator[StepReport, None, None]:
        """One chunk a turn. Heartbeats tell the speed of products, so that what was moved is evidence only."""
        torch.set_num_threads(1)
        memory = Memory(torch.device("cpu"), self._wanted_bytes, block_bytes=BLOCK_BYTES, fault=self._fault)
        self.tested_bytes = sum(block.nbytes for block in memory.blocks)
        sweeps = Sweeps(memory, self.findings, self.mismatches, seed=self._seed)
        while True:
            for _, steps in sweeps.pattern_steps(self.passes):
                for report in steps:
                    self.injected = self._fault.times
                    self.moved_bytes += report.moved_bytes
                    yield StepReport(checks=report.checks, faults=report.faults)
            self.passes += 1
