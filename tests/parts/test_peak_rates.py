"""Peak rates of the cards: theory (cores x boost clock x 2), and the table that the product must agree with."""

import pytest

from core.parts.specs import GpuSpec
from tests.shipped import every_part

ROUNDED_BY_THE_MAKER = ("nvidia-gtx-titan-x-maxwell",)
"""Announced as 7 TFLOPS; its cores and boost clock give 6.6."""
CARDS = {part.id: part.spec for part in every_part() if isinstance(part.spec, GpuSpec)}

Row = tuple[str, float, float, float, int, int, int | None]
TABLE: list[Row] = [
    # product, FP64, FP32, FP16 or tensor, memory GB, bandwidth GB/s, NVLink GB/s both ways
    ("Tesla P100 SXM2", 5.3, 10.6, 21.2, 16, 732, 160),
    ("Tesla V100 SXM2", 7.8, 15.7, 125, 16, 900, 300),
    ("Tesla V100 PCIe", 7.0, 14.0, 112, 16, 900, None),
]


def peak(cores: float, clock_mhz: float) -> float:
    """Theoretical rate of fused multiply-adds, TFLOPS."""
    return cores * clock_mhz * 2 / 1e6


def cards_of(product: str, memory_gb: float) -> list[GpuSpec]:
    return [spec for spec in CARDS.values() if spec.product.startswith(product) and spec.memory_gb == memory_gb]


def test_fp32_is_cores_times_boost_clock_times_two() -> None:
    """Of every maker: what AMD counts twice, dual issue and matrix cores, is not in this column."""
    computed = {
        part_id: pytest.approx(
            peak(spec.cores, spec.boost_clock_mhz), rel=0.07 if part_id in ROUNDED_BY_THE_MAKER else 0.02
        )
        for part_id, spec in CARDS.items()
        if spec.cores and spec.boost_clock_mhz and spec.fp32_tflops
    }
    assert {part_id: CARDS[part_id].fp32_tflops for part_id in computed} == computed
    assert len(computed) > 400


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_the_table_comes_out_of_cores_clocks_and_rates(row: Row) -> None:
    product, fp64, fp32, half, memory, bandwidth, nvlink = row
    specs = cards_of(product, memory)
    assert specs, f"no {product} ships"
    for spec in specs:
        assert spec.cores and spec.boost_clock_mhz
        single = peak(spec.cores, spec.boost_clock_mhz)
        assert single == pytest.approx(fp32, rel=0.01)
        assert single / 2 == pytest.approx(fp64, rel=0.01), "one in two"
        assert spec.fp64_tflops == pytest.approx(fp64, rel=0.01)
        per_tensor_core = 64 if spec.tensor_cores else 0
        computed = peak(spec.tensor_cores * per_tensor_core, spec.boost_clock_mhz) if spec.tensor_cores else 2 * single
        assert computed == pytest.approx(half, rel=0.01)
        stated = spec.fp16_tensor_tflops if spec.tensor_cores else spec.fp16_tflops
        assert stated == pytest.approx(half, rel=0.01)
        assert spec.memory_bandwidth_gbps == pytest.approx(bandwidth, rel=0.01)
        assert spec.nvlink_gbps == nvlink


def test_the_volta_chip_is_as_described() -> None:
    for spec in cards_of("Tesla V100", 16):
        assert (spec.cores, spec.tensor_cores, spec.sm_count) == (5120, 640, 80)


def test_other_pascal_cards_do_double_precision_at_one_in_thirty_two() -> None:
    for spec in cards_of("GeForce GTX 1080 Ti", 11):
        assert spec.fp32_tflops and spec.fp64_tflops
        assert spec.fp32_tflops / spec.fp64_tflops == pytest.approx(32, rel=0.01)
        assert not spec.tensor_cores
