"""Operands in every number format are what was meant; the comparison of results finds every flipped bit, NaN and
infinity, and never blames a correct product."""

import inspect
import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.loads.products import formats as module
from core.loads.products import verify
from core.loads.products.formats import BY_NAME, FLOAT4, FORMATS, Format, encoded, normal_operands
from core.loads.words import flip_bit, set_nan
from tests.loads import lacking_products

pytestmark = pytest.mark.usefixtures("what_cpus_lack")

CPU = torch.device("cpu")
SIDE = 64
every_format = pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
SPARSE = [format_ for format_ in FORMATS if format_.integers.sparse]


@every_format
def test_a_product_is_that_of_what_can_be_read_back(format_: Format) -> None:
    operands = normal_operands(format_, SIDE, seed=1, device=CPU)
    exact = operands.rows(range(SIDE)) @ operands.columns(slice(0, SIDE))
    result = operands.product()
    assert result.dtype is format_.result
    assert operands.shape == (SIDE, SIDE, SIDE)
    assert operands.flop == 2.0 * SIDE**3
    assert np.abs(result.to(torch.float64).numpy() - exact).max() < 0.01 * np.abs(exact).max()


@every_format
def test_integers_of_the_known_answer_are_stored_exactly(format_: Format) -> None:
    largest = format_.integers.largest
    numbers = torch.from_numpy(np.random.default_rng(1).integers(-largest, largest, (SIDE, SIDE), np.int8, True))
    mask = torch.from_numpy(module.kept_of_four())[torch.arange(SIDE * SIDE // 4) % 6].view(SIDE, SIDE)
    left = numbers * mask if format_.integers.sparse else numbers
    operands = encoded(left, numbers, format_)
    assert (operands.rows(range(SIDE)) == left.numpy()).all()
    assert (operands.columns(slice(8, 40)) == numbers.numpy().astype(np.float64)[:, 8:40]).all()


@every_format
def test_drawn_numbers_use_the_range_of_their_format_and_have_no_bias(format_: Format) -> None:
    numbers = normal_operands(format_, 256, seed=2, device=CPU).columns(slice(0, 256))
    assert abs(numbers.mean()) < 0.05 * numbers.std()
    assert 0.8 < numbers.std() / format_.spread < 1.2
    assert np.isfinite(numbers).all()


@pytest.mark.parametrize("format_", SPARSE, ids=lambda format_: format_.name)
def test_two_of_four_neighbours_are_zero_in_all_six_ways(format_: Format) -> None:
    left = normal_operands(format_, SIDE, seed=3, device=CPU).rows(range(SIDE)).reshape(-1, 4)
    masks = {tuple(row) for row in left != 0}
    assert max(sum(row) for row in masks) == 2
    assert len([row for row in masks if sum(row) == 2]) == 6


@given(number=st.floats(-8, 8, width=32))
def test_a_four_bit_number_is_the_nearest_that_there_is(number: float) -> None:
    row = torch.tensor([[number, 0.0]])
    [[stored, zero]] = module._from_float4(module._to_float4(row).numpy())
    assert abs(stored - number) == min(abs(sign * one - number) for one in FLOAT4 for sign in (1, -1))
    assert zero == 0


@pytest.mark.parametrize("name", sorted(lacking_products.STAND_INS))
def test_stand_ins_are_called_as_the_framework_s_own(name: str) -> None:
    """Its schema names the arguments and their defaults."""
    schema = getattr(torch.ops.aten, name).default._schema
    ours = inspect.signature(lacking_products.STAND_INS[name]).parameters
    assert [argument.name for argument in schema.arguments] == [each for each in ours if each != "out"]
    for argument in schema.arguments:
        default = ours[argument.name].default
        assert default == argument.default_value if argument.has_default_value() else default is inspect.Parameter.empty


FLOATS = [format_ for format_ in FORMATS if format_.result.is_floating_point]
SIZE = 96
FLIPS = 300


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
        assert (difference.row, difference.column) == divmod(element, SIZE)


@pytest.mark.parametrize("format_", FLOATS, ids=lambda format_: format_.name)
def test_nan_is_seen_even_where_it_stands_in_both_results(format_: Format) -> None:
    golden = normal(format_)
    wrong = golden.clone()
    set_nan(wrong, 7)
    assert int(verify.count_differences(wrong, golden)) == 1
    assert int(verify.count_not_finite(wrong)) == 1
    assert int(verify.count_differences(wrong, wrong.clone())) == 0, "the bits are the same"
    difference = verify.describe(wrong, golden)
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
    assert problem.elements > SIZE


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("format_", FLOATS, ids=lambda format_: format_.name)
def test_a_golden_product_with_one_number_that_is_not_finite_is_found_anywhere(format_: Format, value: float) -> None:
    operands = normal_operands(format_, SIZE, seed=1, device=CPU)
    golden = operands.product()
    golden[SIZE - 1, 2] = value
    problem = verify.golden_problem(golden, operands, seed=3)
    assert (problem.row, problem.column, problem.not_finite) == (SIZE - 1, 2, 1)


@pytest.mark.parametrize("name", ["int8", "int8_sparse"])
def test_of_an_integer_product_no_number_may_be_off_by_one(name: str) -> None:
    operands = normal_operands(BY_NAME[name], SIZE, seed=1, device=CPU)
    golden = operands.product()
    golden += 1
    problem = verify.golden_problem(golden, operands, seed=3)
    assert problem.got == problem.expected + 1
