"""The known answer is exact in every number format, and one wrong bit anywhere breaks it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.loads.formats import FORMATS, Format, product
from core.loads.inject import flip_bit, set_nan
from core.loads.known_answer import LARGEST, KnownAnswer, Shape

CPU = torch.device("cpu")
FLOAT64 = FORMATS[-1]
formats = st.sampled_from(FORMATS)


def prepared(size: int | Shape, seed: int) -> KnownAnswer:
    known = KnownAnswer((size, size, size) if isinstance(size, int) else size, seed)
    for _ in known.prepare():
        pass
    return known


def answer(known: KnownAnswer, format_: Format) -> torch.Tensor:
    return product(*known.operands(format_, CPU), format_)


def side(format_: Format, size: int) -> int:
    """8-bit products take whole blocks of 16 only."""
    return -(-size // 16) * 16 if format_.eight_bit else size


@settings(max_examples=60, deadline=None)
@given(shape=st.tuples(*[st.integers(1, 300)] * 3), seed=st.integers(0, 2**31), format_=formats)
def test_a_correct_product_of_any_shape_is_accepted(shape: Shape, seed: int, format_: Format) -> None:
    height, depth, width = (side(format_, size) for size in shape)
    known = prepared((height, depth, width), seed)
    assert known.problem(answer(known, format_), format_) is None


@settings(max_examples=150, deadline=None)
@given(size=st.integers(1, 150), seed=st.integers(0, 2**31), format_=formats, data=st.data())
def test_any_flipped_bit_that_changes_a_value_is_found(
    size: int, seed: int, format_: Format, data: st.DataObject
) -> None:
    known = prepared(side(format_, size), seed)
    wrong = answer(known, format_)
    element = data.draw(st.integers(0, wrong.numel() - 1), label="element")
    bit = data.draw(st.integers(0, 8 * wrong.element_size() - 1), label="bit")
    before = float(wrong.view(-1)[element])
    flip_bit(wrong, element, bit)
    changed = float(wrong.view(-1)[element]) != before
    assert (known.problem(wrong, format_) is not None) == changed, "only the sign of zero may go unseen"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e30])
@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_values_beyond_any_integer_are_found(format_: Format, value: float) -> None:
    known = prepared(144, 4)
    wrong = answer(known, format_)
    wrong[143, 128] = value
    assert known.problem(wrong, format_) is not None


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_nan_in_an_unsampled_row_is_found(format_: Format) -> None:
    known = prepared(160, 5)
    right = answer(known, format_)
    for row in range(0, 160, 7):
        wrong = right.clone()
        set_nan(wrong, row * 160 + 3)
        assert known.problem(wrong, format_) is not None


@pytest.mark.parametrize("swap", ["rows", "columns", "transposed"])
def test_right_numbers_in_wrong_places_are_found(swap: str) -> None:
    known = prepared(200, 6)
    right = answer(known, FORMATS[0])
    order = list(range(200))
    order[10], order[150] = order[150], order[10]
    wrong = {"rows": right[order], "columns": right[:, order], "transposed": right.T.contiguous()}[swap]
    assert known.problem(wrong, FORMATS[0]) is not None


def test_a_pair_of_errors_that_keeps_plain_sums_is_found() -> None:
    known = prepared(100, 7)
    wrong = answer(known, FORMATS[0])
    wrong[[3, 4], [5, 6]] += 1.0
    wrong[[3, 4], [6, 5]] -= 1.0
    assert known.problem(wrong, FORMATS[0]) is not None


def test_the_reference_is_the_product_of_the_operands_in_integers() -> None:
    known = prepared(90, 8)
    a, b = (operand.numpy().astype(np.int64) for operand in known.operands(FLOAT64, CPU))
    assert np.abs(a).max() == LARGEST
    assert known.problem(torch.from_numpy((a @ b).astype(np.float32)), FORMATS[0]) is None


def test_the_place_of_a_single_wrong_element_is_named() -> None:
    known = prepared(300, 9)
    wrong = answer(known, FORMATS[0])
    unsampled = next(row for row in range(300) if row not in known.rows)
    for row in (unsampled, int(known.rows[5])):
        right = float(wrong[row, 17])
        wrong[row, 17] += 2.0
        place = f"(row {row}, column 17: {right + 2:.9g} instead of {right:.9g})"
        assert place in str(known.problem(wrong, FORMATS[0]))
        wrong[row, 17] = right


def test_sizes_whose_sums_are_not_exact_are_refused() -> None:
    with pytest.raises(ValueError, match="not exact"):
        KnownAnswer((16, 2**18, 16), 1)
