"""Training a small GPT on one fixed batch of random tokens: real kernels, no data to load, a loss that must fall.

Training starts over from the same weights every 500 steps, for a loss near zero makes Adam erratic; each start must
then give the same losses again, which is recorded as `replays_identical`. A difference is judged (as a warning) only
on a CPU: some CUDA kernels of the backward pass add in no fixed order.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, fields, replace
from typing import Any

import torch
from torch import Tensor

from core.errors import BadInput
from core.loads.gpt import Gpt, Shape, parameter_count
from core.loads.inject import set_nan
from core.loads.load import Ending, Status, StepReport
from core.loads.meter import Meter
from core.loads.params import TransformerParams
from core.loads.timing import mark
from core.loads.training import ENOUGH_STEPS, Curve

CPU_SHAPE = Shape(layers=4, width=128, heads=4, context=128, batch=8, vocabulary=512)
GPU_SHAPE = Shape(layers=8, width=768, heads=12, context=512, batch=8, vocabulary=8192)
GROUP_S = 0.1
"""Training steps queued before the loss is read: reading stops the device for a moment."""
LARGEST_GROUP = 16
RESTART_STEPS = 500
LARGEST_GRADIENT = 1.0
FLOP_PER_PARAMETER_AND_TOKEN = 6
"""Forward 2, backward 4 (Kaplan et al. 2020, "Scaling Laws for Neural Language Models", 2.1); attention is left out."""


class TransformerLoad:
    """The "transformer" load. Raises BadInput when the heads do not divide the width."""

    def __init__(self, params: TransformerParams, device: torch.device) -> None:
        self._params = params
        self._device = device
        self._shape = _shape(params, GPU_SHAPE if device.type == "cuda" else CPU_SHAPE)
        self._half = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._curve = Curve()
        self._meter = Meter()
        self._parameters = 0
        self._steps = 0
        self._group = 1
        self._injected = False

    def shrink(self) -> bool:
        """Halves the batch."""
        if self._shape.batch == 1:
            return False
        halved = {"batch": self._shape.batch // 2}
        self._shape = _shape(self._params.model_copy(update=halved), self._shape)
        self._start_afresh()
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        return True

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Trains for the time given, from the first weights again and again."""
        deadline = time.monotonic() + seconds
        text, following = self._fixed_batch()
        while True:
            yield from self._train(text, following, deadline=deadline)
            if time.monotonic() >= deadline:
                return

    def finish(self) -> Ending:
        """Failed if the loss did not fall; not run if there were too few steps to tell."""
        curve = self._curve
        evidence = self._evidence()
        if curve.first_loss is None or curve.last_loss is None:
            reason = f"Only {self._steps} training steps could be done; {ENOUGH_STEPS} are needed to see the loss fall."
            return Ending(Status.NOT_RUN, reason, evidence)
        course = f"{curve.first_loss:.3f} at first, {curve.last_loss:.3f} after {curve.judged_steps} steps"
        if not curve.fell_always:
            return Ending(Status.FAILED, f"The loss did not fall: {course}.", evidence)
        return Ending(Status.PASSED, f"The loss fell: {course}.", evidence)

    # -- training -------------------------------------------------------------------------------------------------

    def _train(self, text: Tensor, following: Tensor, *, deadline: float) -> Iterator[StepReport]:
        """One start: up to 500 steps in groups, the first two alone so that the second is timed."""
        model, optimiser = self._fresh()
        self._curve.start()
        done = 0
        while done < RESTART_STEPS and (done == 0 or time.monotonic() < deadline):
            group = 1 if done < 2 else min(self._group, RESTART_STEPS - done)
            self._poison(model, upcoming=self._steps + group)
            started = mark(self._device)
            for _ in range(group):
                loss = self._step(model, optimiser, text=text, following=following)
            ended = mark(self._device)
            ended.wait()
            done += group
            self._steps += group
            report = self._read(float(loss), done, group=group, busy_s=ended.seconds_since(started))
            if done == 2:
                self._choose_group(report.busy_s)
            yield report
            if report.faults:
                return

    def _step(self, model: Gpt, optimiser: torch.optim.Optimizer, *, text: Tensor, following: Tensor) -> Tensor:
        """One step of AdamW on the fixed batch; the loss stays on the device."""
        optimiser.zero_grad(set_to_none=True)
        with self._precision():
            loss: Tensor = model(text, following)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), LARGEST_GRADIENT)
        optimiser.step()
        return loss.detach()

    def _read(self, loss: float, step: int, *, group: int, busy_s: float) -> StepReport:
        fault = self._curve.add(step, loss)
        if fault is not None and self._injected:
            fault = replace(fault, message=f"{fault.message} (injected on purpose)")
        tokens = group * self._shape.tokens
        self._meter.add(tokens, busy_s)
        return StepReport(
            flop=self._flop_per_token * tokens,
            busy_s=busy_s,
            checks=1,
            faults=() if fault is None else (fault,),
            tokens=tokens,
            loss=loss,
        )

    def _fresh(self) -> tuple[Gpt, torch.optim.Optimizer]:
        """The same weights at every start and on every device: they are drawn on the host."""
        torch.manual_seed(self._params.seed)
        model = Gpt(self._shape)
        self._parameters = parameter_count(model)
        model.to(self._device)
        return model, torch.optim.AdamW(model.parameters(), lr=self._params.learning_rate)

    def _fixed_batch(self) -> tuple[Tensor, Tensor]:
        generator = torch.Generator().manual_seed(self._params.seed)
        shape = (self._shape.batch, self._shape.context + 1)
        tokens = torch.randint(self._shape.vocabulary, shape, generator=generator).to(self._device)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()

    def _precision(self) -> AbstractContextManager[object]:
        return torch.autocast("cuda", dtype=torch.bfloat16) if self._half else nullcontext()

    def _poison(self, model: Gpt, *, upcoming: int) -> None:
        if self._params.inject == "nan" and not self._injected and upcoming > self._params.inject_at:
            set_nan(model.last_norm.weight.data, 0)
            self._injected = True

    def _choose_group(self, one_step_s: float) -> None:
        """Chosen once: later starts must read their losses at the same steps."""
        if self._group == 1:
            self._group = max(1, min(LARGEST_GROUP, int(GROUP_S / max(one_step_s, 1e-6))))

    def _evidence(self) -> dict[str, Any]:
        """Losses in nats per token; `tflops` counts 6 operations per parameter and token."""
        curve = self._curve
        tokens_per_s = self._meter.rate()
        differing = curve.differing_replays > 0 and self._device.type == "cpu"
        warning = f"Training gave other losses in {curve.differing_replays} of {curve.starts - 1} repetitions."
        injected = {"kind": "nan", "from_iteration": self._params.inject_at, "times": int(self._injected)}
        return {
            "shape": asdict(self._shape),
            "parameters": self._parameters,
            "precision": "bfloat16 autocast" if self._half else "float32",
            "seed": self._params.seed,
            "steps": self._steps,
            "first_loss": curve.first_loss,
            "last_loss": curve.last_loss,
            "starts": curve.starts,
            "replays_identical": curve.replays_identical,
            "tokens_per_s": None if tokens_per_s is None else round(tokens_per_s, 1),
            "tflops": None if tokens_per_s is None else round(self._flop_per_token * tokens_per_s / 1e12, 4),
            "rates": {} if tokens_per_s is None else {"training": round(tokens_per_s, 1)},
            "rate_unit": "tokens/s",
            **({"warnings": [warning]} if differing else {}),
            **({"injected_on_purpose": injected} if self._params.inject else {}),
        }

    @property
    def _flop_per_token(self) -> float:
        return float(FLOP_PER_PARAMETER_AND_TOKEN * self._parameters)


def _shape(params: TransformerParams, default: Shape) -> Shape:
    """The default with what the parameters name."""
    named = {field.name: getattr(params, field.name) for field in fields(Shape)}
    shape = replace(default, **{name: value for name, value in named.items() if value is not None})
    if shape.width % shape.heads:
        raise BadInput(f"A width of {shape.width} cannot be shared by {shape.heads} heads.")
    return shape
