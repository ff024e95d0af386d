"""The load on functional units: each one for its share of the time, each with an entry of its own in the evidence."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

from core.loads.device import give_back
from core.loads.findings import Drill
from core.loads.load import StepReport, alive_through
from core.loads.memory.patterns import MIB
from core.loads.units.computing import Atomics, OperationResult, SpecialFunctions, Unit
from core.loads.units.contract import FunctionalUnitsEvidence, FunctionalUnitsParams, UnitEvidence
from core.loads.units.copies import CopyEngines
from core.loads.units.video import Video
from core.loads.verified_load import DeviceLoad
from core.loads.words import flip_bit
from core.platform.errors import EnvironmentProblem
from core.words import joined, plain, tr

ELEMENTS = {"cpu": 2**17, "cuda": 2**22}
"""By device: enough to keep all of it busy, and few enough for the host to know the answers within a second."""
SMALLEST = 2**14
UNIT_WORDS = {
    "special functions": tr("special functions"),
    "atomics and shared memory": tr("atomics and shared memory"),
    "copy engines": tr("copy engines"),
    "video encoder and decoder": tr("video encoder and decoder"),
}
"""By name of the unit, under which it is recorded: within a sentence."""
UNITS_FIRST = {
    "special functions": tr("Special functions"),
    "atomics and shared memory": tr("Atomics and shared memory"),
    "copy engines": tr("Copy engines"),
    "video encoder and decoder": tr("Video encoder and decoder"),
}
"""At the beginning of one."""


@dataclass(slots=True)
class UnitEntry:
    """What came of one unit."""

    status: str = "not_run"
    reason: str = tr("Ended before its turn.")
    checks: int = 0
    errors: int = 0
    moved_bytes: int = 0
    busy_s: float = 0.0
    had_its_turn: bool = False

    def lacks(self, reason: str) -> None:
        """It cannot run on this device."""
        self.had_its_turn, self.reason = True, reason

    def add(self, outcome: OperationResult) -> None:
        """Takes in one operation."""
        self.had_its_turn = True
        self.checks += 1
        self.errors += outcome.problem is not None
        self.moved_bytes += outcome.moved_bytes
        self.busy_s += outcome.busy_s
        self.status = "failed" if self.errors else "passed"
        if outcome.problem is not None and self.errors == 1:
            self.reason = plain("{operation}: {problem}", operation=outcome.operation, problem=outcome.problem)

    def evidence(self) -> UnitEvidence:
        """For the record."""
        if self.status == "not_run":
            return UnitEvidence(status=self.status, reason=self.reason)
        reason = self.reason if self.errors else ""
        gbps = round(self.moved_bytes / self.busy_s / 1e9, 3) if self.busy_s > 0 else None
        return UnitEvidence(
            status=self.status, reason=reason, checks=self.checks, errors=self.errors, bandwidth_gbps=gbps
        )


@dataclass(slots=True)
class UnitDrill(Drill):
    """A fault on purpose: "bitflip" once in each unit, "repeatable" in the same place of every result.

    The bit is in the middle of a number: one that repeats must lie outside of what rounding allows to be seen at all.
    """

    results: int = 0
    armed: bool = field(default=True)

    def __call__(self, result: torch.Tensor) -> None:
        self.results += 1
        once = self.kind == "bitflip" and self.armed and self.results > self.at
        if once or self.kind == "repeatable":
            flip_bit(result, result.numel() // 3, 4 * result.element_size())
            self.armed = False
            self.strike(tr("element {element} of result {number}", element=result.numel() // 3, number=self.results))


class FunctionalUnitsLoad(DeviceLoad[FunctionalUnitsParams]):
    """The "functional_units" load."""

    _drill: UnitDrill

    def __init__(self, params: FunctionalUnitsParams, device: torch.device) -> None:
        self._elements = params.elements or ELEMENTS[device.type]
        self._copy_bytes = params.copy_mib * MIB
        super().__init__(params, device)

    def _new_drill(self) -> UnitDrill:
        return UnitDrill(self._params.inject, self._params.inject_at)

    def _start_afresh(self) -> None:
        super()._start_afresh()
        params, device = self._params, self._device
        self._units: tuple[Unit, ...] = (
            SpecialFunctions(device, elements=self._elements, seed=params.seed),
            Atomics(device, elements=self._elements, seed=params.seed),
            CopyEngines(device, self._copy_bytes, params.seed),
            Video(device, params.video_frames, params.seed),
        )
        self._entries = {unit.name: UnitEntry() for unit in self._units}

    def _smaller(self) -> bool:
        """Half of what each operation takes and each transfer carries."""
        if self._elements // 2 < SMALLEST:
            return False
        self._elements //= 2
        self._copy_bytes = max(self._copy_bytes // 2, MIB)
        return True

    def _run(self) -> Iterator[StepReport]:
        """Every unit that the device has, at least one round each; one that is lacking leaves its time to the rest."""
        waiting = [unit for unit in self._units if self._can_run(unit)]
        while waiting:
            unit = waiting.pop(0)
            left_s = max(self._deadline - time.monotonic(), 0.0)
            try:
                yield from self._burn(unit, time.monotonic() + left_s / (1 + len(waiting)))
            except EnvironmentProblem as problem:
                self._entries[unit.name].lacks(problem.sentence)
            if self._self_test.blind:
                return
        give_back(self._device)

    def _unfinished(self) -> str | None:
        waited = [UNIT_WORDS[name] for name, entry in self._entries.items() if not entry.had_its_turn]
        return tr("Ended before the turn of {units}.", units=joined(waited, ", ")) if waited else None

    def _passed(self) -> str:
        entries = self._entries.items()
        passed = [name for name, entry in entries if entry.status == "passed"]
        lacking = [
            plain("{unit}: {reason}", unit=UNIT_WORDS[name], reason=entry.reason)
            for name, entry in entries
            if entry.status == "not_run"
        ]
        units = joined((UNITS_FIRST[name] if name == passed[0] else UNIT_WORDS[name] for name in passed), ", ")
        done = tr("{units}: {checks} results checked, none wrong.", units=units, checks=self._findings.checks)
        return joined([done, tr("NOT RUN: {units}", units=joined(lacking))]) if lacking else done

    def _can_run(self, unit: Unit) -> bool:
        lack = unit.lacking()
        if lack is not None:
            self._entries[unit.name].lacks(lack)
        return lack is None

    def _burn(self, unit: Unit, deadline: float) -> Iterator[StepReport]:
        entry = self._entries[unit.name]
        self._drill.armed = True
        yield from alive_through(unit.prepare())
        yield from alive_through(unit.try_checks(self._self_test))
        if self._self_test.blind:
            return
        while not entry.checks or time.monotonic() < deadline:
            for outcome in unit.round(self._drill):
                entry.add(outcome)
                report = self._findings.checked(
                    outcome.problem
                    and plain("{operation}: {problem}", operation=outcome.operation, problem=outcome.problem)
                )
                yield StepReport(busy_s=outcome.busy_s, moved_bytes=outcome.moved_bytes, checks=1, faults=report.faults)

    def _evidence(self) -> FunctionalUnitsEvidence:
        units = {name: entry.evidence() for name, entry in self._entries.items()}
        return FunctionalUnitsEvidence(units=units, elements=self._elements)
