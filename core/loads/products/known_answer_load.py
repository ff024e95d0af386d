"""Integer products whose answer is known, in every number format of the device: a wrong library, a wrong mode of the
arithmetic units and faults that repeat show here in seconds. The self-test of all checks of a burn-in comes first."""

import time
from collections.abc import Iterator
from dataclasses import replace

import torch

from core.loads.device import mark
from core.loads.load import StepReport
from core.loads.memory.faults import try_patterns
from core.loads.memory.host_link import try_transfers
from core.loads.products.availability import affordable
from core.loads.products.contract import KnownAnswerEvidence, KnownAnswerParams
from core.loads.products.formats import Format, Operands, chosen_formats, product_precision
from core.loads.products.verified import VerifiedProducts, try_comparison, try_known_answer
from core.loads.products.verify import SAMPLED_ROWS, KnownAnswer, Shape
from core.loads.training.judging import try_replicas
from core.loads.words import checksum
from core.words import tr

CPU_SIZE = 1024
GPU_SIZE = 4096
DEPTH = 2
"""Times the size: 8192 on a GPU, so that sums of products of integers up to 8 stay below 2**24."""


class KnownAnswerLoad(VerifiedProducts[KnownAnswerParams]):
    """The "known_answer" load: ends when every format has given its products."""

    def __init__(self, params: KnownAnswerParams, device: torch.device) -> None:
        size = params.size or (GPU_SIZE if device.type == "cuda" else CPU_SIZE)
        super().__init__(params, device, size=size, formats=chosen_formats(params.dtypes))

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._shapes: dict[str, Shape] = {}
        self._done: dict[str, int] = {}
        self._checksums: dict[str, str] = {}

    def _prepare(self) -> Iterator[StepReport]:
        """The kinds of faults that later stages look for, too: what is blind to one of them passes nothing."""
        yield from super()._prepare()
        yield from try_patterns(self._self_test, self._device, seed=self._params.seed)
        yield from try_transfers(self._self_test, self._device, seed=self._params.seed)
        try_replicas(self._self_test, self._device)

    def _run(self) -> Iterator[StepReport]:
        """One product a step; where the time does not suffice, each format gives at least one."""
        for position, format_ in enumerate(self._formats, start=1):
            if self._self_test.blind:
                return
            yield from self._ask(format_, self._began_s + self._seconds * position / len(self._formats))

    def _unfinished(self) -> str | None:
        if missing := [format_.name for format_ in self._formats if not self._done.get(format_.name)]:
            return tr("Ended before {formats} could be checked.", formats=", ".join(missing))
        return None if self._done else tr("Ended before any format could be checked.")

    def _passed(self) -> str:
        return tr(
            "{products} integer products in {formats} number formats, all equal to independently computed results.",
            products=sum(self._done.values()),
            formats=len(self._done),
        )

    def _ask(self, format_: Format, deadline: float) -> Iterator[StepReport]:
        name = format_.name
        self._drill.new_format()
        known_answer = yield from self._prepared(self._shape(format_), format_)
        self._shapes[name] = known_answer.shape
        with product_precision(tf32=format_.tf32):
            operands = known_answer.operands(format_, self._device)
            yield from self._try(operands.product(), known_answer, format_)
            for turn in range(self._params.iterations):
                if self._self_test.blind or (turn > 0 and time.monotonic() > deadline):
                    return
                yield self._one(operands, known_answer)
                self._done[name] = turn + 1

    def _one(self, operands: Operands, known_answer: KnownAnswer) -> StepReport:
        started = mark(self._device)
        answer = operands.product()
        self._drill.inject_always(answer)
        self._drill.inject_once(answer, self._findings.checks)
        report = self._answered(answer, known_answer, operands.format_)
        ended = mark(self._device)
        ended.wait()
        self._checksums.setdefault(operands.format_.name, str(checksum(answer)))
        return replace(report, flop=operands.flop, busy_s=ended.seconds_since(started))

    def _try(self, answer: torch.Tensor, known_answer: KnownAnswer, format_: Format) -> Iterator[StepReport]:
        """The self-test: only what the checks can see is trusted to be absent."""
        try_comparison(self._self_test, answer, format_)
        yield StepReport()
        try_known_answer(self._self_test, answer, known_answer=known_answer, format_=format_)
        yield StepReport()

    def _shape(self, format_: Format) -> Shape:
        shape = (self._size, min(DEPTH * self._size, format_.integers.depth), self._size)
        return shape if self._params.size is not None else affordable(shape, format_, self._device)

    def _evidence(self) -> KnownAnswerEvidence:
        return KnownAnswerEvidence(
            shapes=dict(self._shapes),
            products=dict(self._done),
            asked_for=self._params.iterations,
            rows_computed_on_the_host=SAMPLED_ROWS,
            checksums=dict(self._checksums),
            not_available=dict(self._skipped),
        )
