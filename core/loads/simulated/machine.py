"""The simulated loads on the machine and on functional units."""

from __future__ import annotations

from collections.abc import Iterator

from core.language import tr
from core.loads.load import Ending, StepReport
from core.loads.machine.evidence import MachineEvidence, ProcessorsEvidence
from core.loads.machine.params import MachineParams
from core.loads.selftest import BIT_FLIP, CORRUPTED_TRANSFER, SEEN, SHARED_ADDRESS, STUCK_ADDRESS
from core.loads.simulated.rates import PROCESSORS_TFLOPS, UNITS, SimulatedModel
from core.loads.simulated.series import Series
from core.loads.units.evidence import FunctionalUnitsEvidence, UnitEvidence
from core.loads.units.params import FunctionalUnitsParams

SELF_TEST = dict.fromkeys((BIT_FLIP, STUCK_ADDRESS, SHARED_ADDRESS, CORRUPTED_TRANSFER), SEEN)


class SimulatedMachine(Series):
    """Processors at an even pace; memory and disk are named only."""

    def __init__(self, params: MachineParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._chosen = params.chosen
        del model

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The throughput of the processors ten times a second."""
        return self._computing(seconds, lambda _: PROCESSORS_TFLOPS)

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        evidence = MachineEvidence(
            parts=tuple(self._chosen),
            not_run={},
            processors=ProcessorsEvidence(
                count=0, pinned=False, products=self._checks, hashed_bytes=0, tflops=PROCESSORS_TFLOPS
            ),
            wrong_by_processor={},
            memory=None,
            disk=None,
            self_test=SELF_TEST,
        )
        return self._ending(evidence)


ELEMENTS = 2**22
VIDEO = "video encoder and decoder"


class SimulatedFunctionalUnits(Series):
    """One unit after another; a simulated card has no video library."""

    def __init__(self, params: FunctionalUnitsParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._elements = params.elements or ELEMENTS
        self._gbps = model.memory_gbps

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The bandwidth of the unit whose turn it is."""
        shares = list(UNITS.values())

        def gbps(elapsed: float) -> float:
            turn = min(int(elapsed / seconds * len(shares)), len(shares) - 1)
            return self._gbps * shares[turn]

        return self._moving(seconds, gbps)

    def finish(self) -> Ending:
        """Failed only by injected faults, of which the first unit is said to have made them all."""
        first = next(iter(UNITS))
        evidence = FunctionalUnitsEvidence(
            units={
                **{name: self._entry(name, self._errors if name == first else 0) for name in UNITS},
                VIDEO: UnitEvidence(status="not_run", reason=tr("A simulated card has no video units.")),
            },
            elements=self._elements,
            self_test=dict.fromkeys((BIT_FLIP, CORRUPTED_TRANSFER), SEEN),
        )
        return self._ending(evidence)

    def _entry(self, name: str, errors: int) -> UnitEvidence:
        gbps = round(self._gbps * UNITS[name] * self._card, 3)
        checks = self._checks // len(UNITS)
        status, reason = ("failed", tr("SIMULATED: injected on purpose.")) if errors else ("passed", "")
        return UnitEvidence(status=status, reason=reason, checks=checks, errors=errors, bandwidth_gbps=gbps)
