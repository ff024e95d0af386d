"""Processors, memory and disk of the machine at once: the GPUs' neighbours, on the same PSU and in the same case."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

import psutil
import torch

from core.loads.findings import Drill, Findings, TriedFault
from core.loads.load import StepReport
from core.loads.machine.contract import MachineEvidence, MachineParams, MainMemoryEvidence, ProcessorsEvidence
from core.loads.machine.disk import PIECE_BYTES, Disk, difference, folder_on_disk
from core.loads.machine.processors import Crew, Golden, HostTask, Processor, right_digest, usable_numbers
from core.loads.memory.faults import InjectedFault, try_patterns
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.patterns import MIB, Memory
from core.loads.memory.sweeps import Sweeps
from core.loads.verified_load import DeviceLoad
from core.loads.words import LOW_BIT, flip_bit
from core.platform.errors import EnvironmentProblem
from core.words import joined, tr

PROCESSORS_PER_SWEEPER = 8
"""One thread alone does not fill the memory bus of a large processor."""
MOST_SWEEPERS = 8
SMALLEST_SHARE = 0.1
SILENCE_S = 0.2


class MachineLoad(DeviceLoad[MachineParams]):
    """The "machine" load, for the CPU's worker."""

    def __init__(self, params: MachineParams, device: torch.device) -> None:
        self._share = 1.0
        """Of the memory asked for; less after it did not suffice."""
        super().__init__(params, device)

    def _new_drill(self) -> Drill:
        params = self._params
        if params.inject != "memory":
            return super()._new_drill()
        return InjectedFault(params.inject, params.inject_at, params.seed)

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._golden = Golden.drawn(self._params.seed)
        self._findings = Findings()
        """Of what all processors are compared with."""
        self._processors: list[Processor] = []
        self._sweepers: list[Sweeper] = []
        self._disks: list[Disk] = []
        self._stuck: list[str] = []
        self._began = self._ended = time.monotonic()

    @property
    def _parts(self) -> list[HostTask]:
        return [*self._processors, *self._sweepers, *self._disks]

    def _smaller(self) -> bool:
        """Half the memory under patterns, down to a tenth."""
        self._share /= 2
        return self._share > SMALLEST_SHARE

    def _run(self) -> Iterator[StepReport]:
        """Everything at once."""
        threads = torch.get_num_threads()
        problem = self._golden.problem(self._params.seed)
        yield self._findings.checked(
            problem and tr("the reference product for all processors: {problem}", problem=problem)
        )
        self._make(threads)
        self._began = time.monotonic()
        torch.set_num_threads(1)
        crew, at_once = Crew(self._parts), max(len(self._processors), 1)
        try:
            while time.monotonic() < self._deadline or any(part.unread for part in self._disks):
                report = crew.next_report(SILENCE_S)
                if report is not None:
                    # Processors compute at the same time: their rates add up.
                    yield replace(report, busy_s=report.busy_s / at_once)
                elif not crew.at_work:
                    break
        finally:
            self._stuck = crew.stop()
            self._ended = time.monotonic()
            torch.set_num_threads(threads)
        for report in crew.unread():
            yield replace(report, busy_s=report.busy_s / at_once)

    def _unfinished(self) -> str | None:
        """It passes only when each part that could run was checked."""
        if not any(part.findings.checks for part in self._parts):
            return joined(self._not_run().values()) or tr("Ended before anything was checked.")
        unchecked = [part.name for part in self._parts if not part.missing and not part.findings.checks]
        return tr("Ended before {parts} could be checked.", parts=joined(unchecked, ", ")) if unchecked else None

    def _passed(self) -> str:
        return tr(
            "{checks} results of {parts} checked, none wrong.",
            checks=self._all_findings().checks,
            parts=joined((PART_WORDS[name] for name in self._ran()), ", "),
        )

    # -- making ---------------------------------------------------------------------------------------------------

    def _make(self, threads: int) -> None:
        """The parts asked for. The drill strikes in the first one of its kind."""
        params, numbers = self._params, usable_numbers(threads)
        if "processors" in params.chosen:
            self._processors = [
                Processor(number, self._golden, self._findings_of(place, "hash", "product"))
                for place, number in enumerate(numbers)
            ]
        if "memory" in params.chosen:
            self._sweepers = self._made_sweepers(len(numbers))
        if "disk" in params.chosen:
            limit = params.disk_written_gib * 2**30
            disk = Disk(
                folder_on_disk(params.folder),
                params.disk_mib * MIB,
                self._findings_of(0, "disk"),
                write_at_most=limit,
                seed=params.seed,
            )
            self._disks = [disk]

    def _made_sweepers(self, processors: int) -> list[Sweeper]:
        count = min(1 + processors // PROCESSORS_PER_SWEEPER, MOST_SWEEPERS)
        share = self._params.memory_share_pct / 100 * self._share
        each = max(int(psutil.virtual_memory().available * share) // count, MIB)
        seed = self._params.seed
        return [Sweeper(at, each, self._findings_of(at, "memory"), seed=seed + at) for at in range(count)]

    def _findings_of(self, place: int, *kinds: str) -> Findings:
        """Of the part at this place among those of its sort: the drill is its own or none."""
        return Findings(self._drill if place == 0 and self._params.inject in kinds else Drill())

    def _prepare(self) -> Iterator[StepReport]:
        """The self-test of each kind of check. Raises EnvironmentProblem on a GPU."""
        if self._device.type != "cpu":
            raise EnvironmentProblem(tr("Processors, memory and disk are put under load by the CPU, not by a GPU."))
        wrong = self._golden.product.clone()
        flip_bit(wrong, 17, LOW_BIT)
        self._self_test.note(TriedFault.BIT_FLIP, self._golden.differs(wrong), tr("products"))
        self._self_test.note(TriedFault.BIT_FLIP, not right_digest(b"A") and right_digest(), tr("hashes"))
        yield StepReport()
        yield from try_patterns(self._self_test, self._device, seed=self._params.seed)
        piece = bytearray(PIECE_BYTES)
        piece[PIECE_BYTES // 3] ^= 1
        seen = difference(bytes(piece), memoryview(bytes(PIECE_BYTES)), 0) is not None
        self._self_test.note(TriedFault.CORRUPTED_TRANSFER, seen, tr("disk reads"))

    # -- evidence -------------------------------------------------------------------------------------------------

    def _all_findings(self) -> Findings:
        """The first fault is one of the first part that has any."""
        every: list[Findings] = [self._findings, *(part.findings for part in self._parts)]
        first = next((findings.first_fault for findings in every if findings.first_fault), "")
        return Findings(
            checks=sum(findings.checks for findings in every),
            errors=sum(findings.errors for findings in every),
            first_fault=first,
        )

    def _ran(self) -> list[str]:
        made: dict[str, Sequence[HostTask]]
        made = {"processors": self._processors, "memory": self._sweepers, "disk": self._disks}
        return [name for name, parts in made.items() if any(part.findings.checks for part in parts)]

    def _not_run(self) -> dict[str, str]:
        return {part.name: part.missing for part in self._parts if part.missing}

    def _evidence(self) -> MachineEvidence:
        wrong = {str(part.number): part.findings.errors for part in self._processors if part.findings.errors}
        notes = [*self._not_run().values()]
        notes += [tr("Not ended in time: {parts}.", parts=joined(self._stuck, ", "))] if self._stuck else []
        return MachineEvidence(
            warnings=tuple(notes),
            parts=tuple(self._ran()),
            not_run=self._not_run(),
            processors=self._processors_evidence(),
            wrong_by_processor=wrong,
            memory=self._memory_evidence(),
            disk=self._disks[0].evidence() if self._disks else None,
        )

    def _processors_evidence(self) -> ProcessorsEvidence:
        seconds = self._ended - self._began
        products = sum(part.products for part in self._processors)
        hashed = sum(part.hashed_bytes for part in self._processors)
        return ProcessorsEvidence(
            count=len(self._processors),
            pinned=bool(self._processors) and all(part.pinned for part in self._processors),
            products=products,
            hashed_bytes=hashed,
            tflops=round(products * self._golden.flop / seconds / 1e12, 4) if seconds > 0 else None,
        )

    def _memory_evidence(self) -> MainMemoryEvidence:
        mismatches = Mismatches()
        for sweeper in self._sweepers:
            mismatches.join(sweeper.mismatches)
        return MainMemoryEvidence(
            tested_bytes=sum(sweeper.tested_bytes for sweeper in self._sweepers),
            moved_bytes=sum(sweeper.moved_bytes for sweeper in self._sweepers),
            passes=min((sweeper.passes for sweeper in self._sweepers), default=0),
            **mismatches.figures(),
        )


BLOCK_BYTES = 2**30
PART_WORDS = {"processors": tr("processors"), "memory": tr("memory"), "disk": tr("disk")}


class Sweeper(HostTask):
    """All patterns again and again in so many bytes."""

    def __init__(self, number: int, wanted_bytes: int, findings: Findings, *, seed: int) -> None:
        super().__init__(findings)
        self.name = tr("memory {number}", number=number)
        self.mismatches = Mismatches()
        self.tested_bytes = 0
        self.moved_bytes = 0
        self.passes = 0
        self._wanted_bytes = wanted_bytes
        self._seed = seed

    def turns(self) -> Generator[StepReport, None, None]:
        """One chunk a turn. Heartbeats tell the speed of products, so that what was moved is evidence only."""
        torch.set_num_threads(1)
        drill = self.findings.drill
        fault = drill if isinstance(drill, InjectedFault) else None
        memory = Memory(torch.device("cpu"), self._wanted_bytes, block_bytes=BLOCK_BYTES, fault=fault)
        self.tested_bytes = sum(block.nbytes for block in memory.blocks)
        sweeps = Sweeps(memory, self.findings, self.mismatches, seed=self._seed)
        while True:
            for _, steps in sweeps.pattern_steps(self.passes):
                for report in steps:
                    self.moved_bytes += report.moved_bytes
                    yield StepReport(checks=report.checks, faults=report.faults)
            self.passes += 1
