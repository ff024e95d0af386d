"""The known answer is exact in every number format, and one wrong bit anywhere breaks it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.loads.formats import FORMATS, Format
from core.loads.inject import flip_bit, set_nan
from core.loads.known_answer import LARGEST, KnownAnswer

CPU = torch.device("cpu")
formats = st.sampled_from(FORMATS)


def prepared(size: int, seed: int) -> KnownAnswer:
    known = KnownAnswer(size, seed)
    for _ in known.prepare():
        pass
    return known


def product(known: KnownAnswer, format_: Format) -> torch.Tensor:
    a, b = known.operands(format_.dtype, CPU)
    return torch.mm(a, b)


@settings(max_examples=60, deadline=None)
@given(size=st.integers(1, 300), seed=st.integers(0, 2**31), format_=formats)
def test_a_correct_product_of_any_size_is_accepted(size: int, seed: int, format_: Format) -> None:
    known = prepared(size, seed)
    assert known.problem(product(known, format_), format_) is None


@settings(max_examples=150, deadline=None)
@given(size=st.integers(1, 150), seed=st.integers(0, 2**31), format_=formats, data=st.data())
def test_any_flipped_bit_that_changes_a_value_is_found(
    size: int, seed: int, format_: Format, data: st.DataObject
) -> None:
    known = prepared(size, seed)
    wrong = product(known, format_)
    element = data.draw(st.integers(0, wrong.numel() - 1), label="element")
    bit = data.draw(st.integers(0, 8 * wrong.element_size() - 1), label="bit")
    before = float(wrong.view(-1)[element])
    flip_bit(wrong, element, bit)
    changed = float(wrong.view(-1)[element]) != before
    assert (known.problem(wrong, format_) is not None) == changed, "only the sign of zero may go unseen"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e30])
@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_values_beyond_any_integer_are_found(format_: Format, value: float) -> None:
    known = prepared(130, 4)
    wrong = product(known, format_)
    wrong[129, 128] = value
    assert known.problem(wrong, format_) is not None


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_nan_in_an_unsampled_row_is_found(format_: Format) -> None:
    known = prepared(160, 5)
    for row in range(0, 160, 7):
        wrong = product(known, format_)
        set_nan(wrong, row * 160 + 3)
        assert known.problem(wrong, format_) is not None


@pytest.mark.parametrize("swap", ["rows", "columns", "transposed"])
def test_right_numbers_in_wrong_places_are_found(swap: str) -> None:
    known = prepared(200, 6)
    right = product(known, FORMATS[0])
    order = list(range(200))
    order[10], order[150] = order[150], order[10]
    wrong = {"rows": right[order], "columns": right[:, order], "transposed": right.T.contiguous()}[swap]
    assert known.problem(wrong, FORMATS[0]) is not None


def test_a_pair_of_errors_that_keeps_plain_sums_is_found() -> None:
    known = prepared(100, 7)
    wrong = product(known, FORMATS[0])
    wrong[[3, 4], [5, 6]] += 1.0
    wrong[[3, 4], [6, 5]] -= 1.0
    assert known.problem(wrong, FORMATS[0]) is not None


def test_the_reference_is_the_product_of_the_operands_in_integers() -> None:
    known = prepared(90, 8)
    a, b = (operand.numpy().astype(np.int64) for operand in known.operands(torch.float64, CPU))
    assert np.abs(a).max() == LARGEST
    assert known.problem(torch.from_numpy((a @ b).astype(np.float32)), FORMATS[0]) is None


def test_the_place_of_a_single_wrong_element_is_named() -> None:
    known = prepared(300, 9)
    wrong = product(known, FORMATS[0])
    unsampled = next(row for row in range(300) if row not in known._rows)
    wrong[unsampled, 17] += 2.0
    assert f"(row {unsampled}, column 17)" in str(known.problem(wrong, FORMATS[0]))


def test_sizes_whose_sums_are_not_exact_are_refused() -> None:
    with pytest.raises(ValueError, match="not exact"):
        KnownAnswer(2**18, 1)
