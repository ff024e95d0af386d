"""The self-test of the checks on products: bit flips, NaN and a wrong value that repeats, in each number format."""

from __future__ import annotations

import torch

from core.loads import inject, verify
from core.loads.formats import Format
from core.loads.known_answer import KnownAnswer
from core.loads.selftest import BIT_FLIP, NAN, REPEATABLE, SelfTest


def try_comparison(selftest: SelfTest, golden: torch.Tensor, format_: Format) -> None:
    """Injects faults into copies of any result and compares them bit for bit with it. Integers know no NaN."""
    selftest.note(BIT_FLIP, _sees_a_flip(golden), f"{format_.name} results")
    if golden.is_floating_point():
        selftest.note(NAN, _sees_nan(golden), f"{format_.name} results")


def try_known_answer(selftest: SelfTest, answer: torch.Tensor, *, known: KnownAnswer, format_: Format) -> None:
    """Injects a fault into a copy of a product of the known answer's operands.

    A fault that repeats is in the golden result too, where no comparison can see it.
    """
    wrong = answer.clone()
    inject.flip_bit(wrong, wrong.numel() // 3, inject.LOW_BIT)
    selftest.note(REPEATABLE, known.problem(wrong, format_) is not None, f"{format_.name} products")


def _sees_a_flip(golden: torch.Tensor) -> bool:
    width = 8 * golden.element_size()
    for bit in (0, width // 2, width - 1):
        wrong = golden.clone()
        inject.flip_bit(wrong, golden.numel() // 2, bit)
        if int(verify.count_differences(wrong, golden)) != 1:
            return False
    return int(verify.count_differences(golden.clone(), golden)) == 0


def _sees_nan(golden: torch.Tensor) -> bool:
    wrong = golden.clone()
    inject.set_nan(wrong, golden.numel() - 1)
    # In a golden result NaN equals itself bit for bit: only the count of numbers that are not finite shows it.
    more = int(verify.count_not_finite(wrong)) > int(verify.count_not_finite(golden))
    return more and int(verify.count_differences(wrong, golden)) == 1
