"""The comparison of results finds every flipped bit, NaN and infinity, and never blames a correct product."""

from __future__ import annotations

import random

import pytest
import torch

from core.loads.inject import flip_bit, set_nan
from core.loads.products import verify
from core.loads.products.formats import BY_NAME, FORMATS, Format
from core.loads.products.operands import normal_operands

pytestmark = pytest.mark.usefixtures("what_cpus_lack")

CPU = torch.device("cpu")
FLOATS = [format_ for format_ in FORMATS if format_.result.is_floating_point]
SIZE = 96
FLIPS = 300


def by_name(format_: Format) -> str:
    return format_.name


every_format = pytest.mark.parametrize("format_", FORMATS, ids=by_name)


def normal(format_: Format, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randn((SIZE, SIZE), generator=generator, dtype=torch.float64)
    return (numbers * format_.spread).round().to(format_.result) if format_.spread > 2 else numbers.to(format_.result)


@every_format
def test_every_single_bit_flip_at_any_site_is_found_and_located(format_: Format) -> None:
    golden = normal(format_)
    choose = random.Random(format_.name)
    for _ in range(FLIPS):
        element, bit = choose.randrange(golden.numel()), choose.randrange(8 * golden.element_size())
        wrong = golden.clone()
        flip_bit(wrong, element, bit)

        assert int(verify.count_differences(wrong, golden)) == 1
        difference = verify.describe(wrong, golden)
        assert difference is not None
        assert (difference.row, difference.column) == divmod(element, SIZE)


@every_format
def test_a_flip_made_twice_restores_the_bits(format_: Format) -> None:
    golden = normal(format_)
    for bit in range(8 * golden.element_size()):
        twice = golden.clone()
        flip_bit(twice, 5, bit)
        flip_bit(twice, 5, bit)
        assert int(verify.count_differences(twice, golden)) == 0


@pytest.mark.parametrize("format_", FLOATS, ids=by_name)
def test_nan_is_seen_even_where_it_stands_in_both_results(format_: Format) -> None:
    golden = normal(format_)
    wrong = golden.clone()
    set_nan(wrong, 7)
    assert int(verify.count_differences(wrong, golden)) == 1
    assert int(verify.count_not_finite(wrong)) == 1
    assert int(verify.count_differences(wrong, wrong.clone())) == 0, "the bits are the same"
    difference = verify.describe(wrong, golden)
    assert difference is not None
    assert difference.not_finite == 1


def test_equal_results_have_nothing_to_describe() -> None:
    golden = normal(FORMATS[0])
    assert verify.describe(golden.clone(), golden) is None


def test_a_difference_reads_as_a_sentence() -> None:
    text = str(verify.ResultDifference(elements=1, not_finite=0, row=3, column=4, got=1.5, expected=1.0))
    assert text == "1 element is wrong (row 3, column 4: 1.5 instead of 1)"


@pytest.mark.parametrize("seed", range(4))
@every_format
def test_a_correct_product_is_within_the_bound_of_its_roundings(format_: Format, seed: int) -> None:
    operands = normal_operands(format_, SIZE, seed=seed, device=CPU)
    assert verify.golden_problem(operands.product(), operands, seed=seed) is None


@every_format
def test_a_golden_product_of_the_wrong_operands_is_found(format_: Format) -> None:
    operands, others = (normal_operands(format_, SIZE, seed=seed, device=CPU) for seed in (1, 2))
    problem = verify.golden_problem(others.product(), operands, seed=3)
    assert problem is not None
    assert problem.elements > SIZE


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("format_", FLOATS, ids=by_name)
def test_a_golden_product_with_one_number_that_is_not_finite_is_found_anywhere(format_: Format, value: float) -> None:
    operands = normal_operands(format_, SIZE, seed=1, device=CPU)
    golden = operands.product()
    golden[SIZE - 1, 2] = value
    problem = verify.golden_problem(golden, operands, seed=3)
    assert problem is not None
    assert (problem.row, problem.column, problem.not_finite) == (SIZE - 1, 2, 1)


@pytest.mark.parametrize("name", ["int8", "int8_sparse"])
def test_of_an_integer_product_no_number_may_be_off_by_one(name: str) -> None:
    operands = normal_operands(BY_NAME[name], SIZE, seed=1, device=CPU)
    golden = operands.product()
    golden += 1
    problem = verify.golden_problem(golden, operands, seed=3)
    assert problem is not None
    assert problem.got == problem.expected + 1
