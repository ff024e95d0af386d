"""The same network on every rank, each with a batch of its own, gradients added up: the training that users do.

First every rank alone, all at the same time, so that heat and power are those of the whole machine; then together. The
replicas must stay alike to the last bit, for each adds the same gradients to the same weights; a wrong gradient of one
of them reaches all alike, so that each also holds its batch and its first weights against their checksums.
"""

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from core.loads.device import mark
from core.loads.findings import Drill
from core.loads.group.contract import (
    DataParallelEvidence,
    DataParallelLoadParams,
    NetworkEvidence,
    Timings,
    all_reduce_bus_factor,
    of_networks,
)
from core.loads.group.process_group import GroupWork, ProcessGroup, Say
from core.loads.load import Fault, FaultKind, StepReport
from core.loads.training.contract import REPLICAS_VOUCH_FOR, VOUCHES_FOR, TrainingParams, measured_speed
from core.loads.training.judging import ENOUGH_STEPS, Curve, Unchanging, combined, fingerprints, try_curve, try_replicas
from core.loads.training.sizes import task_of
from core.loads.training.task import TrainingTask
from core.loads.training.trainer import Trainer, arithmetic, chosen_precision, prepared
from core.loads.training.training_loop import LARGEST_GROUP, StepBatch, TrainingLoop
from core.loads.words import Checksum
from core.platform.errors import EnvironmentProblem
from core.words import tr

ALONE_SHARE = 0.25
BUCKET_BYTES = 25 * 2**20
"""Gradients are added up in pieces of this size while others are computed (DistributedDataParallel's default)."""
REDUCTIONS = 5
FEW_STEPS = 5
"""Enough to time a step."""
OVERTIME_S = 30.0
"""Steps that are still missing when the time is over may take so long."""


@dataclass(slots=True)
class _Network:
    """What was found while one network was trained. Without `alone` there was only one rank."""

    task: TrainingTask
    precision: str
    together: TrainingLoop
    curve: Curve = field(default_factory=Curve)
    alone: TrainingLoop | None = None
    compared: int = 0
    alike: bool = True
    loss_spread_pct: float | None = None
    gradients: Timings | None = None


