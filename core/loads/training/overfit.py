"""Training on one fixed batch: real kernels, no data to load, a loss that must fall.

Training starts over from the same weights every 500 steps, for a loss near zero makes Adam erratic; each start must
then give the same losses again, which is recorded as `replays_identical`. A difference is judged (as a warning) only
on a CPU: some CUDA kernels of the backward pass add in no fixed order. The replay load judges it on GPUs as well.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import replace

import torch

from core.language import tr
from core.loads.drill import Drill, proven
from core.loads.findings import as_sentence
from core.loads.load import Ending, Fault, FaultKind, LoadStatus, StepReport
from core.loads.room import give_back
from core.loads.selftest import SelfTest
from core.loads.training.curve import ENOUGH_STEPS, Curve
from core.loads.training.evidence import TrainingEvidence, measured_speed
from core.loads.training.params import VOUCHES_FOR, LstmParams, ResnetParams, TrainingParams, TransformerParams
from core.loads.training.precision import arithmetic, chosen_precision
from core.loads.training.selftest import try_curve
from core.loads.training.sizes import gpt_task, lstm_task, resnet_task
from core.loads.training.task import TrainingTask
from core.loads.training.trainer import Trainer, prepared
from core.loads.training.training_loop import StepBatch, TrainingLoop


class OverfitLoad:
    """Trains a task's network on its fixed batch."""

    def __init__(self, name: str, params: TrainingParams, device: torch.device, task: TrainingTask) -> None:
        self._name = name
        self._params = params
        self._device = device
        self._task = task
        self._precision = chosen_precision(params.precision, device)
        self._start_afresh()

    def _start_afresh(self) -> None:
        drill = Drill(self._params.inject, self._params.inject_at)
        self._loop = TrainingLoop(drill=drill, peak_tflops=self._params.peak_tflops)
        self._curve = Curve()
        self._parameters = 0
        self._computed_in = str(self._precision)
        self._checks = 0
        self._self_test = SelfTest()
        try_curve(self._self_test)

    def shrink(self) -> bool:
        """Halves the batch."""
        smaller = self._task.smaller()
        if smaller is None:
            return False
        self._task = smaller
        self._start_afresh()
        give_back(self._device)
        return True

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Trains for the time given, at least one step, from the first weights again and again."""
        deadline = time.monotonic() + seconds
        with arithmetic(self._precision, repeatable=False):
            trainer = yield from self._prepared()
            self._parameters = trainer.parameters
            self._computed_in = trainer.precision
            yield from self._loop.run(
                trainer,
                lambda: not self._checks or time.monotonic() < deadline,
                lambda batch: self._read(trainer, batch),
            )

    def finish(self) -> Ending:
        """Failed if the loss did not fall; not run if there were too few steps to tell."""
        curve = self._curve
        evidence = self._evidence()
        if self._self_test.blind:
            return Ending(LoadStatus.FAILED, self._self_test.blind, evidence)
        if curve.first_loss is None or curve.last_loss is None:
            steps = self._loop.steps
            reason = tr(
                "Only {steps} training steps were run; {enough} are needed to see the loss fall.",
                steps=steps,
                enough=ENOUGH_STEPS,
            )
            return Ending(LoadStatus.NOT_RUN, reason, evidence)
        if not curve.fell_always:
            return Ending(LoadStatus.FAILED, tr("The loss did not fall: {curve}.", curve=str(curve)), evidence)
        return proven(Ending(LoadStatus.PASSED, tr("The loss fell: {curve}.", curve=str(curve)), evidence))

    def _prepared(self) -> Generator[StepReport, None, Trainer]:
        """The trainer, made with signs of life."""
        return prepared(self._task, self._device, seed=self._params.seed, precision=self._precision)

    def _read(self, trainer: Trainer, batch: StepBatch) -> StepReport:
        """What is wrong with the losses; after a fault training starts over."""
        self._checks += 1
        curve, problem = self._curve, batch.problem
        fault = Fault(FaultKind.MISMATCH, problem) if problem else curve.take(batch.first, batch.losses)
        if fault is None:
            return StepReport(checks=1)
        if not problem:
            self._loop.start_over(trainer)
        self._loop.drill.found(fault.message)
        message = as_sentence(fault.message, injected=bool(self._loop.drill.times))
        fault = replace(fault, message=message)
        return StepReport(checks=1, faults=(fault,))

    # -- evidence -------------------------------------------------------------------------------------------------

    def _evidence(self) -> TrainingEvidence:
        curve, loop = self._curve, self._loop
        differing = curve.differing_replays > 0 and self._device.type == "cpu"
        warning = tr(
            "Training gave different losses in {differing} of {repetitions} repetitions.",
            differing=curve.differing_replays,
            repetitions=curve.starts - 1,
        )
        accuracy_pct = loop.accuracy_pct
        return TrainingEvidence(
            seed=self._params.seed,
            checks=self._checks,
            self_test=self._self_test.evidence(),
            injected_on_purpose=loop.drill.evidence(),
            warnings=(warning,) if differing else (),
            network=self._name,
            shape=self._task.described(),
            parameters=self._parameters,
            precision=self._computed_in,
            vouches_for=VOUCHES_FOR,
            steps=loop.steps,
            first_loss=curve.first_loss,
            last_loss=curve.last_loss,
            accuracy_pct=None if accuracy_pct is None else round(accuracy_pct, 2),
            starts=curve.starts,
            replays_identical=curve.replays_identical,
            verification_pct=loop.verification_pct,
            **measured_speed(loop.meter, self._task, self._params.peak_tflops),
        )


class ResnetLoad(OverfitLoad):
    """ResNet-50: convolutions and the memory between them. Raises BadInput, or EnvironmentProblem for a precision."""

    def __init__(self, params: ResnetParams, device: torch.device) -> None:
        task = resnet_task(params, device, chosen_precision(params.precision, device))
        super().__init__("resnet", params, device, task)


class LstmLoad(OverfitLoad):
    """A deep LSTM: small products one after another. Raises EnvironmentProblem for a precision."""

    def __init__(self, params: LstmParams, device: torch.device) -> None:
        super().__init__("lstm", params, device, lstm_task(params, device, chosen_precision(params.precision, device)))


class TransformerLoad(OverfitLoad):
    """A GPT: large products and attention. Raises BadInput, or EnvironmentProblem for a precision."""

    def __init__(self, params: TransformerParams, device: torch.device) -> None:
        task = gpt_task(params, device, chosen_precision(params.precision, device))
        super().__init__("transformer", params, device, task)
