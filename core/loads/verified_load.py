"""The frame of every load: it is prepared, runs, is made smaller where memory is short, and is judged by its checks.

A load says only its kernel, its check, and what it tells of them. A fault that was ordered and never injected, or that
no check found, is NOT RUN here, whatever the load.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from core.loads.evidence import RunEvidence
from core.loads.findings import Drill, Findings, SelfTest, proven
from core.loads.load import Ending, LoadStatus, StepReport
from core.loads.params import LoadParams

if TYPE_CHECKING:
    import torch

Params = TypeVar("Params", bound=LoadParams)


class VerifiedLoad(ABC, Generic[Params]):
    """A load with its parameters. All that it counts is made in `_start_afresh`."""

    def __init__(self, params: Params) -> None:
        self._params = params
        self._seconds = self._began_s = 0.0
        """The time that it is given, and the moment (monotonic) from which that counts; 0 before."""
        self._start_afresh()

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Prepares and runs, unless the checks turn out to be blind."""
        self._seconds, self._began_s = seconds, time.monotonic()
        yield from self._prepare()
        if not self._self_test.blind:
            yield from self._run()

    def shrink(self) -> bool:
        """The next smaller load, which counts from the beginning; False where it is as small as is sensible."""
        if not self._smaller():
            return False
        self._start_afresh()
        return True

    def finish(self) -> Ending:
        """Failed where checks are blind or found something; not run while unfinished, or where the drill proves
        nothing; else passed."""
        findings = self._all_findings()
        evidence = replace(
            self._evidence(),
            seed=self._params.seed,
            checks=findings.checks,
            errors=findings.errors,
            self_test=self._self_test.evidence(),
            injected_on_purpose=self._drill.evidence(),
        )
        if blind := self._self_test.blind:
            return Ending(LoadStatus.FAILED, blind, evidence)
        if findings.errors:
            return Ending(LoadStatus.FAILED, self._wrong(findings), evidence)
        if unfinished := self._unfinished():
            return Ending(LoadStatus.NOT_RUN, unfinished, evidence)
        return proven(Ending(LoadStatus.PASSED, self._passed(), evidence))

    def _start_afresh(self) -> None:
        self._drill = self._new_drill()
        self._findings = Findings(self._drill)
        self._self_test = SelfTest()

    @property
    def _deadline(self) -> float:
        return self._began_s + self._seconds

    def _new_drill(self) -> Drill:
        return Drill(self._params.inject, self._params.inject_at)

    def _prepare(self) -> Iterator[StepReport]:
        """What comes before the run: the self-test above all."""
        return iter(())

    @abstractmethod
    def _run(self) -> Iterator[StepReport]:
        """Steps with checks until the deadline, at the least until there was one."""

    def _smaller(self) -> bool:
        """Chooses the next smaller size; False where there is none."""
        return False

    @abstractmethod
    def _evidence(self) -> RunEvidence:
        """The load's own figures."""

    def _all_findings(self) -> Findings:
        return self._findings

    def _wrong(self, findings: Findings) -> str:
        return findings.sentence

    @abstractmethod
    def _unfinished(self) -> str | None:
        """What is missing before it can pass, in a sentence."""

    @abstractmethod
    def _passed(self) -> str:
        """What a load that passed has done, in a sentence."""


class DeviceLoad(VerifiedLoad[Params]):
    """A load that computes on a device."""

    def __init__(self, params: Params, device: torch.device) -> None:
        self._device = device
        super().__init__(params)

    def shrink(self) -> bool:
        """What the larger load held is free before the smaller one begins."""
        from core.loads.device import give_back

        smaller = super().shrink()
        give_back(self._device)
        return smaller
