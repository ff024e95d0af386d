"""Believable figures of the training loads: a loss that falls, an accuracy that rises, a speed of the model."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import replace

from core.loads.load import StepReport
from core.loads.meter import Meter
from core.loads.selftest import BIT_FLIP, NAN
from core.loads.simulated.load import TICK_S, Believable, SimulatedLoad
from core.loads.simulated.rates import GPT_2_MEDIUM, LSTM, OWN, REPLAY_STEPS_PER_S, RESNET, SimulatedWork, steps_per_s
from core.loads.training.contract import (
    REPLAY_VOUCHES_FOR,
    VOUCHES_FOR,
    ReplayedTraining,
    ReplayEvidence,
    ReplayParams,
    TrainingEvidence,
    TrainingParams,
    default_precision,
    measured_speed,
)

LAST_LOSS, LOSS_FALLS_IN_S = 0.05, 30.0
AMPERE = (8, 0)
REPLAY_FLOP_PER_STEP = 1.6e12
REPLAY_TOKENS_PER_STEP = 4096


def trained(work: SimulatedWork, steps: float, peak_tflops: float | None) -> StepReport:
    """So many steps in a tenth of a second."""
    amount = round(steps * work.per_step)
    return StepReport(
        flop=steps * work.flop_per_step,
        busy_s=TICK_S,
        tokens=amount if work.unit == "tokens" else 0,
        images=amount if work.unit == "images" else 0,
        training_steps=steps,
        peak_tflops=peak_tflops,
    )


def training(work: SimulatedWork) -> Callable[[SimulatedLoad, TrainingParams], Believable]:
    """Counts steps as the real load does; nothing is trained."""

    def believe(load: SimulatedLoad, params: TrainingParams) -> Believable:
        precision = params.precision or default_precision(AMPERE)
        speed = steps_per_s(work, load.model, precision)
        meter, done = Meter(), 0.0
        left = 1.0
        """Of what the loss falls by."""

        def loss() -> float:
            return LAST_LOSS + (work.first_loss - LAST_LOSS) * left

        def step(elapsed: float) -> StepReport:
            nonlocal done, left
            steps = load.computed(speed, elapsed) * TICK_S
            meter.add(steps, TICK_S)
            done += steps
            left = math.exp(-5 * elapsed / min(LOSS_FALLS_IN_S, load.seconds))
            report = trained(work, steps, params.peak_tflops)
            return replace(report, loss=loss(), accuracy_pct=100 * (1 - left))

        def evidence() -> TrainingEvidence:
            return TrainingEvidence(
                network=work.network,
                shape={},
                parameters=None,
                precision=work.precision(precision),
                vouches_for=VOUCHES_FOR,
                steps=int(done),
                first_loss=work.first_loss,
                last_loss=loss(),
                accuracy_pct=round(100 * (1 - left), 2),
                starts=1,
                replays_identical=None,
                verification_pct=None,
                **measured_speed(meter, work, params.peak_tflops),
            )

        return Believable(step, evidence, (NAN,))

    return believe


resnet = training(RESNET)
lstm = training(LSTM)
transformer = training(GPT_2_MEDIUM)
own_module = training(OWN)


def replay(load: SimulatedLoad, params: ReplayParams) -> Believable:
    """As many runs as were asked for fit into any time: nothing is computed. "deviant" gives this card other hashes
    than its twins have."""
    chosen, title = params.precision or default_precision(AMPERE), load.model.title
    precision = chosen.computed(recurrent_in_fp16=chosen.half and params.network == "lstm")
    deviant = "deviant" if params.inject == "deviant" else ""
    done = 0

    def step(elapsed: float) -> StepReport:
        nonlocal done
        steps = round(load.computed(REPLAY_STEPS_PER_S, elapsed) * TICK_S)
        done += steps
        flop, tokens = steps * REPLAY_FLOP_PER_STEP, steps * REPLAY_TOKENS_PER_STEP
        return StepReport(flop=flop, busy_s=TICK_S, tokens=tokens, training_steps=steps)

    def hashed(what: str) -> str:
        words = f"{deviant}{title} {params.network} {precision} {params.seed} {params.steps} {what}"
        return hashlib.sha256(words.encode()).hexdigest()[:33]

    def evidence() -> ReplayEvidence:
        return ReplayEvidence(
            replay=ReplayedTraining(
                device=f"{title} (SIMULATED)",
                torch="SIMULATED",
                cuda=None,
                network=params.network,
                shape={},
                precision=precision,
                seed=params.seed,
                steps=params.steps,
                threads=None,
                loss_hash=hashed("losses"),
                weight_hash=hashed("weights"),
            ),
            network=params.network,
            precision=precision,
            vouches_for=REPLAY_VOUCHES_FOR,
            runs=params.runs,
            steps=done,
            states_compared=done // 10,
        )

    return Believable(step, evidence, (BIT_FLIP,))
