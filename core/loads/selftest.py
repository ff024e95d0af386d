"""Proves before each run that the checks see faults: a check that sees nothing would pass everything."""

from __future__ import annotations

import torch

from core.loads import inject, verify
from core.loads.formats import Format
from core.loads.known_answer import KnownAnswer


def unseen_faults(golden: torch.Tensor, answer: torch.Tensor, *, known: KnownAnswer, format_: Format) -> list[str]:
    """Injects faults into copies of real results; names those that were not seen.

    `golden` is any result, `answer` a correct product of the known answer's operands.
    """
    unseen: list[str] = []
    if not _sees_a_flip(golden):
        unseen.append("bit flip")
    if not _sees_nan(golden):
        unseen.append("NaN")
    if not _sees_a_repeatable_fault(answer, known, format_=format_):
        unseen.append("repeatable wrong value")
    return unseen


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


def _sees_a_repeatable_fault(answer: torch.Tensor, known: KnownAnswer, *, format_: Format) -> bool:
    wrong = answer.clone()
    inject.flip_bit(wrong, wrong.numel() // 3, inject.LOW_BIT)
    return known.problem(wrong, format_) is not None
