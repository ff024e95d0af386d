"""Training on one fixed batch: real kernels, no data to load, a loss that must fall.

Training starts over from the same weights every 500 steps, for a loss near zero makes Adam erratic; each start must
then give the same losses again, which is recorded as `replays_identical`. A difference is judged (as a warning) only
on a CPU: some CUDA kernels of the backward pass add in no fixed order. The replay load judges it on GPUs as well.
"""

import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import ClassVar

import torch

from core.loads.load import Ending, LoadStatus, StepReport
from core.loads.training.contract import VOUCHES_FOR, TrainingEvidence, TrainingParams, measured_speed
from core.loads.training.judging import ENOUGH_STEPS, Curve, try_curve
from core.loads.training.sizes import task_of
from core.loads.training.task import TrainingTask
from core.loads.training.trainer import Trainer, arithmetic, chosen_precision, prepared
from core.loads.training.training_loop import StepBatch, TrainingLoop
from core.loads.verified_load import DeviceLoad
from core.words import tr


class OverfitLoad(DeviceLoad[TrainingParams]):
    """Trains a task's network on its fixed batch."""

    name: ClassVar[str]

    def __init__(self, params: TrainingParams, device: torch.device) -> None:
        super().__init__(params, device)
        self._precision = chosen_precision(params.precision, device)
        self._computed_in = str(self._precision)
        self._task = self._first_task()

    def _first_task(self) -> TrainingTask:
        return task_of(self.name, self._params, self._device, self._precision)

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._loop = TrainingLoop(drill=self._drill, peak_tflops=self._params.peak_tflops)
        self._curve = Curve()
        self._parameters = 0
        try_curve(self._self_test)

    def _smaller(self) -> bool:
        """Half the batch."""
        smaller = self._task.smaller()
        self._task = smaller or self._task
        return smaller is not None

    def _run(self) -> Iterator[StepReport]:
        """Trains for the time given, at least one step, from the first weights again and again."""
        with arithmetic(self._precision, repeatable=False):
            trainer = yield from self._prepared()
            self._parameters = trainer.parameters
            self._computed_in = trainer.precision
            yield from self._loop.run(
                trainer,
                lambda: not self._findings.checks or time.monotonic() < self._deadline,
                lambda batch: self._read(trainer, batch),
            )

    def finish(self) -> Ending:
        """Failed, too, if the loss did not fall."""
        ending, curve = super().finish(), self._curve
        if self._told_enough and not curve.fell_always:
            return replace(
                ending, status=LoadStatus.FAILED, reason=tr("The loss did not fall: {curve}.", curve=str(curve))
            )
        return ending

    @property
    def _told_enough(self) -> bool:
        return self._curve.first_loss is not None and self._curve.last_loss is not None

    def _unfinished(self) -> str | None:
        if self._told_enough:
            return None
        fields = {"steps": self._loop.steps, "enough": ENOUGH_STEPS}
        return tr("Only {steps} training steps were run; {enough} are needed to see the loss fall.", **fields)

    def _passed(self) -> str:
        return tr("The loss fell: {curve}.", curve=str(self._curve))

    def _prepared(self) -> Generator[StepReport, None, Trainer]:
        """The trainer, made with signs of life."""
        return prepared(self._task, self._device, seed=self._params.seed, precision=self._precision)

    def _read(self, trainer: Trainer, batch: StepBatch) -> StepReport:
        """What is wrong with the losses; after a fault training starts over."""
        if batch.problem:
            return self._findings.wrong(batch.problem)
        fault = self._curve.take(batch.first, batch.losses)
        if fault is None:
            return self._findings.right()
        self._loop.start_over(trainer)
        return self._findings.wrong(fault.message, kind=fault.kind)

    # -- evidence -------------------------------------------------------------------------------------------------

    def _evidence(self) -> TrainingEvidence:
        curve, loop = self._curve, self._loop
        differing = curve.differing_replays > 0 and self._device.type == "cpu"
        fields = {"differing": curve.differing_replays, "repetitions": curve.starts - 1}
        warning = tr("Training gave different losses in {differing} of {repetitions} repetitions.", **fields)
        accuracy_pct = loop.accuracy_pct
        return TrainingEvidence(
            warnings=(warning,) if differing else (),
            network=self.name,
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

    name = "resnet"


class LstmLoad(OverfitLoad):
    """A deep LSTM: small products one after another. Raises EnvironmentProblem for a precision."""

    name = "lstm"


class TransformerLoad(OverfitLoad):
    """A GPT: large products and attention. Raises BadInput, or EnvironmentProblem for a precision."""

    name = "transformer"
