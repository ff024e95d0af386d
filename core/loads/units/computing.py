"""What a functional unit offers to the load, and the units that compute, held to what the host computes: special
functions within rounding, then bit for bit; atomics, shared memory, sorting and scans by sums of whole numbers,
which are exact in whatever order they are made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.device import mark
from core.loads.findings import SelfTest, TriedFault
from core.loads.words import Checksum, checksum, flip_bit
from core.words import tr, trn

SLICE = 2**20
"""So many numbers are drawn or computed on the host between two signs of life."""

Inject = Callable[[torch.Tensor], None]
"""Makes a fault on purpose in a result, where one was asked for."""
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class OperationResult:
    """One operation done and checked. `problem` says what was wrong with its result."""

    operation: str
    busy_s: float
    moved_bytes: int
    problem: str | None


class Unit(Protocol):
    """A functional unit of one device."""

    name: str

    def lacking(self) -> str | None:
        """Why it cannot be tried on this device; None where it can."""
        ...

    def prepare(self) -> Iterator[None]:
        """Draws the data and computes what is known of the results, in slices: work of the host takes a while."""
        ...

    def try_checks(self, self_test: SelfTest) -> Iterator[None]:
        """Proves that a wrong bit would be seen."""
        ...

    def round(self, inject: Inject) -> Iterator[OperationResult]:
        """Every operation once."""
        ...


@dataclass(slots=True)
class UnitOperation:
    """A computation on the device that gives `answer`: every bit of it, or within `allowed` and then always the same.

    Results are compared by their checksum, which is kept on the host: no fault of the device's memory can change it.
    """

    name: str
    compute: Callable[[], torch.Tensor]
    answer: Array
    """As the host computed it."""
    moved_bytes: int
    allowed: Array | None = None
    """Largest error, element by element; None where every bit is known."""
    _expected: Checksum | None = None
    _golden: Array = field(default_factory=lambda: np.empty(0), repr=False)

    def problem(self, result: torch.Tensor) -> str | None:
        """What is wrong with a result; None for a right one. Waits for the device."""
        if self._expected is None:
            values = _on_host(result)
            if wrong := self._off(values):
                return wrong
            self._golden = self.answer if self.allowed is None else values
            self._expected = checksum(torch.from_numpy(self._golden))
        if checksum(result) == self._expected:
            return None
        values = _on_host(result)
        unequal = _words(values) != _words(self._golden)
        return _mismatch(unequal, values, self._golden) or tr("its checksum was wrong, its contents were right")

    def run(self, device: torch.device, inject: Inject) -> OperationResult:
        """Once, with the time on the device's own clock."""
        started = mark(device)
        result = self.compute()
        ended = mark(device)
        ended.wait()
        inject(result)
        return OperationResult(self.name, ended.seconds_since(started), self.moved_bytes, self.problem(result))

    def sees_a_flip(self) -> bool:
        """Whether one wrong bit in a result is found, wherever it is in a number."""
        tried = replace(self, _expected=None)
        result = self.compute()
        tried.problem(result)
        width = 8 * result.element_size()
        for bit in (0, width // 2, width - 1):
            wrong = result.clone()
            flip_bit(wrong, wrong.numel() // 3, bit)
            if tried.problem(wrong) is None:
                return False
        return True

    def _off(self, values: Array) -> str | None:
        if self.allowed is None:
            return _mismatch(_words(values) != _words(self.answer), values, self.answer)
        # Written so that NaN, with which every comparison is false, counts as wrong.
        right = np.abs(values.astype(np.float64) - self.answer) <= self.allowed
        return _mismatch(~right, values, self.answer)


@dataclass(slots=True)
class Operations:
    """A unit that is tried by operations alone: what `Unit` asks of it once `operations` are made."""

    device: torch.device
    operations: Sequence[UnitOperation] = ()

    def lacking(self) -> str | None:
        """Every device can do them."""
        return None

    def try_checks(self, self_test: SelfTest) -> Iterator[None]:
        """A bit flipped in the result of each operation."""
        for operation in self.operations:
            self_test.note(TriedFault.BIT_FLIP, operation.sees_a_flip(), operation.name)
            yield

    def round(self, inject: Inject) -> Iterator[OperationResult]:
        """Every operation once."""
        for operation in self.operations:
            yield operation.run(self.device, inject)


def _on_host(result: torch.Tensor) -> Array:
    values: Array = result.cpu().numpy()
    return values


def _words(array: Array) -> Array:
    """Its bits: NaN differs from NaN, zero equals minus zero, and neither may count."""
    return array.view(f"u{array.itemsize}")


def _mismatch(unequal: NDArray[np.bool_], values: Array, right: Array) -> str | None:
    places = np.flatnonzero(unequal)
    if not len(places):
        return None
    first = int(places[0])
    got, expected = (f"{array[first]:.9g}" for array in (values, right))
    fields = {"count": len(places), "first": first, "got": got, "right": expected}
    return trn(
        "{count} result is wrong (number {first}: {got} instead of {right})",
        "{count} results are wrong (number {first}: {got} instead of {right})",
        **fields,
    )


ALLOWED_ULP = 8
"""CUDA states at most 2 for these functions in single precision (CUDA C++ guide, "Mathematical functions"), the vector
libraries of CPUs 1; a fault of the units that interpolate is larger by far, or shows as another bit."""
RANGES: tuple[tuple[str, Callable[..., torch.Tensor], float, float], ...] = (
    ("exp", torch.exp, -80.0, 80.0),
    ("sin", torch.sin, -100.0, 100.0),
    ("rsqrt", torch.rsqrt, 1e-3, 1e6),
    ("tanh", torch.tanh, -9.0, 9.0),
    ("erf", torch.erf, -4.0, 4.0),
)
"""Name, function, and the numbers between which arguments are drawn."""


@dataclass(slots=True)
class SpecialFunctions(Operations):
    """In single precision: the one for which cards have units of their own."""

    elements: int = 0
    seed: int = 0
    name: str = "special functions"

    def prepare(self) -> Iterator[None]:
        """Draws arguments on the host, and computes there what they give."""
        made = []
        for number, (name, function, least, most) in enumerate(RANGES):
            generator = torch.Generator().manual_seed(self.seed + number)
            arguments = torch.empty(self.elements).uniform_(least, most, generator=generator)
            yield
            answer = np.empty(self.elements)
            for start in range(0, self.elements, SLICE):
                part = arguments[start : start + SLICE].double()
                answer[start : start + SLICE] = function(part).numpy()
                yield
            made.append(self._operation(name, function, arguments, answer))
        self.operations = made

    def _operation(
        self, name: str, function: Callable[..., torch.Tensor], arguments: torch.Tensor, answer: np.ndarray
    ) -> UnitOperation:
        inputs = arguments.to(self.device)
        single = np.finfo(np.float32)
        allowed = ALLOWED_ULP * single.eps * np.abs(answer) + single.smallest_normal
        return UnitOperation(name, lambda: function(inputs), answer, 2 * inputs.nbytes, allowed)


CROWDED = 4096
"""So few sums that many threads add to one at the same time, and that they find room in shared memory."""
MOST = 8
"""Numbers to add are below: their sums stay exact in single precision (below 2**24) up to 2**32 of them."""


@dataclass(slots=True)
class Atomics(Operations):
    """What gradients of embeddings, histograms, top-k and prefix sums are made of."""

    elements: int = 0
    seed: int = 0
    name: str = "atomics and shared memory"

    def prepare(self) -> Iterator[None]:
        """Draws whole numbers on the host, and adds and sorts them there."""
        random = np.random.default_rng(self.seed)
        count = self.elements
        spread = max(count // 4, CROWDED)
        few, many = random.integers(CROWDED, size=count), random.integers(spread, size=count)
        yield
        values = random.integers(MOST, size=count)
        keys = random.integers(-(2**31), 2**31, size=count).astype(np.int32)
        yield
        crowded = np.bincount(few, weights=values, minlength=CROWDED)
        spread_out = np.bincount(many, weights=values, minlength=spread)
        counted = np.bincount(few, minlength=CROWDED)
        yield
        ordered = np.sort(keys)
        yield
        there = {name: torch.from_numpy(array).to(self.device) for name, array in _inputs(few, many, values, keys)}
        made: list[tuple[str, Callable[[], torch.Tensor], Array]] = [
            ("index_add", lambda: self._zeros(CROWDED).index_add_(0, there["few"], there["floats"]),
             crowded.astype(np.float32)),
            ("scatter_add", lambda: self._zeros(spread, torch.int32).scatter_add_(0, there["many"], there["whole"]),
             spread_out.astype(np.int32)),
            ("bincount", lambda: torch.bincount(there["few"], minlength=CROWDED), counted),
            ("histogram", lambda: torch.histc(there["few_floats"], bins=CROWDED, min=0, max=CROWDED),
             counted.astype(np.float32)),
            ("sort", lambda: torch.sort(there["keys"]).values, ordered),
            ("prefix sum", lambda: torch.cumsum(there["whole"], 0), np.cumsum(values)),
        ]  # fmt: skip
        self.operations = [UnitOperation(name, compute, answer, 8 * count) for name, compute, answer in made]

    def _zeros(self, count: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.zeros(count, dtype=dtype, device=self.device)


def _inputs(few: Array, many: Array, values: Array, keys: Array) -> Iterator[tuple[str, Array]]:
    yield from (("few", few), ("many", many), ("keys", keys))
    yield "few_floats", few.astype(np.float32)
    yield "floats", values.astype(np.float32)
    yield "whole", values.astype(np.int32)
