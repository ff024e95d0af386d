"""Operands in every number format: what is stored is what was meant, and the product is theirs."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.loads.products import operands as module
from core.loads.products.formats import BY_NAME, FORMATS, Format
from core.loads.products.operands import FLOAT4, encoded, normal_operands
from tests.loads import lacking_products

pytestmark = pytest.mark.usefixtures("what_cpus_lack")

CPU = torch.device("cpu")
SIZE = 64
FLOAT4_FORMAT = BY_NAME["float4"]
every_format = pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
SPARSE = [format_ for format_ in FORMATS if format_.integers.sparse]


@every_format
def test_a_product_is_that_of_what_can_be_read_back(format_: Format) -> None:
    operands = normal_operands(format_, SIZE, seed=1, device=CPU)
    exact = operands.rows(range(SIZE)) @ operands.columns(slice(0, SIZE))
    result = operands.product()
    assert result.dtype is format_.result
    assert operands.shape == (SIZE, SIZE, SIZE)
    assert operands.flop == 2.0 * SIZE**3
    assert np.abs(result.to(torch.float64).numpy() - exact).max() < 0.01 * np.abs(exact).max()


@every_format
def test_integers_of_the_known_answer_are_stored_exactly(format_: Format) -> None:
    largest = format_.integers.largest
    numbers = torch.from_numpy(np.random.default_rng(1).integers(-largest, largest, (SIZE, SIZE), np.int8, True))
    kept = torch.from_numpy(module.kept_of_four())[torch.arange(SIZE * SIZE // 4) % 6].view(SIZE, SIZE)
    left = numbers * kept if format_.integers.sparse else numbers
    operands = encoded(left, numbers, format_)
    assert (operands.rows(range(SIZE)) == left.numpy()).all()
    assert (operands.columns(slice(8, 40)) == numpy_of(numbers)[:, 8:40]).all()


def numpy_of(numbers: torch.Tensor) -> np.ndarray:
    return numbers.numpy().astype(np.float64)


@every_format
def test_drawn_numbers_use_the_range_of_their_format_and_have_no_bias(format_: Format) -> None:
    numbers = normal_operands(format_, 256, seed=2, device=CPU).columns(slice(0, 256))
    assert abs(numbers.mean()) < 0.05 * numbers.std()
    assert 0.8 < numbers.std() / format_.spread < 1.2
    assert np.isfinite(numbers).all()


@pytest.mark.parametrize("format_", SPARSE, ids=lambda format_: format_.name)
def test_two_of_four_neighbours_are_zero_in_all_six_ways(format_: Format) -> None:
    left = normal_operands(format_, SIZE, seed=3, device=CPU).rows(range(SIZE)).reshape(-1, 4)
    kept = {tuple(row) for row in left != 0}
    assert max(sum(row) for row in kept) == 2
    assert len([row for row in kept if sum(row) == 2]) == 6


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
