"""The known answer is exact in every number format, and one wrong bit anywhere breaks it."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.loads.products.formats import BY_NAME, FORMATS, Format, Integers, ProductKind
from core.loads.products.verify import KnownAnswer, Shape
from core.loads.words import flip_bit, set_nan
from tests.loads import lacking_products

CPU = torch.device("cpu")
FLOAT32, FLOAT64 = BY_NAME["float32"], BY_NAME["float64"]
formats = st.sampled_from(FORMATS)
every_format = pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)


@pytest.fixture(scope="module", autouse=True)
def _what_cpus_lack() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        lacking_products.offer(patch)
        yield


def prepared(size: int | Shape, seed: int, format_: Format = FLOAT32) -> KnownAnswer:
    product = KnownAnswer((size, size, size) if isinstance(size, int) else size, format_.integers, seed=seed)
    for _ in product.prepare():
        pass
    return product


def answer(product: KnownAnswer, format_: Format) -> torch.Tensor:
    return product.operands(format_, CPU).product()


def side(format_: Format, size: int) -> int:
    """Narrow and sparse products take whole blocks only."""
    block = 32 if format_.kind is ProductKind.BLOCK_SCALED else 1 if format_.kind is ProductKind.DENSE else 16
    return -(-size // block) * block


@settings(max_examples=60, deadline=None)
@given(shape=st.tuples(*[st.integers(1, 300)] * 3), seed=st.integers(0, 2**31), format_=formats)
def test_a_correct_product_of_any_shape_is_accepted(shape: Shape, seed: int, format_: Format) -> None:
    height, depth, width = (side(format_, size) for size in shape)
    product = prepared((height, depth, width), seed, format_)
    assert product.problem(answer(product, format_), format_) is None


@settings(max_examples=150, deadline=None)
@given(size=st.integers(1, 150), seed=st.integers(0, 2**31), format_=formats, data=st.data())
def test_any_flipped_bit_that_changes_a_value_is_found(
    size: int, seed: int, format_: Format, data: st.DataObject
) -> None:
    product = prepared(side(format_, size), seed, format_)
    wrong = answer(product, format_)
    element = data.draw(st.integers(0, wrong.numel() - 1), label="element")
    bit = data.draw(st.integers(0, 8 * wrong.element_size() - 1), label="bit")
    before = float(wrong.view(-1)[element])
    flip_bit(wrong, element, bit)
    changed = float(wrong.view(-1)[element]) != before
    assert (product.problem(wrong, format_) is not None) == changed, "only the sign of zero may go unseen"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e30])
@every_format
def test_values_beyond_any_integer_are_found(format_: Format, value: float) -> None:
    product = prepared(160, 4, format_)
    wrong = answer(product, format_)
    if wrong.is_floating_point():
        wrong[143, 128] = value
    else:
        wrong[143, 128] = torch.iinfo(wrong.dtype).max
    assert product.problem(wrong, format_) is not None


@every_format
def test_nan_in_an_unsampled_row_is_found(format_: Format) -> None:
    product = prepared(160, 5, format_)
    right = answer(product, format_)
    for row in range(0, 160, 7):
        wrong = right.clone()
        set_nan(wrong, row * 160 + 3)
        assert product.problem(wrong, format_) is not None


@pytest.mark.parametrize("swap", ["rows", "columns", "transposed"])
def test_right_numbers_in_wrong_places_are_found(swap: str) -> None:
    product = prepared(200, 6)
    right = answer(product, FLOAT32)
    order = list(range(200))
    order[10], order[150] = order[150], order[10]
    wrong = {"rows": right[order], "columns": right[:, order], "transposed": right.T.contiguous()}[swap]
    assert product.problem(wrong, FLOAT32) is not None


def test_a_pair_of_errors_that_keeps_plain_sums_is_found() -> None:
    product = prepared(100, 7)
    wrong = answer(product, FLOAT32)
    wrong[[3, 4], [5, 6]] += 1.0
    wrong[[3, 4], [6, 5]] -= 1.0
    assert product.problem(wrong, FLOAT32) is not None


def test_the_reference_is_the_product_of_the_operands_in_integers() -> None:
    product = prepared(90, 8)
    operands = product.operands(FLOAT64, CPU)
    a, b = (operand.numpy().astype(np.int64) for operand in (operands.left, operands.right))
    assert np.abs(a).max() == FLOAT32.integers.largest
    assert product.problem(torch.from_numpy((a @ b).astype(np.float32)), FLOAT32) is None


def test_the_place_of_a_single_wrong_element_is_named() -> None:
    product = prepared(300, 9)
    wrong = answer(product, FLOAT32)
    unsampled = next(row for row in range(300) if row not in product.rows)
    for row in (unsampled, int(product.rows[5])):
        right = float(wrong[row, 17])
        wrong[row, 17] += 2.0
        place = f"(row {row}, column 17: {right + 2:.9g} instead of {right:.9g})"
        assert place in str(product.problem(wrong, FLOAT32))
        wrong[row, 17] = right


def test_sizes_whose_sums_are_not_exact_are_refused() -> None:
    with pytest.raises(ValueError, match="not exact"):
        KnownAnswer((16, 2**18, 16), Integers(), seed=1)


@every_format
def test_the_longest_sum_that_is_called_exact_is_one(format_: Format) -> None:
    """Of the integers of each format, in the accumulators that its units have."""
    accumulator = 2**31 if format_.result is torch.int32 else 2**24
    assert format_.integers.depth * format_.integers.largest**2 < accumulator


@every_format
def test_a_result_of_the_longest_sum_is_accepted(format_: Format) -> None:
    product = prepared((32, min(format_.integers.depth, 4096), 32), 10, format_)
    assert product.problem(answer(product, format_), format_) is None
