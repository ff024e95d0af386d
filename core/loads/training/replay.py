"""The same training twice, step for step: a device that computes correctly gives the same bits again.

All kernels add in a fixed order, so that a difference on one device is a fault of that device. Losses are compared at
every step, weights and the memory of the optimiser every ten steps; what no step changes (the batch, the kept first
weights) is held against its checksum as often. What the training gave is told as hashes, so that cards of one model can
be compared as well.

A flipped bit that the next update rounds away (1 ulp of a weight far smaller than the update) leaves no trace in
anything computed later, and nothing finds it.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.loads.load import FaultKind, StepReport
from core.loads.training.contract import REPLAY_VOUCHES_FOR, ReplayedTraining, ReplayEvidence, ReplayParams
from core.loads.training.judging import Unchanging, fingerprint, fingerprints, first_difference, try_hashes
from core.loads.training.sizes import replayed_task
from core.loads.training.trainer import Trainer, arithmetic, chosen_precision, prepared
from core.loads.training.training_loop import StepBatch, TrainingLoop
from core.loads.verified_load import DeviceLoad
from core.loads.words import Checksum, bits
from core.platform.errors import EnvironmentProblem
from core.platform.processor import cpu_name
from core.words import joined, tr

BATCH_STEPS = 10
NOT_DETERMINISTIC = "does not have a deterministic implementation"


@dataclass(frozen=True, slots=True)
class _Golden:
    """What the first run gave in a batch: the losses with their checksum, and that of every tensor after it."""

    losses: Tensor
    checksum: Checksum
    state: list[Checksum]


class ReplayLoad(DeviceLoad[ReplayParams]):
    """The "replay" load. Raises EnvironmentProblem for a precision. It cannot be smaller: another batch would give
    other bits than the other cards have."""

    def __init__(self, params: ReplayParams, device: torch.device) -> None:
        super().__init__(params, device)
        self._precision = chosen_precision(params.precision, device)
        self._computed_in = str(self._precision)
        self._task = replayed_task(params, device)
        self._loop = TrainingLoop(
            drill=self._drill, restart_after=params.steps, batch_steps=BATCH_STEPS, peak_tflops=params.peak_tflops
        )
        self._golden: list[_Golden] = []
        self._hashes: tuple[str, str] | None = None
        self._batches = self._runs = self._states = 0
        self._run_began_s = self._one_run_s = 0.0

    def _run(self) -> Iterator[StepReport]:
        """Runs until the time is over; a run that is cut short counts as far as it came."""
        with arithmetic(self._precision, repeatable=True), sdpa_kernel(SDPBackend.MATH):
            trainer = yield from prepared(self._task, self._device, seed=self._params.seed, precision=self._precision)
            self._computed_in = trainer.precision
            if self._params.inject == "deviant":
                trainer.inject("deviant")
                self._drill.strike(tr("the first weights"))
            unchanging = trainer.unchanging()
            self._run_began_s = time.monotonic()
            try:
                yield from self._loop.run(
                    trainer,
                    lambda: not self._findings.errors and time.monotonic() < self._deadline,
                    lambda batch: self._read(trainer, unchanging, batch),
                )
            except RuntimeError as error:
                if NOT_DETERMINISTIC in str(error):
                    raise EnvironmentProblem(
                        tr("This training cannot be repeated bit for bit: {error}", error=error)
                    ) from error
                raise

    def _unfinished(self) -> str | None:
        runs, steps = self._params.runs, self._params.steps
        if self._runs >= runs:
            return None
        fields = {"runs": self._runs, "wanted": runs, "steps": steps}
        unfinished = tr("Only {runs} of {wanted} runs of {steps} training steps were completed.", **fields)
        if self._one_run_s:
            hint = tr("One run takes about {one_run_s:.0f} s: give the stage more time.", one_run_s=self._one_run_s)
            unfinished = joined([unfinished, hint])
        return unfinished

    def _passed(self) -> str:
        fields = {"runs": self._runs, "steps": self._params.steps}
        return tr("{runs} runs of {steps} training steps were bit-identical.", **fields)

    # -- a batch of steps ------------------------------------------------------------------------------------------

    def _read(self, trainer: Trainer, unchanging: Unchanging, batch: StepBatch) -> StepReport:
        problem, kind = unchanging.problem(), FaultKind.MISMATCH
        if batch.problem:
            changed = problem or tr("The data it works on changed in memory")
            problem = tr("{problem}. {changed}", problem=batch.problem, changed=changed)
        elif not torch.isfinite(batch.losses).all():
            kind = FaultKind.NAN
            problem = problem or tr("Training gave a loss that is not a number by step {last}", last=batch.last)
        problem = problem or self._difference(trainer, batch)
        report = self._findings.checked(problem, kind=kind)
        if problem is None:
            self._batches += 1
            self._one_run_s = (time.monotonic() - self._run_began_s) * self._params.steps / batch.last
            if batch.last == self._params.steps:
                self._conclude(trainer)
        return report

    def _difference(self, trainer: Trainer, batch: StepBatch) -> str | None:
        """How this batch differs from that of the first run, which is kept."""
        state = trainer.trained() | dict(trainer.network.named_buffers())
        checksums = fingerprints(state.values())
        if not self._runs:
            self._golden.append(_Golden(batch.losses, fingerprint([batch.losses]), checksums))
            return None
        self._states += 1
        golden = self._golden[self._batches]
        differing = torch.nonzero(bits(batch.losses) != bits(golden.losses)).flatten()
        if len(differing) and fingerprint([golden.losses]) != golden.checksum:
            return tr("The losses kept from the first run changed in host memory")
        if len(differing):
            first = int(differing[0])
            return tr(
                "Run {run} diverged from the first at step {step}: the loss was {loss} instead of {right}",
                run=self._runs + 1,
                step=batch.first + first,
                loss=f"{float(batch.losses[first]):.9g}",
                right=f"{float(golden.losses[first]):.9g}",
            )
        other = first_difference(list(state), checksums, golden.state)
        return other and tr(
            "Run {run} matched the first one's losses up to step {step}, but not its {other}",
            run=self._runs + 1,
            step=batch.last,
            other=other,
        )

    def _conclude(self, trainer: Trainer) -> None:
        """The end of a run."""
        self._runs += 1
        self._batches = 0
        self._run_began_s = time.monotonic()
        if self._hashes is None:
            losses = torch.cat([golden.losses for golden in self._golden])
            self._hashes = str(fingerprint([losses])), str(fingerprint(trainer.state()))
            try_hashes(self._self_test, trainer.state(), losses)

    # -- evidence -------------------------------------------------------------------------------------------------

    def _evidence(self) -> ReplayEvidence:
        return ReplayEvidence(
            replay=self._replayed(*self._hashes) if self._hashes else None,
            network=self._params.network,
            precision=self._computed_in,
            vouches_for=REPLAY_VOUCHES_FOR,
            runs=self._runs,
            steps=self._loop.steps,
            states_compared=self._states,
        )

    def _replayed(self, losses: str, weights: str) -> ReplayedTraining:
        return ReplayedTraining(
            device=torch.cuda.get_device_name(self._device) if self._device.type == "cuda" else cpu_name(),
            torch=torch.__version__,
            cuda=torch.version.cuda,
            network=self._params.network,
            shape=self._task.described(),
            precision=self._computed_in,
            seed=self._params.seed,
            steps=self._params.steps,
            threads=torch.get_num_threads() if self._device.type == "cpu" else None,
            loss_hash=losses,
            weight_hash=weights,
        )