class DataParallelWork(GroupWork[DataParallelLoadParams]):
    """One rank's part in the "data_parallel" load; a group of one trains alone."""

    def __init__(self, params: DataParallelLoadParams, group: ProcessGroup, say: Say) -> None:
        super().__init__(params, group, say)
        self._precision = chosen_precision(params.precision, group.device)
        self._networks: dict[str, _Network] = {}
        self._at_last = 0.0

    def _run(self) -> Iterator[StepReport]:
        """Each network for its share of the time."""
        names = self._params.networks.split(",")
        try_replicas(self._self_test, self._group.device)
        try_curve(self._self_test)
        self._at_last = self._deadline + OVERTIME_S
        with arithmetic(self._precision, repeatable=False):
            for place, name in enumerate(names):
                if not self._group.agree(place == 0 or time.monotonic() < self._at_last):
                    return
                yield from self._trained(name, self._began_s + self._seconds * (place + 1) / len(names))
                if self._group.device.type == "cuda":
                    torch.cuda.empty_cache()

    def _unfinished(self) -> str | None:
        enough = {name for name, record in self._networks.items() if record.curve.last_loss is not None}
        short = ", ".join(name for name in self._params.networks.split(",") if name not in enough)
        if not short:
            return None
        return tr("{networks}: too few steps could be done; give the stage more time.", networks=short)

    def _passed(self) -> str:
        networks = ", ".join(self._networks)
        if self._group.size == 1:
            return tr("{networks}: the loss fell on one device.", networks=networks)
        times = sum(record.compared for record in self._networks.values())
        return tr("{networks}: the loss fell, and all replicas matched {times} times.", networks=networks, times=times)

    # -- one network ----------------------------------------------------------------------------------------------

    def _trained(self, name: str, until: float) -> Iterator[StepReport]:
        began = time.monotonic()
        self._say(tr("Making the {name}", name=name))
        task = task_of(name, TrainingParams(batch=self._params.batch), self._group.device, self._precision)
        trainer = yield from prepared(
            task, self._group.device, seed=self._params.seed, precision=self._precision, replica=self._group.rank
        )
        record = self._networks[name] = _Network(task, trainer.precision, self._loop(self._drill))
        unchanging = trainer.unchanging()
        if self._group.size > 1:
            self._say(tr("Training the {name} on each device alone", name=name))
            record.alone = self._loop()
            alone_until = time.monotonic() + ALONE_SHARE * max(until - began, 0.0)
            yield from self._batches(trainer, record.alone, Curve(), alone_until, at_least=FEW_STEPS)
            trainer.start_over()
            ids = [0] if self._group.device.type == "cuda" else None
            trainer.forward = DistributedDataParallel(trainer.network, device_ids=ids)
        self._say(tr("Training the {name} together", name=name))
        for report in self._batches(trainer, record.together, record.curve, until, at_least=ENOUGH_STEPS):
            yield report
            due = record.together.steps >= self._params.hash_every * (record.compared + 1)
            if report.training_steps and (due or record.together.at_its_end):  # a new start would even out what differs
                yield self._alike(name, record, trainer, unchanging)
        yield self._fallen(name, record)
        yield self._alike(name, record, trainer, unchanging)
        if self._group.size > 1:
            self._say(tr("Adding up the gradients of the {name}", name=name))
            record.gradients = self._gradients(trainer)

    def _loop(self, drill: Drill | None = None) -> TrainingLoop:
        return TrainingLoop(
            drill=drill,
            at_most=min(LARGEST_GROUP, self._params.hash_every),
            agreed=lambda own: int(self._group.gathered([own])[0][0]),
            peak_tflops=self._params.peak_tflops,
        )

    def _batches(
        self, trainer: Trainer, loop: TrainingLoop, curve: Curve, until: float, *, at_least: int
    ) -> Iterator[StepReport]:
        """Until `until` (monotonic) by the clock of whoever is first; longer for so many steps, within limits."""

        def go_on() -> bool:
            last = until if loop.steps >= at_least else max(until, self._at_last)
            return self._group.agree(time.monotonic() < last)

        yield from loop.run(trainer, go_on, lambda batch: self._read(curve, batch))
        if loop.broken:
            raise EnvironmentProblem(tr("This rank cannot continue training: the others must not wait for it."))

    def _read(self, curve: Curve, batch: StepBatch) -> StepReport:
        """What the losses of this rank show."""
        fault = Fault(FaultKind.MISMATCH, batch.problem) if batch.problem else curve.take(batch.first, batch.losses)
        return self._findings.wrong(fault.message, kind=fault.kind) if fault else self._findings.right()

    def _alike(self, name: str, record: _Network, trainer: Trainer, unchanging: Unchanging) -> StepReport:
        """Whether this replica is like the others, and what none may change unchanged."""
        record.compared += 1
        problem = unchanging.problem()
        if self._group.size > 1:
            differs = replica_problem(self._group, trainer)
            record.loss_spread_pct = self._loss_spread_pct(record)
            record.alike = record.alike and differs is None
            problem = problem or differs
        return self._findings.checked(
            problem
            and tr("{name} after {steps} steps: {problem}", name=name, steps=record.together.steps, problem=problem)
        )

    def _loss_spread_pct(self, record: _Network) -> float | None:
        """Between the latest losses of all ranks, each of its own examples, as a share of their mean."""
        losses = [row[0] for row in self._group.gathered([record.together.loss or 0.0])]
        spread, mean = max(losses) - min(losses), sum(losses) / len(losses)
        return round(100 * spread / mean, 2) if math.isfinite(spread) and mean > 0 else None

    def _fallen(self, name: str, record: _Network) -> StepReport:
        if record.curve.last_loss is None or record.curve.fell_always:
            return StepReport()
        fields = {"name": name, "curve": str(record.curve)}
        return self._findings.wrong(tr("The loss of {name} did not fall: {curve}", **fields), kind=FaultKind.DIVERGED)

    def _gradients(self, trainer: Trainer) -> Timings:
        """How long adding up all gradients takes when nothing else is done, piece after piece."""
        timings = Timings(4 * trainer.parameters)
        flat = torch.zeros(trainer.parameters, device=self._group.device)
        for _ in range(REDUCTIONS):
            self._group.part()
            started = mark(self._group.device)
            for start in range(0, len(flat), BUCKET_BYTES // 4):
                dist.all_reduce(flat[start : start + BUCKET_BYTES // 4])
            ended = mark(self._group.device)
            ended.wait()
            timings.seconds.append(ended.seconds_since(started))
        return timings

    # -- evidence -------------------------------------------------------------------------------------------------

    def _evidence(self) -> DataParallelEvidence:
        together = self._group.size > 1
        return DataParallelEvidence(
            backend=dist.get_backend(),
            vouches_for=REPLICAS_VOUCH_FOR if together else VOUCHES_FOR,
            replicas_alike=all(record.alike for record in self._networks.values()) if together else None,
            **of_networks({name: self._evidence_of(record) for name, record in self._networks.items()}),
        )

    def _evidence_of(self, record: _Network) -> NetworkEvidence:
        curve = record.curve
        speed = measured_speed(record.together.meter, record.task, self._params.peak_tflops)
        return NetworkEvidence(
            shape=record.task.described(),
            precision=record.precision,
            steps=record.together.steps,
            first_loss=curve.first_loss,
            last_loss=curve.last_loss,
            compared=record.compared,
            replicas_alike=record.alike if self._group.size > 1 else None,
            loss_spread_pct=record.loss_spread_pct,
            **speed,
            **self._scaling(record),
        )

    def _scaling(self, record: _Network) -> dict[str, Any]:
        """Fields of `NetworkEvidence`, where each device trained alone before."""
        alone, together = record.alone.meter.rate() if record.alone else None, record.together.meter.rate()
        if alone is None or together is None or record.gradients is None:
            return {}
        gradients = record.gradients.evidence(all_reduce_bus_factor(self._group.size))
        no_overlap_s = 1 / alone + (gradients.p50_ms or 0.0) / 1e3
        return {
            "alone_step_ms": round(1e3 / alone, 3),
            "efficiency_pct": round(100 * together / alone, 2),
            "no_overlap_pct": round(100 / (alone * no_overlap_s), 2),
            "gradient_bytes": gradients.bytes,
            "gradient_ms": gradients.p50_ms,
            "busbw_gbps": gradients.busbw_gbps,
        }


ENOUGH_FOR_A_VOTE = 3


def replica_problem(group: ProcessGroup, trainer: Trainer) -> str | None:
    """What the comparison of all ranks says against this one, and where; None if nothing does.

    What a network remembers besides weights (its buffers) is its own on every rank.
    """
    trained = trainer.trained()
    prints = fingerprints(trained.values())
    hashes = _gathered(group, [combined(prints)])
    if len(set(hashes)) == 1:
        return None
    differing = _differing(_gathered(group, prints), list(trained))
    problem = own_problem(hashes, group.rank)
    return problem and f"{problem}: {differing}"


def own_problem(hashes: Sequence[object], rank: int) -> str | None:
    """What the hashes of all ranks say against this one; None if nothing does.

    Of three or more only those that differ from most are wrong. Two, or a vote without a majority, accuse all.
    """
    votes = Counter(hashes)
    if len(votes) == 1:
        return None
    most, count = votes.most_common(1)[0]
    if len(hashes) < ENOUGH_FOR_A_VOTE or 2 * count <= len(hashes):
        return tr(
            "The weights of {replicas} replicas differ; it is not known which of them are wrong", replicas=len(hashes)
        )
    if hashes[rank] == most:
        return None
    fields = {"rank": rank, "others": count, "ranks": len(hashes)}
    return tr("The weights on rank {rank} differ from those on {others} of {ranks} ranks", **fields)


def _gathered(group: ProcessGroup, prints: Sequence[Checksum]) -> list[tuple[int, ...]]:
    """The checksums of every rank, as words."""
    return [tuple(row) for row in group.gathered_words([word for one in prints for word in (one.plain, one.weighted)])]


def _differing(rows: Sequence[tuple[int, ...]], names: Sequence[str]) -> str:
    """The tensors in which not all ranks agree."""
    wrong = [name for n, name in enumerate(names) if len({row[2 * n : 2 * n + 2] for row in rows}) > 1]
    return wrong[0] if len(wrong) == 1 else tr("{first} and {more} more", first=wrong[0], more=len(wrong) - 1)
