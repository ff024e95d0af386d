"""Special functions: exp, sin, rsqrt, tanh and erf against the host in double precision, then bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

from core.loads.units.unit import SLICE, Operations, UnitOperation

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
