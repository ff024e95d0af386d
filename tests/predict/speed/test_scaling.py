"""N cards together: the ring's bytes, what hides behind computing, and whom all wait for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.predict.band import Band
from core.predict.speed.networks import ComputePrecision, Network
from core.predict.speed.scaling import WIDE, Narrowing, Scaled, scaled

SAMPLES = {
    Network.CNN: (256.0, 256.0, 256.0),
    Network.LSTM: (20_000.0, 20_000.0, 20_000.0),
    Network.TRANSFORMER: (7200.0, 32_768.0, 32_768.0),
}
IMAGES = SAMPLES[Network.CNN]
RATES = {Network.CNN: 1000.0, Network.LSTM: 100_000.0, Network.TRANSFORMER: 30_000.0}
networks = st.sampled_from(Network)


def _band(network: Network, factor: float = 1.0) -> Band:
    middle = RATES[network] * factor
    return Band(0.7 * middle, middle, 1.5 * middle, network.unit)


def _scaled(network: Network, count: int, gbps: float, factor: float = 1.0) -> Band:
    rates = [_band(network, factor)] * count
    return scaled(network, ComputePrecision.MIXED, rates, (0.5 * gbps, gbps, 1.2 * gbps), SAMPLES[network]).rate


def test_eight_cards_exchange_seven_quarters_of_the_gradients() -> None:
    """2 (N - 1) / N x 25.6 million x 4 bytes over 10 GB/s."""
    rates = [_band(Network.CNN)] * 8
    together = scaled(Network.CNN, ComputePrecision.MIXED, rates, (5, 10, 20), IMAGES)
    assert together.exchange_ms.expected == pytest.approx(1.75 * 25.6e6 * 4 / 10e9 * 1e3)


@given(networks, st.integers(2, 10), st.floats(1, 300), st.floats(1, 5))
def test_a_faster_link_is_never_slower(network: Network, count: int, gbps: float, more: float) -> None:
    slow, fast = _scaled(network, count, gbps), _scaled(network, count, gbps * more)
    assert (slow.low, slow.expected, slow.high) <= (fast.low * 1.000001, fast.expected * 1.000001, fast.high * 1.000001)


@given(networks, st.integers(2, 15), st.floats(1, 300))
def test_one_card_more_is_never_slower_and_never_more_than_one_card(network: Network, count: int, gbps: float) -> None:
    fewer, more = _scaled(network, count, gbps), _scaled(network, count + 1, gbps)
    assert fewer.expected < more.expected <= (count + 1) / count * fewer.expected * 1.000001


@given(networks, st.integers(2, 10), st.floats(1, 300))
def test_efficiency_is_a_share(network: Network, count: int, gbps: float) -> None:
    rates = [_band(network)] * count
    band = scaled(network, ComputePrecision.MIXED, rates, (0.5 * gbps, gbps, gbps), SAMPLES[network]).efficiency
    assert 0 < band.low <= band.expected <= band.high <= 1


def test_who_exchanges_gradients_after_fewer_samples_waits_more() -> None:
    rates = [_band(Network.TRANSFORMER)] * 4
    many, few = (
        scaled(Network.TRANSFORMER, ComputePrecision.MIXED, rates, (10, 12, 14), (tokens, 32_768, 32_768)).efficiency
        for tokens in (32_768.0, 4096.0)
    )
    assert few.low < 0.9 * many.low
    assert (few.expected, few.high) == (many.expected, many.high)


def test_the_slowest_card_sets_the_pace() -> None:
    fast, slow = _band(Network.CNN), _band(Network.CNN, 0.5)
    mixed = scaled(Network.CNN, ComputePrecision.MIXED, [fast, slow], (50, 100, 100), IMAGES)
    both_slow = scaled(Network.CNN, ComputePrecision.MIXED, [slow, slow], (50, 100, 100), IMAGES)
    assert mixed.rate.expected == pytest.approx(both_slow.rate.expected)
    assert mixed.efficiency.expected < both_slow.efficiency.expected


@pytest.mark.parametrize(("count", "gbps"), [(1, 10.0), (2, 0.0)])
def test_it_needs_two_cards_and_a_link(count: int, gbps: float) -> None:
    with pytest.raises(ValueError, match="two or more cards"):
        scaled(Network.CNN, ComputePrecision.MIXED, [_band(Network.CNN)] * count, (gbps, gbps, gbps), IMAGES)


def _efficiency(gbps: tuple[float, float, float], samples: tuple[float, float, float]) -> Scaled:
    rates = [Band(1000, 1000, 1000, Network.CNN.unit)] * 4
    return scaled(Network.CNN, ComputePrecision.MIXED, rates, gbps, samples)


def test_a_wide_band_names_what_would_narrow_it_and_a_narrow_one_nothing() -> None:
    link, steps, neither = (
        _efficiency((0.2, 4, 30), IMAGES),
        _efficiency((1, 1, 1), (8, 256, 2048)),
        _efficiency((30, 30, 30), IMAGES),
    )
    assert (link.narrowed_by, steps.narrowed_by) == (Narrowing.LINK, Narrowing.SAMPLES)
    assert neither.efficiency.high < WIDE * neither.efficiency.low
    assert neither.narrowed_by is None


@given(
    networks,
    st.integers(2, 10),
    st.tuples(*[st.floats(0.1, 100)] * 3).map(sorted),
    st.tuples(*[st.floats(8, 4096)] * 3).map(sorted),
)
def test_what_would_narrow_it_is_named_exactly_where_the_efficiency_is_wide(
    network: Network, count: int, gbps: list[float], samples: list[float]
) -> None:
    together = scaled(network, ComputePrecision.MIXED, [_band(network)] * count, (*gbps,), (*samples,))
    wide = together.efficiency.high > WIDE * together.efficiency.low
    assert (together.narrowed_by is not None) is wide
