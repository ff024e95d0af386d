"""What every functional unit offers to the load, and operations whose result is known or must repeat bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from core.language import tr, trn
from core.loads.checksum import Checksum, checksum
from core.loads.inject import flip_bit
from core.loads.selftest import BIT_FLIP, SelfTest
from core.loads.timing import mark

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
            found = _on_host(result)
            if wrong := self._off(found):
                return wrong
            self._golden = self.answer if self.allowed is None else found
            self._expected = checksum(torch.from_numpy(self._golden))
        if checksum(result) == self._expected:
            return None
        found = _on_host(result)
        unequal = _words(found) != _words(self._golden)
        return _told(unequal, found, self._golden) or tr("its checksum was wrong, its contents were right")

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

    def _off(self, found: Array) -> str | None:
        if self.allowed is None:
            return _told(_words(found) != _words(self.answer), found, self.answer)
        # Written so that NaN, with which every comparison is false, counts as wrong.
        right = np.abs(found.astype(np.float64) - self.answer) <= self.allowed
        return _told(~right, found, self.answer)


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
            self_test.note(BIT_FLIP, operation.sees_a_flip(), operation.name)
            yield

    def round(self, inject: Inject) -> Iterator[OperationResult]:
        """Every operation once."""
        for operation in self.operations:
            yield operation.run(self.device, inject)


def _on_host(result: torch.Tensor) -> Array:
    found: Array = result.cpu().numpy()
    return found


def _words(array: Array) -> Array:
    """Its bits: NaN differs from NaN, zero equals minus zero, and neither may count."""
    return array.view(f"u{array.itemsize}")


def _told(unequal: NDArray[np.bool_], found: Array, right: Array) -> str | None:
    places = np.flatnonzero(unequal)
    if not len(places):
        return None
    first = int(places[0])
    got, expected = (f"{array[first]:.9g}" for array in (found, right))
    return trn(
        "{count} result is wrong (number {first}: {got} instead of {right})",
        "{count} results are wrong (number {first}: {got} instead of {right})",
        count=len(places),
        first=first,
        got=got,
        right=expected,
    )
