"""Patterns in nearly all of a device's memory: finds cells, address lines, buses and controllers that do not keep what
they were given."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch

from core.loads.checksum import WORD_BYTES
from core.loads.findings import Findings
from core.loads.load import Ending, StepReport
from core.loads.memory.blocks import MIB, Memory
from core.loads.memory.faults import InjectedFault
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.params import VramParams
from core.loads.memory.patterns import Random
from core.loads.memory.selftest import try_patterns
from core.loads.memory.sweeps import Sweeps
from core.loads.room import give_back, room_on
from core.loads.selftest import SelfTest

COVERAGE_ASKED_PCT = 85.0
KEPT_SHARE = 1 / 16
"""Of the tested memory: written once and read again and again, for a cell that loses what is never refreshed by a
write."""
SMALLEST_SHARE = 0.1


class VramLoad:
    """The "vram" load. Evidence: see `_evidence`."""

    def __init__(self, params: VramParams, device: torch.device) -> None:
        self._params = params
        self._device = device
        self._room = room_on(device)
        self._share = 1.0
        """Of what the parameters ask for; less after the memory did not suffice."""
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._fault = InjectedFault(self._params.inject, self._params.inject_at, self._params.seed)
        self._findings = Findings(injected=bool(self._params.inject))
        self._mismatches = Mismatches()
        self._self_test = SelfTest()
        self._patterns: dict[str, int] = {}
        self._passes = 0
        self._tested_bytes = 0
        self._blocks: list[int] = []
        self._faded_s = 0.0
        self._moved_bytes = 0
        self._busy_s = 0.0

    def shrink(self) -> bool:
        """Takes 5 per cent less, down to a tenth of what was asked for."""
        self._share *= 0.95
        give_back(self._device)
        self._room = room_on(self._device)
        if self._share < SMALLEST_SHARE:
            return False
        self._start_afresh()
        return True

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """All patterns at least once, then until `seconds` have passed or the passes asked for are done."""
        deadline = time.monotonic() + seconds - self._params.fade_s
        yield from try_patterns(self._self_test, self._device, seed=self._params.seed)
        if self._self_test.blind:
            return
        try:
            yield from self._counted(self._burn(deadline))
        finally:
            give_back(self._device)

    def finish(self) -> Ending:
        """Failed if a word was wrong; passed only after all patterns went through all of the memory."""
        unfinished = None if self._passes else "Ended before every pattern went through the memory."
        mib = self._tested_bytes // MIB
        done = f"{mib} MiB held every pattern in {self._passes} passes, no word was wrong."
        return self._findings.ending(self._evidence(), blind=self._self_test.blind, unfinished=unfinished, done=done)

    # -- sweeping -------------------------------------------------------------------------------------------------

    def _burn(self, deadline: float) -> Iterator[StepReport]:
        kept, memory = self._taken()
        once = Random(self._params.seed - 1)
        yield from kept.write(once)
        sweeps = Sweeps(memory, self._findings, self._mismatches, seed=self._params.seed)
        asked = self._params.passes
        while self._passes == 0 or (self._passes < asked if asked else time.monotonic() < deadline):
            for name, steps in sweeps.pattern_steps(self._passes):
                if asked is None and self._passes and time.monotonic() >= deadline:
                    break
                yield from steps
                yield from self._read_again(kept, once)
                self._patterns[name] = self._patterns.get(name, 0) + 1
            else:
                self._passes += 1
        if self._params.fade_s:
            yield from sweeps.fade(self._params.fade_s)
            self._faded_s = self._params.fade_s

    def _taken(self) -> tuple[Sweeps, Memory]:
        """The region that is written once, and all other memory."""
        params = self._params
        target = self._target_bytes()
        kept_bytes = max(int(target * KEPT_SHARE) // WORD_BYTES * WORD_BYTES, WORD_BYTES)
        block_bytes = params.block_mib * MIB
        kept = Memory(self._device, kept_bytes, block_bytes=block_bytes)
        memory = Memory(
            self._device,
            target - kept_bytes,
            block_bytes=block_bytes,
            first_block=len(kept.blocks),
            fault=self._fault,
        )
        self._blocks = [len(block) * WORD_BYTES for block in (*kept.blocks, *memory.blocks)]
        self._tested_bytes = sum(self._blocks)
        return Sweeps(kept, self._findings, self._mismatches, seed=params.seed), memory

    def _read_again(self, kept: Sweeps, once: Random) -> Iterator[StepReport]:
        """Reads what was written once. It is written anew after an error, so that none is counted twice."""
        errors_before = self._findings.errors
        yield from kept.check(once, name="written once")
        if self._findings.errors > errors_before:
            yield from kept.write(once)

    def _target_bytes(self) -> int:
        if self._device.type != "cuda":
            asked = min(self._params.host_mib * MIB, self._room.usable)
        else:
            asked = self._room.share(self._params.share_pct)
        return max(int(asked * self._share) // WORD_BYTES, 2) * WORD_BYTES

    def _counted(self, steps: Iterator[StepReport]) -> Iterator[StepReport]:
        for report in steps:
            self._moved_bytes += report.moved_bytes
            self._busy_s += report.busy_s
            yield report

    # -- evidence -------------------------------------------------------------------------------------------------

    def _evidence(self) -> dict[str, Any]:
        """`patterns` by name with how often each went through the memory; `coverage_pct` of all of the device's."""
        coverage_pct = 100 * self._tested_bytes / self._room.total
        gbps = self._moved_bytes / self._busy_s / 1e9 if self._busy_s > 0 else None
        return {
            "total_bytes": self._room.total,
            "tested_bytes": self._tested_bytes,
            "coverage_pct": round(coverage_pct, 2),
            "blocks": len(self._blocks),
            "largest_block_bytes": max(self._blocks, default=0),
            "passes": self._passes,
            "patterns": dict(self._patterns),
            "faded_s": self._faded_s,
            "checks": self._findings.checks,
            "errors": self._findings.errors,
            **self._mismatches.evidence(),
            "bandwidth_gbps": None if gbps is None else round(gbps, 3),
            "seed": self._params.seed,
            **self._self_test.evidence(),
            **self._warnings(coverage_pct),
            **self._fault.evidence(),
        }

    def _warnings(self, coverage_pct: float) -> dict[str, list[str]]:
        """A CPU's load tests a part of the host's memory on purpose."""
        if self._device.type != "cuda" or not self._blocks or coverage_pct >= COVERAGE_ASKED_PCT:
            return {}
        held = f"Only {coverage_pct:.0f} % of the memory could be tested; {COVERAGE_ASKED_PCT:.0f} % are asked for."
        return {"warnings": [f"{held} Close what else uses the GPU."]}
