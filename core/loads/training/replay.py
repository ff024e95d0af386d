"""The same training twice, step for step: a device that computes correctly gives the same bits again.

All kernels add in a fixed order, so that a difference on one device is a fault of that device. What the training gave
is told as hashes, so that cards of one model can be compared as well.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.errors import EnvironmentProblem
from core.loads.backend import cpu_name
from core.loads.findings import Findings
from core.loads.load import Ending, FaultKind, StepReport
from core.loads.selftest import SelfTest
from core.loads.timing import mark, waited_for
from core.loads.training.fingerprint import fingerprint
from core.loads.training.params import ReplayParams
from core.loads.training.precision import arithmetic, chosen_precision
from core.loads.training.selftest import try_hashes
from core.loads.training.sizes import replayed_task
from core.loads.training.trainer import Trainer, prepared
from core.loads.verify import bits

GROUP_STEPS = 10
NOT_DETERMINISTIC = "does not have a deterministic implementation"


class ReplayLoad:
    """The "replay" load. Evidence: see `_evidence`. Raises EnvironmentProblem for a precision."""

    def __init__(self, params: ReplayParams, device: torch.device) -> None:
        self._params = params
        self._device = device
        self._precision = chosen_precision(params.precision, device)
        self._task = replayed_task(params, device)
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._findings = Findings(injected=bool(self._params.inject))
        self._golden_losses = torch.empty(self._params.steps, dtype=torch.float32)
        self._golden_weights = ""
        self._runs = 0
        self._steps = 0
        self._one_run_s = 0.0
        self._self_test = SelfTest()
        self._injected = 0

    def shrink(self) -> bool:
        """Never: another batch would give other bits than the other cards have."""
        return False

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Runs until the time is over; a run that is cut short counts as far as it came."""
        deadline = time.monotonic() + seconds
        with arithmetic(self._precision, repeatable=True), sdpa_kernel(SDPBackend.MATH):
            trainer = yield from prepared(self._task, self._device, seed=self._params.seed, precision=self._precision)
            if self._params.inject == "deviant":
                trainer.spoil("deviant")
                self._injected = 1
            while time.monotonic() < deadline and not self._findings.errors:
                began = time.monotonic()
                yield from self._run(trainer, deadline)
                self._one_run_s = max(self._one_run_s, time.monotonic() - began)
                trainer.start_over()

    def finish(self) -> Ending:
        """Failed on any difference; not run before there were as many runs as asked for."""
        wanted, steps = self._params.runs, self._params.steps
        unfinished = f"Only {self._runs} of {wanted} runs of {steps} training steps could be done."
        if self._one_run_s:
            unfinished += f" One takes about {self._one_run_s:.0f} s: give the stage more time."
        return self._findings.ending(
            self._evidence(),
            blind=self._self_test.blind,
            unfinished=unfinished if self._runs < wanted else None,
            done=f"{self._runs} runs of {steps} training steps gave the same bits.",
        )

    # -- one run --------------------------------------------------------------------------------------------------

    def _run(self, trainer: Trainer, deadline: float) -> Iterator[StepReport]:
        losses = torch.empty(self._params.steps, device=self._device)
        done = 0
        while done < self._params.steps:
            until = min(done + GROUP_STEPS, self._params.steps) if done else 1
            started = mark(self._device)
            for step in range(done, until):
                losses[step] = self._step(trainer)
            ended = mark(self._device)
            yield from waited_for(ended)
            checked = self._compared(losses, done, until)
            yield self._counted(checked, until - done, ended.seconds_since(started))
            done = until
            if self._findings.errors or time.monotonic() >= deadline:
                return
        yield self._concluded(trainer, losses)

    def _step(self, trainer: Trainer) -> Tensor:
        try:
            loss = trainer.step()
        except RuntimeError as error:
            if NOT_DETERMINISTIC in str(error):
                raise EnvironmentProblem(f"This training cannot be repeated bit for bit: {error}") from error
            raise
        self._steps += 1
        if self._params.inject in ("bitflip", "nan") and not self._injected and self._steps > self._params.inject_at:
            self._injected = 1
            trainer.spoil(self._params.inject)
        return loss

    def _compared(self, losses: Tensor, done: int, until: int) -> StepReport:
        """The losses of a few steps with those of the first run, bit by bit."""
        found = losses[done:until].cpu()
        if not torch.isfinite(found).all():
            return self._findings.wrong(f"Training gave a loss that is no number by step {until}", kind=FaultKind.NAN)
        golden = self._golden_losses[done:until]
        if not self._runs:
            golden.copy_(found)
            return StepReport()
        differing = torch.nonzero(bits(found) != bits(golden)).flatten()
        if not len(differing):
            return self._findings.right()
        first = int(differing[0])
        told = f"the loss was {float(found[first]):.9g} instead of {float(golden[first]):.9g}"
        return self._findings.wrong(f"Run {self._runs + 1} left the first one at step {done + first + 1}: {told}")

    def _concluded(self, trainer: Trainer, losses: Tensor) -> StepReport:
        weights = str(fingerprint(trainer.state()))
        self._runs += 1
        if self._runs == 1:
            self._golden_weights = weights
            try_hashes(self._self_test, trainer.state(), losses.cpu())
            return StepReport()
        same = weights == self._golden_weights
        return self._findings.checked(
            None if same else f"Run {self._runs} gave the same losses as the first one but other weights"
        )

    def _counted(self, checked: StepReport, steps: int, busy_s: float) -> StepReport:
        amount = steps * self._task.per_step
        return StepReport(
            flop=steps * self._task.flop_per_step,
            busy_s=busy_s,
            checks=checked.checks,
            faults=checked.faults,
            tokens=amount if self._task.unit == "tokens" else 0,
            images=amount if self._task.unit == "images" else 0,
            training_steps=steps,
        )

    def _evidence(self) -> dict[str, Any]:
        """`replay` is what cards of one model have in common; there after a whole run."""
        injected = {"kind": self._params.inject, "from_iteration": self._params.inject_at, "times": self._injected}
        whole = self._runs > 0
        replay = {
            "device": torch.cuda.get_device_name(self._device) if self._device.type == "cuda" else cpu_name(),
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "network": self._params.network,
            "shape": self._task.described(),
            "precision": str(self._precision),
            "seed": self._params.seed,
            "steps": self._params.steps,
            "threads": torch.get_num_threads() if self._device.type == "cpu" else None,
            "loss_hash": str(fingerprint([self._golden_losses])) if whole else None,
            "weight_hash": self._golden_weights if whole else None,
        }
        return {
            **({"replay": replay} if whole else {}),
            "network": self._params.network,
            "precision": str(self._precision),
            "seed": self._params.seed,
            "runs": self._runs,
            "steps": self._steps,
            "checks": self._findings.checks,
            "errors": self._findings.errors,
            **self._self_test.evidence(),
            **({"injected_on_purpose": injected} if self._params.inject else {}),
        }
