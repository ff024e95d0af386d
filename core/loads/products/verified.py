"""What all loads of products share: number formats, operands, golden results, known answers, and what was found.

A load begins afresh with smaller matrices where memory does not suffice, so all that it has counted lives here.
"""

from collections.abc import Generator, Iterator

import torch

from core.loads.findings import SelfTest, TriedFault
from core.loads.load import FaultKind, StepReport, alive_through
from core.loads.products import verify
from core.loads.products.availability import SMALLEST, refusal, split_by_availability
from core.loads.products.formats import Format, Integers, normal_operands
from core.loads.products.sustained import CheckPolicy, Injector, ProductTally, Sustained
from core.loads.products.verify import KnownAnswer, Shape, golden_problem
from core.loads.verified_load import DeviceLoad, Params
from core.loads.words import LOW_BIT, flip_bit, set_nan
from core.platform.errors import EnvironmentProblem
from core.words import tr


class VerifiedProducts(DeviceLoad[Params]):
    """The part of a load that multiplies and checks. A load says what, for how long, and what follows from it."""

    _drill: Injector

    def __init__(self, params: Params, device: torch.device, *, size: int, formats: tuple[Format, ...]) -> None:
        self._size = size
        self._sizes_tried = [size]
        self._formats, skipped = split_by_availability(formats, device)
        self._skipped = dict(skipped)
        super().__init__(params, device)

    def _new_drill(self) -> Injector:
        return Injector(self._params.inject, self._params.inject_at)

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._compared_in: set[str] = set()
        """Formats in which the comparison has been tried on injected faults."""
        self._known_answers: dict[tuple[Shape, Integers], KnownAnswer] = {}

    def _smaller(self) -> bool:
        """Half the matrices, down to 256."""
        if self._size // 2 < SMALLEST:
            return False
        self._size //= 2
        self._sizes_tried.append(self._size)
        return True

    def _prepare(self) -> Iterator[StepReport]:
        """Leaves out what the device refuses. Raises EnvironmentProblem when it offers none of the formats."""
        for format_ in self._formats:
            if (reason := refusal(format_, self._device)) is not None:
                self._skipped[format_.name] = reason
            yield StepReport()
        self._formats = tuple(format_ for format_ in self._formats if format_.name not in self._skipped)
        if not self._formats:
            raise EnvironmentProblem(" ".join(self._skipped.values()))

    def _repeated(
        self, format_: Format, size: int, *, tally: ProductTally, policy: CheckPolicy, turn: int = 0
    ) -> Generator[StepReport, None, Sustained]:
        """Products ready to be repeated: the golden one is right, and the comparison with it sees faults.

        Each `turn` draws other numbers. The self-test may have found the comparison blind.
        """
        seed = self._params.seed + turn
        operands = normal_operands(format_, size, seed=seed, device=self._device)
        yield StepReport()
        sustained = Sustained(operands, injector=self._drill, findings=self._findings, tally=tally, policy=policy)
        yield StepReport()
        problem = golden_problem(sustained.golden, operands, seed=seed)
        kind = FaultKind.NAN if problem and problem.not_finite else FaultKind.MISMATCH
        fields = {"format": format_.name, "problem": str(problem)}
        text = tr("{format} against the double-precision reference: {problem}", **fields)
        yield self._findings.checked(text if problem else None, kind=kind)
        if format_.name not in self._compared_in:
            try_comparison(self._self_test, sustained.golden, format_)
            self._compared_in.add(format_.name)
        yield from sustained.prepare()
        return sustained

    def _prepared(self, shape: Shape, format_: Format) -> Generator[StepReport, None, KnownAnswer]:
        """The known answer of a shape, computed on the host once."""
        key = shape, format_.integers
        if key not in self._known_answers:
            known_answer = KnownAnswer(shape, format_.integers, seed=self._params.seed)
            yield from alive_through(known_answer.prepare())
            self._known_answers[key] = known_answer
        return self._known_answers[key]

    def _answered(self, answer: torch.Tensor, known_answer: KnownAnswer, format_: Format) -> StepReport:
        """What is wrong with a product of the known answer's operands."""
        problem = known_answer.problem(answer, format_)
        kind = FaultKind.MISMATCH if torch.isfinite(answer).all() else FaultKind.NAN
        return self._findings.checked(
            problem and tr("{format} known answer: {problem}", format=format_.name, problem=problem), kind=kind
        )


def try_comparison(selftest: SelfTest, golden: torch.Tensor, format_: Format) -> None:
    """Injects faults into copies of any result and compares them bit for bit with it. Integers know no NaN."""
    selftest.note(TriedFault.BIT_FLIP, _sees_a_flip(golden), tr("{format} results", format=format_.name))
    if golden.is_floating_point():
        selftest.note(TriedFault.NAN, _sees_nan(golden), tr("{format} results", format=format_.name))


def try_known_answer(selftest: SelfTest, answer: torch.Tensor, *, known_answer: KnownAnswer, format_: Format) -> None:
    """Injects a fault into a copy of a product of the known answer's operands.

    A fault that repeats is in the golden result too, where no comparison can see it. The place is another one than that
    of a drill, which this would undo.
    """
    wrong = answer.clone()
    flip_bit(wrong, wrong.numel() // 5, LOW_BIT)
    noticed = known_answer.problem(wrong, format_) is not None
    selftest.note(TriedFault.REPEATABLE, noticed, tr("{format} products", format=format_.name))


def _sees_a_flip(golden: torch.Tensor) -> bool:
    width = 8 * golden.element_size()
    for bit in (0, width // 2, width - 1):
        wrong = golden.clone()
        flip_bit(wrong, golden.numel() // 2, bit)
        if int(verify.count_differences(wrong, golden)) != 1:
            return False
    return int(verify.count_differences(golden.clone(), golden)) == 0


def _sees_nan(golden: torch.Tensor) -> bool:
    wrong = golden.clone()
    set_nan(wrong, golden.numel() - 1)
    # In a golden result NaN equals itself bit for bit: only the count of numbers that are not finite shows it.
    more = int(verify.count_not_finite(wrong)) > int(verify.count_not_finite(golden))
    return more and int(verify.count_differences(wrong, golden)) == 1
