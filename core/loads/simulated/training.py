"""The simulated training loads: a loss that falls, an accuracy that rises, a believable speed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator

from core.loads.load import Ending, StepReport
from core.loads.meter import Meter
from core.loads.selftest import BIT_FLIP, NAN, SEEN
from core.loads.simulated.rates import (
    GPT_2_MEDIUM,
    LSTM,
    OWN,
    REPLAY_STEPS_PER_S,
    RESNET,
    SimulatedModel,
    SimulatedWork,
    steps_per_s,
)
from core.loads.simulated.series import CHECKS_PER_TICK, TICK_S, Series
from core.loads.training.evidence import ReplayedTraining, ReplayEvidence, TrainingEvidence, measured_speed
from core.loads.training.params import (
    REPLAY_VOUCHES_FOR,
    VOUCHES_FOR,
    LstmParams,
    OwnModuleParams,
    Precision,
    ReplayParams,
    ResnetParams,
    TrainingParams,
    TransformerParams,
    default_precision,
)

LAST_LOSS, LOSS_FALLS_IN_S = 0.05, 30.0
AMPERE = (8, 0)


class SimulatedTraining(Series):
    """Counts steps as the real load does; nothing is trained."""

    def __init__(self, params: TrainingParams, model: SimulatedModel, *, device_id: str, work: SimulatedWork) -> None:
        super().__init__(params, device_id)
        self._work = work
        self._peak_tflops = params.peak_tflops
        self._precision = params.precision or default_precision(AMPERE)
        self._steps_per_s = steps_per_s(work, model, self._precision)
        self._meter = Meter()
        self._steps = 0.0
        self._loss = work.first_loss
        self._accuracy_pct = 0.0

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Speed, loss and accuracy ten times a second."""
        for elapsed, faults in self._ticks(seconds):
            steps = self._computed(self._steps_per_s, elapsed) * TICK_S
            self._meter.add(steps, TICK_S)
            self._steps += steps
            left = math.exp(-5 * elapsed / min(LOSS_FALLS_IN_S, seconds))
            self._loss = LAST_LOSS + (self._work.first_loss - LAST_LOSS) * left
            self._accuracy_pct = 100 * (1 - left)
            amount = round(steps * self._work.per_step)
            yield StepReport(
                flop=steps * self._work.flop_per_step,
                busy_s=TICK_S,
                checks=CHECKS_PER_TICK,
                faults=faults,
                tokens=amount if self._work.unit == "tokens" else 0,
                images=amount if self._work.unit == "images" else 0,
                training_steps=steps,
                loss=self._loss,
                accuracy_pct=self._accuracy_pct,
                peak_tflops=self._peak_tflops,
            )

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        return self._ending(
            TrainingEvidence(
                self_test={NAN: SEEN},
                network=self._work.network,
                shape={},
                parameters=None,
                precision=self._work.precision(self._precision),
                vouches_for=VOUCHES_FOR,
                steps=int(self._steps),
                first_loss=self._work.first_loss,
                last_loss=self._loss,
                accuracy_pct=round(self._accuracy_pct, 2),
                starts=1,
                replays_identical=None,
                verification_pct=None,
                **measured_speed(self._meter, self._work, self._peak_tflops),
            )
        )


class SimulatedResnet(SimulatedTraining):
    """ResNet-50."""

    def __init__(self, params: ResnetParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, model, device_id=device_id, work=RESNET)


class SimulatedLstm(SimulatedTraining):
    """The LSTM."""

    def __init__(self, params: LstmParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, model, device_id=device_id, work=LSTM)


class SimulatedTransformer(SimulatedTraining):
    """GPT-2 medium."""

    def __init__(self, params: TransformerParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, model, device_id=device_id, work=GPT_2_MEDIUM)


class SimulatedOwnModule(SimulatedTraining):
    """A stand-in for the user's own network."""

    def __init__(self, params: OwnModuleParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, model, device_id=device_id, work=OWN)


FLOP_PER_STEP = 1.6e12
TOKENS_PER_STEP = 4096


class SimulatedReplay(Series):
    """Runs of so many steps, one after another. "deviant" gives this card other hashes than its twins have."""

    def __init__(self, params: ReplayParams, model: SimulatedModel, *, device_id: str) -> None:
        super().__init__(params, device_id)
        self._asked = params
        self._model = model
        self._precision: Precision = params.precision or default_precision(AMPERE)
        self._steps = 0

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """As many runs as were asked for fit into any time: nothing is computed."""
        for elapsed, faults in self._ticks(seconds):
            steps = round(self._computed(REPLAY_STEPS_PER_S, elapsed) * TICK_S)
            self._steps += steps
            yield StepReport(
                flop=steps * FLOP_PER_STEP,
                busy_s=TICK_S,
                checks=CHECKS_PER_TICK,
                faults=faults,
                tokens=steps * TOKENS_PER_STEP,
                training_steps=steps,
            )

    def finish(self) -> Ending:
        """Failed only by injected faults."""
        asked = self._asked
        precision = self._precision.computed(recurrent_in_fp16=self._precision.half and asked.network == "lstm")
        deviant = "deviant" if asked.inject == "deviant" else ""
        told = f"{deviant}{self._model.title} {asked.network} {precision} {asked.seed} {asked.steps}"
        losses, weights = (hashlib.sha256(f"{told} {what}".encode()).hexdigest()[:33] for what in ("losses", "weights"))
        replay = ReplayedTraining(
            device=f"{self._model.title} (SIMULATED)",
            torch="SIMULATED",
            cuda=None,
            network=asked.network,
            shape={},
            precision=precision,
            seed=asked.seed,
            steps=asked.steps,
            threads=None,
            loss_hash=losses,
            weight_hash=weights,
        )
        return self._ending(
            ReplayEvidence(
                self_test={BIT_FLIP: SEEN},
                replay=replay,
                network=asked.network,
                precision=precision,
                vouches_for=REPLAY_VOUCHES_FOR,
                runs=asked.runs,
                steps=self._steps,
                states_compared=self._steps // 10,
            )
        )
