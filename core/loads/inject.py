"""Faults made on purpose in real results, to prove that they are found."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from core.language import tr
from core.loads.drill import Drill
from core.loads.products.verify import bits

LOW_BIT = 1
"""Flips are made here: far below what any tolerance could show."""


def flip_bit(tensor: torch.Tensor, element: int, bit: int) -> None:
    """Inverts one bit of one element in place."""
    width = 8 * tensor.element_size()
    mask = 1 << bit
    signed = mask - (1 << width) if bit == width - 1 else mask
    bits(tensor).view(-1)[element] ^= signed


def set_nan(tensor: torch.Tensor, element: int) -> None:
    """Makes one element NaN in place; integers know none, and get their least number."""
    tensor.view(-1)[element] = float("nan") if tensor.is_floating_point() else torch.iinfo(tensor.dtype).min


@dataclass(slots=True)
class Injector(Drill):
    """Injects one kind of fault: "bitflip" and "nan" once per number format, "repeatable" into every result."""

    _spent: bool = field(default=False, init=False)

    def new_format(self) -> None:
        """Arms a transient fault again."""
        self._spent = False

    def inject_always(self, result: torch.Tensor) -> None:
        """A repeatable fault: the same bit of the same element, in golden results and known answers alike."""
        if self.kind == "repeatable":
            flip_bit(result, result.numel() // 3, LOW_BIT)
            self.strike(tr("element {element} of every result", element=result.numel() // 3))

    def inject_once(self, result: torch.Tensor, iteration: int) -> None:
        """A transient fault, in the first verified result from iteration `at` on."""
        if self._spent or iteration < self.at or self.kind not in ("bitflip", "nan"):
            return
        if self.kind == "bitflip":
            flip_bit(result, result.numel() // 2, LOW_BIT)
        else:
            set_nan(result, result.numel() // 2)
        self._spent = True
        self.strike(tr("element {element} of result {number}", element=result.numel() // 2, number=iteration))
