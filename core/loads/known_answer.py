"""A product of integers whose exact answer is computed independently: finds faults that repeat.

Integers up to 8 in magnitude are exact in every format, and so is every sum of their products below 2**24, whatever the
order of summation. The reference never uses the floating-point unit: whole rows by 64-bit integer arithmetic on the
host, and for all other elements weighted sums of rows and columns, w^T (A B) = (w^T A) B (Freivalds 1977), compared as
integers. Weights are never zero, so that a single wrong element cannot hide; two must cancel in a row and in a column.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from core.loads.formats import Format, product_precision

LARGEST = 8
LARGEST_SIZE = 4096
"""Larger products say nothing more and cost seconds on the host."""
SAMPLED_ROWS = 64
COLUMNS_AT_ONCE = 256
HEAVIEST = 1000

Integers = NDArray[np.int64]


class KnownAnswer:
    """The integers, their products where they are computed in full, and the weighted sums of all others.

    `prepare` does the slow part in slices; nothing else works before it has ended.
    """

    def __init__(self, size: int, seed: int) -> None:
        if size * LARGEST**2 >= 2**24:
            raise ValueError(f"Sums of {size} products are not exact in 24 bits.")
        generator = np.random.default_rng(seed)
        self.size = size
        self._a = generator.integers(-LARGEST, LARGEST + 1, (size, size)).astype(np.int8)
        self._b = generator.integers(-LARGEST, LARGEST + 1, (size, size)).astype(np.int8)
        self._rows: Integers = np.sort(generator.choice(size, size=min(SAMPLED_ROWS, size), replace=False))
        self._weights: Integers = generator.integers(1, HEAVIEST + 1, size)
        self._products: Integers = np.zeros((len(self._rows), size), dtype=np.int64)
        self._down: Integers = np.zeros(size, dtype=np.int64)
        self._across: Integers = np.zeros(size, dtype=np.int64)

    def prepare(self) -> Iterator[None]:
        """Computes the reference, pausing after every few columns so that the caller can show signs of life."""
        sampled = self._a[self._rows].astype(np.int64)
        weighted = self._weights @ self._a
        behind = np.zeros(self.size, dtype=np.int64)
        for start in range(0, self.size, COLUMNS_AT_ONCE):
            columns = slice(start, start + COLUMNS_AT_ONCE)
            right = self._b[:, columns].astype(np.int64)
            self._products[:, columns] = sampled @ right
            self._down[columns] = weighted @ right
            behind += right @ self._weights[columns]
            yield
        self._across = self._a @ behind

    def operands(self, dtype: torch.dtype, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
        """A and B on the device; exact in any of the formats."""
        return torch.from_numpy(self._a).to(device).to(dtype), torch.from_numpy(self._b).to(device).to(dtype)

    def problem(self, result: torch.Tensor, format_: Format) -> str | None:
        """What is wrong with a product of the operands, in words; None if every element is right."""
        if not format_.narrow:
            return self._wrong_rows(result) or self._wrong_sums(result)
        # Rounding to 16 bits loses the sums: every element is compared with the rounded exact product instead, which
        # the device computes in 32 bits and which must pass the sums itself.
        a, b = self.operands(torch.float32, result.device)
        with product_precision(tf32=False):
            exact = torch.mm(a, b)
        if (wrong := self._wrong_sums(exact)) is not None:
            return f"the float32 product for comparison: {wrong}"
        unequal = int(torch.count_nonzero(result != exact.to(result.dtype)))
        if unequal:
            return f"{unequal} elements are not the rounded exact product"
        return self._wrong_rows(result)

    def _wrong_rows(self, result: torch.Tensor) -> str | None:
        exact = torch.from_numpy(self._products).to(torch.float64)
        expected = exact.to(result.dtype)
        found = result[torch.from_numpy(self._rows).to(result.device)].cpu()
        # Compared as values: a zero may carry either sign, and NaN equals nothing.
        unequal = int(torch.count_nonzero(found != expected))
        return f"{unequal} elements in {len(self._rows)} sampled rows are wrong" if unequal else None

    def _wrong_sums(self, result: torch.Tensor) -> str | None:
        whole = result.to(torch.int64)
        uneven = int(torch.count_nonzero(whole.to(result.dtype) != result))
        if uneven:
            return f"{uneven} elements are not whole numbers"
        weights = torch.from_numpy(self._weights).to(result.device)
        down = (whole * weights[:, None]).sum(dim=0).cpu().numpy()
        across = (whole * weights[None, :]).sum(dim=1).cpu().numpy()
        columns, rows = np.flatnonzero(down != self._down), np.flatnonzero(across != self._across)
        if len(columns) == 0 and len(rows) == 0:
            return None
        return f"the integer sums of {len(rows)} rows and {len(columns)} columns are wrong{_place(rows, columns)}"


def _place(rows: NDArray[np.intp], columns: NDArray[np.intp]) -> str:
    if len(rows) == 1 and len(columns) == 1:
        return f" (row {rows[0]}, column {columns[0]})"
    return ""
