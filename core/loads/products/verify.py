"""Comparing results: bit for bit with a golden one, and the golden one with a reference in double precision.

A tolerance cannot see NaN (every comparison with it is false) nor a flipped low bit; raw bits as integers show both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.language import trn
from core.loads.checksum import WORD_BYTES, words_of
from core.loads.products.operands import Operands, doubled

BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
REFERENCE_ROWS = 8
REFERENCE_COLUMNS = 2048


@dataclass(frozen=True, slots=True)
class ResultDifference:
    """How a result differs from what it should be."""

    elements: int
    not_finite: int
    row: int
    column: int
    got: float
    expected: float

    def __str__(self) -> str:
        return trn(
            "{count} element is wrong (row {row}, column {column}: {got} instead of {right})",
            "{count} elements are wrong (row {row}, column {column}: {got} instead of {right})",
            count=self.elements,
            row=self.row,
            column=self.column,
            got=f"{self.got:.9g}",
            right=f"{self.expected:.9g}",
        )


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory read as integers of the same width."""
    return tensor.view(BITS[tensor.element_size()])


def count_differences(result: torch.Tensor, golden: torch.Tensor) -> torch.Tensor:
    """Number of 64-bit words whose bits differ, as a scalar that stays on the device.

    Words, for they are compared up to four times as fast as the numbers in them; `describe` counts these.
    """
    if result.nbytes % WORD_BYTES:
        return torch.count_nonzero(bits(result) != bits(golden))
    return torch.count_nonzero(words_of(result) != words_of(golden))


def count_not_finite(result: torch.Tensor) -> torch.Tensor:
    """Number of NaN and infinite elements, as a scalar that stays on the device."""
    return torch.count_nonzero(~torch.isfinite(result))


def describe(result: torch.Tensor, golden: torch.Tensor) -> ResultDifference | None:
    """Where and how two results differ; None if they do not. Waits for the device."""
    unequal = bits(result) != bits(golden)
    elements = int(torch.count_nonzero(unequal))
    if elements == 0:
        return None
    first = int(torch.argmax(unequal.flatten().to(torch.uint8)))
    row, column = divmod(first, result.shape[1])
    got, expected = float(result[row, column]), float(golden[row, column])
    return ResultDifference(elements, int(count_not_finite(result)), row, column, got, expected)


def golden_problem(golden: torch.Tensor, operands: Operands, *, seed: int) -> ResultDifference | None:
    """What is wrong with a golden result: not finite anywhere, or off the reference in a block of random rows.

    The reference is computed on the host in double precision. The bound on the rounding errors of a dot product of
    length K is K * u * |a|.|b| whatever the order of summation (Higham, Accuracy and Stability of Numerical Algorithms,
    3.1), so that a correct result never fails; small repeatable errors are for the known answer to find. Integers
    leave no room at all.
    """
    broken = int(count_not_finite(golden))
    if broken:
        first = int(torch.argmax((~torch.isfinite(golden)).flatten().to(torch.uint8)))
        row, column = divmod(first, golden.shape[1])
        return ResultDifference(broken, broken, row, column, float(golden[row, column]), float("nan"))
    format_, depth = operands.format_, operands.shape[1]
    rows, columns = _random_block(golden, seed)
    left, right = operands.rows(rows.tolist()), operands.columns(columns)
    reference = left @ right
    magnitude = np.abs(left) @ np.abs(right)
    roundings = 2.0 * format_.input_rounding + depth * format_.accumulation
    allowed = roundings * magnitude + format_.output_rounding * np.abs(reference)
    found = doubled(golden[rows.tolist()][:, columns])
    outside = np.abs(found - reference) > allowed
    if not outside.any():
        return None
    i, j = (int(index) for index in np.argwhere(outside)[0])
    return ResultDifference(
        int(outside.sum()), 0, int(rows[i]), j + columns.start, float(found[i, j]), float(reference[i, j])
    )


def _random_block(golden: torch.Tensor, seed: int) -> tuple[NDArray[np.int64], slice]:
    generator = np.random.default_rng(seed)
    height, width = golden.shape
    rows = np.sort(generator.choice(height, size=min(REFERENCE_ROWS, height), replace=False))
    start = int(generator.integers(0, max(width - REFERENCE_COLUMNS, 0) + 1))
    return rows, slice(start, min(start + REFERENCE_COLUMNS, width))
