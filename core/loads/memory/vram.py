"""Patterns in nearly all of a device's memory: finds cells, address lines, buses and controllers that do not keep what
they were given."""

import time
from collections.abc import Iterator

import torch

from core.loads.device import give_back, room_on, taken_by
from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.memory.contract import SHORT, VramEvidence, VramParams
from core.loads.memory.faults import InjectedFault, try_patterns
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.patterns import MIB, ONES, ZEROS, Memory, Random, scratch_bytes
from core.loads.memory.sweeps import Sweeps
from core.loads.verified_load import DeviceLoad
from core.loads.words import WORD_BYTES
from core.words import joined, tr

KEPT_SHARE = 1 / 16
"""Of the tested memory: written once and read again and again, for a cell that loses what is never refreshed by a
write."""
LOOSE_SHARE = 1 / 16
"""Of the tested memory at most: what is taken anew between passes."""
SMALLEST_SHARE = 0.1
SLACK_BYTES = 32 * MIB
"""Left free on a GPU besides what was measured: kernels that only a fault needs, and what the driver rounds up."""
LESS_SHARE = 1 / 50
MEANS = tr("tested with every pattern; all of it held at the same time, or reallocated while the rest was held")
"""What coverage claims: which cells lie behind an address only the card's controller knows."""


class VramLoad(DeviceLoad[VramParams]):
    """The "vram" load."""

    _drill: InjectedFault

    def __init__(self, params: VramParams, device: torch.device) -> None:
        super().__init__(params, device)
        self._room = room_on(device)
        self._headroom_bytes = 0
        self._less_bytes = 0
        """Below what the parameters ask for, after the memory did not suffice."""

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._mismatches = Mismatches()
        self._patterns: dict[str, int] = {}
        self._done: list[str] = []
        """Tests that went through the memory at least once."""
        self._passes = 0
        self._tested_bytes = 0
        self._reached_bytes = 0
        self._moved_on: dict[int, int] = {}
        """Bytes that were reached beyond the first pass, by region."""
        self._blocks: list[int] = []
        self._faded_s = 0.0
        self._moved_bytes = 0
        self._busy_s = 0.0

    def _new_drill(self) -> InjectedFault:
        return InjectedFault(self._params.inject, self._params.inject_at, self._params.seed)

    def _smaller(self) -> bool:
        """2 per cent less, then 4, down to a tenth of what was asked for."""
        target_bytes = self._asked_bytes()
        self._less_bytes = max(2 * self._less_bytes, int(LESS_SHARE * target_bytes))
        return self._less_bytes <= (1 - SMALLEST_SHARE) * target_bytes

    def _prepare(self) -> Iterator[StepReport]:
        tests = tuple(dict.fromkeys((*SHORT, *self._params.tests)))  # the short list sees every kind of fault
        return try_patterns(self._self_test, self._device, seed=self._params.seed, tests=tests)

    def _run(self) -> Iterator[StepReport]:
        """All patterns at least once, then until the time is over or the passes asked for are done."""
        self._measure()
        try:
            yield from self._counted(self._burn(self._deadline - self._params.fade_s))
        finally:
            give_back(self._device)

    def _unfinished(self) -> str | None:
        return None if self._passes else tr("Ended before every pattern had been tested.")

    def _passed(self) -> str:
        mib = self._reached_bytes // MIB
        return tr("{mib} MiB held every pattern in {passes} passes; no word was wrong.", mib=mib, passes=self._passes)

    def _wrong(self, findings: Findings) -> str:
        return joined(filter(None, [findings.sentence, self._mismatches.sentence()]))

    # -- sweeping -------------------------------------------------------------------------------------------------

    def _burn(self, deadline: float) -> Iterator[StepReport]:
        memory = self._taken()
        retained = self._sweeps(memory, memory.regions[0])
        rest = self._sweeps(memory, range(memory.regions[1].start, len(memory.blocks)))
        once = Random(self._params.seed - 1)
        yield from retained.write(once)
        yield from self._first_pass(rest, retained, once, deadline)
        passes = self._params.passes
        while self._passes < passes if passes else time.monotonic() < deadline:
            self._move(memory)
            for test in self._params.tests:
                yield from self._test(test, rest, retained, once, None if passes else deadline)
            if passes is None and time.monotonic() >= deadline:
                break
            self._count_pass()
        yield from self._read_again(retained, once)
        if self._params.fade_s:
            yield from rest.fade(self._params.fade_s)
            self._faded_s = self._params.fade_s

    def _first_pass(self, rest: Sweeps, retained: Sweeps, once: Random, deadline: float) -> Iterator[StepReport]:
        """The short list whatever the time, the other tests as far as it goes. What is kept has its turn at the end."""
        for test in self._params.tests:
            hurried = test not in SHORT and self._params.passes is None
            yield from self._test(test, rest, retained, once, deadline if hurried else None)
        for _, steps in retained.pattern_steps(0, self._done):
            yield from steps
        yield from retained.write(once)
        self._count_pass()

    def _test(
        self, test: str, rest: Sweeps, retained: Sweeps, once: Random, until: float | None
    ) -> Iterator[StepReport]:
        """One test by name; given up when the time is over."""
        for name, steps in rest.pattern_steps(self._passes, (test,)):
            for report in steps:
                yield report
                if until is not None and time.monotonic() >= until:
                    return
            yield from self._read_again(retained, once)
            self._patterns[name] = self._patterns.get(name, 0) + 1
        if test not in self._done:
            self._done.append(test)

    def _count_pass(self) -> None:
        self._passes += 1
        self._reached_bytes = self._tested_bytes + sum(self._moved_on.values())

    def _move(self, memory: Memory) -> None:
        """What the last pass could not test takes the place of what it did: the scratch, and what is left free.

        Only the first time it is sure to be other memory than any before.
        """
        _, scratch, loose, _ = memory.regions
        for number in scratch:
            self._moved_on.setdefault(1, memory.swap_scratch(number))
        for number in loose:
            self._moved_on.setdefault(2, memory.renew(number))

    def _taken(self) -> Memory:
        """Regions: what is written once; as much as the scratch, to change places with it; what is taken anew between
        passes; all other memory."""
        target = max((self._asked_bytes() - self._less_bytes) // WORD_BYTES, 2) * WORD_BYTES
        block_bytes = self._params.block_mib * MIB
        swapped = scratch_bytes(self._device, block_bytes)
        loose = min(max(self._headroom_bytes, SLACK_BYTES) - SLACK_BYTES // 2, int(target * LOOSE_SHARE))
        sizes = [int(target * KEPT_SHARE), swapped if swapped < target // 2 else 0, loose]
        sizes = [size // WORD_BYTES * WORD_BYTES for size in sizes]
        memory = Memory(self._device, *sizes, target - sum(sizes), block_bytes=block_bytes, fault=self._drill)
        self._blocks = [len(block) * WORD_BYTES for block in memory.blocks]
        self._tested_bytes = sum(self._blocks)
        return memory

    def _sweeps(self, memory: Memory, region: range) -> Sweeps:
        return Sweeps(memory, self._findings, self._mismatches, seed=self._params.seed, region=region)

    def _read_again(self, retained: Sweeps, once: Random) -> Iterator[StepReport]:
        """Reads what was written once. It is written anew after an error, so that none is counted twice."""
        errors_before = self._findings.errors
        yield from retained.check(once, name="written once")
        if self._findings.errors > errors_before:
            yield from retained.write(once)

    # -- sizes ----------------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        """What a GPU must keep free is what the checks were seen to take when every word is wrong."""
        if self._device.type != "cuda":
            return
        self._headroom_bytes = self._seen_taken() + SLACK_BYTES
        give_back(self._device)
        self._room = room_on(self._device, headroom_bytes=self._headroom_bytes + self._params.keep_mib * MIB)

    def _seen_taken(self) -> int:
        block_bytes = self._params.block_mib * MIB
        tried = min(block_bytes, room_on(self._device, headroom_bytes=0).usable // 2)
        memory = Memory(self._device, tried, block_bytes=block_bytes)
        sweeps = Sweeps(memory, Findings(), Mismatches(), seed=self._params.seed)
        return taken_by(lambda: [*sweeps.write(ONES), *sweeps.check(ZEROS, name="trial")], self._device)

    def _asked_bytes(self) -> int:
        if self._device.type != "cuda":
            return min(self._params.host_mib * MIB, self._room.usable)
        scratch = scratch_bytes(self._device, self._params.block_mib * MIB)
        return max(self._room.share(self._params.share_pct) - scratch, 0)

    def _counted(self, steps: Iterator[StepReport]) -> Iterator[StepReport]:
        for report in steps:
            self._moved_bytes += report.moved_bytes
            self._busy_s += report.busy_s
            yield report

    # -- evidence -------------------------------------------------------------------------------------------------

    def _evidence(self) -> VramEvidence:
        free = max((self._room.free or self._room.usable) - self._params.keep_mib * MIB, 1)
        gbps = self._moved_bytes / self._busy_s / 1e9 if self._busy_s > 0 else None
        return VramEvidence(
            total_bytes=self._room.total,
            free_bytes=free,
            headroom_bytes=self._headroom_bytes,
            tested_bytes=self._tested_bytes,
            reached_bytes=self._reached_bytes,
            coverage_pct=round(100 * self._reached_bytes / self._room.total, 2),
            coverage_of_free_pct=round(100 * self._reached_bytes / free, 2),
            coverage_means=MEANS,
            blocks=len(self._blocks),
            largest_block_bytes=max(self._blocks, default=0),
            passes=self._passes,
            patterns=dict(self._patterns),
            left_out=tuple(test for test in self._params.tests if test not in self._done),
            faded_s=self._faded_s,
            bandwidth_gbps=None if gbps is None else round(gbps, 3),
            **self._mismatches.figures(),
        )
