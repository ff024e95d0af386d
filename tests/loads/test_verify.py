"""The comparison of results finds every flipped bit, NaN and infinity, and never blames a correct product."""

from __future__ import annotations

import random

import pytest
import torch

from core.loads import verify
from core.loads.formats import FORMATS, Format
from core.loads.inject import flip_bit, set_nan

ON_CPU = [format_ for format_ in FORMATS if format_.on_cpu]
SIZE = 96
FLIPS = 300


def by_name(format_: Format) -> str:
    return format_.name


def normal(format_: Format, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn((SIZE, SIZE), generator=generator, dtype=torch.float64).to(format_.result)


@pytest.mark.parametrize("format_", FORMATS, ids=by_name)
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


@pytest.mark.parametrize("format_", FORMATS, ids=by_name)
def test_a_flip_made_twice_restores_the_bits(format_: Format) -> None:
    golden = normal(format_)
    for bit in range(8 * golden.element_size()):
        twice = golden.clone()
        flip_bit(twice, 5, bit)
        flip_bit(twice, 5, bit)
        assert int(verify.count_differences(twice, golden)) == 0


@pytest.mark.parametrize("format_", FORMATS, ids=by_name)
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
    text = str(verify.Difference(elements=1, not_finite=0, row=3, column=4, got=1.5, expected=1.0))
    assert text == "1 element is wrong (row 3, column 4: 1.5 instead of 1)"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("format_", ON_CPU, ids=by_name)
def test_a_correct_product_is_within_the_bound_of_its_roundings(format_: Format, seed: int) -> None:
    a, b = normal(format_, seed), normal(format_, seed + 100)
    assert verify.golden_problem(a @ b, a, b, format_=format_, seed=seed) is None


@pytest.mark.parametrize("format_", ON_CPU, ids=by_name)
def test_a_golden_product_of_the_wrong_operands_is_found(format_: Format) -> None:
    a, b = normal(format_, 1), normal(format_, 2)
    problem = verify.golden_problem(a @ a, a, b, format_=format_, seed=3)
    assert problem is not None
    assert problem.elements > SIZE


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("format_", ON_CPU, ids=by_name)
def test_a_golden_product_with_one_number_that_is_not_finite_is_found_anywhere(format_: Format, value: float) -> None:
    a, b = normal(format_, 1), normal(format_, 2)
    golden = a @ b
    golden[SIZE - 1, 2] = value
    problem = verify.golden_problem(golden, a, b, format_=format_, seed=3)
    assert problem is not None
    assert (problem.row, problem.column, problem.not_finite) == (SIZE - 1, 2, 1)
