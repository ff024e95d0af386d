"""Training on one fixed batch: real kernels, no data to load, a loss that must fall.

Training starts over from the same weights every 500 steps, for a loss near zero makes Adam erratic; each start must
then give the same losses again, which is recorded as `replays_identical`. A difference is judged (as a warning) only
on a CPU: some CUDA kernels of the backward pass add in no fixed order. The replay load judges it on GPUs as well.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

import torch

from core.loads.load import Ending, Status, StepReport
from core.loads.meter import Meter
from core.loads.selftest import SelfTest
from core.loads.timing import mark, waited_for
from core.loads.training.curve import ENOUGH_STEPS, Curve
from core.loads.training.params import Precision, TrainingParams
from core.loads.training.precision import arithmetic, chosen_precision
from core.loads.training.selftest import try_curve
from core.loads.training.speed import measured_speed
from core.loads.training.task import Task
from core.loads.training.trainer import Trainer, prepared

GROUP_S = 0.2
"""Training steps queued before the loss is read: reading stops the device for a moment."""
LARGEST_GROUP = 50
RESTART_STEPS = 500


class OverfitLoad:
    """Trains a task's network on its fixed batch. Evidence: see `_evidence`."""

    def __init__(self, name: str, params: TrainingParams, device: torch.device, task: Task) -> None:
        self._name = name
        self._params = params
        self._device = device
        self._task = task
        self._precision = chosen_precision(params.precision, device)
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._curve = Curve()
        self._meter = Meter()
        self._accuracy_pct: float | None = None
        self._parameters = 0
        self._recurrent_in_fp16 = False
        self._steps = 0
        self._checks = 0
        self._group = 1
        self._training_s = self._waiting_s = 0.0
        self._injected = False
        self._self_test = SelfTest()
        try_curve(self._self_test)

    def shrink(self) -> bool:
        """Halves the batch."""
        smaller = self._task.smaller()
        if smaller is None:
            return False
        self._task = smaller
        self._start_afresh()
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        return True

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Trains for the time given, from the first weights again and again."""
        deadline = time.monotonic() + seconds
        with arithmetic(self._precision, repeatable=False):
            trainer = yield from self._prepared()
            self._parameters = trainer.parameters
            self._recurrent_in_fp16 = trainer.recurrent_in_fp16
            while True:
                yield from self._train(trainer, deadline)
                if time.monotonic() >= deadline:
                    return
                trainer.start_over()

    def finish(self) -> Ending:
        """Failed if the loss did not fall; not run if there were too few steps to tell."""
        curve = self._curve
        evidence = self._evidence()
        if self._self_test.blind:
            return Ending(Status.FAILED, self._self_test.blind, evidence)
        if curve.first_loss is None or curve.last_loss is None:
            reason = f"Only {self._steps} training steps could be done; {ENOUGH_STEPS} are needed to see the loss fall."
            return Ending(Status.NOT_RUN, reason, evidence)
        course = f"{curve.first_loss:.3f} at first, {curve.last_loss:.3f} after {curve.judged_steps} steps"
        if not curve.fell_always:
            return Ending(Status.FAILED, f"The loss did not fall: {course}.", evidence)
        return Ending(Status.PASSED, f"The loss fell: {course}.", evidence)

    def _prepared(self) -> Generator[StepReport, None, Trainer]:
        """The trainer, made with signs of life."""
        return prepared(self._task, self._device, seed=self._params.seed, precision=self._precision)

    # -- training -------------------------------------------------------------------------------------------------

    def _train(self, trainer: Trainer, deadline: float) -> Iterator[StepReport]:
        """One start: up to 500 steps in groups, the first two alone so that the second is timed."""
        self._curve.start()
        done = 0
        while done < RESTART_STEPS and (done == 0 or time.monotonic() < deadline):
            group = 1 if done < 2 else min(self._group, RESTART_STEPS - done)
            self._poison(trainer, upcoming=self._steps + group)
            began = time.perf_counter()
            started = mark(self._device)
            for _ in range(group):
                loss = trainer.step()
            ended = mark(self._device)
            yield from waited_for(ended)
            done += group
            self._steps += group
            busy_s = ended.seconds_since(started)
            self._accuracy_pct = trainer.accuracy_pct()
            report = self._read(float(loss), done, group=group, busy_s=busy_s)
            self._waiting_s += max(time.perf_counter() - began - busy_s, 0.0)
            if done == 2:
                self._choose_group(busy_s)
            yield report
            if report.faults:
                return

    def _read(self, loss: float, step: int, *, group: int, busy_s: float) -> StepReport:
        fault = self._curve.add(step, loss)
        if fault is not None and self._injected:
            fault = replace(fault, message=f"{fault.message} (injected on purpose)")
        amount = group * self._task.per_step
        self._meter.add(group, busy_s)
        self._training_s += busy_s
        self._checks += 1
        return StepReport(
            flop=group * self._task.flop_per_step,
            busy_s=busy_s,
            checks=1,
            faults=() if fault is None else (fault,),
            tokens=amount if self._task.unit == "tokens" else 0,
            images=amount if self._task.unit == "images" else 0,
            training_steps=group,
            loss=loss,
            accuracy_pct=self._accuracy_pct,
            peak_tflops=self._params.peak_tflops,
        )

    def _poison(self, trainer: Trainer, *, upcoming: int) -> None:
        if self._params.inject == "nan" and not self._injected and upcoming > self._params.inject_at:
            trainer.spoil("nan")
            self._injected = True

    def _choose_group(self, one_step_s: float) -> None:
        """Chosen once: later starts must read their losses at the same steps."""
        if self._group == 1:
            self._group = max(1, min(LARGEST_GROUP, int(GROUP_S / max(one_step_s, 1e-6))))

    # -- evidence -------------------------------------------------------------------------------------------------

    def _evidence(self) -> dict[str, Any]:
        """Losses in nats per answer; `tflops` counts the products of forward and backward pass.

        `verification_pct` is what reading and comparing losses added to the device's time.
        """
        curve = self._curve
        differing = curve.differing_replays > 0 and self._device.type == "cpu"
        warning = f"Training gave other losses in {curve.differing_replays} of {curve.starts - 1} repetitions."
        verifying = None if self._training_s <= 0 else round(100 * self._waiting_s / self._training_s, 2)
        injected = {"kind": "nan", "from_iteration": self._params.inject_at, "times": int(self._injected)}
        return {
            "network": self._name,
            "shape": self._task.described(),
            "parameters": self._parameters,
            "precision": str(self._precision),
            **({"recurrent_precision": str(Precision.AMP_FP16)} if self._recurrent_in_fp16 else {}),
            "seed": self._params.seed,
            "steps": self._steps,
            "checks": self._checks,
            "first_loss": curve.first_loss,
            "last_loss": curve.last_loss,
            "accuracy_pct": None if self._accuracy_pct is None else round(self._accuracy_pct, 2),
            "starts": curve.starts,
            "replays_identical": curve.replays_identical,
            **measured_speed(self._meter, self._task, self._params.peak_tflops),
            "verification_pct": verifying,
            **self._self_test.evidence(),
            **({"warnings": [warning]} if differing else {}),
            **({"injected_on_purpose": injected} if self._params.inject else {}),
        }
