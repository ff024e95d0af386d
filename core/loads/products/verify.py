"""Comparing results: bit for bit with a golden one, the golden one with a reference in double precision, and a product
of integers with an answer that is computed independently, which finds faults that repeat.

A tolerance cannot see NaN (every comparison with it is false) nor a flipped low bit; raw bits as integers show both.

Small integers are exact in every format, and so are sums of their products up to a length that the format tells,
whatever the order of summation. The reference never uses the floating-point unit: whole rows by integer arithmetic on
the host, and for all other elements weighted sums of rows and columns, w^T (A B) = (w^T A) B (Freivalds 1977), compared
as 64-bit integers. Weights are never zero, so that a single wrong element cannot hide; two must cancel in a row and in
a column.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.products import formats
from core.loads.words import WORD_BYTES, bits, words_of
from core.words import tr, trn

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


def golden_problem(golden: torch.Tensor, operands: formats.Operands, *, seed: int) -> ResultDifference | None:
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
    values = formats.doubled(golden[rows.tolist()][:, columns])
    outside = np.abs(values - reference) > allowed
    if not outside.any():
        return None
    i, j = (int(index) for index in np.argwhere(outside)[0])
    return ResultDifference(
        int(outside.sum()), 0, int(rows[i]), j + columns.start, float(values[i, j]), float(reference[i, j])
    )


def _random_block(golden: torch.Tensor, seed: int) -> tuple[NDArray[np.int64], slice]:
    generator = np.random.default_rng(seed)
    height, width = golden.shape
    rows = np.sort(generator.choice(height, size=min(REFERENCE_ROWS, height), replace=False))
    start = int(generator.integers(0, max(width - REFERENCE_COLUMNS, 0) + 1))
    return rows, slice(start, min(start + REFERENCE_COLUMNS, width))


SAMPLED_ROWS = 32
DEPTH_AT_ONCE = 256
HEAVIEST = 1000
FLOAT32 = formats.BY_NAME["float32"]

Whole = NDArray[np.int64]
Shape = tuple[int, int, int]
"""Rows of the left operand, its columns (the length of the sums), columns of the right one."""


class KnownAnswer:
    """The integers, their products where they are computed in full, and the weighted sums of all others.

    `prepare` does the slow part in slices; nothing else works before it has ended. Raises ValueError for sums that
    would not be exact.
    """

    def __init__(self, shape: Shape, integers: formats.Integers, *, seed: int) -> None:
        height, depth, width = shape
        if depth > integers.depth:
            fields = {"depth": depth, "largest": integers.largest}
            raise ValueError(tr("Sums of {depth} products of integers up to {largest} are not exact.", **fields))
        self.shape = shape
        self._integers = integers
        self._generator = np.random.default_rng(seed)
        self._a = np.zeros((height, depth), dtype=np.int8)
        self._b = np.zeros((depth, width), dtype=np.int8)
        self.rows: Whole = np.sort(self._generator.choice(height, size=min(SAMPLED_ROWS, height), replace=False))
        """Those that are computed in full."""
        self._row_weights: Whole = self._generator.integers(1, HEAVIEST + 1, height)
        self._column_weights: Whole = self._generator.integers(1, HEAVIEST + 1, width)
        self._products: Whole = np.zeros((len(self.rows), width), dtype=np.int64)
        self._down: Whole = np.zeros(width, dtype=np.int64)
        self._across: Whole = np.zeros(height, dtype=np.int64)

    def prepare(self) -> Iterator[None]:
        """Draws the integers and computes the reference, once; pauses often, for the caller to show signs of life."""
        for start in range(0, self.shape[1], DEPTH_AT_ONCE):
            part = slice(start, start + DEPTH_AT_ONCE)
            self._draw(self._a[:, part])
            self._draw(self._b[part])
            if self._integers.sparse:
                thinned, patterns = self._a[:, part], formats.kept_of_four()
                thinned *= patterns[self._generator.integers(len(patterns), size=thinned.size // 4)].reshape(
                    thinned.shape
                )
            left, right = self._a[:, part].astype(np.int64), self._b[part].astype(np.int64)
            # Sums within a slice fit 32 bits, in which the host multiplies three times as fast.
            self._products += np.einsum("ij,jk->ik", left[self.rows].astype(np.int32), right.astype(np.int32))
            self._down += (self._row_weights @ left) @ right
            self._across += left @ (right @ self._column_weights)
            yield

    def _draw(self, part: NDArray[np.int8]) -> None:
        largest = self._integers.largest
        part[:] = self._generator.integers(-largest, largest, part.shape, dtype=np.int8, endpoint=True)

    def operands(self, format_: formats.Format, device: torch.device) -> formats.Operands:
        """A and B on the device; exact in every format with these integers, and in 32-bit floats."""
        left, right = (torch.from_numpy(whole).to(device) for whole in (self._a, self._b))
        return formats.encoded(left, right, format_)

    def problem(self, result: torch.Tensor, format_: formats.Format) -> str | None:
        """What is wrong with a product of the operands, in words; None if every element is right."""
        if not format_.narrow:
            return self._wrong_rows(result) or self._wrong_sums(result)
        # Rounding to 16 bits loses the sums: every element is compared with the rounded exact product instead, which
        # the device computes in 32 bits and which must pass the sums itself.
        with formats.product_precision(tf32=False):
            exact = self.operands(FLOAT32, result.device).product()
        if (wrong := self._wrong_sums(exact)) is not None:
            return tr("the float32 product for comparison: {wrong}", wrong=wrong)
        return _unequal(result, exact.to(result.dtype), tr("the rounded exact product")) or self._wrong_rows(result)

    def _wrong_rows(self, result: torch.Tensor) -> str | None:
        exact = torch.from_numpy(self._products).to(torch.float64)
        block = result[torch.from_numpy(self.rows).to(result.device)].cpu()
        return _unequal(
            block, exact.to(result.dtype), tr("the {rows} rows computed on the host", rows=len(self.rows)), self.rows
        )

    def _wrong_sums(self, result: torch.Tensor) -> str | None:
        whole = result.to(torch.int64)
        if (fractions := _unequal(result, whole.to(result.dtype), tr("any whole number"))) is not None:
            return fractions
        by_row, by_column = (
            torch.from_numpy(weights).to(result.device) for weights in (self._row_weights, self._column_weights)
        )
        down = (whole * by_row[:, None]).sum(dim=0).cpu().numpy() - self._down
        across = (whole * by_column[None, :]).sum(dim=1).cpu().numpy() - self._across
        columns, rows = np.flatnonzero(down), np.flatnonzero(across)
        if len(columns) == 1 and len(rows) == 1:
            row, column = int(rows[0]), int(columns[0])
            excess = int(down[column]) // int(self._row_weights[row])
            got = int(whole[row, column])
            fields = {"count": 1, "row": row, "column": column, "got": f"{got}", "right": f"{got - excess}"}
            return trn(
                "{count} element is wrong (row {row}, column {column}: {got} instead of {right})",
                "{count} elements are wrong (row {row}, column {column}: {got} instead of {right})",
                **fields,
            )
        if len(columns) or len(rows):
            fields = {"rows": len(rows), "columns": len(columns)}
            return tr("the integer sums of {rows} rows and {columns} columns are wrong", **fields)
        return None


def _unequal(result: torch.Tensor, expected: torch.Tensor, what: str, rows: Whole | None = None) -> str | None:
    """Compared as values: a zero may carry either sign, and NaN equals nothing."""
    wrong = result != expected
    elements = int(torch.count_nonzero(wrong))
    if elements == 0:
        return None
    row, column = divmod(int(torch.argmax(wrong.flatten().to(torch.uint8))), result.shape[1])
    got, right = float(result[row, column]), float(expected[row, column])
    place = row if rows is None else int(rows[row])
    return trn(
        "{count} element differs from {what} (row {row}, column {column}: {got} instead of {right})",
        "{count} elements differ from {what} (row {row}, column {column}: {got} instead of {right})",
        count=elements,
        what=what,
        row=place,
        column=column,
        got=f"{got:.9g}",
        right=f"{right:.9g}",
    )
