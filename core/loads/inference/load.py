"""The load "inference": a language model that answers the same prompts again and again, as a server does for so many
requests at once. Prefill multiplies large matrices; decoding reads all weights and the KV cache for every token, and is
as fast as the memory.

Every answer must have the logits of the first one to the last bit, the cache the same checksum after each, and the
weights theirs. What repeats is no proof of being right: the first answer is held against one pass over prompt and
answer without a cache, and a small model against double precision on the host.
"""

import math
import time
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.loads.device import mark, peak_gbps, waited_for
from core.loads.findings import TriedFault
from core.loads.inference import contract
from core.loads.inference.answering import REFERENCE, Answering, difference, host_difference, prepared, tolerated
from core.loads.inference.contract import InferenceEvidence, InferenceParams, answered, served
from core.loads.load import FaultKind, StepReport
from core.loads.meter import Meter
from core.loads.products import verify
from core.loads.training import judging
from core.loads.training.contract import Precision
from core.loads.training.judging import Unchanging
from core.loads.training.trainer import HALVES, arithmetic, chosen_precision
from core.loads.verified_load import DeviceLoad
from core.loads.words import LOW_BIT, Checksum, flip_bit, set_nan
from core.words import joined, tr

BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Without cuDNN, which builds a plan for each length of the cache anew."""
GROUP_S = 0.2
LARGEST_GROUP = 64
"""Tokens that are queued together."""
WEIGHTS_EVERY = 8
"""Answers between two checksums of the weights: one takes as long as ten tokens or so."""
SPOILT_BIT = {2: 4, 4: 20}
"""By bytes of a number, the bit of its mantissa that a drill flips: a lower one may be lost in rounding."""


class InferenceLoad(DeviceLoad[InferenceParams]):
    """The "inference" load. Raises BadInput, or EnvironmentProblem for a precision."""

    def __init__(self, params: InferenceParams, device: torch.device) -> None:
        self._precision = chosen_precision(params.precision, device)
        self._dtype = HALVES.get(self._precision, torch.float32)
        memory_bytes = torch.cuda.get_device_properties(device).total_memory if device.type == "cuda" else None
        self._model = served(params, memory_bytes=memory_bytes, element_bytes=self._dtype.itemsize)
        super().__init__(params, device)

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._prefill_meter, self._decode_meter = Meter(), Meter()
        self._golden: tuple[Tensor, Tensor, list[Checksum]] | None = None
        """Logits and text of the first answers, and the checksum of the cache after them."""
        self._answers = 0
        self._group = 1
        self._answer_s = self._busy_s = self._checking_s = 0.0
        self._host_difference: float | None = None
        self._path_difference: float | None = None

    def _smaller(self) -> bool:
        """Half the requests, then half the layers."""
        smaller = self._model.smaller()
        self._model = smaller or self._model
        return smaller is not None

    def _run(self) -> Iterator[StepReport]:
        """Answers until the time is up; one that is cut short counts as far as it came."""
        with arithmetic(self._precision, repeatable=False), sdpa_kernel(BACKENDS):
            yield from self._against_the_host()
            answering = yield from prepared(self._model, seed=self._params.seed, device=self._device, dtype=self._dtype)
            unchanging = Unchanging(answering.unchanging())
            while self._time_is_left:
                yield from self._answer(answering)
                yield from self._check(answering, unchanging)
                if self._self_test.blind:
                    return
            yield self._findings.checked(unchanging.problem())

    @property
    def _time_is_left(self) -> bool:
        return time.monotonic() < self._deadline

    def _unfinished(self) -> str | None:
        if self._answers > 1:
            return None
        unfinished = tr("Only {answers} of 2 answers were completed.", answers=self._answers)
        if self._answer_s:
            hint = tr("One answer takes about {answer_s:.0f} s: give the stage more time.", answer_s=self._answer_s)
            unfinished = joined([unfinished, hint])
        return unfinished

    def _passed(self) -> str:
        return tr(
            "{answers} answers of {tokens} tokens were bit-identical.",
            answers=self._answers,
            tokens=self._model.generated,
        )

    # -- answers ---------------------------------------------------------------------------------------------------

    def _answer(self, answering: Answering) -> Iterator[StepReport]:
        """One of each prompt, as far as the time reaches. The first one, which also makes what is made once, does not
        count for the speed."""
        began = time.monotonic()
        started = mark(self._device)
        answering.prefill()
        ended = mark(self._device)
        yield from waited_for(ended)
        prefill_s, decode_s = max(ended.seconds_since(started), 1e-9), 0.0
        self._busy_s += prefill_s
        yield StepReport(flop=self._model.prefill_flop, busy_s=prefill_s)
        while answering.decoded < self._model.generated and self._time_is_left:
            group = 1 if self._drill.due(self._answers) else self._group
            steps = min(group, self._model.generated - answering.decoded)
            started = mark(self._device)
            answering.decode(steps)
            ended = mark(self._device)
            yield from waited_for(ended)
            busy_s = max(ended.seconds_since(started), 1e-9)
            decode_s += busy_s
            self._busy_s += busy_s
            self._group = max(1, min(LARGEST_GROUP, int(GROUP_S * steps / busy_s)))
            yield answered(self._model, steps, busy_s=busy_s, element_bytes=self._dtype.itemsize)
            self._spoil(answering)
        if answering.decoded == self._model.generated:
            self._answer_s = time.monotonic() - began
            if self._answers:
                self._prefill_meter.add(1, prefill_s)
                self._decode_meter.add(self._model.generated - 1, decode_s)

    def _spoil(self, answering: Answering) -> None:
        """The fault that was ordered, once the first token of an answer was decoded."""
        kind, token = self._drill.kind, answering.decoded - 1
        if not self._drill.due(self._answers):
            return
        if kind in ("weights", "cache"):
            tensor = answering.network.tokens.weight if kind == "weights" else answering.cache
            flip_bit(tensor, 0, SPOILT_BIT[self._dtype.itemsize])
        elif kind == "logits":
            flip_bit(answering.logits[token], 0, LOW_BIT)
        else:
            set_nan(answering.logits[token], 0)
        fields = {"what": kind if kind != "nan" else "logits", "token": token + 1, "answer": self._answers + 1}
        self._drill.strike(tr("the {what} after token {token} of answer {answer}", **fields))

    # -- checks ----------------------------------------------------------------------------------------------------

    def _check(self, answering: Answering, unchanging: Unchanging) -> Iterator[StepReport]:
        """Of what was decoded; the cache only after a whole answer, for it keeps the end of the one before."""
        began = time.perf_counter()
        whole = answering.decoded == self._model.generated
        if self._golden is None and whole:
            yield from self._check_first(answering, unchanging)
        elif self._golden is not None:
            problem = self._changed(answering, self._golden, whole=whole)
            if problem is None and self._answers % WEIGHTS_EVERY == 0:
                problem = unchanging.problem()
            yield self._judged(answering, unchanging, problem)
        self._answers += whole
        self._checking_s += time.perf_counter() - began

    def _judged(self, answering: Answering, unchanging: Unchanging, problem: str | None) -> StepReport:
        """Weights that changed in memory are told in place of what follows from it."""
        if problem is None:
            return self._findings.right()
        broken = int(verify.count_not_finite(answering.logits[: answering.decoded]))
        kind = FaultKind.NAN if broken else FaultKind.MISMATCH
        return self._findings.wrong(unchanging.problem() or problem, kind=kind)

    def _changed(
        self, answering: Answering, golden: tuple[Tensor, Tensor, list[Checksum]], *, whole: bool
    ) -> str | None:
        """How this answer differs from the first."""
        logits, text, cache = golden
        now, first = (rows(one[: answering.decoded]) for one in (answering.logits, logits))
        number = self._answers + 1
        if int(verify.count_differences(now, first)):
            what = verify.describe(now, first) or tr("a comparison failed once and passed when repeated")
            return tr("Answer {number} has other logits than the first: {what}", number=number, what=str(what))
        end = self._model.prompt + answering.decoded
        if not torch.equal(answering.text[:, :end], text[:, :end]):
            return tr("Answer {number} has other tokens than the first, with the same logits", number=number)
        if whole and judging.fingerprints([answering.cache]) != cache:
            return tr("Answer {number} left another KV cache than the first, with the same logits", number=number)
        return None

    def _check_first(self, answering: Answering, unchanging: Unchanging) -> Iterator[StepReport]:
        """The first answer by itself; it becomes what all others are compared with."""
        right = answering.reread()
        yield from waited_for(mark(self._device))
        self._path_difference = difference(answering.logits, right)
        self._try_checks(answering, right)
        what = tr("Logits decoded with the KV cache differ from those of one pass over prompt and answer")
        problem = self._apart(self._path_difference, self._tolerated, what)
        yield self._judged(answering, unchanging, problem)
        text, cache = answering.text.clone(), judging.fingerprints([answering.cache])
        self._golden = answering.logits.clone(), text, cache

    def _against_the_host(self) -> Iterator[StepReport]:
        seed, limit = self._params.seed, tolerated(REFERENCE, self._dtype, tf32=self._tf32)
        self._host_difference = yield from host_difference(seed=seed, device=self._device, dtype=self._dtype)
        problem = self._apart(
            self._host_difference, limit, tr("Logits of a small model differ from those computed on the host")
        )
        yield self._findings.checked(problem)

    @property
    def _tf32(self) -> bool:
        return self._precision is Precision.TF32 and self._device.type == "cuda"

    @property
    def _tolerated(self) -> float:
        return tolerated(self._model, self._dtype, tf32=self._tf32)

    def _apart(self, apart: float, limit: float, what: str) -> str | None:
        """The problem of two ways to the same logits that are too far apart; NaN is."""
        if apart <= limit:
            return None
        return tr(
            "{what}: by {apart:.3g} %, with {limit:.3g} % tolerated", what=what, apart=100 * apart, limit=100 * limit
        )

    def _try_checks(self, answering: Answering, right: Tensor) -> None:
        """The lowest bits, a NaN, and logits that belong to other tokens, in copies of a few logits and weights."""
        golden = answering.logits[-1]
        flipped, rolled, few = golden.clone(), right.clone(), answering.cache[0, 0].clone()
        flip_bit(flipped, flipped.numel() - 1, LOW_BIT)
        seen = int(verify.count_differences(flipped, golden)) == 1 and not int(
            verify.count_differences(golden.clone(), golden)
        )
        self._self_test.note(TriedFault.BIT_FLIP, seen, "logits")
        before = judging.fingerprints([few])
        flip_bit(few, few.numel() - 1, LOW_BIT)
        self._self_test.note(TriedFault.BIT_FLIP, before != judging.fingerprints([few]), "KV cache")
        set_nan(flipped, 0)
        self._self_test.note(TriedFault.NAN, int(verify.count_not_finite(flipped)) > 0, "logits")
        rolled[0] = rolled[0].roll(1, dims=-1)
        wrong = self._apart(difference(rolled, right), self._tolerated, "")
        self._self_test.note(TriedFault.REPEATABLE, wrong is not None, "logits")

    # -- evidence --------------------------------------------------------------------------------------------------

    def _evidence(self) -> InferenceEvidence:
        model, whole = self._model, self._busy_s + self._checking_s
        return InferenceEvidence(
            model=model.described(),
            parameters=model.parameters,
            precision=contract.stored_in(self._precision),
            requests=model.requests,
            prompt_tokens=model.prompt,
            generated_tokens=model.generated,
            answers=self._answers,
            step_bytes=model.step_bytes(self._dtype.itemsize),
            host_difference_pct=percent(self._host_difference),
            path_difference_pct=percent(self._path_difference),
            verification_pct=round(100 * self._checking_s / whole, 2) if whole else None,
            vouches_for=contract.VOUCHES_FOR,
            **contract.measured_rates(
                model,
                self._prefill_meter,
                self._decode_meter,
                element_bytes=self._dtype.itemsize,
                peak_gbps=peak_gbps(self._device),
            ),
        )


def rows(logits: Tensor) -> Tensor:
    """(tokens, requests, vocabulary) as a matrix with a row for each token of each answer."""
    return logits.reshape(-1, logits.shape[-1])


def percent(share: float | None) -> float | None:
    """With three digits; None where it is unknown or no number."""
    return None if share is None or not math.isfinite(share) else float(f"{100 * share:.3g}")
