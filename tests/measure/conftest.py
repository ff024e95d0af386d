"""A page with every kind of figure in it."""

import pytest

from core.measure.page import (
    Bandwidth,
    CardFacts,
    Checked,
    Did,
    MeasuredPart,
    Page,
    Power,
    ProductRow,
    Program,
    StopRow,
    ToolRow,
)


@pytest.fixture
def page() -> Page:
    power = Power(mean_w=343.0, limit_w=350.0, clock_mhz=1410.0, temperature_c=71.0, held_by={"Power limit": 98.0})
    cooler = Power(mean_w=290.0, limit_w=350.0, clock_mhz=1700.0, temperature_c=66.0)
    return Page(
        date="2026-03-04T05:06:07+00:00",
        card=CardFacts(
            name="NVIDIA GeForce RTX 3090",
            kind="gpu",
            capability="8.6",
            memory_mb=24576,
            multiprocessors=82,
            driver="570.1",
            vbios="94.02",
            pcie="4.0 x16",
            power_limit_w=350.0,
            power_default_w=350.0,
        ),
        program=Program("0.1.0", "0123abcd", False, "3.12.3", "2.11.0+cu130", "13.0"),
        host="A processor, Linux 6.1",
        budget_s=450.0,
        took_s=430.2,
        parts=(
            MeasuredPart("Products and memory bandwidth", Did.DONE, seconds=110.0),
            MeasuredPart("Other programs", Did.NOT_RUN, "Neither is there.", needed=False),
        ),
        products=(
            ProductRow("float32", 8192, 8, 24.5, 24.7, 0.8, 0.5, 1.1, checks=40, errors=0, power=cooler),
            ProductRow("bfloat16", 8192, 8, 66.0, 68.0, 2.9, 2.0, 3.4, checks=90, errors=0, power=power),
        ),
        not_available={"float8": "float8 needs compute capability 8.9; this GPU has 8.6."},
        bandwidth=Bandwidth(842.4, 1024, by_clock_gbps=936.0, sheet_gbps=936.2, sheet="some-3090"),
        tools=(ToolRow("gpu-burn", "tf32", 33.0, 32.67, errors=0, power=power, note="compares | all"),),
        stops=(StopRow("gemm", 0.21, 1.83), StopRow("vram", 0.4)),
        tests=(Checked("12 tests", "passed"),),
        stages=(Checked("Link to the host", "failed", "Too slow."),),
    )
