"""Units that compute, held to what the host computes: special functions within rounding, then bit for bit; atomics,
shared memory, sorting and scans by sums of whole numbers, which are exact in whatever order they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

from core.loads.units.unit import SLICE, Array, Operations, UnitOperation

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
        given = arguments.to(self.device)
        single = np.finfo(np.float32)
        allowed = ALLOWED_ULP * single.eps * np.abs(answer) + single.smallest_normal
        return UnitOperation(name, lambda: function(given), answer, 2 * given.nbytes, allowed)


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
