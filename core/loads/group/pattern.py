"""Numbers that every rank can tell by itself, so that what others sent is compared with what they must have sent.

Made by integer arithmetic, which is the same on every device.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.loads.inject import LOW_BIT, flip_bit
from core.loads.selftest import CORRUPTED_TRANSFER, NAN, SelfTest

SLICE = 2**22
"""Elements compared at once, so that the temporary memory stays small."""
PERIOD = 251
"""A prime, so that no power of two maps a pattern onto itself."""
STRIDE = 0x9E37_79B9_7F4A_7C15 - 2**64
"""Odd: 2**64 divided by the golden ratio, which spreads a count over all bits (Knuth, TAOCP 3, 6.4)."""


def small_integers(count: int, device: torch.device) -> Tensor:
    """1 to 251 again and again, as 32-bit floating-point numbers; sums over up to 300 ranks stay exact."""
    period = torch.arange(1, PERIOD + 1, device=device).to(torch.float32)
    return period.repeat(-(-count // PERIOD))[:count]


def words(count: int, device: torch.device) -> Tensor:
    """64-bit words that all differ."""
    return torch.arange(count, device=device).mul_(STRIDE)


def differing(found: Tensor, pattern: Tensor, *, times: int = 1, plus: int = 0) -> Tensor:
    """How many elements are not `pattern` x `times` + `plus`: a scalar on the device. NaN differs from everything."""
    total = torch.zeros((), dtype=torch.int64, device=found.device)
    for start in range(0, len(found), SLICE):
        part = slice(start, start + SLICE)
        total += torch.count_nonzero(found[part] != pattern[part] * times + plus)
    return total


def try_pattern(self_test: SelfTest, pattern: Tensor) -> None:
    """The self-test of the comparison, on a copy that is spoiled on purpose."""
    right = pattern[:1000]
    few = right.clone()
    alike = int(differing(few, right)) == 0
    flip_bit(few, len(few) // 2, LOW_BIT)
    self_test.note(CORRUPTED_TRANSFER, alike and int(differing(few, right)) == 1)
    if few.is_floating_point():
        few[0] = float("nan")
        self_test.note(NAN, int(differing(few, right)) == 2, "sums")
