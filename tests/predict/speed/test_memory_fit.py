"""What fits a card's memory, by the old rule and by counting, against published sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.predict.speed.memory_fit import GIB, Fits, Shape, memory_fit, rule_of_thumb, shape_of, transformer_activations


@pytest.mark.parametrize(
    ("memory_gb", "millions"), [(1.5, 137.5), (3, 325), (6, 700), (11, 1325), (12, 1450), (24, 2950)]
)
def test_the_rule_of_thumb(memory_gb: float, millions: float) -> None:
    """(memory - 400 MB) / 2 / 4 bytes: GTX 580, GTX TITAN, GTX 1080 Ti and later cards."""
    assert rule_of_thumb(memory_gb) == pytest.approx(millions * 1e6)


def test_16_bit_hold_twice_the_model_of_32_bit() -> None:
    assert rule_of_thumb(11, 2) == pytest.approx(2 * rule_of_thumb(11))


@pytest.mark.parametrize(("cards", "gigabytes"), [(1, 120.0), (64, 1.9)])
def test_states_of_7_5_billion_parameters_take_what_zero_says(cards: int, gigabytes: float) -> None:
    """Rajbhandari et al. 2020, figure 1: 120 GB on one card, 1.9 GB on each of 64 with all states sharded."""
    fit = memory_fit(7.5e9, 80, cards=cards, activations=(0, 0, 0))
    states_gb = (fit.needed_gb.low - 0.6) * GIB / 1e9
    gathered_gb = 0 if cards == 1 else 4 * 7.5e9 / shape_of(7.5e9).layers / 1e9
    assert states_gb - gathered_gb == pytest.approx(gigabytes, abs=0.1)


def test_activations_are_34_s_b_h_a_layer_and_the_attention_5_a_s_over_h_more() -> None:
    shape = Shape(layers=24, width=1024, heads=16, vocabulary=0)
    low, expected, high = transformer_activations(shape, 8, 1024)
    per_layer = 1024 * 8 * 1024
    assert expected == 24 * per_layer * 34
    assert high == 24 * per_layer * (34 + 5 * 16 * 1024 / 1024)
    assert low < expected / 5


@pytest.mark.parametrize(
    ("parameters", "layers", "width"), [(0.355e9, 24, 1024), (1.56e9, 48, 1600), (6.7e9, 32, 4096)]
)
def test_shapes_are_near_those_of_gpt_2_and_gpt_3(parameters: float, layers: int, width: int) -> None:
    shape = shape_of(parameters)
    assert shape.layers * shape.width == pytest.approx(layers * width, rel=0.35)
    assert 12 * shape.layers * shape.width**2 == pytest.approx(parameters, rel=0.01)


@pytest.mark.parametrize(
    ("parameters", "memory_gb", "fits", "fewest"),
    [
        (0.124e9, 8, Fits.YES, 1),
        (0.355e9, 12, Fits.YES, 1),
        (1.5e9, 24, Fits.TIGHT, 2),
        (7e9, 80, Fits.NO, 2),
        (7e9, 24, Fits.NO, 6),
        (7e9, 141, Fits.YES, 1),
        (70e9, 80, Fits.NO, 20),
    ],
)
def test_what_people_train_on_what(parameters: float, memory_gb: float, fits: Fits, fewest: int) -> None:
    fit = memory_fit(parameters, memory_gb)
    assert fit.fits is fits
    assert fit.fewest_cards == pytest.approx(fewest, abs=max(1, 0.15 * fewest))


@given(st.floats(1e6, 1e11), st.floats(1, 3), st.integers(1, 64))
def test_a_larger_model_never_needs_less(parameters: float, more: float, cards: int) -> None:
    small, large = (memory_fit(size, 24, cards=cards).needed_gb for size in (parameters, parameters * more))
    assert small.low <= large.low * 1.000001
    assert small.expected <= large.expected * 1.000001


@given(st.floats(1e8, 1e11), st.integers(2, 128))
def test_more_cards_never_need_more_each(parameters: float, cards: int) -> None:
    few, many = (memory_fit(parameters, 24, cards=count).needed_gb for count in (cards, cards + 1))
    assert many.expected <= few.expected


@given(st.floats(1e8, 1e11), st.sampled_from([8, 12, 16, 24, 48, 80, 141]))
def test_on_the_fewest_cards_it_fits_and_on_one_less_it_does_not(parameters: float, memory_gb: float) -> None:
    fewest = memory_fit(parameters, memory_gb).fewest_cards
    if fewest is None:
        return
    assert memory_fit(parameters, memory_gb, cards=fewest).fits is Fits.YES
    if fewest > 2:
        assert memory_fit(parameters, memory_gb, cards=fewest - 1).fits is not Fits.YES


def test_unknown_memory_is_unknown_and_no_model_is_refused() -> None:
    fit = memory_fit(7e9, None)
    assert (fit.fits, fit.rule_of_thumb, fit.fits_rule_of_thumb, fit.fewest_cards) == (Fits.UNKNOWN, None, None, None)
    with pytest.raises(ValueError, match="at least one"):
        memory_fit(0, 24)
