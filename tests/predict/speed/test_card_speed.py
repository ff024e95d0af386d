"""One card alone: more of any figure is never slower, less power never faster, an unknown figure is named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.predict.band import Band
from core.predict.speed.card_speed import card_rate, power_share
from core.predict.speed.networks import ComputePrecision, Network
from core.predict.speed.peaks import RateFigure, peaks_of
from tests.predict.speed.machines import gpu

networks = st.sampled_from(Network)
precisions = st.sampled_from(ComputePrecision)


def _rate(network: Network, share: float = 1.0, precision: ComputePrecision | None = None, **figures: Any) -> Band:
    rate = card_rate(gpu(**figures), network, share, precision).rate
    assert rate is not None
    return rate


def _sides(band: Band) -> tuple[float, float, float]:
    return band.low, band.expected, band.high


@given(networks, precisions, st.floats(10, 1000), st.floats(1, 3))
def test_more_of_every_peak_is_never_slower(
    network: Network, precision: ComputePrecision, peak: float, more: float
) -> None:
    names = ("fp32_tflops", "tf32_tflops", "fp16_tensor_tflops")
    slower = _rate(network, 1.0, precision, **dict.fromkeys(names, peak))
    faster = _rate(network, 1.0, precision, **dict.fromkeys(names, peak * more))
    assert all(a <= b * (1 + 1e-9) for a, b in zip(_sides(slower), _sides(faster), strict=True))


@given(networks, st.floats(100, 4000), st.floats(1, 3))
def test_more_bandwidth_is_never_slower(network: Network, gbps: float, more: float) -> None:
    slower, faster = (_rate(network, memory_bandwidth_gbps=value) for value in (gbps, gbps * more))
    assert all(a <= b * (1 + 1e-9) for a, b in zip(_sides(slower), _sides(faster), strict=True))


@given(networks, st.floats(0.34, 1), st.floats(0, 0.66))
def test_less_power_is_never_faster(network: Network, share: float, more: float) -> None:
    less, full = (_sides(_rate(network, value)) for value in (share, min(1.0, share + more)))
    assert all(a <= b * (1 + 1e-6) for a, b in zip(less, full, strict=True))


def test_a_power_limit_slows_computing_and_not_memory() -> None:
    free, limited = (card_rate(gpu(), Network.CNN, share) for share in (1.0, 0.6))
    assert limited.memory_ms == free.memory_ms
    assert limited.compute_ms[1] > free.compute_ms[1]


def test_four_fifths_of_the_power_keep_95_percent_of_resnet_50() -> None:
    """Puget Systems: four RTX 3090 at 280 W of 350 W."""
    card = {"product": "GeForce RTX 3090", "power_limit_w": 350, "fp16_tensor_tflops": 71.2, "fp32_tflops": 35.6}
    whole, four_fifths = (_rate(Network.CNN, share, memory_bandwidth_gbps=936, **card) for share in (1.0, 0.8))
    assert four_fifths.low / whole.low < 0.95 < four_fifths.high / whole.high
    assert four_fifths.expected / whole.expected == pytest.approx(0.96, abs=0.025)


def test_mixed_precision_pays_on_tensor_cores_only() -> None:
    for network in Network:
        assert _rate(network).expected > 1.4 * _rate(network, 1.0, ComputePrecision.FP32).expected
    old = gpu(tensor_cores=0, fp16_tensor_tflops=None, tf32_tflops=None, compute_capability="6.1")
    assert card_rate(old, Network.CNN).precision is ComputePrecision.FP32
    assert card_rate(old, Network.CNN, 1.0, ComputePrecision.TF32).precision is ComputePrecision.FP32


@pytest.mark.parametrize(
    ("unknown", "named"),
    [
        ({"fp16_tensor_tflops": None}, {"gpu.fp16_tensor_tflops"}),
        ({"memory_bandwidth_gbps": None}, {"gpu.memory_bandwidth_gbps"}),
        (
            {"fp16_tensor_tflops": None, "fp32_tflops": None, "boost_clock_mhz": None},
            {"gpu.fp16_tensor_tflops", "gpu.fp32_tflops", "gpu.boost_clock_mhz"},
        ),
    ],
)
def test_a_missing_figure_widens_the_band_and_is_named(unknown: dict[str, None], named: set[str]) -> None:
    stated, lacking = _rate(Network.TRANSFORMER), _rate(Network.TRANSFORMER, **unknown)
    assert set(lacking.missing) == named
    assert lacking.high / lacking.low > 1.05 * stated.high / stated.low
    assert lacking.low < stated.expected < lacking.high


@pytest.mark.parametrize(
    "unknown",
    [
        {"memory_bandwidth_gbps": None, "memory_type": None},
        {"fp16_tensor_tflops": None, "fp32_tflops": None, "cores": None},
    ],
)
def test_a_card_about_which_too_little_is_known_has_no_speed(unknown: dict[str, None]) -> None:
    rate = card_rate(gpu(**unknown), Network.CNN)
    assert rate.rate is None
    assert rate.missing != ()


@pytest.mark.parametrize(
    ("figures", "peak", "expected"),
    [
        ({"fp32_tflops": None}, "fp32", 10752 * 1770e6 * 2 / 1e12),
        ({"fp16_tensor_tflops": None}, "tensor", 4 * 38.0),
        ({"fp16_tensor_tflops": None, "product": "GeForce RTX Test"}, "tensor", 2 * 38.0),
        ({"tf32_tflops": None}, "tf32", 75.0),
        ({"fp16_tflops": None}, "fp16", 38.0),
        ({"fp16_tflops": None, "compute_capability": "6.0", "tensor_cores": 0}, "fp16", 76.0),
        ({"fp16_tflops": None, "compute_capability": "6.1", "tensor_cores": 0}, "fp16", 38.0 / 64),
        ({"memory_bandwidth_gbps": None}, "bandwidth", 768.0),
    ],
)
def test_rates_are_derived_from_others(figures: dict[str, Any], peak: str, expected: float) -> None:
    figure = getattr(peaks_of(gpu(**figures)), peak)
    assert isinstance(figure, RateFigure)
    assert figure.values[1] == pytest.approx(expected, rel=0.01)
    assert figure.values[0] <= figure.values[1] <= figure.values[2]


@pytest.mark.parametrize(
    ("limit_w", "own_w", "left_by_heat", "share"),
    [
        (None, 300, 1.0, 1.0),
        (240, 300, 1.0, 0.8),
        (240, 300, 0.5, 0.4),
        (400, 300, 1.0, 1.0),
        (400, 300, 0.6, 0.8),
        (400, 300, 0.9, 1.0),
        (240, None, 0.9, 0.9),
    ],
)
def test_the_power_of_a_card_is_its_limit_and_then_what_heat_takes(
    limit_w: float | None, own_w: float | None, left_by_heat: float, share: float
) -> None:
    assert power_share(limit_w, own_w, left_by_heat) == pytest.approx(share)


def test_a_part_that_is_no_gpu_is_refused() -> None:
    from tests.rules.machines import part

    with pytest.raises(ValueError, match="no GPU"):
        peaks_of(part("psu"))


@pytest.mark.parametrize(("architecture", "at_once"), [("RDNA 2", 1), ("RDNA 3", 2), ("RDNA 4", 2), ("CDNA 3", 2)])
def test_matrices_are_multiplied_at_what_the_chip_issues_at_once(architecture: str, at_once: int) -> None:
    """The rate of vectors, which cards are compared by, is one thing; what a product may reach is another."""
    peaks = peaks_of(gpu(architecture=architecture, compute_capability=None, fp32_tflops=30.0, tensor_cores=0))
    assert peaks.fp32 is not None and peaks.fp32.values == (30.0, 30.0, 30.0)
    products = peaks.rate(ComputePrecision.FP32)
    assert products is not None and products.values == (30.0 * at_once,) * 3
